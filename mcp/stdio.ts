import { lineLimit } from "./line-limit.ts";
import type { StdioOptions } from "./options.ts";
import { keepPure } from "./pure-output.ts";
import type { Session } from "./session.ts";
import { answerFirstMessages } from "./start/answer-first-messages.ts";
import { preparedAnswers } from "./start/prepared-answers.ts";

/**
 * Serves one client over standard input and output, in either era of the protocol. Gives the exit code when the
 * client has hung up or the signal aborts; by then every wait and request is aborted. The SDK is loaded at the
 * first message that needs it.
 */
export function serveStdio(options: StdioOptions): Promise<number> {
  const { io, signal } = options;
  const output = keepPure(io);
  const out = output.protocol;
  // A client that stops reading ends the server, below.
  out.on("error", () => undefined);
  const warn = (message: string): void => {
    io.stderr.write(`innkeep mcp: ${message}\n`);
  };
  const lines = io.stdin.pipe(lineLimit(out));
  const answerOf = options.prepared === false ? () => undefined : preparedAnswers(options);

  return new Promise((resolve, reject) => {
    let session: Session | undefined;
    let ended = false;
    const end = async (): Promise<void> => {
      if (ended) return;
      ended = true;
      await session?.close().catch(() => undefined);
      output.release();
      resolve(0);
    };
    for (const event of ["end", "close"] as const) io.stdin.once(event, end);
    io.stdout.once("error", end);
    signal?.addEventListener("abort", end, { once: true });
    if (signal?.aborted || io.stdin.readableEnded || io.stdin.destroyed) void end();
    const start = async (): Promise<void> => {
      const earlyInput = await answerFirstMessages(lines, answerOf, (answer) => out.write(answer));
      const { serveSession } = await import("./session.ts");
      if (!ended) session = serveSession(options, { earlyInput, lines, out, warn });
    };
    start().catch(reject);
  });
}
