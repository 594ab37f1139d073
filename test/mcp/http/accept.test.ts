import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Service, startService } from "../../support/service/service.ts";
import {
  type AppWithAgent,
  makeAppWithAgent,
  propose,
  submitFeedback,
} from "../../support/worlds/app-with-owner-and-agent.ts";

const withNulls = JSON.parse(readFileSync("test/inputs/mcp-null-argument.json", "utf8"));
const listOfTools = { jsonrpc: "2.0", id: 1, method: "tools/list" };

describe("the tools over HTTP", () => {
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

  describe.each(messages)("answer %s", (_, message) => {
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
      "in some form for %s",
      async (accept) => {
        const { status, text } = await post(accept, message());
        expect(status).toBe(200);
        expect(text).toContain('"result"');
      },
    );
  });

  it("refuse a client that takes neither form", async () => {
    expect((await post("text/html", listOfTools)).status).toBe(406);
  });

  it("take null, an empty text and nothing as one for optional arguments", async () => {
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
