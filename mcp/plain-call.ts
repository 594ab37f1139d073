import type { CallToolResult } from "@modelcontextprotocol/server";
import type { ToolRequest } from "../src/programs.ts";
import { type Era, metaKeys, versions } from "./build-time-answers.ts";
import type { Deps } from "./deps.ts";
import { type Fields, hasOnly, isId, isObject } from "./json.ts";
import { isEnvelope } from "./prepared-answers.ts";
import { identityOf, runSafely, toolNamed } from "./server.ts";
import { tools } from "./tool-list.ts";

/**
 * The answer to a call of a tool as JSON, as the SDK gives it. The SDK would take longer than most tools. Undefined if no
 * such tool is offered; empty if nobody waits for the answer any more.
 */
export async function answerCall(
  { era, id, tool, given }: PlainCall,
  {
    version,
    deps,
    gone,
  }: {
    readonly version: string;
    readonly deps: Deps;
    /** Aborts when the client has disconnected. */
    readonly gone: AbortSignal;
  },
): Promise<string | undefined> {
  const offered = toolNamed(deps, tool);
  if (!offered) return undefined;
  const call = { signal: gone, progress: async () => undefined };
  try {
    const result = await runSafely(offered, { given, deps, call });
    const shown = era === "modern" ? inNewerForm(result, identityOf({ version }, deps)) : result;
    return JSON.stringify({ result: shown, jsonrpc: "2.0", id });
  } catch (error) {
    if (gone.aborted) return "";
    throw error;
  }
}

/** Answers that stand alone say that they are whole, and who gives them. */
const inNewerForm = (result: CallToolResult, serverInfo: object) => ({
  ...result,
  resultType: "complete",
  _meta: { "io.modelcontextprotocol/serverInfo": serverInfo },
});

/** A call of a tool that needs nothing of the protocol but the form of its answer. */
interface PlainCall {
  readonly era: Era;
  readonly id: string | number;
  readonly tool: string;
  readonly given: Fields | undefined;
}

const legacyVersions: ReadonlySet<unknown> = new Set(versions.legacy);

const reservedPrefix = "io.modelcontextprotocol/";

/**
 * Reads a call of a tool. Undefined for anything unusual, which the SDK must handle: it refuses what is wrong in its own
 * words. A call that waits is unusual, because its answer comes in parts.
 */
export function plainCallIn({ headers, body }: ToolRequest): PlainCall | undefined {
  if (!isObject(body) || body.jsonrpc !== "2.0" || body.method !== "tools/call") return undefined;
  const { id, params } = body;
  if (!hasOnly(body, ["jsonrpc", "id", "method", "params"]) || !isId(id) || !isObject(params))
    return undefined;
  const { name: tool, arguments: given, _meta: meta = {} } = params;
  if (!hasOnly(params, ["name", "arguments", "_meta"]) || typeof tool !== "string") return undefined;
  if (given !== undefined && !isFlat(given)) return undefined;
  if (tool === tools.getDecision.name && given?.wait_seconds !== undefined) return undefined;
  const era = isObject(meta) && acceptsBoth(headers) ? eraOf(headers, tool, meta) : undefined;
  return era && { era, id, tool, given };
}

/** The SDK limits how many values the arguments hold. Those of the tools hold few, and no lists but one. */
const isFlat = (given: unknown): given is Fields =>
  isObject(given) && Object.values(given).every((value) => value === null || typeof value !== "object");

type Headers = ToolRequest["headers"];

/** Clients must accept both forms of answers, and the SDK refuses those that do not say so. */
const acceptsBoth = ({ accept = "", "content-type": sent = "" }: Headers): boolean =>
  accept.includes("application/json") &&
  accept.includes("text/event-stream") &&
  /^application\/json(; ?charset=utf-8)?$/i.test(sent);

function eraOf(headers: Headers, tool: string, meta: Fields): Era | undefined {
  const { progressToken = 0, ...rest } = meta;
  // Only a wait reports progress.
  if (!isId(progressToken)) return undefined;
  const version = headers["mcp-protocol-version"];
  if (version === undefined || legacyVersions.has(version))
    return Object.keys(rest).some((key) => key.startsWith(reservedPrefix)) ? undefined : "legacy";
  const saysSo = headers["mcp-method"] === "tools/call" && headers["mcp-name"] === tool;
  return saysSo && rest[metaKeys.version] === version && isEnvelope(rest) ? "modern" : undefined;
}
