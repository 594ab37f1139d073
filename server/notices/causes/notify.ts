import type { NoticeKind, NoticeWay, OwnWay } from "../../../src/contract/notices.ts";
import type { Reader, Transaction } from "../../database/database.ts";
import type { Deps } from "../../deps.ts";
import { postToApp } from "../../feedback/chat/post.ts";
import { noticeMessage } from "../../feedback/chat/rules.ts";
import { sendsMail } from "../../mail/outgoing/queue.ts";
import { noteOngoing } from "../../webhooks/events/record.ts";
import { collectedInBrowsers } from "../browsers/rules.ts";
import { noticeBrowsers } from "../browsers/store.ts";
import { choicesOf, isOwn } from "../choices/rules.ts";
import { type MemberRow, noticeChoices, quietHoursOf } from "../choices/store.ts";
import { knownOf } from "../waiting/items.ts";
import { chatSentenceOf, dueAt } from "../waiting/rules.ts";
import { type Batch, noticeFacts, notices } from "../waiting/store.ts";
import {
  type Candidate,
  type Circumstances,
  mostWaiting,
  onceADay,
  type Receiver,
  receiversOf,
  silentMilliseconds,
} from "./rules.ts";
import { type Cause, circumstances, noticeCauses } from "./store.ts";

type NotifyDeps = Pick<Deps, "clock" | "database" | "log" | "newId" | "sealer" | "settings">;

const atOnce = 100;

const [hour, day] = [3_600_000, 86_400_000];

/** The counting of repeats stops at this number. No member can choose a higher limit. */
const mostRepeats = 10_001;

/** Creates the notices for the stored causes. Returns the number of causes without an error. (rule N2) */
export async function notifyOfCauses(deps: NotifyDeps): Promise<number> {
  const { database } = deps;
  const causes = await noticeCauses.oldest(database, atOnce);
  let done = 0;
  for (const { id, feedbackId } of causes) {
    const work = database.write(async (tx) => {
      // The threads are locked before the cause, because erasing, deleting and merging a thread lock in the same order.
      await noticeFacts.lockThreads(tx, [{ feedbackId }]);
      const cause = await noticeCauses.take(tx, id);
      if (cause) await createNotices(deps, tx, cause);
    });
    // A cause that fails is tried again later, and does not stop the other causes.
    await work.then(
      () => {
        done += 1;
      },
      (error) => deps.log.error({ err: error, cause: id }, "notifying members failed"),
    );
  }
  return done;
}

/**
 * Stores a cause of notices for each worker that has been silent for an hour. Stores one cause per silence.
 * (rule N2)
 */
export async function noteSilentWorkers({ clock, database }: NotifyDeps): Promise<void> {
  const now = clock.now();
  const before = new Date(now.getTime() - silentMilliseconds).toISOString();
  if (!(await circumstances.hasSilent(database, before))) return;
  await database.write(async (tx) => {
    for (const { runId } of await circumstances.silent(tx, before, atOnce)) {
      const place = await circumstances.placeOfRun(tx, runId);
      if (place) await noteOngoing(tx, { ...place, kind: "work", subjectId: runId, at: now.toISOString() });
    }
  });
}

async function createNotices(deps: NotifyDeps, tx: Transaction, cause: Cause): Promise<void> {
  const now = deps.clock.now();
  const happened = await circumstancesOf(tx, cause, now);
  if (happened === undefined) return;
  const members = (await noticeChoices.members(tx, cause.appId)).map((member) => ({
    ...member,
    choices: choicesOf(member.choices),
  }));
  const receivers = receiversOf(members, happened);
  for (const receiver of receivers)
    for (const way of receiver.ways) if (isOwn(way)) await note(deps, tx, { cause, receiver, way, now });
  await post(deps, tx, { cause, receivers: receivers.filter(({ ways }) => ways.includes("chat")), now });
}

/** Returns the data that decides who is notified; undefined if the cause is out of date. */
async function circumstancesOf(
  reader: Reader,
  { kind, subjectId, feedbackId, actorId }: Cause,
  now: Date,
): Promise<Circumstances | undefined> {
  const thread = feedbackId === null ? undefined : await circumstances.thread(reader, feedbackId);
  if (feedbackId !== null && thread === undefined) return undefined;
  const known = { kind, actorId, assigneeId: thread?.assigneeId ?? null, deciderId: null, repeats: 0 };
  switch (kind) {
    case "storm": {
      const since = new Date(now.getTime() - hour).toISOString();
      return { ...known, repeats: await circumstances.repeats(reader, subjectId, since, mostRepeats) };
    }
    case "testers": {
      const test = await circumstances.testers(reader, subjectId);
      return test !== undefined && test.testers < test.seats ? known : undefined;
    }
    case "proposal": {
      const run = await circumstances.run(reader, subjectId);
      return run?.status === "awaiting_approval" ? known : undefined;
    }
    case "approval":
    case "work":
      return { ...known, deciderId: (await circumstances.run(reader, subjectId))?.deciderId ?? null };
    default:
      return known;
  }
}

type Notified = Receiver<Omit<MemberRow, "choices"> & Candidate>;

interface Noting {
  readonly cause: Cause;
  readonly receiver: Notified;
  readonly way: OwnWay;
  readonly now: Date;
}

/** Stores a notice for a member if `way` reaches the member and `wasNotifiedToday` is false. */
async function note(
  deps: NotifyDeps,
  tx: Transaction,
  { cause: { appId, subjectId, feedbackId }, receiver: { member, kind }, way, now }: Noting,
): Promise<void> {
  const { userId, timezone } = member;
  if (!(await reaches(deps, tx, { member, way, now }))) return;
  if (await wasNotifiedToday(tx, { userId, way, kind, subjectId }, now)) return;
  const waiting = await notices.waitingUntil(tx, { userId, appId, way });
  const hours = { timezone, quiet: quietHoursOf(member) };
  const from = way === "browser" ? await afterLast(tx, { userId, appId, way }, now) : now;
  const notice = {
    ...{ id: deps.newId(), userId, appId, way, kind, subjectId, feedbackId },
    createdAt: now.toISOString(),
    // All waiting notices of one member, app and way are sent together.
    dueAt: waiting ?? dueAt(way, from, hours).toISOString(),
  };
  await notices.insertOrCount(tx, notice, mostWaiting[way]);
}

/**
 * Whether `way` reaches the member. A mail needs a verified address. `browser` needs a browser that shows
 * notices. (rules N7, N10)
 */
async function reaches(
  { settings }: Pick<NotifyDeps, "settings">,
  reader: Reader,
  { member, way, now }: { readonly member: Notified["member"]; readonly way: OwnWay; readonly now: Date },
): Promise<boolean> {
  if (way === "browser") return (await noticeBrowsers.count(reader, member.userId, now.toISOString())) > 0;
  return sendsMail(settings) && member.emailVerifiedAt !== null;
}

/** Returns the time from which browsers may show the next notices about an app. This is `now` or later. (rule N10) */
async function afterLast(reader: Reader, batch: Batch, now: Date): Promise<Date> {
  const last = await notices.lastQueued(reader, batch, now.toISOString());
  const next = last === undefined ? 0 : Date.parse(last) + collectedInBrowsers;
  return new Date(Math.max(now.getTime(), next));
}

/**
 * Whether the member got a notice with the fields of `notice` within a day. Always false for kinds outside
 * `onceADay`.
 */
async function wasNotifiedToday(
  reader: Reader,
  notice: {
    readonly userId: string;
    readonly way: NoticeWay;
    readonly kind: NoticeKind;
    readonly subjectId: string;
  },
  now: Date,
): Promise<boolean> {
  const since = new Date(now.getTime() - day).toISOString();
  return (
    onceADay.has(notice.kind) && notices.wasNotified(reader, { ...notice, since, until: now.toISOString() })
  );
}

/** Posts a notice in the app's chat if a member wants it there. Several members cause only one post. (rule N8) */
async function post(
  deps: NotifyDeps,
  tx: Transaction,
  {
    cause,
    receivers,
    now,
  }: { readonly cause: Cause; readonly receivers: readonly Notified[]; readonly now: Date },
): Promise<void> {
  const [first] = receivers;
  const { appId, subjectId, feedbackId } = cause;
  const app = first && (await noticeFacts.app(tx, appId));
  if (!first || !app) return;
  const { kind } = first;
  const way = "chat";
  for (const { member } of receivers)
    if (await wasNotifiedToday(tx, { userId: member.userId, way, kind, subjectId }, now)) return;
  // The thread may have been merged into another thread just before the server took `cause`.
  await noticeFacts.lockThreads(tx, [{ feedbackId }]);
  const known = await knownOf(deps, tx, { appId }, { kind, subjectId, feedbackId });
  if (known === undefined) return;
  const at = now.toISOString();
  const notice = { userId: first.member.userId, appId, way, kind, subjectId, feedbackId } as const;
  await notices.insert(tx, { id: deps.newId(), ...notice, createdAt: at, dueAt: at, queuedAt: at });
  const message = noticeMessage({
    ...{ app: { id: appId, name: app.name }, kind, link: known.link, subject: known.words },
    sentence: chatSentenceOf({ kind, detail: known.detail }),
  });
  await postToApp(deps, tx, { chat: app, message, subjectId: feedbackId ?? subjectId });
}
