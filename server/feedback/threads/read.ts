import { ApiError, badRequest } from "../../../src/contract/errors.ts";
import type { MergedThread, OwnedMessage, OwnedThread } from "../../../src/contract/threads.ts";
import { authors } from "../../access/members/authors.ts";
import type { Viewer } from "../../access/members/visibility.ts";
import type { Reader, Transaction } from "../../database/database.ts";
import type { Deps } from "../../deps.ts";
import { oldestOriginal, originalUntil } from "../../mail/incoming/handle.ts";
import { mailOriginals } from "../../mail/incoming/store.ts";
import { deliveryOf, receiversOf } from "../../mail/outgoing/replies.ts";
import { mails, type ReplyMail } from "../../mail/outgoing/store.ts";
import { type ReceivingReport, reports as senderReports } from "../../mail/sender-page/store.ts";
import { type Homes, homesOf, reaches, undoRefusal, undoUntil } from "../merge/rules.ts";
import { type MergeRow, merges } from "../merge/store.ts";
import { threadTags } from "../tags/store.ts";
import { type AskedThread, droppedOf, placesOf, proposalsOf, threadAnswer, threadUrl } from "./answer.ts";
import { assigneeOf, feedbackThreads, type ThreadRow } from "./store/threads.ts";

function withWriter(message: OwnedMessage, writers: ReadonlyMap<string, Writer>): OwnedMessage {
  const writer = writers.get(message.id);
  return writer === undefined ? message : { ...message, writtenBy: writer.email, writtenByName: writer.name };
}

interface Writer {
  readonly email: string;
  readonly name: string | null;
}

function withMails(
  deps: Pick<Deps, "settings">,
  message: OwnedMessage,
  {
    sent,
    reports,
    homes,
    places,
    threadId,
    onPage,
  }: {
    readonly sent: readonly ReplyMail[];
    readonly reports: readonly ReceivingReport[];
    /** The key is the first thread of a report. The value contains this thread and all later threads. */
    readonly homes: ReadonlyMap<string, Homes>;
    readonly places: ReturnType<typeof placesOf>;
    readonly threadId: string;
    readonly onPage: boolean;
  },
): OwnedMessage {
  if (message.direction !== "outbound") return message;
  const own = sent.filter(({ messageId }) => messageId === message.id);
  const { mergedFrom: home = threadId } = message;
  const { beforeMerge = null } = places.get(message.id) ?? {};
  const receivers = reports.filter((report) =>
    message.everyone
      ? report.createdAt <= message.createdAt &&
        reaches({ home, beforeMerge }, homes.get(report.home)?.get(home))
      : report.id === message.reportId,
  );
  const delivery = deliveryOf(deps, {
    receivers: receivers.map(({ email }) => email),
    mailedTo: own.map(({ to }) => to),
    onPage,
  });
  const mails = own.map(({ messageId: _, ...mail }) => mail);
  return { ...message, ...(mails.length === 0 ? {} : { mails }), delivery };
}

function withOriginal(message: OwnedMessage, originals: ReadonlyMap<string, string>): OwnedMessage {
  const originalUntil = originals.get(message.id);
  return originalUntil === undefined ? message : { ...message, originalUntil };
}

/** Returns the newest resolved thread of the same failure that was created before this thread. */
async function earlierThread(
  { settings }: Pick<Deps, "settings">,
  reader: Reader,
  thread: ThreadRow,
): Promise<OwnedThread["earlier"]> {
  if (thread.dedupeKey === null) return null;
  const found = await feedbackThreads.findResolved(reader, thread, thread.dedupeKey);
  return found ? { ...found, consoleUrl: threadUrl(settings, thread.appId, found.id) } : null;
}

interface WantedThread extends AskedThread {
  readonly viewer: Viewer;
}

/** Returns a thread for members. Throws `not_found`, and `bad_request` if the thread has no message `before`. */
export async function ownedThread(
  { settings, clock }: Pick<Deps, "clock" | "settings">,
  reader: Reader,
  wanted: WantedThread,
): Promise<OwnedThread> {
  const thread = await visibleThread(reader, wanted);
  const sent = await mails.listReplies(reader, thread.id);
  const writers = new Map((await authors.ofMessages(reader, thread.id)).map((writer) => [writer.id, writer]));
  const kept = await mailOriginals.ofThread(reader, thread.id, oldestOriginal(clock.now()));
  const originals = new Map(kept.map((row) => [row.id, originalUntil(row)]));
  const answer = threadAnswer(settings, thread, clock.now(), wanted);
  const all: readonly OwnedMessage[] = answer.messages;
  const reports =
    answer.omittedMessages > 0 || wanted.before !== undefined
      ? await senderReports.listReceivers(reader, thread.id)
      : reportsIn(thread, all);
  const merged = await merges.into(reader, thread.id);
  const steps = new Map(merged.map((step) => [step.id, step]));
  const sharing = all.some(({ everyone }) => everyone) ? reports : [];
  const homes = new Map(
    [...new Set(sharing.map(({ home }) => home))].map((home) => [home, homesOf(home, steps)]),
  );
  const sending = {
    sent,
    reports,
    homes,
    places: placesOf(thread),
    threadId: thread.id,
    onPage: thread.senderPages === 1,
  };
  return {
    ...answer,
    feedback: {
      ...answer.feedback,
      ...{ number: thread.number, snoozedUntil: thread.snoozedUntil, ...droppedOf(thread) },
    },
    messages: all.map((message) =>
      withOriginal(withMails({ settings }, withWriter(message, writers), sending), originals),
    ),
    sender: { name: thread.senderName, email: thread.senderEmail },
    assignee: assigneeOf(thread),
    earlier: await earlierThread({ settings }, reader, thread),
    merged: mergedThreads(merged, clock.now()),
    receivers: receiversOf(reports),
    tags: (await threadTags.of(reader, [thread.id])).get(thread.id) ?? [],
    proposals: proposalsOf(thread, clock.now()),
  };
}

const reportsIn = (thread: ThreadRow, messages: readonly OwnedMessage[]): ReceivingReport[] => [
  { id: thread.id, createdAt: thread.createdAt, email: thread.senderEmail, home: thread.id },
  ...messages.flatMap(({ id, createdAt, sender, mergedFrom: home = thread.id }) =>
    sender ? [{ id, createdAt, email: sender.email, home }] : [],
  ),
];

/** Returns the thread with its messages and proposals if the viewer may read it. Throws `not_found` otherwise. */
async function visibleThread(reader: Reader, { id, before, viewer }: WantedThread): Promise<ThreadRow> {
  if (before !== undefined)
    return withOlder(reader, { id, viewer }, () => feedbackThreads.findOlder(reader, { id, before }, viewer));
  const thread = await feedbackThreads.findThread(reader, id, viewer);
  if (!thread) throw new ApiError("not_found");
  return thread;
}

/**
 * Returns the result of `find`. If there is none, throws `not_found` or, for a wrong message id,
 * `bad_request`.
 */
export async function withOlder<Found>(
  reader: Reader,
  { id, viewer }: Pick<WantedThread, "id" | "viewer">,
  find: () => Promise<Found | undefined>,
): Promise<Found> {
  const thread = await find();
  if (thread !== undefined) return thread;
  await readableThread(reader, id, viewer);
  throw badRequest("before", "must be the id of a message of this thread");
}

/** A thread and its app. A merged thread is represented by the thread into which it was merged. */
interface FoundThread {
  readonly id: string;
  readonly appId: string;
}

/** Returns the thread, or the thread into which it was merged. Throws `not_found` if the viewer may not read it. */
export async function readableThread(reader: Reader, id: string, viewer: Viewer): Promise<FoundThread> {
  const found = await feedbackThreads.findApp(reader, id, viewer);
  if (!found) throw new ApiError("not_found");
  return found;
}

/**
 * Locks and returns the thread that `readableThread` returns. Nobody can merge a locked thread. Throws
 * `not_found`.
 */
export async function lockedThread(tx: Transaction, id: string, viewer: Viewer): Promise<FoundThread> {
  await tx.lock(id);
  let found = await readableThread(tx, id, viewer);
  for (let locked = id; found.id !== locked; found = await readableThread(tx, id, viewer)) {
    locked = found.id;
    await tx.lock(locked);
  }
  return found;
}

/** Returns the threads that were merged into a thread, in the form of an answer. */
const mergedThreads = (rows: readonly MergeRow[], now: Date): MergedThread[] =>
  rows.map((row) => ({
    ...{ id: row.id, number: row.threadNumber, subject: row.subject },
    ...{ mergedAt: row.mergedAt, mergedBy: row.mergedBy, mergedByName: row.mergedByName },
    undoUntil: undoRefusal(row, now) === undefined ? undoUntil(row.mergedAt) : null,
  }));
