import { PassThrough } from "node:stream";
import { describe, expect, it, onTestFinished } from "vitest";
import { createHttpTools } from "../../mcp/http.ts";
import { serveStdio } from "../../mcp/stdio.ts";
import type { ToolCaller } from "../../src/programs.ts";
import { eventually } from "../support/eventually.ts";

const baseUrl = "http://127.0.0.1:9";
const caller: ToolCaller = {
  ...{ id: "token", secret: "sda_secret", readOnly: false, mayWork: true },
  call: async () => ({ status: 404, headers: {}, text: '{"error":"None.","code":"not_found"}' }),
  readUpload: async () => undefined,
  follow: async () => ({ topics: { runIds: [], queue: false }, follow: async () => undefined }),
  stopping: new AbortController().signal,
};
const tools = createHttpTools({ version: "1.2.3", baseUrl, consoleUrl: baseUrl, onError: () => undefined });

async function overHttp(body: unknown) {
  const headers = { accept: "application/json", "content-type": "application/json" };
  const answer = await tools.answer({ headers, body, gone: new AbortController().signal }, caller);
  if ("json" in answer) return { status: 200, text: answer.json };
  return { status: answer.response.status, text: await answer.response.text() };
}

const initialize = {
  ...{ jsonrpc: "2.0", id: "begin", method: "initialize" },
  params: { protocolVersion: "2025-03-26", capabilities: {}, clientInfo: { name: "test", version: "1" } },
};
const last = { jsonrpc: "2.0", id: "last", method: "ping" };

/** Sends messages and then a ping. Returns the other answers and what was written to standard error. */
async function overStdio(messages: readonly unknown[], begun: boolean) {
  const io = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
  const exit = serveStdio({ version: "1.2.3", baseUrl, io });
  onTestFinished(async () => {
    io.stdin.end();
    await exit;
  });
  let out = "";
  io.stdout.on("data", (chunk) => {
    out += chunk;
  });
  const sent = [...(begun ? [initialize] : []), ...messages, ...(begun ? [] : [initialize]), last];
  io.stdin.write(sent.map((each) => `${JSON.stringify(each)}\n`).join(""));
  await eventually(() => expect(out).toMatch(/"id":"last".*\n$/));
  const answers: { id: unknown }[] = out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  return {
    answers: answers.filter(({ id }) => id !== "last" && id !== "begin"),
    warnings: String(io.stderr.read() ?? ""),
  };
}

const message = (given: object) => ({ jsonrpc: "2.0", id: 1, method: "ping", ...given });

/** Each has the message, the id of its answer, and the faults that the answer names. */
const invalid: readonly [unknown, unknown, string][] = [
  [message({ jsonrpc: "1.0" }), 1, 'The field `jsonrpc` must be "2.0".'],
  [{ id: "a", method: "ping" }, "a", 'The field `jsonrpc` must be "2.0".'],
  [{ jsonrpc: "2.0", id: 1 }, 1, "The field `method` must be a string."],
  [message({ method: 7 }), 1, "The field `method` must be a string."],
  [
    message({ method: null, params: [] }),
    1,
    "The field `method` must be a string. The field `params` must be an object.",
  ],
  [message({ params: 7 }), 1, "The field `params` must be an object."],
  [message({ params: null }), 1, "The field `params` must be an object."],
  [
    message({ params: { _meta: 7 } }),
    1,
    "The field `params._meta` does not have the form that the protocol requires.",
  ],
  [
    message({ params: { _meta: { progressToken: {} } } }),
    1,
    "The field `params._meta` does not have the form that the protocol requires.",
  ],
  [message({ more: 1 }), 1, "The message may only have the fields `jsonrpc`, `id`, `method` and `params`."],
  [
    message({ result: {} }),
    1,
    "The message may only have the fields `jsonrpc`, `id`, `method` and `params`.",
  ],
  [message({ id: 1.5 }), 1.5, "The field `id` must be a string or an integer."],
  [message({ id: null }), null, "The field `id` must be a string or an integer."],
  [message({ id: true }), null, "The field `id` must be a string or an integer."],
  [message({ id: { a: 1 } }), null, "The field `id` must be a string or an integer."],
  [
    { jsonrpc: "2.0", method: "notifications/initialized", params: 7 },
    null,
    "The field `params` must be an object.",
  ],
  [{}, null, 'The field `jsonrpc` must be "2.0". The field `method` must be a string.'],
  [7, null, "Send one JSON-RPC message, as an object."],
  ["ping", null, "Send one JSON-RPC message, as an object."],
  [null, null, "Send one JSON-RPC message, as an object."],
];
const refusal = (id: unknown, text: string) => ({
  jsonrpc: "2.0",
  id,
  error: { code: -32_600, message: text },
});

const withoutAnswer: readonly object[] = [
  { jsonrpc: "2.0", method: "notifications/initialized" },
  { jsonrpc: "2.0", id: 1, result: {} },
  { jsonrpc: "2.0", id: 1, error: { code: 1, message: "x" } },
];
const invalidResponses: readonly object[] = [
  { jsonrpc: "2.0", id: 1, result: 7 },
  { jsonrpc: "2.0", id: null, error: { code: -32_600, message: "x" } },
  { jsonrpc: "1.0", id: 1, error: 7 },
];

describe("a message that is not valid JSON-RPC", () => {
  it.each(invalid)("is answered with -32600, its id and its faults over HTTP: %j", async (sent, id, text) => {
    const answer = await overHttp(sent);
    expect({ status: answer.status, body: JSON.parse(answer.text) }).toEqual({
      status: 400,
      body: refusal(id, text),
    });
  });

  it.each([
    ["at the start", false],
    ["in a session", true],
  ])("is answered with -32600, its id and its faults over stdio %s", async (_, begun) => {
    const { answers, warnings } = await overStdio(
      invalid.map(([sent]) => sent),
      begun,
    );
    expect(answers).toEqual(invalid.map(([, id, text]) => refusal(id, text)));
    expect(warnings).toBe("");
  });

  it("is answered inside an array, too", async () => {
    const { answers } = await overStdio(
      [[message({ id: 3 }), message({ id: 4, params: 7 }), ...invalidResponses]],
      true,
    );
    expect(answers).toEqual([
      [refusal(4, "The field `params` must be an object."), { jsonrpc: "2.0", id: 3, result: {} }],
    ]);
  });
});

describe("a notification or a response", () => {
  it("has no answer over stdio, even if the response is invalid", async () => {
    // Two programs that answer each other's invalid errors would never stop.
    expect(await overStdio([...withoutAnswer, ...invalidResponses, invalidResponses], true)).toEqual({
      answers: [],
      warnings: "",
    });
  });

  it.each(withoutAnswer)("is accepted over HTTP without a body: %j", async (sent) => {
    expect(await overHttp(sent)).toEqual({ status: 202, text: "" });
  });

  it.each(invalidResponses)("is refused over HTTP without an id if it is invalid: %j", async (sent) => {
    const { status, text } = await overHttp(sent);
    expect({ status, body: JSON.parse(text) }).toMatchObject({
      ...{ status: 400, body: { id: null, error: { code: -32_600 } } },
    });
  });
});
