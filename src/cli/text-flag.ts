import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { usageError } from "./cli-error.ts";
import type { Invocation } from "./context.ts";

/** The text of a flag: itself, standard input for `-`, a file for `@file`. A leading `@@` or `\-` is taken as text. */
export async function textOf({ context }: Invocation, flag: string, given: string): Promise<string> {
  if (given === "-") return trimEnd(await context.io.stdin.text());
  if (given.startsWith("@@")) return given.slice(1);
  if (!given.startsWith("@")) return given;
  const file = given.slice(1);
  try {
    return trimEnd(await readFile(resolve(context.cwd, file), "utf8"));
  } catch (cause) {
    throw usageError(`${flag}: the file ${file} cannot be read (${reasonOf(cause)}).`);
  }
}

/** As `textOf`; undefined where the flag is not given. */
export const optionalTextOf = async (
  invocation: Invocation,
  flag: string,
  given: string | undefined,
): Promise<string | undefined> => (given === undefined ? undefined : textOf(invocation, flag, given));

/** What went wrong with a file, in a word or two. */
export const reasonOf = (cause: unknown): string =>
  cause instanceof Error && "code" in cause ? String(cause.code) : String(cause);

const trimEnd = (text: string): string => text.replace(/\r?\n$/, "");
