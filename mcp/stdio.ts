import { StdioServerTransport, serveStdio as serveProtocol } from "@modelcontextprotocol/server/stdio";
import { assemble } from "./assemble.ts";
import type { StdioOptions } from "./options.ts";
import { keepPure } from "./pure-output.ts";
import { createServer } from "./server.ts";
import { shortLines } from "./short-lines.ts";

/**
 * Serves one client over standard input and output, in whichever era of the protocol it speaks. Gives the exit code once
 * the client has hung up or the signal aborts; by then every wait and request is aborted.
 */
export function serveStdio(options: StdioOptions): Promise<number> {
  const { io, signal } = options;
  const output = keepPure(io);
  const warn = (message: string): void => {
    io.stderr.write(`innkeep mcp: ${message}\n`);
  };
  const deps = assemble(options, warn, options.clock);
  const lines = io.stdin.pipe(shortLines(output.protocol));
  const transport = new StdioServerTransport(lines, output.protocol);
  const handle = serveProtocol(() => createServer(options, deps), {
    transport,
    onerror: () => warn("A message of the client could not be handled."),
  });

  return new Promise((resolve) => {
    let ended = false;
    const end = async (): Promise<void> => {
      if (ended) return;
      ended = true;
      await handle.close().catch(() => undefined);
      output.release();
      resolve(0);
    };
    for (const event of ["end", "close"] as const) io.stdin.once(event, end);
    io.stdout.once("error", end);
    signal?.addEventListener("abort", end, { once: true });
    if (signal?.aborted || io.stdin.readableEnded || io.stdin.destroyed) void end();
  });
}
