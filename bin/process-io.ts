import { isBestEffort } from "../src/cli/core/best-effort.ts";
import { usageError } from "../src/cli/core/cli-error.ts";
import type { AskOptions, Ends, Io, Sink } from "../src/cli/core/context.ts";
import { mostTextBytes } from "../src/cli/core/read-at-most.ts";
import { lazy } from "../src/client/lazy.ts";
import { decodedText } from "../src/words/decoded-text.ts";
import { systemReason } from "../src/words/system-reason.ts";

/** The streams of this process. Each is opened, and its modules are loaded, at its first use. */
export const processIo = (interruption: AbortSignal): Io => ({
  stdin: {
    get isTerminal() {
      return isTerminal(0);
    },
    text: () => readAll(interruption),
    ends: (bytes) => readEnds(interruption, bytes),
  },
  stdout: sinkOf(1, stdout),
  stderr: sinkOf(2, stderr),
  ask: (question, options) => ask(question, options, interruption),
});

/** The output streams that were used. */
export const openStreams = (): NodeJS.WriteStream[] => [...opened];

const opened = new Set<NodeJS.WriteStream>();
const stdout = lazy(() => open(process.stdout, endWithoutOutput));
// If standard error fails, there is no other place to report it, and a server must go on.
const stderr = lazy(() => open(process.stderr, () => {}));

function open(
  stream: NodeJS.WriteStream,
  onFault: (error: NodeJS.ErrnoException) => void,
): NodeJS.WriteStream {
  opened.add(stream);
  // A reader that stops early (`| head`) is not an error.
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") onFault(error);
  });
  return stream;
}

/** Output is lost, for example because the disk is full: the exit code must say so, except with `--best-effort`. */
function endWithoutOutput(error: NodeJS.ErrnoException): void {
  const isFine = isBestEffort(process.argv.slice(2));
  const word = isFine ? "Warning" : "error";
  stderr().write(`${word}: Standard output cannot be written (${systemReason(error)}).\n`, () =>
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

/** Reads no further than the limit: a program that writes without an end must not keep a command waiting. */
async function readAll(interruption: AbortSignal): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of chunksOf(interruption)) {
    bytes += piece.length;
    if (bytes > mostTextBytes)
      throw usageError(`Standard input is larger than ${mostTextBytes / 1_048_576} MiB.`);
    pieces.push(piece);
  }
  const whole = Buffer.concat(pieces);
  return decodedText(whole) ?? whole.toString("utf8");
}

async function* chunksOf(interruption: AbortSignal): AsyncGenerator<Buffer> {
  interruption.addEventListener("abort", () => process.stdin.destroy(), { once: true });
  for await (const chunk of process.stdin) yield Buffer.from(chunk);
}

async function readEnds(interruption: AbortSignal, most: number): Promise<Ends> {
  const head: Buffer[] = [];
  const tail: Buffer[] = [];
  let [headBytes, tailBytes, bytes] = [0, 0, 0];
  for await (const piece of chunksOf(interruption)) {
    const first = piece.subarray(0, most - headBytes);
    const rest = piece.subarray(first.length);
    bytes += piece.length;
    headBytes += first.length;
    tailBytes += rest.length;
    if (first.length > 0) head.push(first);
    if (rest.length > 0) tail.push(rest);
    for (let [oldest] = tail; oldest && tailBytes - oldest.length >= most; [oldest] = tail) {
      tailBytes -= oldest.length;
      tail.shift();
    }
  }
  const end = Buffer.concat(tail);
  return { head: Buffer.concat(head), tail: end.subarray(Math.max(0, end.length - most)), bytes };
}

async function ask(
  question: string,
  { hidden = false, signal }: AskOptions = {},
  interruption: AbortSignal,
): Promise<string> {
  const { createInterface } = await import("node:readline");
  const { Writable } = await import("node:stream");
  const discarded = new Writable({ write: (_chunk, _encoding, done) => done() });
  signal?.throwIfAborted();
  interruption.throwIfAborted();
  stderr().write(question);
  const lines = createInterface({
    input: process.stdin,
    output: hidden ? discarded : stderr(),
    terminal: true,
  });
  const cancel = () => lines.close();
  // A terminal that is gone gives no more answers.
  process.stdin.once("error", cancel);
  signal?.addEventListener("abort", cancel, { once: true });
  try {
    return await new Promise<string>((resolve, reject) => {
      lines.once("line", resolve);
      lines.once("close", () => reject(new Error("Nothing was typed.")));
      interruption.addEventListener("abort", () => reject(interruption.reason), { once: true });
      // The terminal gives Ctrl-C as a key here. It ends the question as the signal would.
      lines.once("SIGINT", () => process.kill(process.pid, "SIGINT"));
    });
  } finally {
    signal?.removeEventListener("abort", cancel);
    process.stdin.off("error", cancel);
    lines.close();
    if (hidden) stderr().write("\n");
  }
}
