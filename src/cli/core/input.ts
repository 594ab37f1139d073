import { resolve } from "node:path";
import { decodedText } from "../../words/decoded-text.ts";
import { systemReason } from "../../words/system-reason.ts";
import { fromTerminal } from "../../words/terminal.ts";
import { CliError, usageError } from "./cli-error.ts";
import type { Context, Ends, Invocation, Io } from "./context.ts";
import type { Checked, InputFault } from "./input-fault.ts";
import { mostTextBytes, readAtMost } from "./read-at-most.ts";

type Texts = Readonly<Record<string, string | undefined>>;

type Reading = (
  invocation: Invocation,
  flag: string,
  given: string | undefined,
) => Promise<string | undefined>;

/** The texts of flags that take text, `-` or `@file`, by field name. A text that cannot be read is a fault. */
export async function readTexts(
  invocation: Invocation,
  given: Texts,
  reading: Reading = optionalTextOf,
): Promise<Checked<Texts>> {
  const fromStdin = Object.keys(given).filter((name) => given[name] === "-");
  if (fromStdin.length > 1) {
    const [first, ...others] = fromStdin;
    const message = `standard input can be read once, and --${first} takes it`;
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

/**
 * The text of a flag, as a person sees it in a terminal: the value itself, standard input for `-`, a file for `@file`. `@@`
 * starts a text that begins with `@`.
 */
export const textOf = async (invocation: Invocation, flag: string, given: string): Promise<string> =>
  fromTerminal(await rawTextOf(invocation, flag, given));

/** As `textOf`, character for character. */
export async function rawTextOf({ context }: Invocation, flag: string, given: string): Promise<string> {
  if (given === "-") return withoutLastLineEnd(await readText(context, flag, given));
  if (given.startsWith("@@")) return given.slice(1);
  if (!given.startsWith("@")) return given;
  return withoutLastLineEnd(await readText(context, flag, given.slice(1)));
}

/** As `textOf`; undefined without the flag. */
export const optionalTextOf = async (
  invocation: Invocation,
  flag: string,
  given: string | undefined,
): Promise<string | undefined> => (given === undefined ? undefined : textOf(invocation, flag, given));

/**
 * Reads a whole file, or standard input for `-`. Throws a usage error that names the flag if the file cannot be
 * read or another flag has read standard input.
 */
export async function readText({ io, cwd, signal }: Context, flag: string, file: string): Promise<string> {
  if (file === "-" || isStandardInput(file)) return standardInput(io, flag);
  const { bytes, whole } = await readAtMost(resolve(cwd, file), signal).catch((cause: unknown) => {
    throw usageError(`${fileOf(flag, file)} cannot be read (${systemReason(cause)}).`);
  });
  if (whole) return decodedText(bytes) ?? bytes.toString("utf8");
  throw usageError(`${fileOf(flag, file)} is larger than ${mostTextBytes / 1_048_576} MiB.`);
}

/** An argument is the file itself; a flag is named. */
const fileOf = (flag: string, file: string): string =>
  flag.startsWith("-") ? `${flag}: the file ${file}` : `The file ${file}`;

/** Whether the path means standard input, which often cannot be opened once more. */
export const isStandardInput = (path: string): boolean =>
  /^\/dev\/stdin$|^\/(dev|proc\/self)\/fd\/0$/.test(path);

const takenBy = new WeakMap<Io, string>();
const texts = new WeakMap<Io, Promise<string>>();

/** The text of standard input, as often as one flag asks. */
function standardInput(io: Io, flag: string): Promise<string> {
  takeStandardInput(io, flag);
  const reading =
    texts.get(io) ?? io.stdin.text().catch((cause: unknown) => Promise.reject(named(cause, flag)));
  texts.set(io, reading);
  return reading;
}

/** A fault of standard input, with the flag that reads it. */
const named = (cause: unknown, flag: string): unknown =>
  cause instanceof CliError ? usageError(`${flag}: ${cause.message}`, cause.next) : cause;

/** The beginning and the end of standard input. Throws a usage error if another flag has read it. */
export function endsOfStandardInput({ io }: Context, flag: string, bytes: number): Promise<Ends> {
  takeStandardInput(io, flag);
  return io.stdin.ends(bytes);
}

/** Standard input can be read once, by the first flag that names it. */
function takeStandardInput(io: Io, flag: string): void {
  const first = takenBy.get(io) ?? flag;
  takenBy.set(io, first);
  if (first !== flag) throw usageError(`${flag}: standard input can be read once, and ${first} takes it.`);
}

const withoutLastLineEnd = (text: string): string => text.replace(/\r?\n$/, "");
