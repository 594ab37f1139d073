import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import type { StdioOptions } from "../../../mcp/options.ts";
import { serveStdio } from "../../../mcp/stdio.ts";
import { eventually } from "../../support/eventually.ts";

type Script = readonly (object | string)[];

const versionKey = "io.modelcontextprotocol/protocolVersion";
const client = { name: "test", version: "1" };
const envelope = {
  [versionKey]: "2026-07-28",
  "io.modelcontextprotocol/clientInfo": client,
  "io.modelcontextprotocol/clientCapabilities": {},
};

const initialize = (params: object = {}, id: unknown = 1) => ({
  id,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: client, ...params },
});
const initialized = { method: "notifications/initialized" };
const list = (what: string, id: unknown = 2) => ({ id, method: `${what}/list` });
const lists = ["tools", "prompts", "resources", "resources/templates"];
const modern = (method: string, id: unknown, meta: object = {}) => ({
  id,
  method,
  params: { _meta: { ...envelope, ...meta } },
});
const started = [initialize(), initialized];
const callOfNothing = { id: 7, method: "tools/call", params: { name: "nothing", arguments: {} } };

/** Everything that a server writes to standard output and error for these messages. */
async function said(script: Script, options: Partial<StdioOptions>) {
  const io = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
  const exit = serveStdio({ version: "1.2.3", baseUrl: "http://127.0.0.1:9", io, ...options });
  const written = { out: "", err: "" };
  io.stdout.on("data", (chunk) => {
    written.out += chunk;
  });
  io.stderr.on("data", (chunk) => {
    written.err += chunk;
  });
  const answered = async (id: string): Promise<void> => {
    io.stdin.write(lineOf(modern("no/such", id)));
    await eventually(() => expect(written.out).toContain(id));
  };
  io.stdin.write(script.map(lineOf).join(""));
  // The second answer comes after all answers that could have come after the first one.
  await answered("first mark");
  await answered("second mark");
  io.stdin.end();
  expect(await exit).toBe(0);
  return { ...written, lines: written.out.trim().split("\n") };
}

const lineOf = (message: object | string): string =>
  `${typeof message === "string" ? message : JSON.stringify({ jsonrpc: "2.0", ...message })}\n`;

/** The answers of a server with prepared answers, and of one that uses only the protocol library. */
async function compare(script: Script, options: Partial<StdioOptions> = {}): Promise<void> {
  const prepared = await said(script, options);
  const usual = await said(script, { ...options, prepared: false });
  expect(prepared.lines.toSorted()).toEqual(usual.lines.toSorted());
  expect(prepared.err).toBe(usual.err);
}

describe("the prepared answers of the build", () => {
  it("contain all list requests of a session", async () => {
    const io = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
    const exit = serveStdio({ version: "1.2.3", baseUrl: "http://127.0.0.1:9", io });
    const answers: string[] = [];
    io.stdout.on("data", (chunk) => answers.push(String(chunk)));
    io.stdin.write([...started, ...lists.map((what) => list(what))].map(lineOf).join(""));
    await eventually(() => expect(answers).toHaveLength(5));
    io.stdin.end();
    expect(await exit).toBe(0);
  });

  it.each(["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2024-10-07", "2026-07-28", "1999-01-01"])(
    "are equal to the answers of the MCP library for version %s",
    (protocolVersion) =>
      compare([initialize({ protocolVersion }), initialized, ...lists.map((what, at) => list(what, at + 2))]),
  );

  it("are equal to the answers of the MCP library for independent requests", async () => {
    const modernLists = lists.map((what, at) => modern(`${what}/list`, at + 2));
    await compare([modern("server/discover", 1), ...modernLists, modern("server/discover", 9)]);
    await compare(modernLists);
  });

  it.each([
    ["another console", { consoleUrl: 'https://x.example/$&/"{address}"/{version}' }],
    ["no tool that writes", { readOnly: true }],
    ["the tools for work", { work: true }],
    ["another longest wait", { maxWaitSeconds: 240 }],
    ["a longest wait of zero", { maxWaitSeconds: 0 }],
    ["a version with characters of JSON syntax", { version: '1"\\{id of the request}$1' }],
  ] as const)("are equal to the answers of the MCP library with %s", async (_, options) => {
    await compare([...started, ...lists.map((what) => list(what))], options);
    await compare([modern("server/discover", 1), modern("tools/list", 2)], options);
  });

  it.each<readonly [string, Script]>([
    [
      "ids of every kind",
      [
        initialize({}, "a"),
        initialized,
        list("tools", 0),
        list("tools", -1),
        list("tools", '{"id of the request}'),
      ],
    ],
    ["invalid ids", [initialize({}, null), initialize({}, 1.5), initialize({}, [1]), list("tools", {})]],
    ["no `initialize`", [list("tools"), initialize()]],
    [
      "a second `initialize`",
      [...started, list("tools"), initialize({ protocolVersion: "2024-11-05" }, 3), list("tools", 4)],
    ],
    [
      "the same id twice",
      [...started, list("tools", 2), list("tools", 2), callOfNothing, { ...callOfNothing, id: 2 }],
    ],
    ["a list that is continued", [...started, { ...list("tools"), params: { cursor: "x" } }]],
    ["a progress token", [...started, { ...list("tools"), params: { _meta: { progressToken: 1 } } }]],
    ["a call after the lists", [...started, list("tools"), callOfNothing, { id: 8, method: "ping" }]],
    [
      "the cancellation of an unknown request",
      [
        ...started,
        list("tools"),
        { method: "notifications/cancelled", params: { requestId: 99 } },
        callOfNothing,
      ],
    ],
    [
      "something that is not a message",
      [
        ...started,
        "not json",
        "",
        "[]",
        '{"jsonrpc":"2.0"}',
        `[${JSON.stringify({ jsonrpc: "2.0", ...list("tools") })}]`,
        list("tools", 3),
      ],
    ],
    ["an answer without a request", [...started, { id: 4, result: {} }, list("tools", 5)]],
    ["additional fields", [{ ...initialize(), further: 1 }, initialize({ further: 1 }, 2), list("tools", 3)]],
    ["another protocol", ['{"jsonrpc":"1.0","id":1,"method":"tools/list"}', initialize()]],
    [
      "a probe, then `initialize`",
      [modern("server/discover", 1), initialize({}, 2), initialized, list("tools", 3)],
    ],
    [
      "requests of the newer kind in a session",
      [...started, modern("tools/list", 2), modern("server/discover", 3), list("tools", 4)],
    ],
    [
      "requests of a session after newer ones",
      [modern("tools/list", 1), list("tools", 2), initialize({}, 3), modern("tools/list", 4)],
    ],
    [
      "an unknown newer version",
      [modern("server/discover", 1, { [versionKey]: "2030-01-01" }), modern("tools/list", 2)],
    ],
    ["a subscription", [modern("tools/list", 1), modern("subscriptions/listen", 2), modern("tools/list", 3)]],
    [
      "more lists than are answered without the library",
      [...started, ...Array.from({ length: 40 }, (_, at) => list("tools", at + 2))],
    ],
    [
      "Windows line ends",
      [`${lineOf(initialize()).trim()}\r`, `${lineOf(list("tools")).trim()}\r`, callOfNothing],
    ],
  ])("leave the session in the same state as the MCP library: %s", (_, script) => compare(script));

  it.each([
    {},
    { roots: {} },
    { roots: { listChanged: true } },
    { roots: { listChanged: 1 } },
    { sampling: {}, elicitation: {} },
    { sampling: { tools: {} }, elicitation: { form: {}, url: {} } },
    { elicitation: { form: 1 } },
    { elicitation: [] },
    { experimental: { a: {} }, extensions: { "b/c": {} } },
    { experimental: { a: 1 } },
    { tasks: { list: {} } },
    { tasks: 1 },
    { unknown: null },
    null,
    [],
    "all",
  ])(
    "are equal to the answers of the MCP library for clients with the capabilities %j",
    async (capabilities) => {
      await compare([initialize({ capabilities }), initialized, list("tools"), callOfNothing]);
      const meta = { "io.modelcontextprotocol/clientCapabilities": capabilities };
      await compare([modern("server/discover", 1, meta), modern("tools/list", 2, meta)]);
    },
  );

  it.each([
    { ...client, title: "T", websiteUrl: "no address", description: "" },
    { ...client, icons: [{ src: "data:," }] },
    { ...client, title: null },
    { name: "no version" },
    { version: "1" },
    { ...client, further: {} },
    null,
    "me",
  ])("are equal to the answers of the MCP library for the client %j", async (clientInfo) => {
    await compare([initialize({ clientInfo }), initialized, list("tools"), callOfNothing]);
    const meta = { "io.modelcontextprotocol/clientInfo": clientInfo };
    await compare([modern("server/discover", 1, meta), modern("tools/list", 2, meta)]);
  });
});
