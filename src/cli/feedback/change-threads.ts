import { type Command, Option } from "commander";
import { ServerError } from "../../client/errors.ts";
import { routes } from "../../client/routes.ts";
import { limits } from "../../contract/limits.ts";
import type { OwnedThread, ThreadStatus, ThreadSummary } from "../../contract/threads.ts";
import { countOf } from "../../words/phrases.ts";
import { deliveryWords, hasRepeats, probableReceiver, senderOf } from "../../words/thread.ts";
import { oneLine } from "../../words/visible.ts";
import { choices } from "../core/choices.ts";
import { CliError, usageError } from "../core/cli-error.ts";
import {
  addExamples,
  commandAction,
  instantOf,
  mutates,
  ofApp,
  type Setup,
  several,
} from "../core/command.ts";
import { allPages } from "../core/connection.ts";
import type { Invocation } from "../core/context.ts";
import { failureOf } from "../core/failures.ts";
import { appIdOf, wholeId } from "../core/ids.ts";
import { agrees, canAsk, textOf } from "../core/input.ts";
import { note, printOne } from "../core/output.ts";
import { queryOfView } from "../view.ts";
import { newestMessageIn, threadText } from "./thread-text.ts";

interface BulkFlags {
  readonly view?: string;
  readonly status?: ThreadStatus;
  readonly tag?: readonly string[];
  readonly untag?: readonly string[];
  readonly assignee?: string;
  readonly snooze?: string;
  readonly read?: boolean;
  readonly undo?: string;
}

export function addBulk(feedback: Command, setup: Setup): void {
  const bulk = feedback
    .command("bulk [thread...]")
    .description(routes.bulk.change.summary)
    .option(
      "--view <name>",
      "change the threads of this view instead of named threads; `innkeep view list` lists the views",
    )
    .addOption(new Option("--status <status>", "set this status").choices(choices.threadStatuses))
    .option("--tag <name>", "add this tag; repeatable", several)
    .option("--untag <name>", "remove this tag; repeatable", several)
    .option("--assignee <who>", "assign the threads to a member by e-mail address, to `me` or to `none`")
    .option(
      "--snooze <until>",
      "snooze the threads until a time as in `feedback snooze`; `none` ends the snooze",
    )
    .option("--read", "mark the threads as read for you")
    .option("--undo <token>", "undo a change within ten minutes; the change has printed the token");
  addExamples(
    bulk,
    "innkeep feedback bulk 01a1fda4-237d-759b-ad89-7cf5663516dc --status resolved --tag fixed --app Larder",
    "innkeep feedback bulk --undo 01a1fda4-237d-759b-ad89-7cf5663516dc --app Larder",
  );
  commandAction<BulkFlags, readonly string[]>(mutates(ofApp(bulk)), setup, changeThreads);
}

async function changeThreads(
  invocation: Invocation,
  flags: BulkFlags,
  given: readonly string[],
): Promise<undefined> {
  const appId = await appIdOf(invocation);

  if (flags.undo !== undefined) {
    const undone = await invocation.client().bulk.undo({ params: { appId }, body: { undo: flags.undo } });
    note(
      invocation,
      `Undid the change in ${countOf(undone.changed, "thread")}.${skippedWords(undone.skippedCount)}`,
    );
    printOne(invocation, undone, () => String(undone.changed));
    return;
  }
  const { status, tag, untag, assignee, snooze, read } = flags;
  const change = {
    ...{ status, addTags: tag && [...tag], removeTags: untag && [...untag], read },
    ...(assignee === undefined ? {} : { assignee: assignee === "none" ? null : assignee }),
    ...(snooze === undefined ? {} : { snoozedUntil: snoozeOf(invocation, snooze) }),
  };
  if (Object.values(change).every((value) => value === undefined))
    throw usageError(
      "There is nothing to change.",
      "Give --status, --tag, --untag, --assignee, --snooze or --read.",
    );
  const which = await chosen(invocation, appId, { view: flags.view, given });
  const done = await invocation.client().bulk.change({ params: { appId }, body: { ...which, change } });
  note(
    invocation,
    `Changed ${countOf(done.changed, "thread")}.${skippedWords(done.skippedCount)} \`innkeep feedback bulk --undo ${done.undo}\` undoes this.`,
  );
  printOne(invocation, done, () => done.undo);
}

const skippedWords = (count: number): string => (count === 0 ? "" : ` Skipped ${count}.`);

const snoozeOf = (invocation: Invocation, until: string): string | null =>
  until === "none" ? null : endOfSnooze(until, invocation.context.clock.now());

/** Returns the ids of `given` threads, or the filters of `view`. Throws a usage error for both or neither. */
async function chosen(
  invocation: Invocation,
  appId: string,
  { view, given }: { readonly view: string | undefined; readonly given: readonly string[] },
) {
  if ((view === undefined) === (given.length === 0))
    throw usageError("Name either threads or a view with --view.", "`innkeep view list` lists the views.");
  if (view === undefined) {
    const ids: string[] = [];
    for (const thread of given) ids.push(await wholeThreadId(invocation, thread));
    return { ids };
  }
  const filter = await queryOfView(invocation, appId, view);
  const { threads } = invocation.client();
  const asOf = invocation.context.clock.now().toISOString();
  let total = 0;
  const read = (cursor?: string) =>
    threads.list({
      params: { appId },
      query: { ...filter, cursor, limit: String(limits.listPage.max) },
    });
  for await (const page of allPages(read)) total += page.items.length;
  return { filter, expected: { total, asOf } };
}

export function addMerge(feedback: Command, setup: Setup): void {
  const merge = feedback
    .command("merge <thread> <into>")
    .description(routes.threads.merge.summary)
    .addHelpText("after", mergeNotes);
  addExamples(merge, "innkeep feedback merge 14 12 --app Larder");
  commandAction<object, string>(mutates(ofApp(merge)), setup, (invocation, _, thread) =>
    mergeThread(invocation, thread, String(merge.processedArgs[1])),
  );

  const unmerge = feedback.command("unmerge <thread>").description(routes.threads.unmerge.summary);
  addExamples(unmerge, "innkeep feedback unmerge 14 --app Larder");
  commandAction<object, string>(mutates(ofApp(unmerge)), setup, (invocation, _, thread) =>
    unmergeThread(invocation, thread),
  );
}

const mergeNotes = `
Each sender sees only their own messages, and a reply goes only to the senders that you choose.
\`feedback unmerge\` undoes a merge.`;

async function mergeThread(invocation: Invocation, given: string, other: string): Promise<undefined> {
  const id = await wholeThreadId(invocation, given);
  const into = await wholeThreadId(invocation, other);
  const thread = await invocation.client().threads.merge({ params: { id }, body: { into } });
  note(
    invocation,
    `Feedback ${id} is merged into ${into}. \`innkeep feedback unmerge ${id}\` undoes the merge.`,
  );
  printOne(invocation, thread, () => threadText(thread));
}

async function unmergeThread(invocation: Invocation, given: string): Promise<undefined> {
  const id = await mergedThreadId(invocation, given);
  const thread = await invocation.client().threads.unmerge({ params: { id } });
  note(invocation, `Feedback ${id} is a separate thread again.`);
  printOne(invocation, thread, () => threadText(thread));
}

/**
 * Returns the id of a merged thread. A search by number finds only the thread that contains the merged thread.
 */
async function mergedThreadId(invocation: Invocation, given: string): Promise<string> {
  const id = await wholeThreadId(invocation, given);
  const number = /^#?(\d+)$/.exec(given)?.[1];
  if (number === undefined) return id;
  const { merged } = await invocation.client().threads.read({ params: { id } });
  return merged.find((one) => one.number === Number(number))?.id ?? id;
}

export function addSnooze(feedback: Command, setup: Setup): void {
  const snooze = feedback
    .command("snooze <thread> <until>")
    .description("Hide a thread from triage until a time or until its sender writes. `none` ends the snooze")
    .addHelpText("after", snoozeNotes);
  addExamples(
    snooze,
    "innkeep feedback snooze 01a1fda4 3d",
    "innkeep feedback snooze 01a1fda4 2026-12-01",
    "innkeep feedback snooze 01a1fda4 none",
  );
  commandAction<object, string>(mutates(ofApp(snooze)), setup, (invocation, _, thread) =>
    snoozeThread(invocation, thread, String(snooze.processedArgs[1])),
  );
}

const snoozeNotes = `
The end is a time in ISO 8601, a day (its start in UTC), or a duration from now: 90m, 4h, 3d, 2w.
At the end, the thread becomes unread for all members.`;

/** Snoozes a thread until a time, or ends its snooze (`none`). */
async function snoozeThread(invocation: Invocation, given: string, until: string): Promise<undefined> {
  const snoozedUntil = until === "none" ? null : endOfSnooze(until, invocation.context.clock.now());
  const id = await wholeThreadId(invocation, given);
  const thread = await invocation.client().threads.update({ params: { id }, body: { snoozedUntil } });
  const end = thread.feedback.snoozedUntil;
  note(
    invocation,
    end === null ? `Feedback ${id} is not snoozed.` : `Feedback ${id} is snoozed until ${end}.`,
  );
  printOne(invocation, thread, () => threadText(thread));
}

const unitSeconds: Readonly<Record<string, number>> = { m: 60, h: 3_600, d: 86_400, w: 604_800 };

/** Returns the instant at which the snooze ends. The argument is an instant, a day, or a duration from now. */
function endOfSnooze(given: string, now: Date): string {
  const [, number, unit = ""] = /^(\d{1,5})([mhdw])$/.exec(given) ?? [];
  const seconds = unitSeconds[unit];
  if (number === undefined || seconds === undefined) return instantOf("<until>", given) ?? given;
  return new Date(now.getTime() + Number(number) * seconds * 1_000).toISOString();
}

/** The flags of a command that sends a message. */
export interface BodyFlags {
  readonly body: string;
}

export interface ReplyFlags extends BodyFlags {
  readonly everyone?: boolean;
  /** The id of the report whose sender gets the reply. */
  readonly report?: string;
  readonly resolve?: boolean;
  readonly force?: boolean;
  /** The id of the newest message that the person has read, or `none`. */
  readonly expectMessage?: string;
  /** The value of the line `Receivers` in `feedback view`, for a reply to everyone. */
  readonly expectReceivers?: string;
}

/** Replies to the sender. Asks first if somebody else has replied. (rule L55) */
export async function replyToSender(
  invocation: Invocation,
  flags: ReplyFlags,
  given: string,
): Promise<undefined> {
  const body = await textOf(invocation, "--body", flags.body);
  const id = await wholeThreadId(invocation, given);
  const { threads } = invocation.client();
  const read = () => threads.read({ params: { id } });
  const { force, expectMessage, expectReceivers } = flags;
  const asks = canAsk(invocation) && !force && (expectMessage ?? expectReceivers) === undefined;
  const isOpen = flags.everyone !== true && flags.report === undefined;
  // A dry run also works if the server does not answer. In that case, the printed request has no receiver.
  const ifUnread = invocation.flags.dryRun ? () => undefined : ifUnreadable;
  const thread = asks || isOpen ? await read().catch(ifUnread) : undefined;
  const reportId = isOpen ? receiverIn(thread) : flags.report;
  const send = (seen: Seen, idempotencyKey?: string) =>
    threads.addMessage({
      params: { id },
      body: {
        direction: "outbound",
        body,
        ...(flags.everyone ? { everyone: true } : {}),
        ...(reportId === undefined ? {} : { reportId }),
        ...(flags.resolve ? { change: { status: "resolved" } } : {}),
        ...seen,
      },
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    });
  const known = asks ? seenBeforeReply(thread) : expectedOf(flags);
  const message = await send(known).catch(async (error) => {
    if (!hasNewerReply(error)) throw error;
    const newest = asks ? seenIn(await read()) : {};
    if (!(asks && (await wantsToReply(invocation, error)))) throw notSent(error, id);
    const { idempotencyKey: key } = invocation.flags;
    return send(newest, key === undefined ? undefined : `${key}-again`);
  });
  const resolved = flags.resolve ? " and resolved it" : "";
  const { delivery } = message;
  const deliveryTexts = delivery ? deliveryWords(delivery).map((words) => ` ${oneLine(words)}`) : [];
  const advice =
    delivery && delivery.missed > 0 ? " An owner can turn on sender pages in the settings of the app." : "";
  const receiver = thread && reportId !== undefined ? ` To ${senderText(thread, reportId)}.` : "";
  note(invocation, `Replied to feedback ${id}${resolved}.${receiver}${deliveryTexts.join("")}${advice}`);
  printOne(invocation, message, () => message.id);
}

function senderText(thread: OwnedThread, reportId: string): string {
  const { name, email } = senderOf(thread, reportId);
  return oneLine(name ?? email ?? "an anonymous sender");
}

/** The state of the thread when the person read it. The server refuses the reply if the thread has changed. */
interface Seen {
  readonly expectedMessageId?: string | null;
  readonly expectedMergeId?: string | null;
  readonly expectedReceivers?: string;
}

/**
 * Returns the state that the person has read, from the flags. Throws a usage error if `--expect-receivers` is
 * needed but missing.
 */
function expectedOf({ everyone, expectMessage, expectReceivers, force }: ReplyFlags): Seen {
  if (force) return {};
  if (everyone && expectMessage !== undefined && expectReceivers === undefined)
    throw usageError(
      "--everyone with --expect-message also needs --expect-receivers, because the receivers may have changed.",
      "`innkeep feedback view` shows both values.",
    );
  return {
    ...(expectMessage === undefined
      ? {}
      : { expectedMessageId: expectMessage === "none" ? null : expectMessage }),
    ...(expectReceivers === undefined ? {} : { expectedReceivers: expectReceivers }),
  };
}

const seenIn = ({ messages, merged, receivers }: OwnedThread): Seen => ({
  expectedMessageId: newestMessageIn(messages),
  expectedMergeId: merged.at(-1)?.id ?? null,
  ...(receivers === undefined ? {} : { expectedReceivers: receivers }),
});

/**
 * Returns the state of `thread` before the replies to the sender's last message. So the server reports these
 * replies.
 */
function seenBeforeReply(thread: OwnedThread | undefined): Seen {
  if (thread === undefined) return {};
  const { messages } = thread;
  const word = messages.findLastIndex(({ direction }) => direction === "inbound");
  const reply = messages.findIndex(({ direction }, at) => at > word && direction === "outbound");
  return seenIn(reply === -1 ? thread : { ...thread, messages: messages.slice(0, reply) });
}

/** Throws any error except 403. After a 403, the reply goes to the first sender, without a check. */
function ifUnreadable(error: unknown): undefined {
  if (!(error instanceof ServerError) || error.status !== 403) throw error;
}

/**
 * Returns the report that a reply without `--report` answers. If the result is undefined, the thread's sender
 * gets the reply. (rule M10)
 */
const receiverIn = (thread: OwnedThread | undefined): string | undefined =>
  thread !== undefined && thread.feedback.mergedInto === undefined && hasRepeats(thread)
    ? probableReceiver(thread)
    : undefined;

const hasNewerReply = (error: unknown): error is ServerError =>
  error instanceof ServerError && error.code === "answered";

const wantsToReply = ({ context }: Invocation, { message }: ServerError): Promise<boolean> =>
  agrees(context, `${message} Send your reply anyway?`);

const notSent = (error: ServerError, id: string): CliError =>
  new CliError({
    ...failureOf(error),
    message: `Nothing was sent. ${error.message}`,
    next: `\`innkeep feedback view ${id}\` shows the thread. --force sends your reply anyway.`,
  });

/** Returns the id at the end of a console link. Returns any other text unchanged. */
const threadId = (given: string): string =>
  given
    .replace(/[?#].*/s, "")
    .replace(/(?<!\/)\/+$/, "")
    .split("/")
    .at(-1) ?? given;

/** Returns the whole id of a thread. `given` may be a number, a link or the start of an id. */
export const wholeThreadId = (invocation: Invocation, given: string): Promise<string> => {
  const number = /^#?([1-9]\d{0,6})$/.exec(given)?.[1];
  // The start of an id is searched only among the newest threads, but a number is searched among all threads.
  return number === undefined ? idFrom(invocation, given) : idOfNumber(invocation, number);
};

/** Returns the id of the thread with this number in the app. Throws a CliError if there is none. */
async function idOfNumber(invocation: Invocation, number: string): Promise<string> {
  const { threads } = invocation.client();
  const params = { appId: await appIdOf(invocation) };
  const [found] = (await threads.list({ params, query: { number } })).items;
  if (found === undefined)
    throw new CliError({
      exit: "notFound",
      code: "not_found",
      message: `The app has no feedback with the number ${number}.`,
      next: "`innkeep feedback list` shows the numbers.",
    });
  return found.id;
}

const idFrom = (invocation: Invocation, given: string): Promise<string> =>
  wholeId(threadId(given), {
    thing: "feedback",
    command: "innkeep feedback list",
    list: async () => (await allThreads(invocation)).map(({ id, subject }) => ({ id, name: subject })),
  });

/** Returns the newest threads of the app, from a limited number of pages. */
async function allThreads(invocation: Invocation): Promise<readonly ThreadSummary[]> {
  const { threads } = invocation.client();
  const params = { appId: await appIdOf(invocation) };
  const found: ThreadSummary[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < mostPages; pages += 1) {
    const page = await threads.list({ params, query: { limit: String(limits.listPage.max), cursor } });
    found.push(...page.items);
    if (page.nextCursor === null) break;
    cursor = page.nextCursor;
  }
  return found;
}

const mostPages = 20;
