import { expect, it } from "vitest";
import { startService } from "../../support/service/service.ts";
import {
  decide,
  makeAppWithAgent,
  propose,
  submitFeedback,
} from "../../support/worlds/app-with-owner-and-agent.ts";
import { eras } from "../support/clients.ts";
import { messages } from "../support/http-messages.ts";

it.each(eras)(
  "the answer to a waiting request begins before the decision, so that no proxy ends it, in %s",
  async (era) => {
    const service = await startService();
    const cast = await makeAppWithAgent(service);
    const run_id = await propose(service, cast, await submitFeedback(service, cast));
    const { headers, body } = messages[era]("tools/call", {
      name: "get_decision",
      arguments: { run_id, wait_seconds: 50 },
    });
    const begun = await fetch(`${service.baseUrl}/mcp`, {
      method: "POST",
      headers: { ...headers, ...cast.agent, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    expect(begun.headers.get("content-type")).toBe("text/event-stream");
    expect(begun.headers.get("x-accel-buffering")).toBe("no");
    await decide(service, cast, run_id, { decision: "approve" });
    expect(await begun.text()).toContain('"may_proceed":true');
    await service.stop();
  },
);
