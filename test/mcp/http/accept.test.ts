import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Service, startService } from "../../support/service/service.ts";
import {
  type AppWithAgent,
  makeAppWithAgent,
  propose,
  submitFeedback,
} from "../../support/worlds/app-with-owner-and-agent.ts";

const input = (name: string) => readFileSync(`test/inputs/${name}`, "utf8");
const withNulls = JSON.parse(input("mcp-null-argument.json"));
/** The values of `Accept` that a script sends. */
const acceptsIn = (script: string): string[] =>
  [...(/^for a in (.*); do$/m.exec(input(script))?.[1] ?? "").matchAll(/'([^']+)'/g)].map(
    ([, accept = ""]) => accept,
  );
const listOfTools = { jsonrpc: "2.0", id: 1, method: "tools/list" };

describe("the MCP endpoint over HTTP", () => {
  let service: Service;
  let cast: AppWithAgent;
  let runId: string;
  beforeAll(async () => {
    service = await startService();
    cast = await makeAppWithAgent(service);
    runId = await propose(service, cast, await submitFeedback(service, cast));
  });
  afterAll(() => service.stop());

  const post = async (accept: string | undefined, body: object) => {
    const headers = {
      ...cast.agent,
      "content-type": "application/json",
      ...(accept !== undefined && { accept }),
    };
    const sent = { method: "POST", headers, body: JSON.stringify(body) };
    const answer = await fetch(`${service.baseUrl}/mcp`, sent);
    const text = await answer.text();
    return { status: answer.status, type: answer.headers.get("content-type") ?? "", text };
  };
  const wait = () => ({
    ...{ jsonrpc: "2.0", id: 3, method: "tools/call" },
    params: { name: "get_decision", arguments: { run_id: runId, wait_seconds: 1 } },
  });
  const messages: readonly [string, () => object][] = [
    ["a list of the tools", () => listOfTools],
    ["a call", () => withNulls],
    ["a wait", wait],
  ];

  it.each(["mcp-accept.sh", "mcp-accept-wide.sh", "mcp-accept-weighted.sh"])(
    "answers each request of %s in a form that the client accepts",
    async (script) => {
      const accepts = acceptsIn(script);
      expect(accepts.length).toBeGreaterThan(1);
      for (const accept of accepts) {
        const { status, type, text } = await post(accept, listOfTools);
        const isEvents = accept.startsWith("text/") && !accept.includes("json");
        expect({ accept, status }).toEqual({ accept, status: 200 });
        expect(type).toMatch(isEvents ? /^text\/event-stream/ : /^(application\/json|text\/event-stream)/);
        expect(text).toContain("list_feedback");
      }
    },
  );

  it.each(["mcp-null-argument.json", "mcp-empty-argument.json", "mcp-null-argument-decision.json"])(
    "answers %s as if the request had no arguments",
    async (name) => {
      const sent = JSON.parse(input(name).replace("RUN_ID", runId));
      const given: Record<string, unknown> = sent.params.arguments;
      const left = Object.entries(given).filter(([, value]) => value !== null && `${value}`.trim() !== "");
      const plain = { ...sent, params: { ...sent.params, arguments: Object.fromEntries(left) } };
      const resultOf = async (message: object) =>
        JSON.parse((await post("application/json", message)).text).result;
      const [result, expected] = [await resultOf(sent), await resultOf(plain)];
      expect(result.isError).not.toBe(true);
      // How long an answer took differs from call to call.
      const waited = "waited_seconds" in expected.structuredContent && { waited_seconds: expect.any(Number) };
      expect(result.structuredContent).toEqual({ ...expected.structuredContent, ...waited });
    },
  );

  describe.each(messages)("answers a message %s", (_, message) => {
    it.each([
      "application/json",
      "Application/JSON",
      "application/*",
      "application/json, text/event-stream;q=0",
    ])("as JSON for %s", async (accept) => {
      const { status, type, text } = await post(accept, message());
      expect({ status, type }).toEqual({ status: 200, type: expect.stringMatching(/^application\/json/) });
      expect(JSON.parse(text).result).toBeDefined();
    });

    it.each(["text/event-stream", "text/*", "text/event-stream, */*;q=0"])(
      "as events for %s",
      async (accept) => {
        const { status, type, text } = await post(accept, message());
        expect({ status, type }).toEqual({ status: 200, type: expect.stringMatching(/^text\/event-stream/) });
        expect(text).toMatch(/^data: \{.*"result"/m);
      },
    );

    it.each(["*/*", "", "application/json, text/event-stream", undefined])(
      "in one of the forms for %s",
      async (accept) => {
        const { status, text } = await post(accept, message());
        expect(status).toBe(200);
        expect(text).toContain('"result"');
      },
    );
  });

  it("refuses a client that accepts neither form", async () => {
    expect((await post("text/html", listOfTools)).status).toBe(406);
  });

  it("treats null, an empty text and no value as equal for optional arguments", async () => {
    const call = async (args: object) => {
      const { text } = await post("application/json", {
        ...withNulls,
        params: { name: "list_feedback", arguments: args },
      });
      const { isError, structuredContent } = JSON.parse(text).result;
      return { isError, threads: structuredContent?.threads };
    };
    const plain = await call({ limit: 5 });
    expect(plain.threads).toHaveLength(1);
    const { arguments: nulls } = withNulls.params;
    for (const args of [nulls, { limit: null, status: "", tag: " ", updated_since: null, app_id: "" }])
      expect(await call(args)).toEqual(plain);
  });
});
