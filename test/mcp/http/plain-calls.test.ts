import { describe, expect, it } from "vitest";
import { createHttpTools } from "../../../mcp/http.ts";
import type { ToolCaller, ToolRequest } from "../../../src/programs.ts";
import { type Era, eras } from "../support/clients.ts";
import { messages } from "../support/http-messages.ts";

const id = "01a2075d-e2c2-77a8-bee3-9e65e3382356";
const thread = {
  app: { id, name: "Teapot" },
  feedback: {
    id,
    subject: "Leak",
    message: "It leaks.",
    category: "bug",
    status: "open",
    metadata: { os: 17 },
  },
  messages: [
    { id, direction: "inbound", author: "sender", body: "Again.", createdAt: "2026-11-23T07:00:00Z" },
  ],
  omittedMessages: 0,
  latestProposal: null,
};
const unknown = { error: "There is no such thread.", code: "not_found" };
const caller: ToolCaller = {
  id: "token",
  secret: "sda_secret",
  readOnly: false,
  mayWork: false,
  call: async ({ params }) =>
    params.id === id
      ? { status: 200, headers: {}, text: JSON.stringify(thread) }
      : { status: 404, headers: {}, text: JSON.stringify(unknown) },
  readUpload: async () => undefined,
  follow: async () => ({ topics: { runIds: [], queue: false }, follow: async () => undefined }),
  stopping: new AbortController().signal,
};
const address = "http://innkeep.invalid";
const tools = createHttpTools({
  version: "1.2.3",
  baseUrl: address,
  consoleUrl: `${address}/console`,
  onError: () => undefined,
});

interface Change {
  readonly headers?: Record<string, string>;
  readonly body?: object;
  readonly params?: object;
  readonly meta?: object;
}

/** A call of a tool as a client of an era sends it, with changes. */
function callOf(era: Era, params: { name: string; arguments?: object }, change: Change = {}): ToolRequest {
  const { headers, body } = messages[era]("tools/call", params);
  const sent: { params: { _meta?: object } } = JSON.parse(JSON.stringify(body));
  const meta = { ...sent.params._meta, ...change.meta };
  return {
    headers: { "content-type": "application/json", ...headers, ...change.headers },
    body: { ...sent, params: { ...sent.params, _meta: meta, ...change.params }, ...change.body },
    gone: new AbortController().signal,
  };
}

/** The message of an answer without its random word, and whether the library of the protocol created it. */
async function answerTo(request: ToolRequest) {
  const answer = await tools.answer(request, caller);
  const text = "json" in answer ? answer.json : await answer.response.text();
  const message: unknown = JSON.parse(text.replace(/^event: message\ndata: /, ""));
  const nonce = /--- ([0-9a-f]{12}) /.exec(text)?.[1] ?? "none";
  return {
    byLibrary: "response" in answer,
    status: "response" in answer ? answer.response.status : 200,
    message: JSON.parse(JSON.stringify(message).replaceAll(nonce, "NONCE")),
  };
}

const read = { name: "read_feedback", arguments: { feedback: id } };
/** This field has no meaning, and the code without the library does not support it. */
const unusual = { "com.example/unusual": { deep: true } };
const reserved = { "io.modelcontextprotocol/else": 1 };

describe.each(eras)("a call of a tool over HTTP in %s", (era) => {
  it.each<[string, { name: string; arguments?: object }]>([
    ["that succeeds", read],
    ["of an unknown thread", { name: "read_feedback", arguments: { feedback: id.replace("0", "f") } }],
    ["with wrong arguments", { name: "read_feedback", arguments: { feedbak: id, max_chars: "many" } }],
    ["without arguments", { name: "read_feedback" }],
    ["whose answer is not that of a server", { name: "list_feedback", arguments: {} }],
  ])("gets the same answer with and without the MCP library if it is a call %s", async (_, params) => {
    const plain = await answerTo(callOf(era, params));
    const usual = await answerTo(callOf(era, params, { meta: era === "2025-11-25" ? reserved : unusual }));
    expect(plain.byLibrary).toBe(false);
    expect(usual).toEqual({ ...plain, byLibrary: true });
  });

  it.each<[string, Change]>([
    ["a token of progress", { meta: { progressToken: 7 } }],
    ["a text as id", { body: { id: "seven" } }],
    ["a character set", { headers: { "content-type": "application/json; charset=utf-8" } }],
  ])("is answered without the MCP library if it has %s", async (_, change) => {
    expect((await answerTo(callOf(era, read, change))).byLibrary).toBe(false);
  });

  it.each<[string, Change]>([
    ["an unknown version", { headers: { "mcp-protocol-version": "2099-01-01" } }],
    ["acceptance of neither form", { headers: { accept: "text/html" } }],
    ["another media type", { headers: { "content-type": "text/plain" } }],
    ["an id that is no number and no text", { body: { id: 1.5 } }],
    ["no id", { body: { id: undefined } }],
    ["a further field", { body: { extra: 1 } }],
    ["another version of JSON-RPC", { body: { jsonrpc: "1.0" } }],
    ["a list as argument", { params: { arguments: { feedback: [id] } } }],
    ["arguments that are no object", { params: { arguments: [id] } }],
    ["a name that is no text", { params: { name: 7 } }],
    ["the name of no tool", { params: { name: "no_such_tool" } }],
    ["the name of a tool that is not offered", { params: { name: "start_work" } }],
    ["answers to questions of a tool", { params: { inputResponses: {} } }],
    ["a broken token of progress", { meta: { progressToken: {} } }],
    ["no object as meta", { params: { _meta: [] } }],
    ["a wait", { params: { name: "get_decision", arguments: { run_id: id, wait_seconds: 0 } } }],
  ])("is given to the MCP library if it has %s", async (_, change) => {
    const answer = await tools.answer(callOf(era, read, change), caller);
    expect("response" in answer).toBe(true);
  });
});

describe("a call of a tool without the MCP library", () => {
  it.each<[string, Change]>([
    ["another tool in its header", { headers: { "mcp-name": "list_feedback" } }],
    ["another method in its header", { headers: { "mcp-method": "tools/list" } }],
    ["another version in its header", { headers: { "mcp-protocol-version": "2025-11-25" } }],
    [
      "no description of the client's capabilities",
      { meta: { "io.modelcontextprotocol/clientCapabilities": 1 } },
    ],
  ])("is given to the library, which refuses it, if it has %s", async (_, change) => {
    expect(await answerTo(callOf("2026-07-28", read, change))).toMatchObject({
      byLibrary: true,
      status: 400,
    });
  });
});

it("a call whose client has disconnected ends without an answer", async () => {
  const gone = AbortSignal.abort();
  expect(await tools.answer({ ...callOf("2025-11-25", read), gone }, caller)).toEqual({ json: "" });
});
