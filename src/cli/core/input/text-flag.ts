import { resolve } from "node:path";
import { usageError } from "../failures/cli-error.ts";
import type { Context, Invocation, Io } from "../program/context.ts";
import { mostTextBytes, readAtMost } from "./read-at-most.ts";

/**
 * The text of a flag: the value itself, standard input for `-`, a file for `@file`. `@@` starts a text that begins
 * with `@`.
 */
export async function textOf({ context }: Invocation, flag: string, given: string): Promise<string> {
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
    throw usageError(`${flag}: the file ${file} cannot be read (${reasonOf(cause)}).`);
  });
  if (whole) return bytes.toString("utf8");
  throw usageError(`${flag}: the file ${file} is larger than ${mostTextBytes / 1_048_576} MiB.`);
}

/** Whether the path means standard input, which often cannot be opened once more. */
export const isStandardInput = (path: string): boolean =>
  /^\/dev\/stdin$|^\/(dev|proc\/self)\/fd\/0$/.test(path);

const taken = new WeakMap<Io, { readonly flag: string; readonly text: Promise<string> }>();

/** Standard input can be read once, by the first flag that names it. */
function standardInput(io: Io, flag: string): Promise<string> {
  const reading = taken.get(io) ?? { flag, text: io.stdin.text() };
  taken.set(io, reading);
  if (reading.flag === flag) return reading.text;
  throw usageError(`${flag}: standard input can be read once, and ${reading.flag} takes it.`);
}

/** What went wrong with a file, in short. */
export const reasonOf = (cause: unknown): string =>
  cause instanceof Error && "code" in cause ? String(cause.code) : String(cause);

const withoutLastLineEnd = (text: string): string => text.replace(/\r?\n$/, "");
