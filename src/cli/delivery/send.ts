import type { CallOptions, Client, Content } from "../../client/call.ts";
import { isRefusedHere } from "../../client/connection.ts";
import { ServerError, UnexpectedAnswerError } from "../../client/errors.ts";
import type { FileContent } from "../../client/send.ts";
import { systemReason } from "../../words/phrases.ts";
import { oneLine } from "../../words/visible.ts";
import { CliError, type Exit, type Failure, usageError } from "../core/cli-error.ts";
import type { Invocation } from "../core/context.ts";
import { failureOf } from "../core/failures.ts";
import { confirm } from "../core/input.ts";
import { mayShowToday, note, printOne } from "../core/output.ts";
import { type LastTry, openSpool, resendOf, type Spool, type SpooledItem, type StoredKind } from "./spool.ts";

export interface ResendFlags {
  readonly all?: boolean;
  readonly list?: boolean;
  /** True to send a report without its files. A proof cannot be sent without files. */
  readonly withoutFiles?: boolean;
}

/** Sends items in the spool again, or lists them. By default, each item keeps its idempotency key. */
export async function resend<I extends SpooledItem, Answer>(
  invocation: Invocation,
  kind: Kind<I, Answer>,
  flags: ResendFlags,
  id?: string,
): Promise<Exit> {
  const spool = openSpool(invocation, kind);
  if (flags.list) await listKept(invocation, kind, spool);
  else if (id && !flags.all) await resendOne(invocation, kind, spool, await keptItem(spool, id), flags);
  else if (flags.all && !id && !flags.withoutFiles) return resendAll(invocation, kind, spool);
  else throw usageError(`Name one ${kind.word}, or use only --all.`, resendOf(kind, "--list"));
  return "ok";
}

/** Reads an item from the spool. Throws a CliError if there is no such item. */
async function keptItem<I extends SpooledItem>(spool: Spool<I>, id: string): Promise<I> {
  const item = await spool.read(id);
  if (item) return item;
  const { kind } = spool;
  throw new CliError({
    exit: "notFound",
    code: "not_found",
    message: `There is no unsent ${kind.word} ${id} on this machine.`,
    next: resendOf(kind, "--list"),
  });
}

async function listKept<I extends SpooledItem, Answer>(
  invocation: Invocation,
  kind: Kind<I, Answer>,
  spool: Spool<I>,
): Promise<void> {
  const { items, damaged } = await spool.list();
  for (const folder of damaged) note(invocation, `Incomplete ${kind.word}: ${folder}`);
  kind.printKept(invocation, items);
}

async function resendOne<I extends SpooledItem, Answer>(
  invocation: Invocation,
  kind: Kind<I, Answer>,
  spool: Spool<I>,
  stored: I,
  { withoutFiles }: ResendFlags,
): Promise<void> {
  refuseOtherServer(invocation, kind, stored);
  const chosen = withoutFiles && kind.withoutFiles ? kind.withoutFiles(invocation, stored) : stored;
  const item = { ...chosen, idempotencyKey: invocation.flags.idempotencyKey ?? chosen.idempotencyKey };
  if (invocation.flags.dryRun) await kind.preview(invocation, item);
  kind.printAnswer(invocation, await sendKept(invocation, { item, spool }, kind));
}

/** Throws a usage error if the item is not for the server that the command uses. */
function refuseOtherServer(
  invocation: Invocation,
  kind: Pick<Kind<SpooledItem, unknown>, "word" | "noun">,
  { id, baseUrl }: SpooledItem,
): void {
  if (baseUrl === invocation.baseUrl()) return;
  throw usageError(
    `${capital(kind.word)} ${id} was written for ${baseUrl}, not for ${invocation.baseUrl()}.`,
    resendOf(kind, `${id} --base-url ${baseUrl}`),
  );
}

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/**
 * Sends the items for this server that are safe to repeat, oldest first. Returns the `Exit` of the first
 * failure.
 */
async function resendAll<I extends SpooledItem, Answer>(
  invocation: Invocation,
  kind: Kind<I, Answer>,
  spool: Spool<I>,
): Promise<Exit> {
  const due = await dueItems(invocation, kind, spool);
  if (invocation.flags.dryRun) {
    kind.printKept(invocation, due);
    return "ok";
  }
  const kept = due.map((item) => ({ item, spool }));
  const { tried, left, failure } = await sendEach(invocation, kind, kept);
  kind.printResults(invocation, tried, left);
  return failure?.exit ?? "ok";
}

/** Returns the items for this server that can safely be sent again. Prints notes about all other items. */
async function dueItems<I extends SpooledItem, Answer>(
  invocation: Invocation,
  kind: Kind<I, Answer>,
  spool: Spool<I>,
): Promise<readonly I[]> {
  const { items } = await spool.list();
  const here = items.filter(({ baseUrl }) => baseUrl === invocation.baseUrl());
  if (here.length < items.length)
    note(invocation, `${items.length - here.length} more for other servers: ${resendOf(kind, "--list")}`);
  const now = invocation.context.clock.now();
  const due = here.filter((item) => !kind.isPostedTwiceWithoutKey || !isDoubtful(item, now));
  for (const { id } of here.filter((item) => !due.includes(item)))
    note(
      invocation,
      `${capital(kind.word)} ${id} may have arrived more than a day ago. If it is not in the console, send it with: ${resendOf(kind, id)}`,
    );
  return due;
}

// Servers keep an idempotency key for one day. After that, the item could be stored twice.
const keyLifetimeMs = 23 * 3_600_000;

const isDoubtful = ({ lastTry }: SpooledItem, now: Date): boolean =>
  lastTry?.outcome === "unknown" && now.getTime() - Date.parse(lastTry.at) > keyLifetimeMs;

export async function discard<I extends SpooledItem, Answer>(
  invocation: Invocation,
  kind: Kind<I, Answer>,
  id: string,
): Promise<undefined> {
  const spool = openSpool(invocation, kind);
  await keptItem(spool, id);
  await confirm(invocation, `Delete ${kind.word} ${id}? No server has confirmed it.`);
  const { dryRun = false } = invocation.flags;
  if (!dryRun) await spool.drop(id);
  note(invocation, `${dryRun ? "Would delete" : "Deleted"} ${kind.word} ${id}.`);
  printOne(invocation, { id, dropped: !dryRun }, () => id);
}

/** How a kind of item is stored, sent and shown. The two kinds are reports and proofs. */
export interface Kind<I extends SpooledItem, Answer> extends StoredKind<I> {
  /** Completes the item with data from the server. */
  complete?(invocation: Invocation, item: I): Promise<I>;
  /** Returns the body of the request. The bytes must be the same in each attempt. */
  bodyOf(item: I): FileContent;
  send(client: Client, request: CallOptions & { readonly content: Content }): Promise<Answer>;
  /**
   * Prints the request for `--dry-run` and ends the command. Prints only the names of files, not their content.
   */
  preview(invocation: Invocation, item: I): Promise<void>;
  /** Returns the item without its files, for `--without-files`. */
  withoutFiles?(invocation: Invocation, item: I): I;
  /** Whether the server would store an item a second time after the Idempotency-Key has expired. */
  readonly isPostedTwiceWithoutKey: boolean;
  /** Whether the server will never accept the item. If so, the copy in the spool is removed. */
  isFinal?(error: Error): boolean;
  /** The sentence that says that the unsent item is stored on this machine. */
  readonly keptText: string;
  explain(failed: Failed, item: I): Explanation;
  printAnswer(invocation: Invocation, answer: Answer): void;
  printKept(invocation: Invocation, items: readonly I[]): void;
  /** Prints the results of several items. `left` is the number of items that are still unsent. */
  printResults(invocation: Invocation, tried: readonly SendResult<I, Answer>[], left: number): void;
}

/** The parts of the error about an unsent item that differ between reports and proofs. */
export interface Explanation {
  readonly sentences: readonly (string | undefined)[];
  /** The next step. It is used if the error itself names none. */
  readonly next?: string | undefined;
  /** The command that sends the item again. */
  readonly resend: string;
  readonly details: Pick<Failure, "issues" | "dayIndex">;
}

export interface SendResult<I extends SpooledItem, Answer> {
  readonly item: I;
  readonly delivery: Delivery<Answer>;
  /** The error if the item did not arrive. */
  readonly failure?: CliError;
}

type Delivery<Answer> =
  | { readonly delivered: true; readonly answer: Answer }
  | { readonly delivered: false; readonly lastTry: LastTry; readonly error: Error };

export type Failed = Extract<Delivery<unknown>, { delivered: false }>;

/** An item to send. `spool` contains the copy; undefined if there is no copy. */
export interface KeptItem<I extends SpooledItem> {
  readonly item: I;
  readonly spool: Spool<I> | undefined;
}

/** Creates a new item from checked content. */
export function itemOf<Draft extends object>(
  { context, flags, baseUrl }: Invocation,
  draft: Draft,
): Draft & SpooledItem {
  const id = context.newId();
  return {
    ...draft,
    id,
    createdAt: context.clock.now().toISOString(),
    baseUrl: baseUrl(),
    idempotencyKey: flags.idempotencyKey ?? id,
    lastTry: null,
  };
}

/** Stores a new item in the spool and sends it. Throws if the item does not arrive. */
export async function sendNew<I extends SpooledItem, Answer>(
  invocation: Invocation,
  item: I,
  kind: Kind<I, Answer>,
): Promise<Answer> {
  if (invocation.flags.dryRun) await kind.preview(invocation, item);
  return sendKept(invocation, await keep(invocation, item, kind), kind);
}

/**
 * Sends one item from the spool. Prints a note after an interruption, because the command then prints no error.
 */
async function sendKept<I extends SpooledItem, Answer>(
  invocation: Invocation,
  kept: KeptItem<I>,
  kind: Kind<I, Answer>,
): Promise<Answer> {
  const { delivery, failure } = await attempt(invocation, kept, kind);
  if (delivery.delivered) return delivery.answer;
  if (invocation.context.signal.aborted && failure) note(invocation, failureText(failure));
  throw failure;
}

/** Returns the message of a failure, its issues and its next step as lines of text. */
export const failureText = ({ message, details, next }: CliError): string =>
  [
    message,
    ...(details.issues ?? []).map((issue) => `${issue.path} ${issue.message}`),
    ...(next ? [next] : []),
  ].join("\n");

/** Stores an item in the spool before it is sent. If this fails, prints a note. (rule L6) */
export async function keep<I extends SpooledItem>(
  invocation: Invocation,
  item: I,
  kind: StoredKind<I>,
): Promise<KeptItem<I>> {
  const spool = openSpool(invocation, kind);
  try {
    return { item: await spool.keep(item), spool };
  } catch (cause) {
    note(
      invocation,
      `This ${kind.word} is sent, but no copy of it can be stored on disk (${systemReason(cause)}): ${spool.folderOf("")}`,
    );
    return { item, spool: undefined };
  }
}

/** Prints a note with the number of unsent items, at most once a day. */
export async function remind<I extends SpooledItem>(
  invocation: Invocation,
  kind: StoredKind<I>,
): Promise<void> {
  // The command has already sent its own item. So it must not fail if the folder cannot be read.
  const { items } = await openSpool(invocation, kind)
    .list()
    .catch(() => ({ items: [] }));
  if (items.length === 0 || invocation.flags.json) return;
  if (!mayShowToday(invocation.context, `kept-${kind.word}`)) return;
  const count = items.length === 1 ? `One ${kind.word} is` : `${items.length} ${kind.word}s are`;
  note(invocation, `${count} stored here and not confirmed by a server: ${resendOf(kind, "--list")}`);
}

/** Sends items in order. Skips items that another process sends. Stops if the next items would fail too. */
export async function sendEach<I extends SpooledItem, Answer>(
  invocation: Invocation,
  kind: Kind<I, Answer>,
  items: readonly KeptItem<I>[],
  onResult: (tried: SendResult<I, Answer>) => void = () => {},
): Promise<{
  readonly tried: readonly SendResult<I, Answer>[];
  readonly left: number;
  readonly failure?: CliError;
}> {
  const tried: SendResult<I, Answer>[] = [];
  let skipped = 0;
  const skipIfBeingSent = (error: unknown): undefined => {
    if (!(error instanceof CliError && error.code === "being_sent")) throw error;
    skipped += 1;
  };
  for (const kept of items) {
    const one = await attempt(invocation, kept, kind).catch(skipIfBeingSent);
    if (!one) continue;
    tried.push(one);
    onResult(one);
    if (one.failure && endsSeries(one.failure)) break;
  }
  const failures = tried.flatMap(({ failure }) => failure ?? []);
  return { tried, left: items.length - skipped - tried.length + failures.length, failure: failures[0] };
}

// Whether the same error would occur for the next items. They go to the same server with the same credential.
const endsSeries = ({ exit }: CliError): boolean =>
  ["tryLater", "authentication", "interrupted"].includes(exit);

/**
 * Sends one item, and drops or updates its copy. Throws a CliError if another process sends the item. (rule L6)
 */
async function attempt<I extends SpooledItem, Answer>(
  invocation: Invocation,
  { item, spool }: KeptItem<I>,
  kind: Kind<I, Answer>,
): Promise<SendResult<I, Answer>> {
  const delivery = await completeAndSend(invocation, { item, spool }, kind);
  if (delivery.delivered) return { item, delivery };
  const isFinal = kind.isFinal?.(delivery.error) ?? false;
  // If `isFinal` is true, the server will never accept this item.
  if (isFinal) await spool?.drop(item.id);
  return { item, delivery, failure: undelivered(kind, item, delivery, spool !== undefined && !isFinal) };
}

async function completeAndSend<I extends SpooledItem, Answer>(
  invocation: Invocation,
  { item, spool }: KeptItem<I>,
  kind: Kind<I, Answer>,
): Promise<Delivery<Answer>> {
  let complete = item;
  try {
    if (kind.complete) complete = await kind.complete(invocation, item);
  } catch (cause) {
    const error = asError(cause);
    const at = invocation.context.clock.now().toISOString();
    return { delivered: false, error, lastTry: { at, outcome: "unsent", why: error.message } };
  }
  return spool
    ? sendFromSpool(invocation, spool, complete, kind)
    : deliver(invocation, complete, kind, { isKept: false });
}

async function sendFromSpool<I extends SpooledItem, Answer>(
  invocation: Invocation,
  spool: Spool<I>,
  item: I,
  kind: Kind<I, Answer>,
): Promise<Delivery<Answer>> {
  const release = await spool.claim(item.id);
  if (!release) throw beingSent(kind, item);
  try {
    const begun = withDoubt(item.lastTry, started(invocation.context.clock.now()));
    await storeState(invocation, spool, { ...item, lastTry: begun });
    const delivery = await deliver(invocation, item, kind, { isKept: true });
    if (delivery.delivered) {
      await removeCopy(invocation, spool, item);
      return delivery;
    }
    const lastTry = withDoubt(item.lastTry, delivery.lastTry);
    await storeState(invocation, spool, { ...item, lastTry });
    return { ...delivery, lastTry };
  } finally {
    await release();
  }
}

// This state is stored before the request, and stays correct if the program is killed.
const started = (now: Date): LastTry => ({
  at: now.toISOString(),
  outcome: "unknown",
  why: "The program ended before the server had answered.",
});

// If an earlier attempt has the outcome `unknown`, the item may have arrived. A later refusal does not change
// this outcome.
const withDoubt = (before: LastTry | null, last: LastTry): LastTry =>
  before?.outcome === "unknown" ? { ...last, outcome: "unknown", at: before.at } : last;

async function storeState<I extends SpooledItem>(invocation: Invocation, spool: Spool<I>, item: I) {
  try {
    await spool.update(item);
  } catch (cause) {
    const what = `${spool.kind.word} ${item.id}`;
    note(invocation, `The result for ${what} could not be stored (${systemReason(cause)}).`);
  }
}

async function removeCopy<I extends SpooledItem>(invocation: Invocation, spool: Spool<I>, { id }: I) {
  try {
    await spool.drop(id);
  } catch (cause) {
    note(
      invocation,
      `The server has received the ${spool.kind.word}, but the copy on this machine cannot be removed (${systemReason(cause)}): ${spool.folderOf(id)}`,
    );
  }
}

const beingSent = ({ word }: { readonly word: string }, { id }: SpooledItem) =>
  new CliError({
    exit: "tryLater",
    code: "being_sent",
    message: `Another process is sending ${word} ${id} right now.`,
  });

/**
 * Returns the error about an unsent item. It contains the reason, whether there is a copy, and the next step.
 */
function undelivered<I extends SpooledItem, Answer>(
  kind: Kind<I, Answer>,
  item: I,
  failed: Failed,
  isKept: boolean,
): CliError {
  const { exit, code, message, next, ...details } = failureOf(failed.error);
  const { sentences, next: nextOfKind, resend, details: more } = kind.explain(failed, item);
  const lines = [
    oneLine(message),
    ...sentences,
    isKept ? kind.keptText : `No copy of the ${kind.word} is kept.`,
  ];
  const advice = [next ?? nextOfKind, isKept && resend].filter(Boolean).join(" Then: ");
  return new CliError({
    exit,
    code,
    message: lines.filter(Boolean).join("\n"),
    next: advice || undefined,
    ...details,
    ...more,
    ...(isKept && { spooled: { id: item.id, outcome: failed.lastTry.outcome } }),
  });
}

/** Sends an item and shows the progress. The outcome is `unknown` if any attempt may have arrived. */
async function deliver<I extends SpooledItem, Answer>(
  invocation: Invocation,
  item: I,
  kind: Kind<I, Answer>,
  { isKept }: { readonly isKept: boolean },
): Promise<Delivery<Answer>> {
  const body = counted(kind.bodyOf(item));
  const progress = showProgress(invocation, body.content);
  let mayHaveArrived = false;
  const outcomeAfter = (error: Error) => {
    const outcome = outcomeOf(error, body.isSentWhole());
    mayHaveArrived ||= outcome === "unknown";
    return mayHaveArrived ? "unknown" : outcome;
  };
  const mayRepeat = (error: Error) => {
    progress.end();
    outcomeAfter(error);
    // An item with a copy can be sent later, so the command does not wait for a stopped local server.
    const isAway = isKept && isRefusedHere(error, invocation.baseUrl());
    return !isAway && !body.failure();
  };
  try {
    const answer = await kind.send(invocation.client(), {
      content: body.content,
      idempotencyKey: item.idempotencyKey,
      signal: invocation.context.signal,
      onProgress: progress.update,
      repeatAfter: mayRepeat,
    });
    return { delivered: true, answer };
  } catch (cause) {
    const error = body.failure() ?? asError(cause);
    const at = invocation.context.clock.now().toISOString();
    return { delivered: false, error, lastTry: { at, outcome: outcomeAfter(error), why: error.message } };
  } finally {
    progress.end();
  }
}

function outcomeOf(error: Error, isSentWhole: boolean): LastTry["outcome"] {
  if (error instanceof ServerError) return isRefusal(error) ? "refused" : "unknown";
  if (error instanceof UnexpectedAnswerError) return error.status >= 300 ? "refused" : "unknown";
  return isSentWhole ? "unknown" : "unsent";
}

// Whether the server refused the item. After another error, such as an error of a gateway, the item may have
// arrived.
const isRefusal = (error: ServerError): boolean =>
  !isInProgress(error) && (error.status < 500 || error.status === 501 || error.status === 503);

// Whether the server still handles an earlier attempt. A later attempt gets the stored answer.
const isInProgress = (error: Error): boolean =>
  error instanceof ServerError && error.code === "idempotency_in_progress";

const asError = (cause: unknown): Error => (cause instanceof Error ? cause : new Error(String(cause)));

/**
 * Counts the bytes that were read. `isSentWhole` returns whether all bytes were read and may have reached the
 * server.
 */
function counted(content: FileContent) {
  let left = content.bytes;
  let failure: Error | undefined;
  const read = async function* () {
    left = content.bytes;
    try {
      for await (const chunk of content.read()) {
        left -= chunk.length;
        yield chunk;
      }
    } catch (cause) {
      failure = asError(cause);
      throw cause;
    }
  };
  return { content: { ...content, read }, isSentWhole: () => left <= 0, failure: () => failure };
}

/** Shows on standard error how much of a body has been sent. */
interface Progress {
  update(sentBytes: number, totalBytes: number): void;
  /** Removes the progress bar. */
  end(): void;
}

/** Shows a progress bar on a terminal. Elsewhere prints a line per sent file, but nothing with `--json`. */
function showProgress(invocation: Invocation, { files }: FileContent): Progress {
  const { stderr } = invocation.context.io;
  if (files.length === 0) return silent;
  if (stderr.isTerminal && invocation.context.env.TERM !== "dumb") return progressBar(invocation);
  return invocation.flags.json ? silent : progressLines(invocation, files);
}

const silent: Progress = { update: () => {}, end: () => {} };

const clearLine = "\r\u001b[2K";

const widestBar = 24;

const textWidth = 28;

function progressBar({ context }: Invocation): Progress {
  const { stderr } = context.io;
  let shown = "";
  return {
    update(sent, total) {
      const line = barLine(sent / total, total, stderr.columns);
      if (line === shown) return;
      shown = line;
      stderr.write(`${clearLine}${line}`);
    },
    end() {
      if (shown !== "") stderr.write(clearLine);
      shown = "";
    },
  };
}

function barLine(part: number, total: number, columns: number): string {
  const width = Math.max(0, Math.min(widestBar, columns - textWidth));
  const filled = Math.floor(width * part);
  const bar = "█".repeat(filled) + "░".repeat(width - filled);
  return `Sending ${bar} ${String(Math.floor(100 * part)).padStart(3)} % of ${megabytes(total)}`;
}

function progressLines(invocation: Invocation, files: FileContent["files"]): Progress {
  let through = 0;
  return {
    update(sent) {
      for (let file = files[through]; file && sent >= file.endsAt; file = files[through]) {
        through += 1;
        note(
          invocation,
          `Sent ${oneLine(file.name)} (${megabytes(file.bytes)}), file ${through} of ${files.length}.`,
        );
      }
    },
    end: () => {},
  };
}

export const megabytes = (bytes: number): string => `${(bytes / 1_048_576).toFixed(1)} MB`;
