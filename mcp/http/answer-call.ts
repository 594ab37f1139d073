import type { CallToolResult } from "@modelcontextprotocol/server";
import type { Deps } from "../deps.ts";
import { runSafely } from "../register-tool.ts";
import { identityOf, toolNamed } from "../server.ts";
import type { PlainCall } from "./plain-call.ts";

interface Serving {
  readonly version: string;
  readonly deps: Deps;
  /** Aborts when the client has disconnected. */
  readonly gone: AbortSignal;
}

/**
 * The answer to a call of a tool as JSON, as the SDK gives it. The SDK would take longer than most tools. Undefined if no
 * such tool is offered; empty if nobody waits for the answer any more.
 */
export async function answerCall(
  { era, id, tool, given }: PlainCall,
  { version, deps, gone }: Serving,
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
