import { serveStdio } from "../mcp/stdio.ts";
import type { McpRequest } from "../src/cli/programs.ts";
import { createClient } from "../src/client/client.ts";

/** What the MCP server needs of its process. */
export interface McpWorld {
  readonly version: string;
  readonly signal: AbortSignal;
}

/** Serves one agent over the standard streams of this process. Gives the exit code. */
export function serveAgent(
  { storedToken, ...request }: McpRequest,
  { version, signal }: McpWorld,
): Promise<number> {
  const { stdin, stdout, stderr } = process;
  const { baseUrl, proxy } = request;
  const headers = { "user-agent": `innkeep/${version}` };
  // The tools repeat by themselves, where it is right.
  const connect = async () =>
    createClient({ baseUrl, proxy, headers, attempts: 1, credentials: { agentToken: await storedToken() } });
  return serveStdio({ ...request, connect, version, signal, io: { stdin, stdout, stderr } });
}
