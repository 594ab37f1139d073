import { PassThrough } from "node:stream";
import { onTestFinished } from "vitest";
import type { StdioOptions } from "../../../mcp/options.ts";
import { serveStdio } from "../../../mcp/stdio.ts";
import {
  connectNewer,
  connectOlder,
  type Era,
  type NewerMessage,
  type OlderMessage,
  type OnPage,
} from "./clients.ts";
import { agentToken } from "./fake-api.ts";
import { streamTransport } from "./stream-transport.ts";

/** The server in this process, over streams, with a real client of the given protocol era. */
export async function openMcpSession(
  era: Era,
  { onPage, ...options }: Partial<StdioOptions> & { baseUrl: string; onPage?: OnPage },
) {
  const io = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
  const stdout: string[] = [];
  const stderr: string[] = [];
  io.stdout.on("data", (chunk) => stdout.push(String(chunk)));
  io.stderr.on("data", (chunk) => stderr.push(String(chunk)));
  const exit = serveStdio({ version: "1.2.3", agentToken, io, ...options });
  const client =
    era === "2025-11-25"
      ? await connectOlder(streamTransport<OlderMessage>(io.stdout, io.stdin), onPage)
      : await connectNewer(streamTransport<NewerMessage>(io.stdout, io.stdin), onPage);
  // From here on the client checks every answer against the output schema of its tool.
  await client.listTools();
  onTestFinished(async () => {
    io.stdin.end();
    await exit;
  });
  return { client, io, exit, stdout: () => stdout.join(""), stderr: () => stderr.join("") };
}
