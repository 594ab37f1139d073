import type { AskOptions, Io, Sink } from "../src/cli/core/program/context.ts";
import { isBestEffort } from "../src/cli/feedback/sending/best-effort.ts";
import { lazy } from "../src/client/lazy.ts";

/** The streams of this process. None is opened, and nothing loaded for it, before it is used. */
export const processIo = (interruption: AbortSignal): Io => ({
  stdin: {
    get isTerminal() {
      return isTerminal(0);
    },
    text: () => readAll(interruption),
  },
  stdout: sinkOf(1, stdout),
  stderr: sinkOf(2, stderr),
  ask: (question, options) => ask(question, options, interruption),
});

/** Those of the two that something was written to. */
export const openStreams = (): NodeJS.WriteStream[] => [...opened];

const opened = new Set<NodeJS.WriteStream>();
const stdout = lazy(() => open(process.stdout, endWithoutOutput));
// Where standard error takes nothing there is no place left to say so, and a server must go on.
const stderr = lazy(() => open(process.stderr, () => {}));

function open(
  stream: NodeJS.WriteStream,
  onFault: (error: NodeJS.ErrnoException) => void,
): NodeJS.WriteStream {
  opened.add(stream);
  // A reader that has seen enough (`| head`) is no failure of ours.
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") onFault(error);
  });
  return stream;
}

/** What was to be printed is lost, as on a full disk: the exit code must say so, unless it must break no build. */
function endWithoutOutput({ code }: NodeJS.ErrnoException): void {
  const isFine = isBestEffort(process.argv.slice(2));
  const word = isFine ? "Warning" : "error";
  stderr().write(`${word}: Standard output cannot be written (${code}).\n`, () =>
    process.exit(isFine ? 0 : 1),
  );
}

const isTerminal = (descriptor: number): boolean => process.getBuiltinModule("node:tty").isatty(descriptor);

const sinkOf = (descriptor: number, stream: () => NodeJS.WriteStream): Sink => ({
  get isTerminal() {
    return isTerminal(descriptor);
  },
  get columns() {
    return stream().columns || 80;
  },
  write(text) {
    stream().write(text);
  },
});

async function readAll(interruption: AbortSignal): Promise<string> {
  interruption.addEventListener("abort", () => process.stdin.destroy(), { once: true });
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString("utf8");
}

async function ask(
  question: string,
  { hidden = false, signal }: AskOptions = {},
  interruption: AbortSignal,
): Promise<string> {
  const { createInterface } = await import("node:readline");
  const { Writable } = await import("node:stream");
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  signal?.throwIfAborted();
  interruption.throwIfAborted();
  stderr().write(question);
  const lines = createInterface({
    input: process.stdin,
    output: hidden ? nowhere : stderr(),
    terminal: true,
  });
  const takeBack = () => lines.close();
  signal?.addEventListener("abort", takeBack, { once: true });
  try {
    return await new Promise<string>((resolve, reject) => {
      lines.once("line", resolve);
      lines.once("close", () => reject(new Error("Nothing was typed.")));
      interruption.addEventListener("abort", () => reject(interruption.reason), { once: true });
      // The terminal gives Ctrl-C as a key here: the signal that it stands for ends the question.
      lines.once("SIGINT", () => process.kill(process.pid, "SIGINT"));
    });
  } finally {
    signal?.removeEventListener("abort", takeBack);
    lines.close();
    if (hidden) stderr().write("\n");
  }
}
