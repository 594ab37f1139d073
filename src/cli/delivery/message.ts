import { open, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { limits } from "../../contract/limits.ts";
import { decodedAs, encodingOf } from "../../words/decoded-text.ts";
import { systemReason } from "../../words/system-reason.ts";
import { fromTerminal } from "../../words/terminal.ts";
import { usageError } from "../core/cli-error.ts";
import type { Invocation } from "../core/context.ts";
import { endsOfStandardInput, isStandardInput, optionalTextOf } from "../core/input.ts";
import { note } from "../core/output.ts";
import { mostTextBytes, readAtMost } from "../core/read-at-most.ts";
import { megabytes } from "./progress.ts";

/**
 * The texts of a report. `--message` may be a log of any length, in any common encoding; an empty one gets a
 * sentence instead.
 */
export async function reportTextOf(
  invocation: Invocation,
  flag: string,
  given: string | undefined,
): Promise<string | undefined> {
  const named = /^@(?!@)(.*)$/s.exec(given ?? "")?.[1];
  const isPiped = given === "-" || (await isPipedIn(named));
  if (flag !== "--message" || (named === undefined && !isPiped))
    return optionalTextOf(invocation, flag, given);
  const file = isPiped ? undefined : named;
  const text = file === undefined ? await readPiped(invocation, flag) : await readLog(invocation, file);
  if (text.trim()) return fromTerminal(text);
  return file === undefined ? "(Standard input was empty.)" : `(The file ${file} is empty.)`;
}

/** Whether the file is standard input that cannot be read from both ends. */
async function isPipedIn(file: string | undefined): Promise<boolean> {
  if (file === undefined || !isStandardInput(file)) return false;
  return stat(file).then(
    (found) => !found.isFile(),
    () => false,
  );
}

/** The text within the limit. A note says what was cut. */
export function fitMessage(invocation: Invocation, text: string, most: number = limits.message): string {
  const { message, cut } = cutMessage(text, most);
  if (cut !== undefined) note(invocation, `The message is too long: ${cut} were cut from its middle.`);
  return message;
}

export interface CutMessage {
  readonly message: string;
  /** How much was cut, in words; undefined if nothing was. */
  readonly cut?: string;
}

/**
 * The text within the limit: its head, its tail, and between them a line that says what was cut. The tail is
 * longer, because a log ends with the failure. Replaces NUL and broken characters, which servers refuse.
 */
export function cutMessage(text: string, most: number): CutMessage {
  const characters = [...text.trim().toWellFormed().replaceAll("\0", "\ufffd")];
  if (characters.length <= most) return { message: characters.join("") };
  const room = most - longestNote;
  const head = characters.slice(0, Math.floor(room * 0.3)).join("");
  const tail = characters.slice(-Math.ceil(room * 0.7)).join("");
  const kept = { head: wholeLines(head, "head"), tail: wholeLines(tail, "tail") };
  const left = [...kept.head].length + [...kept.tail].length;
  const [, size] = unreadPart.exec(text) ?? [];
  const cut =
    size === undefined
      ? `${grouped(characters.length - left)} of ${grouped(characters.length)} characters`
      : `all but ${grouped(left)} characters of ${size}`;
  return { message: `${kept.head}\n[… ${cut} were cut here …]\n${kept.tail}`, cut };
}

const longestNote = 150;
const unreadPart = /^\[… (.+) were not read as a whole …\]$/m;
const grouped = (count: number): string => count.toLocaleString("en-US");

/** Without the incomplete line at the cut, unless that is most of the text. */
function wholeLines(text: string, end: "head" | "tail"): string {
  const at = end === "head" ? text.lastIndexOf("\n") : text.indexOf("\n") + 1;
  const kept = end === "head" ? text.slice(0, Math.max(0, at)) : text.slice(at);
  return kept.length > text.length * 0.8 ? kept : text;
}

// Far more bytes than fit into a message.
const endBytes = 131_072;

/** Reads standard input. Of a long one only both ends are kept, with a line between them that says so. */
async function readPiped({ context }: Invocation, flag: string): Promise<string> {
  const { head, tail, bytes } = await endsOfStandardInput(context, flag, 2 * endBytes);
  const isWhole = head.length + tail.length === bytes;
  return isWhole ? decoded(Buffer.concat([head, tail])) : joined(head, tail, megabytes(bytes));
}

/** Reads a file of text. Only both ends of a large file are read, with a line between them that says so. */
async function readLog({ context }: Invocation, file: string): Promise<string> {
  const path = resolve(context.cwd, file);
  try {
    const { size } = await stat(path);
    if (size > 4 * endBytes) return await readEnds(path, size);
    // The size of a device or a pipe is unknown, and it may have no end.
    const { bytes, whole } = await readAtMost(path, context.signal);
    if (bytes.length <= 4 * endBytes) return decoded(bytes);
    return joined(bytes, bytes, whole ? megabytes(bytes.length) : `more than ${megabytes(mostTextBytes)}`);
  } catch (cause) {
    throw usageError(`--message: the file ${file} cannot be read (${systemReason(cause)}).`);
  }
}

async function readEnds(path: string, size: number): Promise<string> {
  const handle = await open(path);
  try {
    const head = await handle.read(Buffer.alloc(endBytes), 0, endBytes, 0);
    const tail = await handle.read(Buffer.alloc(endBytes), 0, endBytes, size - endBytes);
    return joined(head.buffer, tail.buffer, megabytes(size));
  } finally {
    await handle.close();
  }
}

/** The beginning of one piece and the end of another, with a line between them that `cutMessage` takes the size from. */
function joined(head: Buffer, tail: Buffer, size: string): string {
  const line = `\n[… ${size} were not read as a whole …]\n`;
  const encoding = encodingOf(head);
  return (
    decodedAs(encoding, head.subarray(0, endBytes)) + line + decodedAs(encoding, tail.subarray(-endBytes))
  );
}

const decoded = (bytes: Buffer): string => decodedAs(encodingOf(bytes, { isCut: false }), bytes);
