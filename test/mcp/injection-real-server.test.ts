import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Service, startService } from "../support/service/service.ts";
import { rounds } from "../support/torture.ts";
import { makeThreadWithHostileWords } from "../support/worlds/agents/thread-with-hostile-words.ts";
import { eras, type TestClient } from "./support/clients.ts";
import { openHttpSession } from "./support/http-session.ts";
import { injectionPayloads } from "./support/injection-payloads.ts";
import { expectFenced, expectOnlyMarked, marks, wordsOf } from "./support/marked-words.ts";
import { openMcpSession } from "./support/mcp-session.ts";
import { readToolResult } from "./support/tool-result.ts";

/** Requests are JSON, and text fields accept no such characters. */
const sendable = injectionPayloads.filter(([, payload]) => payload.isWellFormed() && !payload.includes("\0"));
const rows = sendable
  .filter((_, at) => at % rounds(8, 1) === 0)
  .map(([name, payload], at) => ({ name, payload, era: eras[at % eras.length] ?? eras[0] }));

describe("a text of people, agents and users on the real server", () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ environment: { INNKEEP_RATE_LIMITS: "off" } });
  });
  afterAll(() => service.stop());

  it.each(rows)(
    "is always shown with its author over stdio and HTTP of $era: $name",
    async ({ payload, era }) => {
      const thread = await makeThreadWithHostileWords(service, {
        public: wordsOf("public", payload),
        team: wordsOf("team", payload),
        agents: wordsOf("agents", payload),
        decision: wordsOf("decision", payload),
      });
      const { baseUrl } = service;
      const stdio = await openMcpSession(era, { baseUrl, agentToken: thread.token, work: true });
      await expectMarked(stdio.client, thread);
      await expectMarked(await openHttpSession(era, { baseUrl, token: thread.token }), thread);
      const connected = await openHttpSession(era, { baseUrl, token: thread.connection });
      expectOnlyMarked(await read(connected, "read_feedback", { feedback: thread.feedback }));
    },
  );
});

type Thread = Awaited<ReturnType<typeof makeThreadWithHostileWords>>;

const read = async (client: TestClient, name: string, args: Record<string, unknown> = {}) =>
  readToolResult(await client.callTool(name, args));

/** Calls every tool that reads, and reads every resource. */
async function expectMarked(client: TestClient, { feedback, first, finished, approved }: Thread) {
  const args = { feedback, max_chars: 60_000, include_images: true };
  const thread = await read(client, "read_feedback", args);
  for (const mark of Object.values(marks)) expect(thread.text).toContain(mark);
  const answers = [
    thread,
    await read(client, "list_feedback"),
    await read(client, "get_decision", { run_id: first }),
    await read(client, "get_decision", { run_id: finished }),
    await read(client, "get_decision", { run_id: approved }),
    await read(client, "start_work", { run_id: finished }),
    await read(client, "start_work", { run_id: approved }),
  ];
  for (const answer of answers) expectOnlyMarked(answer);
  for (const list of textOf(await client.readResource("innkeep://queue")).split(/^## /m)) expectFenced(list);
  expectFenced(textOf(await client.readResource(`innkeep://feedback/${feedback}`)));
}

const textOf = (resource: object): string => String(JSON.parse(JSON.stringify(resource)).contents[0].text);
