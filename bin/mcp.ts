import { serveStdio } from "../mcp/stdio.ts";
import type { McpRequest } from "../src/programs.ts";

/** What the MCP server needs of its process. */
export interface McpWorld {
  readonly version: string;
  readonly signal: AbortSignal;
}

/** Serves one agent over the standard streams of this process. Gives the exit code. */
export function serveAgent(request: McpRequest, { version, signal }: McpWorld): Promise<number> {
  const { stdin, stdout, stderr } = process;
  return serveStdio({ ...request, version, signal, io: { stdin, stdout, stderr } });
}
