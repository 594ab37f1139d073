import { open, stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { FeedbackFiles } from "../../client/send.ts";
import { issuesOf, ownMessages } from "../../contract/errors.ts";
import { NewFeedback } from "../../contract/feedback.ts";
import { feedbackFiles, limits } from "../../contract/limits.ts";
import { eachReportText, type ReportTextName } from "../../contract/report-texts.ts";
import { decodedAs, encodingOf } from "../../words/decoded-text.ts";
import { closest, systemReason } from "../../words/phrases.ts";
import { fromTerminal, oneLine } from "../../words/visible.ts";
import { ciMetadata, ciRun } from "../core/ci.ts";
import { type Exit, usageError } from "../core/cli-error.ts";
import { DryRun } from "../core/connection.ts";
import type { Invocation } from "../core/context.ts";
import { cliErrorOf } from "../core/failures.ts";
import {
  type Checked,
  endsOfStandardInput,
  flagOf,
  type InputFault,
  inputFaultsError,
  isStandardInput,
  mostTextBytes,
  optionalTextOf,
  readAtMost,
  readTexts,
} from "../core/input.ts";
import { note } from "../core/output.ts";
import { reportFailureToJob, reportSuccessToJob, warnAndContinue } from "./ci-job-output.ts";
import { type Answer, asPdf, checkSentFiles, flagOfFiles, printAnswer, reports } from "./report.ts";
import { failureText, itemOf, megabytes, remind, sendNew } from "./send.ts";
import type { ReportContent } from "./stored.lazy.ts";

export interface SendFlags extends DraftFlags {
  readonly statusUrl?: boolean;
}

/** Sends one report. With `--best-effort`, prints a warning after a failure and returns `ok`. */
export async function send(invocation: Invocation, flags: SendFlags): Promise<Exit> {
  const made: { draft?: ReportContent } = {};
  let answer: Answer;
  try {
    made.draft = await draftOf(invocation, flags);
    answer = await sendNew(invocation, itemOf(invocation, made.draft), reports);
  } catch (error) {
    if (error instanceof DryRun) throw error;
    const failure = cliErrorOf(error);
    if (invocation.context.signal.aborted) {
      if (!made.draft) note(invocation, "Interrupted. Nothing was sent.");
      throw failure;
    }
    if (flags.bestEffort) return warnAndContinue(invocation, failure, made.draft);
    await reportFailureToJob(invocation, failure, { level: "error", draft: made.draft });
    throw error;
  }
  try {
    await reportSuccessToJob(invocation, made.draft, answer);
    printAnswer(invocation, answer, flags);
    await remind(invocation, reports);
  } catch (error) {
    if (!flags.bestEffort) throw error;
    note(invocation, `Warning: the feedback was sent. ${failureText(cliErrorOf(error))}`);
  }
  return "ok";
}

/** The flags of `feedback send` that describe the report. */
export interface DraftFlags extends Readonly<Partial<Record<ReportTextName, string>>> {
  readonly type?: string;
  readonly message?: string;
  readonly subject?: string;
  readonly email?: string;
  readonly name?: string;
  readonly dedupeKey?: string;
  readonly dedupeScope?: string;
  readonly dedupeRun?: string;
  readonly metadata?: readonly string[];
  readonly ciMetadata: boolean;
  readonly image?: readonly string[];
  readonly video?: readonly string[];
  readonly attach?: readonly string[];
  readonly bestEffort?: boolean;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Returns the report. Throws a usage error that names every fault. `--best-effort` removes faulty fields if
 * possible.
 */
export async function draftOf(invocation: Invocation, flags: DraftFlags): Promise<ReportContent> {
  const metadata = metadataOf(flags.metadata ?? []);
  const wanted = { message: flags.message, subject: flags.subject };
  const texts = await readTexts(invocation, wanted, reportTextOf);
  const { type, email, name, dedupeKey } = flags;
  const { message: text, subject } = texts.value;
  const message = text && cutMessage(text, longestMessage).message;
  const dedupe = { dedupeKey, ...dedupeFields(invocation.context, flags, { joinsShards: false }) };
  const given = {
    type,
    message,
    subject,
    email,
    name,
    ...eachReportText((each) => flags[each]),
    ...dedupe,
    metadata: metadata.value,
  };
  const fields = checkFields(given, texts.faults);
  const { image: images = [], video: videos = [], attach: attachments = [] } = flags;
  const files = await checkFiles(invocation.context.cwd, { images, videos, attachments });

  const faults = [
    ...fields.faults,
    ...texts.faults,
    ...metadata.faults,
    ...files.faults,
    ...missingKeyFaults(flags),
    ...emailFaults(email),
  ];
  const facts = flags.ciMetadata ? ciMetadata(invocation.context.env) : {};
  const whole = { fields: withFacts(fields.value, metadata.value, facts), files: files.value };
  if (faults.length > 0 && !flags.bestEffort) throw inputFaultsError(faults);
  if (faults.length > 0)
    return { ...whole, fields: withoutFaults(invocation, { ...whole.fields, message: text }, faults) };
  if (text) fitMessage(invocation, text, longestMessage);
  return whole;
}

/** Returns `dedupeScope` and `dedupeRun` of a report. By default, both come from the CI job. (rule F27) */
export function dedupeFields(
  { env, platform }: Invocation["context"],
  { dedupeKey, dedupeScope, dedupeRun, ciMetadata: readsCiJob = true }: Partial<DraftFlags>,
  { joinsShards }: { readonly joinsShards: boolean },
): { readonly dedupeScope?: string | undefined; readonly dedupeRun?: string | undefined } {
  if (dedupeKey === undefined) return {};
  const { scope, run } = readsCiJob ? ciRun(env, { platform, joinsShards }) : {};
  return { dedupeScope: dedupeScope ?? scope, dedupeRun: dedupeRun ?? run };
}

const missingKeyFaults = (flags: DraftFlags): InputFault[] =>
  (["dedupeScope", "dedupeRun"] as const)
    .filter((field) => flags[field] !== undefined && flags.dedupeKey === undefined)
    .map((field) => ({ flag: flagOf(field), message: "needs --dedupe-key" }));

/**
 * Returns a fault for an invalid e-mail address. A server would accept the text, but could not send replies.
 */
const emailFaults = (email = ""): InputFault[] =>
  email.trim() === "" || /^[^\s@]+@[^\s@]+$/.test(email.trim())
    ? []
    : [
        {
          flag: "--email",
          message: "must be an address such as ada@example.org. Otherwise no reply reaches the sender",
        },
      ];

/**
 * Returns the values of all flags `--metadata key=text` and `--metadata key:=json`. The last value of a key is used.
 */
function metadataOf(given: readonly string[]): Checked<Record<string, unknown>> {
  const pairs = given.map(pairOf);
  return {
    value: Object.fromEntries(pairs.flatMap((pair) => ("entry" in pair ? [pair.entry] : []))),
    faults: pairs.flatMap((pair) => ("fault" in pair ? [pair.fault] : [])),
  };
}

type Pair = { readonly entry: readonly [string, unknown] } | { readonly fault: InputFault };

function pairOf(given: string): Pair {
  const at = given.indexOf("=");
  const typed = given[at - 1] === ":";
  const key = given.slice(0, typed ? at - 1 : Math.max(0, at)).trim();
  if (key === "") return { fault: metadataFault(given, "must be key=text or key:=json") };
  const value = given.slice(at + 1);
  if (!typed) return { entry: [key, value] };
  try {
    return { entry: [key, JSON.parse(value)] };
  } catch {
    return { fault: metadataFault(key, "must be well-formed JSON after `:=`") };
  }
}

const metadataFault = (what: string, message: string): InputFault => ({
  flag: `--metadata ${what}`,
  message,
});

function checkFields(given: Fields, known: readonly InputFault[]): Checked<Fields> {
  const checked = NewFeedback.safeParse(given, ownMessages);
  if (checked.success) return { value: checked.data, faults: [] };
  const faults = issuesOf(checked.error).map(({ path, message }): InputFault => {
    const [field = ""] = path.split(".");
    return { flag: flagOf(field), message: faultText(given[field], message) };
  });
  return { value: given, faults: faults.filter(({ flag }) => !known.some((fault) => fault.flag === flag)) };
}

/** Describes the fault of a value. If only certain values are allowed, also suggests the most similar one. */
function faultText(value: unknown, message: string): string {
  if (value === undefined) return "is missing";
  const words = [...message.matchAll(/`([^`]+)`/g)].map(([, word = ""]) => word);
  const meant = message.startsWith("must be one of") ? closest(String(value), words) : undefined;
  return meant === undefined ? message : `${message}: did you mean ${meant}?`;
}

type Field = keyof FeedbackFiles;

const filesFields = ["images", "videos", "attachments"] as const;

/**
 * Checks whether every file can be read, and checks its size and its type. Converts attached text files to PDFs.
 */
async function checkFiles(
  cwd: string,
  chosen: Readonly<Record<Field, readonly string[]>>,
): Promise<Checked<FeedbackFiles>> {
  const check = (field: Field) => {
    const rules = { ...feedbackFiles[field], flag: flagOfFiles[field], otherFlag };
    return checkSentFiles(
      cwd,
      chosen[field],
      field === "attachments" ? { ...rules, converted: asPdf } : rules,
    );
  };
  const [images, videos, attachments] = await Promise.all([
    check("images"),
    check("videos"),
    check("attachments"),
  ]);
  return {
    value: { images: images.value, videos: videos.value, attachments: attachments.value },
    faults: [...images.faults, ...videos.faults, ...attachments.faults],
  };
}

function otherFlag(mediaType: string): string | undefined {
  const field = filesFields.find((one) => feedbackFiles[one].types.some((type) => type === mediaType));
  return field && flagOfFiles[field];
}

/**
 * Removes the fields that have faults, and names them in the message. Throws an error if no valid report remains.
 */
function withoutFaults(invocation: Invocation, fields: Fields, faults: readonly InputFault[]): Fields {
  const sound = Object.entries(fields).filter(
    ([field]) => !faults.some(({ flag }) => flag === flagOf(field)),
  );
  const lost = faults.map(({ flag, message }) => oneLine(`- ${flag} ${message}`)).join("\n");
  const notes = `Left out of this report:\n${lost}`;
  const { message = "(No message.)", ...rest } = Object.fromEntries(sound);
  const space = longestMessage - Math.min(notes.length, mostNotes) - 2;
  const messageWithNotes = `${fitMessage(invocation, String(message), space)}\n\n${notes.slice(0, mostNotes)}`;
  const checked = NewFeedback.safeParse({ ...rest, message: messageWithNotes });
  if (!checked.success) throw inputFaultsError(faults);
  return { ...rest, message: messageWithNotes };
}

const longestMessage = limits.message;

const mostNotes = 3_000;

/**
 * Adds `facts`, the metadata of the CI job. The values of `given` come first, because servers may drop later
 * values.
 */
function withFacts(fields: Fields, given: Fields, facts: Fields): Fields {
  const metadata = { ...given, ...facts, ...given };
  return Object.fromEntries(Object.entries({ ...fields, metadata }).filter(([, value]) => !isEmpty(value)));
}

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === "" ||
  (typeof value === "object" && Object.keys(value).length === 0);

/** Reads a text of the report. `--message` may be a log of any length, in any common encoding. */
async function reportTextOf(
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

/** Whether `file` is standard input from a pipe or terminal. Such input is readable only from its beginning. */
async function isPipedIn(file: string | undefined): Promise<boolean> {
  if (file === undefined || !isStandardInput(file)) return false;
  return stat(file).then(
    (found) => !found.isFile(),
    () => false,
  );
}

/** Cuts the text to the limit. Prints a note if the text was too long. */
function fitMessage(invocation: Invocation, text: string, most: number = limits.message): string {
  const { message, cut } = cutMessage(text, most);
  if (cut !== undefined) note(invocation, `The message is too long, so ${cut} were cut from its middle.`);
  return message;
}

interface CutMessage {
  readonly message: string;
  /** A text that says how much was cut, such as `1,000 of 9,000 characters`. Undefined if nothing was cut. */
  readonly cut?: string;
}

/** Cuts `text` to `most` characters. Keeps more of the end, because logs end with the failure. */
export function cutMessage(text: string, most: number): CutMessage {
  // Servers refuse NUL and invalid characters.
  const characters = [...text.trim().toWellFormed().replaceAll("\0", "\ufffd")];
  if (characters.length <= most) return { message: characters.join("") };
  const space = most - longestNote;
  const head = characters.slice(0, Math.floor(space * 0.3)).join("");
  const tail = characters.slice(-Math.ceil(space * 0.7)).join("");
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

/** Removes the incomplete line at the cut. Keeps this line if it is a fifth of the text or more. */
function wholeLines(text: string, end: "head" | "tail"): string {
  const at = end === "head" ? text.lastIndexOf("\n") : text.indexOf("\n") + 1;
  const kept = end === "head" ? text.slice(0, Math.max(0, at)) : text.slice(at);
  return kept.length > text.length * 0.8 ? kept : text;
}

// How many bytes are read at each end of a text. A message always has fewer bytes.
const endBytes = 131_072;

/**
 * Reads standard input. For long input, returns its beginning and its end, and between them a line with the
 * size.
 */
async function readPiped({ context }: Invocation, flag: string): Promise<string> {
  const { head, tail, bytes } = await endsOfStandardInput(context, flag, 2 * endBytes);
  const isWhole = head.length + tail.length === bytes;
  return isWhole ? decoded(Buffer.concat([head, tail])) : joined(head, tail, megabytes(bytes));
}

async function readLog({ context }: Invocation, file: string): Promise<string> {
  const path = resolve(context.cwd, file);
  try {
    const { size } = await stat(path);
    if (size > 4 * endBytes) return await readEnds(path, size);
    // The size of a device or a pipe is unknown, and such a file may have no end.
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

/** Joins the beginning and the end of a text. `cutMessage` reads `size` from the line between them. */
function joined(head: Buffer, tail: Buffer, size: string): string {
  const line = `\n[… ${size} were not read as a whole …]\n`;
  const encoding = encodingOf(head);
  return (
    decodedAs(encoding, head.subarray(0, endBytes)) + line + decodedAs(encoding, tail.subarray(-endBytes))
  );
}

const decoded = (bytes: Buffer): string => decodedAs(encodingOf(bytes, { isCut: false }), bytes);
