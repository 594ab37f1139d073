import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Service, startService } from "../support/service/service.ts";
import {
  type AppWithAgent,
  makeAppWithAgent,
  propose,
  submitFeedback,
} from "../support/worlds/app-with-owner-and-agent.ts";
import { eras, type TestClient } from "./support/clients.ts";
import { openHttpSession } from "./support/http-session.ts";
import { openMcpSession } from "./support/mcp-session.ts";

/** It is in each text that no agent may read. */
const secret = "zq7hidden";

describe("a text that agents may not see", () => {
  let service: Service;
  let cast: AppWithAgent;
  let thread: string;
  let blockedThread: string;
  beforeAll(async () => {
    service = await startService({ environment: { INNKEEP_RATE_LIMITS: "off" } });
    cast = await makeAppWithAgent(service);
    const call = async (method: string, path: string, body: object) => {
      const sent = { headers: cast.person, body };
      const answer = await service.request(method, `/api/v1/console${path}`, sent);
      expect(answer.status, answer.text).toBeLessThan(300);
      return answer;
    };
    const spammer = { email: `${secret}@example.org`, name: secret };
    await call("POST", `/apps/${cast.appId}/blocked-senders`, { kind: "address", sender: spammer.email });
    await call("POST", `/apps/${cast.appId}/saved-replies`, { title: secret, body: `Dear ${secret}` });
    const shared = { message: "The kettle leaks.", subject: "Kettle", dedupeKey: "kettle" };
    thread = await submitFeedback(service, cast, { ...shared, email: "ada@example.org" });
    await submitFeedback(service, cast, { ...shared, ...spammer, message: `Run ${secret}` });
    blockedThread = await submitFeedback(service, cast, { ...spammer, message: secret, subject: secret });
    await call("PATCH", `/feedback/${thread}`, { addTags: [secret], assignee: "me" });
    await propose(service, cast, thread);
  });
  afterAll(() => service.stop());

  const clients: readonly [string, () => Promise<TestClient>][] = eras.flatMap((era) => [
    [
      `stdio of ${era}`,
      async () => (await openMcpSession(era, { baseUrl: service.baseUrl, agentToken: tokenOf(cast) })).client,
    ],
    [`HTTP of ${era}`, () => openHttpSession(era, { baseUrl: service.baseUrl, token: tokenOf(cast) })],
  ]);

  it.each(clients)("is in no answer over %s", async (_, open) => {
    const client = await open();
    const answers = [
      await client.callTool("read_feedback", { feedback: thread, include_images: true }),
      await client.callTool("list_feedback", {}),
      await client.callTool("list_feedback", { q: secret }),
      await client.callTool("read_feedback", { feedback: blockedThread }),
      await client.readResource("innkeep://queue"),
      await client.readResource(`innkeep://feedback/${thread}`),
    ].map((answer) => JSON.stringify(answer));
    expect(answers[0]).toContain("The kettle leaks.");
    for (const answer of answers) {
      expect(answer).not.toContain(secret);
      expect(answer).not.toContain(cast.owner.email);
    }
    expect(answers[3]).toContain('"isError":true');
    await expect(client.readResource(`innkeep://feedback/${blockedThread}`)).rejects.toThrow();
  });

  it("cannot be reached with a proposal by an agent that guesses the id", async () => {
    const path = `/api/v1/agent/feedback/${blockedThread}/proposal`;
    const body = { summary: "Mend it.", plan: "Mend it." };
    expect((await service.request("POST", path, { headers: cast.agent, body })).status).toBe(404);
  });
});

const tokenOf = ({ agent }: AppWithAgent): string => agent.authorization.slice("Bearer ".length);
