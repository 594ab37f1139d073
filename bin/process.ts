import { isBestEffort } from "../src/cli/core/ci.ts";
import { Unanswered, usageError } from "../src/cli/core/cli-error.ts";
import type { AskOptions, Context, Io, Sink, StreamEnds } from "../src/cli/core/context.ts";
import { mostTextBytes } from "../src/cli/core/input.ts";
import { lazy, systemClock } from "../src/client/wait.ts";
import { homeFolder } from "../src/credentials/folders.ts";
import { decodedText } from "../src/words/decoded-text.ts";
import { systemReason } from "../src/words/phrases.ts";

/** Creates the context of a step of GitHub Actions. Nobody can answer questions there. */
export const contextOfAction = (signal: AbortSignal): Context =>
  contextOfProcess(
    { io: processIo(signal), signal },
    {
      keychain: async () => undefined,
      openBrowser: absent,
      openEditor: absent,
      wordsToStart: absent,
      checkServer: absent,
      programs: { serve: absent, admin: absent, mcp: absent, devExec: absent },
    },
  );

const absent = () => Promise.reject(new Error("This is not possible in GitHub Actions."));

declare const INNKEEP_VERSION: string;

export const version = INNKEEP_VERSION;

/** Runs a program, waits until all its output is written, and ends the process with its exit code. */
export async function runProcess(program: (signal: AbortSignal) => Promise<number>): Promise<void> {
  process.on("exit", replaceClosedTerminals);
  // If the program waits for an event that never occurs, Node ends the process with this exit code.
  process.exitCode = 1;
  const code = await program(interruption());
  await flushed();
  process.exit(code);
}

/** Returns a signal that aborts at an interruption. A second interruption ends the process immediately. */
function interruption(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      if (controller.signal.aborted) process.exit(130);
      controller.abort(new Error("interrupted"));
    });
  }
  return controller.signal;
}

/** Waits until all output is written. */
async function flushed(): Promise<void> {
  for (const stream of openStreams()) {
    await new Promise<void>((resolve) => {
      stream.write("", () => resolve());
    });
  }
}

/** The parts of the context that differ between the programs of this package. */
type Parts = Pick<
  Context,
  "keychain" | "openBrowser" | "openEditor" | "wordsToStart" | "programs" | "checkServer"
>;

/** Creates the context of a command from this process. */
export const contextOfProcess = ({ io, signal }: Pick<Context, "io" | "signal">, parts: Parts): Context => ({
  io,
  env: process.env,
  cwd: process.cwd(),
  get home() {
    return homeFolder(process.getBuiltinModule("node:os"));
  },
  platform: process.platform,
  version,
  nodeVersion: process.version,
  processId: process.pid,
  isRunning,
  clock: systemClock,
  signal,
  newId: () => crypto.randomUUID(),
  random: Math.random,
  ...parts,
});

function isRunning(processId: number): boolean {
  try {
    return process.kill(processId, 0);
  } catch (error) {
    // EPERM means that the process exists, but belongs to another user.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** Returns the streams of this process. Each stream is opened, and its modules are loaded, at its first use. */
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
  onKey,
});

const openStreams = (): NodeJS.WriteStream[] => [...opened];

const opened = new Set<NodeJS.WriteStream>();

// A failed write to standard error is ignored. It cannot be reported, and a server must continue to run.
const stderr = lazy(() => open(process.stderr, () => {}));

const stdout = lazy(() => open(process.stdout, endWithoutOutput));

function open(
  stream: NodeJS.WriteStream,
  onFault: (error: NodeJS.ErrnoException) => void,
): NodeJS.WriteStream {
  opened.add(stream);
  // It is not an error if the reader of the output stops early, as in `| head`.
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") onFault(error);
  });
  return stream;
}

/** Ends the process if output cannot be written. The exit code is 0 with `--best-effort`, otherwise 1. */
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

/** Reads standard input. Throws a usage error above the size limit, because another program may write without end. */
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

async function readEnds(interruption: AbortSignal, most: number): Promise<StreamEnds> {
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
  // An error means that the terminal was closed, so nobody can answer.
  process.stdin.once("error", cancel);
  signal?.addEventListener("abort", cancel, { once: true });
  let isLineEnded = false;
  try {
    const answer = await new Promise<string>((resolve, reject) => {
      lines.once("line", resolve);
      lines.once("close", () => reject(new Unanswered()));
      interruption.addEventListener("abort", () => reject(interruption.reason), { once: true });
      // While readline is active, Ctrl-C sends a key and no signal. So the signal is sent here.
      lines.once("SIGINT", () => process.kill(process.pid, "SIGINT"));
    });
    isLineEnded = !hidden;
    return answer;
  } finally {
    signal?.removeEventListener("abort", cancel);
    process.stdin.off("error", cancel);
    lines.close();
    // The next text must not be on the line of the question.
    if (!isLineEnded) stderr().write("\n");
  }
}

function onKey(pressed: (key: string) => void): () => void {
  const { stdin } = process;
  const read = (keys: string) => {
    // While single keys are read, Ctrl-C sends a key and no signal. So the signal is sent here.
    for (const key of keys)
      if (key === "\u0003") process.kill(process.pid, "SIGINT");
      else pressed(key);
  };
  // An error means that the terminal was closed, so nobody can press a key.
  stdin.on("error", () => {});
  stdin.setRawMode(true);
  stdin.setEncoding("utf8").on("data", read).resume();
  return () => {
    stdin.off("data", read).pause();
    stdin.setRawMode(false);
  };
}

/**
 * Replaces closed terminals with the null device, because Node resets terminals at exit and crashes at closed
 * ones.
 */
function replaceClosedTerminals(): void {
  if (process.platform === "win32") return;
  for (const descriptor of [0, 1, 2]) if (isClosedTerminal(descriptor)) replace(descriptor);
}

/** Whether a file descriptor is a closed terminal. Also true for the null device. */
function isClosedTerminal(descriptor: number): boolean {
  try {
    const { fstatSync } = process.getBuiltinModule("node:fs");
    return (
      fstatSync(descriptor).isCharacterDevice() && !process.getBuiltinModule("node:tty").isatty(descriptor)
    );
  } catch {
    return false;
  }
}

/**
 * Replaces a descriptor with the null device. The opened file gets the same number, because the system uses the
 * lowest free number.
 */
function replace(descriptor: number): void {
  try {
    const { closeSync, openSync } = process.getBuiltinModule("node:fs");
    closeSync(descriptor);
    openSync("/dev/null", "r+");
  } catch {
    // The error is ignored, because the process ends now.
  }
}
