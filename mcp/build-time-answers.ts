import { PassThrough } from "node:stream";
import type { McpOptions } from "./options.ts";
import { serveSession } from "./session.ts";

/** The two eras of the protocol. `legacy` has sessions, which begin with `initialize`. `modern` has no sessions. */
export type Era = "legacy" | "modern";

/** The versions of the protocol in each era. */
export const versions = {
  legacy: ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2024-10-07"],
  modern: ["2026-07-28"],
} as const;

/** The methods that list something, such as tools. All clients of a server get the same answers. */
export const methodsThatList = [
  "tools/list",
  "prompts/list",
  "resources/list",
  "resources/templates/list",
] as const;

/** Answers by method, with placeholders for values that depend on the server or the request. */
type PreparedAnswers = Readonly<Record<Era, Readonly<Record<string, string>>>>;

/** The fields of `_meta` in a request without a session. In a session, `initialize` has the same values. */
export const metaKeys = {
  version: "io.modelcontextprotocol/protocolVersion",
  client: "io.modelcontextprotocol/clientInfo",
  capabilities: "io.modelcontextprotocol/clientCapabilities",
} as const;

/** The build writes these placeholders in place of values that exist only while a server runs. */
export const placeholders = {
  id: "{id of the request}",
  options: { version: "{version}", baseUrl: "{address}", maxWaitSeconds: 239 },
} as const;

/**
 * The build replaces this code with the computed answers. A server with these answers does not load the SDK.
 */
export const buildTimeAnswers = {
  all: await answersOf({ ...placeholders.options, readOnly: false }),
  work: await answersOf({ ...placeholders.options, work: true }),
  readOnly: await answersOf({ ...placeholders.options, readOnly: true }),
};

async function answersOf(options: McpOptions): Promise<PreparedAnswers> {
  return {
    legacy: await texts(options, "legacy", ["initialize", ...methodsThatList]),
    modern: await texts(options, "modern", ["server/discover", ...methodsThatList]),
  };
}

async function texts(
  options: McpOptions,
  era: Era,
  methods: readonly string[],
): Promise<Record<string, string>> {
  const lines = new PassThrough();
  const out = new PassThrough({ encoding: "utf8" });
  const earlyInput = { answered: Buffer.alloc(0), answers: 0, rest: Buffer.alloc(0) };
  const session = serveSession(options, { earlyInput, lines, out, warn: () => undefined });
  const answers: Record<string, string> = {};
  for (const method of methods) {
    lines.write(`${JSON.stringify(requestIn(era, method))}\n`);
    answers[method] = await nextLine(out);
  }
  await session.close();
  return answers;
}

async function nextLine(out: PassThrough): Promise<string> {
  let line = "";
  while (!line.endsWith("\n")) {
    const chunk: unknown = out.read();
    if (chunk === null) await new Promise((resolve) => out.once("readable", resolve));
    else line += String(chunk);
  }
  return line;
}

/** Returns the request for `method` in the form that clients of the protocol's `era` send. */
function requestIn(era: Era, method: string) {
  const clientInfo = { name: "build", version: "1" };
  const request = { jsonrpc: "2.0", id: placeholders.id, method };
  if (method === "initialize")
    return { ...request, params: { protocolVersion: versions.legacy[0], capabilities: {}, clientInfo } };
  if (era === "legacy") return request;
  const _meta = {
    [metaKeys.version]: versions.modern[0],
    [metaKeys.client]: clientInfo,
    [metaKeys.capabilities]: {},
  };
  return { ...request, params: { _meta } };
}
