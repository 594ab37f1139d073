import { expect, it } from "vitest";
import { nextDecisionCheck } from "../../support/service/next-decision-check.ts";
import { startService } from "../../support/service/service.ts";
import { makeAppWithAgent, propose, submitFeedback } from "../../support/worlds/app-with-owner-and-agent.ts";
import { eras } from "../support/clients.ts";
import { messages } from "../support/http-messages.ts";

it.each(eras)(
  "a server that stops answers waiting requests over HTTP of the era %s immediately",
  async (era) => {
    const service = await startService();
    const cast = await makeAppWithAgent(service);
    const run_id = await propose(service, cast, await submitFeedback(service, cast));
    const looked = nextDecisionCheck(service);
    const { headers, body } = messages[era]("tools/call", {
      name: "get_decision",
      arguments: { run_id, wait_seconds: 50 },
    });
    const waiting = service.request("POST", "/mcp", { headers: { ...headers, ...cast.agent }, body });
    await looked;
    service.beginStop();
    const answer = await waiting;
    expect(answer.text).toContain("awaiting_approval");
    await service.stop();
  },
);
