import type { FileContent } from "../../client/body.ts";
import type { CallOptions, Client, Content } from "../../client/call.ts";
import { isRefusedHere } from "../../client/connection.ts";
import { ServerError, UnexpectedAnswerError } from "../../client/errors.ts";
import { systemReason } from "../../words/system-reason.ts";
import { CliError } from "../core/cli-error.ts";
import type { Invocation } from "../core/context.ts";
import { isTimeToSay } from "../core/once-a-day.ts";
import { note } from "../core/output.ts";
import { onOneLine } from "../core/plain-text.ts";
import { type LastTry, resendOf, type Spool, type SpooledItem } from "./spool.ts";

/** An item to send, and the spool that keeps it until a server has it; undefined if it could not be kept. */
export interface Kept<I extends SpooledItem> {
  readonly item: I;
  readonly spool: Spool<I> | undefined;
}

/** Keeps an item before it is sent. If the disk is full, the item is sent all the same. */
export async function keep<I extends SpooledItem>(
  invocation: Invocation,
  item: I,
  spool: Spool<I>,
): Promise<Kept<I>> {
  try {
    return { item: await spool.keep(item), spool };
  } catch (cause) {
    const { word } = spool.kind;
    note(
      invocation,
      `This ${word} is sent without a copy on disk (${systemReason(cause)}): ${spool.folderOf("")}`,
    );
    return { item, spool: undefined };
  }
}

/**
 * Sends a kept item. Removes it when a server has it, else stores the result. Throws a CliError if another process
 * is sending it.
 */
export async function attempt<I extends SpooledItem, Answer>(
  invocation: Invocation,
  { item, spool }: Kept<I>,
  way: Way<I, Answer>,
): Promise<Delivery<Answer>> {
  if (!spool) return deliver(invocation, item, { ...way, isKept: false });
  const release = await spool.claim(item.id);
  if (!release) throw beingSent(spool, item);
  try {
    const begun = together(item.lastTry, started(invocation.context.clock.now()));
    await storeState(invocation, spool, { ...item, lastTry: begun });
    const delivery = await deliver(invocation, item, { ...way, isKept: true });
    if (delivery.delivered) {
      await forget(invocation, spool, item);
      return delivery;
    }
    const lastTry = together(item.lastTry, delivery.lastTry);
    await storeState(invocation, spool, { ...item, lastTry });
    return { ...delivery, lastTry };
  } finally {
    await release();
  }
}

// The stored state until the answer is there. It is also right if the program is killed before.
const started = (now: Date): LastTry => ({
  at: now.toISOString(),
  outcome: "unknown",
  why: "The program ended before the server had answered.",
});

// An item that may have arrived stays marked so, whatever happens later.
const together = (before: LastTry | null, last: LastTry): LastTry =>
  before?.outcome === "unknown" ? { ...last, outcome: "unknown", at: before.at } : last;

async function storeState<I extends SpooledItem>(invocation: Invocation, spool: Spool<I>, item: I) {
  try {
    await spool.update(item);
  } catch (cause) {
    const what = `${spool.kind.word} ${item.id}`;
    note(invocation, `What became of ${what} could not be stored (${systemReason(cause)}).`);
  }
}

async function forget<I extends SpooledItem>(invocation: Invocation, spool: Spool<I>, { id }: I) {
  try {
    await spool.drop(id);
  } catch (cause) {
    note(
      invocation,
      `The server has it, but the copy cannot be removed (${systemReason(cause)}): ${spool.folderOf(id)}`,
    );
  }
}

const beingSent = <I extends SpooledItem>({ kind }: Spool<I>, { id }: I) =>
  new CliError({
    exit: "tryLater",
    code: "being_sent",
    message: `Another process is sending ${kind.word} ${id} right now.`,
  });

/** Prints a note about items that still wait, at most once a day. */
export async function remind<I extends SpooledItem>(
  invocation: Invocation,
  { kind, list }: Spool<I>,
): Promise<void> {
  const { items } = await list();
  if (items.length === 0 || invocation.flags.json) return;
  if (!isTimeToSay(invocation.context, `kept-${kind.word}`)) return;
  const count = items.length === 1 ? `One ${kind.word} is` : `${items.length} ${kind.word}s are`;
  note(invocation, `${count} kept that no server has confirmed: ${resendOf(kind, "--list")}`);
}

export type Delivery<Answer> =
  | { readonly delivered: true; readonly answer: Answer }
  | { readonly delivered: false; readonly lastTry: LastTry; readonly error: Error };

export type Failed = Extract<Delivery<unknown>, { delivered: false }>;

/** How items of a kind are sent. */
export interface Way<I extends SpooledItem, Answer> {
  /** The body, the same bytes each time. */
  readonly bodyOf: (item: I) => FileContent;
  /** The call that sends it. */
  readonly send: (client: Client, given: CallOptions & { readonly content: Content }) => Promise<Answer>;
}

/**
 * Sends an item with its files and shows the progress on standard error. Repeats with the same Idempotency-Key after a
 * temporary failure, but not where nothing listens on this machine and a copy is kept. If one try may have arrived, a later failure does not change that.
 */
async function deliver<I extends SpooledItem, Answer>(
  invocation: Invocation,
  item: I,
  { bodyOf, send, isKept }: Way<I, Answer> & { readonly isKept: boolean },
): Promise<Delivery<Answer>> {
  const body = counted(bodyOf(item));
  const progress = showProgress(invocation, body.content);
  let mayHaveArrived = false;
  const outcomeAfter = (error: Error) => {
    const outcome = outcomeOf(error, body.isOut());
    mayHaveArrived ||= outcome === "unknown";
    return mayHaveArrived ? "unknown" : outcome;
  };
  const mayRepeat = (error: Error) => {
    progress.end();
    outcomeAfter(error);
    // Nothing is lost where a copy is kept, and nobody waits for a server of this machine that is not there.
    const isAway = isKept && isRefusedHere(error, invocation.baseUrl());
    return !isAway && !body.failure();
  };
  try {
    const answer = await send(invocation.client(), {
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

function outcomeOf(error: Error, isOut: boolean): LastTry["outcome"] {
  if (error instanceof ServerError) return isRefusal(error) ? "refused" : "unknown";
  if (error instanceof UnexpectedAnswerError) return error.status >= 300 ? "refused" : "unknown";
  return isOut ? "unknown" : "unsent";
}

// The request may have arrived: a gateway may fail after the server has it, and a server while it stores it.
const isRefusal = (error: ServerError): boolean =>
  !isInProgress(error) && (error.status < 500 || error.status === 501 || error.status === 503);

// Only a server that knows the key says this. It answers the next try with the stored answer.
const isInProgress = (error: Error): boolean =>
  error instanceof ServerError && error.code === "idempotency_in_progress";

const asError = (cause: unknown): Error => (cause instanceof Error ? cause : new Error(String(cause)));

/**
 * The content; whether its last byte was handed over, because before that no server can have it; and what went
 * wrong while it was read.
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
  return { content: { ...content, read }, isOut: () => left <= 0, failure: () => failure };
}

/** Shows on standard error how much of a body is sent. */
interface Progress {
  update(sentBytes: number, totalBytes: number): void;
  /** Removes the bar. */
  end(): void;
}

/**
 * A bar on a terminal that can clear it, else a line for each file that is sent. Nothing without files, or with
 * `--json` in a pipe.
 */
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
          `Sent ${onOneLine(file.name)} (${megabytes(file.bytes)}), file ${through} of ${files.length}.`,
        );
      }
    },
    end: () => {},
  };
}

export const megabytes = (bytes: number): string => `${(bytes / 1_048_576).toFixed(1)} MB`;
