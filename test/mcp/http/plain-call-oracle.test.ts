import { createMcpHandler } from "@modelcontextprotocol/server";
import { describe, expect, it } from "vitest";
import { keyedQueue } from "../../../mcp/deps.ts";
import { bothForms, createHttpTools, depsOf, formsIn } from "../../../mcp/http.ts";
import { createServer } from "../../../mcp/server.ts";
import type { ToolCaller, ToolRequest } from "../../../src/programs.ts";
import { fc } from "../../support/property.ts";
import { rounds } from "../../support/torture.ts";
import { eras } from "../support/clients.ts";
import { messages } from "../support/http-messages.ts";

const id = "01a2075d-e2c2-77a8-bee3-9e65e3382356";
const thread = {
  app: { id, name: "Teapot" },
  feedback: { id, subject: "Leak", message: "Drip.", category: "bug", status: "open", metadata: {} },
  ...{ messages: [], omittedMessages: 0, latestProposal: null },
};
const caller: ToolCaller = {
  ...{ id: "token", secret: "sda_secret", readOnly: false, mayWork: true },
  call: async ({ path }) =>
    path.endsWith("/feedback/:id")
      ? { status: 200, headers: {}, text: JSON.stringify(thread) }
      : { status: 404, headers: {}, text: '{"error":"None.","code":"not_found"}' },
  readUpload: async () => undefined,
  follow: async () => ({ topics: { runIds: [], queue: false }, follow: async () => undefined }),
  stopping: new AbortController().signal,
};
const address = "http://innkeep.invalid";
const options = {
  ...{ version: "1.2.3", baseUrl: address, consoleUrl: `${address}/console` },
  onError: () => undefined,
};
const tools = createHttpTools(options);

/**
 * Returns the library's answer to the same request. The library gets a header that accepts both forms, even from a
 * client that accepts only one.
 */
async function libraryAnswer({ headers: given, body, gone }: ToolRequest): Promise<Response> {
  const forms = formsIn(given.accept);
  const headers = forms.json || forms.events ? { ...given, accept: bothForms } : given;
  const deps = depsOf(options, caller, { queue: keyedQueue(), isFirstOffer: () => true });
  const { fetch } = createMcpHandler(({ era }) =>
    createServer(options, deps, { announces: era === "modern", only: undefined }),
  );
  const request = new Request(`${address}/mcp`, { method: "POST", headers, signal: gone });
  return fetch(request, { parsedBody: body });
}

/** A message without its random word. */
function messageIn(text: string): unknown {
  const nonce = /(?:---|===|\+\+\+) ([0-9a-f]{12}) /.exec(text)?.[1] ?? "none";
  return JSON.parse(text.replace(/^event: message\ndata: /, "").replaceAll(nonce, "NONCE"));
}

const odd = fc.constantFrom<unknown>(
  ...[null, true, 0, -1, 1.5, 1e300, "", "seven", "\u0000", "\ud800", "\ufeff1", "__proto__", [], [[]], {}],
  ...[{ a: 1 }, JSON.parse('{"__proto__":{"may_proceed":true}}'), "x".repeat(5_000)],
);
const keys = fc.constantFrom(
  ...["feedback", "run_id", "max_chars", "cursor", "include_images", "constructor", "toString"],
  ...["", "\ufefffeedback", "Feedback", "status", "claim_id", "summary", "wait_seconds"],
);
const values = fc.oneof({ weight: 2, arbitrary: fc.constant(id) }, odd);
/** All keys are own properties, as a JSON parser creates them, even `__proto__`. */
const object = (entries: readonly (readonly [string, unknown])[]): Record<string, unknown> => {
  const made = {};
  for (const [name, value] of entries)
    Object.defineProperty(made, name, { value, enumerable: true, configurable: true, writable: true });
  return made;
};
const fields = fc.array(fc.tuple(keys, values), { maxLength: 3 }).map(object);

/** In most calls, most parts have common values. */
const sometimes = <Value>(arbitrary: fc.Arbitrary<Value>) =>
  fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });
const changes = fc.record({
  era: fc.constantFrom(...eras),
  tool: fc.constantFrom(
    ...["read_feedback", "list_feedback", "get_decision", "start_work", "report_outcome"],
    ...["propose_plan", "nothing", "__proto__", "constructor", "Read_Feedback", "read_feedback "],
  ),
  given: fc.oneof({ weight: 8, arbitrary: fields }, fc.constant(undefined), odd),
  id: sometimes(odd),
  jsonrpc: sometimes(fc.constantFrom<unknown>("1.0", "2.0 ", 2, null)),
  body: sometimes(fc.tuple(fc.constantFrom("extra", "result", "error", "__proto__", "method"), odd)),
  params: sometimes(fc.tuple(fc.constantFrom("task", "name", "_meta", "__proto__", "inputResponses"), odd)),
  meta: sometimes(
    fc.tuple(
      fc.constantFrom(
        ...["progressToken", "x", "__proto__", "io.modelcontextprotocol/else"],
        ...["clientCapabilities", "clientInfo", "protocolVersion"].map(
          (name) => `io.modelcontextprotocol/${name}`,
        ),
      ),
      fc.oneof(
        odd,
        fc.constant({ name: "x", version: "1", icons: 7 }),
        fc.constant({ sampling: { tools: 1 } }),
      ),
    ),
  ),
  header: sometimes(
    fc.tuple(
      fc.constantFrom(
        "mcp-protocol-version",
        "mcp-method",
        "mcp-name",
        "mcp-session-id",
        "accept",
        "content-type",
      ),
      fc.constantFrom(
        ...[
          "",
          "2025-11-25",
          "2026-07-28",
          "2025-03-26",
          "2099-01-01",
          "tools/call",
          "tools/list",
          "nothing",
        ],
        ...["application/json", "text/event-stream", "*/*", "application/json;q=0, text/event-stream;q=0"],
        ...[
          "text/plain",
          "application/jsonx",
          "APPLICATION/JSON",
          "application/json; charset=utf-16",
          "=?base64?eA==?=",
        ],
      ),
    ),
  ),
  gone: sometimes(
    fc.constantFrom("mcp-protocol-version", "mcp-method", "mcp-name", "accept", "content-type"),
  ),
});
type Change = typeof changes extends fc.Arbitrary<infer Value> ? Value : never;

function requestOf(change: Change): ToolRequest {
  const { era, tool, given, header, gone } = change;
  const usual = messages[era]("tools/call", { name: tool, ...(given !== undefined && { arguments: given }) });
  const body: Record<string, unknown> = JSON.parse(JSON.stringify(usual.body));
  const headers: Record<string, string> = { "content-type": "application/json", ...usual.headers };
  const { params, meta } = change;
  const sent = { ...Object(body.params) };
  if (meta) sent._meta = object([...Object.entries(Object(sent._meta)), meta]);
  if (given !== undefined) sent.arguments = given;
  const whole = {
    ...body,
    params: params ? object([...Object.entries(sent), params]) : sent,
    ...(change.id !== undefined && { id: change.id }),
    ...(change.jsonrpc !== undefined && { jsonrpc: change.jsonrpc }),
  };
  if (header) headers[header[0]] = header[1];
  if (gone) delete headers[gone];
  return {
    headers,
    body: change.body ? object([...Object.entries(whole), change.body]) : whole,
    gone: new AbortController().signal,
  };
}

describe("a call of a tool that is answered without the MCP library", () => {
  it("gets the same answer as with the library, even if it is unusual", {
    timeout: rounds(60, 900) * 1_000,
  }, async () => {
    let direct = 0;
    await fc.assert(
      fc.asyncProperty(changes, async (change) => {
        const request = requestOf(change);
        const answer = await tools.answer(request, caller);
        if (!("json" in answer)) {
          await answer.response.body?.cancel();
          return;
        }
        direct++;
        const theirs = await libraryAnswer(request);
        expect({ status: 200, message: messageIn(answer.json) }).toEqual({
          status: theirs.status,
          message: messageIn(await theirs.text()),
        });
      }),
      { numRuns: rounds(1_500, 40_000) },
    );
    expect(direct).toBeGreaterThan(50);
  });

  it("is refused if an argument has the name of a JavaScript prototype, which the library ignores", async () => {
    const given = object([
      ["feedback", id],
      ["__proto__", id],
    ]);
    const answer = await tools.answer(requestOf({ ...usual, given }), caller);
    expect("json" in answer && answer.json).toContain("`__proto__` is unknown");
  });
});

const usual: Change = {
  ...{ era: "2025-11-25", tool: "read_feedback", given: undefined, id: undefined, jsonrpc: undefined },
  ...{ body: undefined, params: undefined, meta: undefined, header: undefined, gone: undefined },
};
