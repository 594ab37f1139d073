import { closeSync, constants, openSync, readSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { decodedText } from "../../words/decoded-text.ts";
import { systemReason } from "../../words/phrases.ts";
import { fromTerminal, oneLine } from "../../words/visible.ts";
import { CliError, Unanswered, usageError } from "./cli-error.ts";
import type { Context, Invocation, Io, StreamEnds } from "./context.ts";

type Texts = Readonly<Record<string, string | undefined>>;

type Reading = (
  invocation: Invocation,
  flag: string,
  given: string | undefined,
) => Promise<string | undefined>;

/** Reads the texts of flags (text, `-` or `@file`). Adds a fault for each text that cannot be read. */
export async function readTexts(
  invocation: Invocation,
  given: Texts,
  reading: Reading = optionalTextOf,
): Promise<Checked<Texts>> {
  const fromStdin = Object.keys(given).filter((name) => given[name] === "-");
  if (fromStdin.length > 1) {
    const [first, ...others] = fromStdin;
    const message = `standard input can be read once, and --${first} reads it`;
    return { value: given, faults: others.map((name) => ({ flag: `--${name}`, message })) };
  }
  const read = await Promise.all(
    Object.entries(given).map((entry) => readOne(entry, (flag, text) => reading(invocation, flag, text))),
  );
  return {
    value: Object.fromEntries(read.map(({ name, text }) => [name, text])),
    faults: read.flatMap(({ fault }) => fault ?? []),
  };
}

async function readOne(
  [name, given]: readonly [string, string | undefined],
  read: (flag: string, given: string | undefined) => Promise<string | undefined>,
): Promise<{ readonly name: string; readonly text?: string; readonly fault?: InputFault }> {
  const flag = `--${name}`;
  try {
    return { name, text: await read(flag, given) };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return { name, fault: { flag, message: error.message.replace(`${flag}: `, "") } };
  }
}

/** Returns the text of a flag, from standard input for `-` or a file for `@file`. `@@` means `@`. */
export const textOf = async (invocation: Invocation, flag: string, given: string): Promise<string> =>
  fromTerminal(await rawTextOf(invocation, flag, given));

/** Like `textOf`, but returns every character unchanged. */
export async function rawTextOf({ context }: Invocation, flag: string, given: string): Promise<string> {
  if (given === "-") return withoutLastLineEnd(await readText(context, flag, given));
  if (given.startsWith("@@")) return given.slice(1);
  if (!given.startsWith("@")) return given;
  return withoutLastLineEnd(await readText(context, flag, given.slice(1)));
}

/** Like `textOf`, but returns undefined if the flag is not given. */
export const optionalTextOf = async (
  invocation: Invocation,
  flag: string,
  given: string | undefined,
): Promise<string | undefined> => (given === undefined ? undefined : textOf(invocation, flag, given));

/** Reads a file, or standard input for `-`. Throws a usage error if the input cannot be read. */
export async function readText({ io, cwd, signal }: Context, flag: string, file: string): Promise<string> {
  if (file === "-" || isStandardInput(file)) return standardInput(io, flag);
  const { bytes, whole } = await readAtMost(resolve(cwd, file), signal).catch((cause: unknown) => {
    throw usageError(`${fileOf(flag, file)} cannot be read (${systemReason(cause)}).`);
  });
  if (whole) return decodedText(bytes) ?? bytes.toString("utf8");
  throw usageError(`${fileOf(flag, file)} is larger than ${mostTextBytes / 1_048_576} MiB.`);
}

/** Returns the name of a file for a message. If `flag` begins with `-`, `flag` comes first. */
const fileOf = (flag: string, file: string): string =>
  flag.startsWith("-") ? `${flag}: the file ${file}` : `The file ${file}`;

/**
 * Whether the path is standard input. Callers must not open the path, because standard input often cannot be
 * opened twice.
 */
export const isStandardInput = (path: string): boolean =>
  /^\/dev\/stdin$|^\/(dev|proc\/self)\/fd\/0$/.test(path);

const takenBy = new WeakMap<Io, string>();

const texts = new WeakMap<Io, Promise<string>>();

/** Returns standard input as text. The same flag may read it again. Throws a usage error for another flag. */
function standardInput(io: Io, flag: string): Promise<string> {
  takeStandardInput(io, flag);
  const reading =
    texts.get(io) ?? io.stdin.text().catch((cause: unknown) => Promise.reject(named(cause, flag)));
  texts.set(io, reading);
  return reading;
}

/** Adds the name of the flag to an error of reading standard input. */
const named = (cause: unknown, flag: string): unknown =>
  cause instanceof CliError ? usageError(`${flag}: ${cause.message}`, cause.next) : cause;

/** Returns the first and the last bytes of standard input. Throws a usage error if another flag has read it. */
export function endsOfStandardInput({ io }: Context, flag: string, bytes: number): Promise<StreamEnds> {
  takeStandardInput(io, flag);
  return io.stdin.ends(bytes);
}

/** Reserves standard input, because it can be read only once. Throws a usage error for a second flag. */
function takeStandardInput(io: Io, flag: string): void {
  const first = takenBy.get(io) ?? flag;
  takenBy.set(io, first);
  if (first !== flag) throw usageError(`${flag}: standard input can be read once, and ${first} reads it.`);
}

const withoutLastLineEnd = (text: string): string => text.replace(/\r?\n$/, "");

/** The maximum size of a text file. Without a limit, an endless file would fill the memory. */
export const mostTextBytes = 67_108_864;

interface ReadBytes {
  readonly bytes: Buffer;
  /** Whether the bytes are the complete file. */
  readonly whole: boolean;
}

/**
 * Reads at most about `mostTextBytes` of a file, pipe or socket. Rejects if `signal` aborts while there is no
 * data.
 */
export async function readAtMost(path: string, signal: AbortSignal): Promise<ReadBytes> {
  // The module is loaded only here, because most commands read no file and must start fast.
  const { stat } = await import("node:fs/promises");
  const file = await stat(path);
  const descriptor = descriptorOf(path);
  if (descriptor !== undefined && (file.isFIFO() || file.isSocket()))
    return collect(ofStream(descriptor, signal));
  return collect(file.isFIFO() ? ofPipe(path, signal) : ofFile(path));
}

/** Returns the open descriptor in a path such as `/dev/fd/3`. Opening the path again may block or fail. */
function descriptorOf(path: string): number | undefined {
  const number = /^\/(?:dev|proc\/self)\/fd\/(\d{1,9})$/.exec(path)?.[1];
  return number === undefined ? undefined : Number(number);
}

async function collect(chunks: AsyncIterable<Buffer>): Promise<ReadBytes> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of chunks) {
    pieces.push(piece);
    size += piece.length;
    if (size > mostTextBytes) return { bytes: Buffer.concat(pieces), whole: false };
  }
  return { bytes: Buffer.concat(pieces), whole: true };
}

async function* ofFile(path: string): AsyncGenerator<Buffer> {
  const { open } = await import("node:fs/promises");
  const handle = await open(path);
  try {
    for (;;) {
      const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(65_536));
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}

/** Reads a named pipe as a stream, because a waiting stream can be interrupted. */
async function* ofPipe(path: string, signal: AbortSignal): AsyncGenerator<Buffer> {
  const { constants, openSync } = await import("node:fs");
  yield* ofStream(openSync(path, constants.O_RDONLY | constants.O_NONBLOCK), signal);
}

async function* ofStream(fd: number, signal: AbortSignal): AsyncGenerator<Buffer> {
  const { Socket } = await import("node:net");
  yield* new Socket({ fd, readable: true, writable: false, signal });
}

/** The bytes of a file, or the reason why it was not read. */
type ForeignFile = { readonly bytes: Buffer } | { readonly fault: string; readonly code?: string };

/**
 * Reads a file that a stranger may have written. Refuses pipes and devices. Undefined if the file is missing.
 */
export function readForeign(path: string, most: number): ForeignFile | undefined {
  try {
    // `statSync` is used, because the asynchronous functions load slowly.
    const found = statSync(path);
    // A pipe or a device may block the program or never end.
    if (!found.isFile()) return { fault: "is not a file" };
    return found.size > most ? tooLarge(most) : readAll(path, most);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "EIO";
    return code === "ENOENT" || code === "ENOTDIR"
      ? undefined
      : { fault: `cannot be read (${systemReason(error)})`, code };
  }
}

/** Like `readForeign`, but returns text. Throws a usage error that names the file as `shown`. */
export function readForeignText(path: string, shown: string, most: number): string | undefined {
  const read = readForeign(path, most);
  if (read && "fault" in read) throw usageError(`${shown} ${read.fault}.`);
  return read?.bytes.toString("utf8");
}

/** Reads a file to its end. The file system's size may be wrong, for example 0 in /proc. */
function readAll(path: string, most: number): ForeignFile {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const pieces: Buffer[] = [];
    for (let size = 0; size <= most; ) {
      const piece = Buffer.allocUnsafe(Math.min(65_536, most + 1 - size));
      const length = readSync(file, piece, 0, piece.length, null);
      if (length === 0) return { bytes: Buffer.concat(pieces) };
      pieces.push(piece.subarray(0, length));
      size += length;
    }
    return tooLarge(most);
  } finally {
    closeSync(file);
  }
}

const tooLarge = (most: number): ForeignFile => ({
  fault: `is larger than ${most >= 1_048_576 ? `${most / 1_048_576} MiB` : `${most / 1_024} KiB`}`,
});

/** A fault in the input: the flag, and what is wrong with its value. */
export interface InputFault {
  readonly flag: string;
  readonly message: string;
}

/** A result and the faults of the input. The result is valid only if there are no faults. */
export interface Checked<Value> {
  readonly value: Value;
  readonly faults: readonly InputFault[];
}

/** Returns the flag of a request field: `--dedupe-key` for `dedupeKey`. */
export const flagOf = (field: string): string =>
  `--${field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** Returns one usage error that names every fault. */
export function inputFaultsError(faults: readonly InputFault[]): CliError {
  const count = faults.length === 1 ? "One thing is wrong" : `${faults.length} things are wrong`;
  const issues = faults.map(({ flag, message }) => ({ path: oneLine(flag), message }));
  return usageError(`Nothing was sent. ${count}:`, undefined, { issues });
}

/**
 * Whether the command may ask a question: it runs at a terminal, outside CI and without `--no-input`. (rule L4)
 */
export const canAsk = ({ context, flags }: Pick<Invocation, "context" | "flags">): boolean =>
  context.io.stdin.isTerminal && context.io.stderr.isTerminal && flags.input !== false && !context.env.CI;

/** Asks the person to confirm. Throws a usage error if the person declines or cannot be asked. (rule L4) */
export async function confirm(invocation: Invocation, question: string): Promise<void> {
  const { context, flags } = invocation;
  if (flags.yes || flags.dryRun) return;
  if (!canAsk(invocation)) {
    throw usageError(`${question} Nobody can be asked here.`, "Add --yes to continue without a question.");
  }
  if (!(await agrees(context, question))) throw usageError("Nothing was changed.");
}

/** Asks a yes/no question. An empty line means `byDefault`. The end of the input means no. */
export async function agrees(
  context: Context,
  question: string,
  byDefault: "yes" | "no" = "no",
): Promise<boolean> {
  const answer = await answerTo(context, `${question} ${byDefault === "yes" ? "[Y/n]" : "[y/N]"} `);
  return byDefault === "yes" ? answer !== undefined && !/^n/i.test(answer) : /^y(es)?$/i.test(answer ?? "");
}

/** Returns the answer to a question; undefined if the input ends first. */
async function answerTo({ io }: Context, question: string): Promise<string | undefined> {
  try {
    return (await io.ask(question)).trim();
  } catch (error) {
    if (error instanceof Unanswered) return undefined;
    throw error;
  }
}
