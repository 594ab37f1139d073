import { PassThrough } from "node:stream";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { createHttpTools } from "../../mcp/http.ts";
import { serveStdio } from "../../mcp/stdio.ts";
import type { ToolCaller } from "../../src/programs.ts";
import { eventually } from "../support/eventually.ts";
import { type Era, eras } from "./support/clients.ts";
import { messages } from "./support/http-messages.ts";

const baseUrl = "http://127.0.0.1:9";
const caller: ToolCaller = {
  ...{ id: "token", secret: "sda_secret", readOnly: false, mayWork: true },
  call: async () => ({ status: 404, headers: {}, text: '{"error":"None.","code":"not_found"}' }),
  readUpload: async () => undefined,
  follow: async () => ({ topics: { runIds: [], queue: false }, follow: async () => undefined }),
  stopping: new AbortController().signal,
};
const tools = createHttpTools({ version: "1.2.3", baseUrl, consoleUrl: baseUrl, onError: () => undefined });

type Ask = (method: string, params: object) => Promise<unknown>;

async function overHttp(era: Era): Promise<Ask> {
  return async (method, params) => {
    const { headers, body } = messages[era](method, params);
    const whole = { "content-type": "application/json", ...headers };
    const gone = new AbortController().signal;
    const answer = await tools.answer({ headers: whole, body, gone }, caller);
    const text = "json" in answer ? answer.json : await answer.response.text();
    return JSON.parse(text.replace(/^event: message\ndata: /, ""));
  };
}

async function overStdio(era: Era): Promise<Ask> {
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
  let id = 100;
  const ask: Ask = async (method, params) => {
    id++;
    const { body } = messages[era](method, params);
    io.stdin.write(`${JSON.stringify({ ...Object(body), id })}\n`);
    const mark = `"id":${id}`;
    const line = () => out.split("\n").find((each) => each.includes(mark));
    await eventually(() => expect(line()).toBeDefined());
    return JSON.parse(line() ?? "");
  };
  if (era === "2025-11-25") await ask("initialize", initialize);
  else await ask("tools/list", {});
  return ask;
}

const initialize = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "test", version: "1" },
};
const argument = { name: "id", value: "" };
const feedback = { type: "ref/resource", uri: "innkeep://feedback/{id}" };

const ofBoth: readonly [string, ...object[]][] = [
  [
    "completion/complete",
    ...[{}, { ref: 1 }, { ref: { type: "ref/else" }, argument }, { ref: {}, argument }],
    ...[{ ref: feedback }, { ref: feedback, argument: { name: 7, value: "" } }],
    ...[
      { ref: feedback, argument, context: 7 },
      { ref: { type: "ref/prompt", name: 3 }, argument },
    ],
  ],
  ["prompts/get", {}, { name: 7 }, { name: "triage_feedback", arguments: 7 }],
  ["resources/read", {}, { uri: 7 }, { uri: null }],
  ["tools/call", {}, { name: 7 }, { name: "list_feedback", arguments: 7 }],
  ["tools/list", { cursor: 7 }],
  ["prompts/list", { cursor: {} }],
  ["resources/list", { cursor: [] }],
  ["resources/templates/list", { cursor: false }],
];
const ofSessions: typeof ofBoth = [
  ...ofBoth,
  ["resources/subscribe", {}, { uri: 7 }],
  ["resources/unsubscribe", {}, { uri: 7 }],
];

const readError = (answer: unknown) => z.object({ error }).parse(answer).error;
const error = z.strictObject({ code: z.number(), message: z.string() });

describe.each(eras)("parameters that the protocol does not allow, in %s,", (era) => {
  it.each([
    ["HTTP", overHttp],
    ["stdio", overStdio],
  ] as const)("are refused in one sentence with -32602 over %s", async (way, open) => {
    const ask = await open(era);
    for (const [method, ...params] of way === "stdio" && era === "2025-11-25" ? ofSessions : ofBoth)
      for (const given of params) {
        const { code, message } = readError(await ask(method, given));
        expect({ method, given, code }).toEqual({ method, given, code: -32_602 });
        expect(message).toMatch(/^[^\n{[\]]{1,200}$/);
      }
  });
});

describe("the error about wrong parameters", () => {
  it.each<[string, object, string]>([
    ["resources/read", {}, "The parameter `uri` is missing; it must be a string."],
    ["resources/read", { uri: 7 }, "The parameter `uri` must be a string."],
    ["tools/call", { name: "list_feedback", arguments: 7 }, "The parameter `arguments` must be an object."],
    [
      "completion/complete",
      { ref: feedback, argument: { name: 7, value: "" } },
      "The parameter `argument.name` must be a string.",
    ],
    [
      "completion/complete",
      { ref: 1, argument },
      "The parameter `ref` does not have the form that the protocol requires.",
    ],
    ["initialize", {}, "The parameter `protocolVersion` is missing; it must be a string."],
  ])("names the fault of %s %j", async (method, given, sentence) => {
    const ask = await overHttp("2025-11-25");
    expect(readError(await ask(method, given))).toEqual({ code: -32_602, message: sentence });
  });
});
