import type { MailWay } from "../../../src/contract/notices.ts";
import type { Reader, Transaction } from "../../database/database.ts";
import { noticesTopic } from "../../database/transaction.ts";
import type { Deps } from "../../deps.ts";
import { longestSleep, pauseInDoubt, startDueWork } from "../../jobs/runner.ts";
import { type OutgoingMail, queueMail, rewriteMail, sendsMail } from "../../mail/outgoing/queue.ts";
import { mails } from "../../mail/outgoing/store.ts";
import { normaliseEmail } from "../../secrets/passwords.ts";
import { queuePushes } from "../browsers/worker.ts";
import { noteSilentWorkers, notifyOfCauses } from "../causes/notify.ts";
import { choicesOf, isMail, mayGet, ownWays, stillWants } from "../choices/rules.ts";
import { type MemberRow, noticeChoices, quietHoursOf } from "../choices/store.ts";
import { itemsOf } from "../waiting/items.ts";
import { afterQuiet, dueAt, isDailyTime } from "../waiting/rules.ts";
import { type Batch, noticeFacts, notices, type WaitingNotice } from "../waiting/store.ts";
import { stopUrlOf } from "./api.ts";
import { mostInADay, mostItems, subjectOf, textOf } from "./rules.ts";

type WorkerDeps = Pick<Deps, "clock" | "database" | "log" | "newId" | "sealer" | "settings" | "time">;

const batchesAtOnce = 50;

/**
 * The worker's shortest pause in milliseconds. Without the pause, the worker would retry failing notices all
 * the time.
 */
const shortestSleep = 5_000;

const day = 86_400_000;

/** A notice never waits longer than this time in milliseconds, even with the daily mail and quiet hours. */
const longestWait = 3 * day;

/**
 * Starts the worker that creates and queues notices. Returns the function that stops the worker. (rules N2, N3)
 */
export const startNotices = (deps: WorkerDeps): (() => Promise<void>) =>
  startDueWork(deps, {
    topic: noticesTopic,
    doDue: () => doDue(deps),
    pause: () => pause(deps),
    failure: "notifying members failed",
  });

async function doDue(deps: WorkerDeps): Promise<number> {
  // If the clock is wrong, mails could be sent too early or very late.
  if (deps.time.isDoubtful()) return 0;
  const after = new Date(deps.clock.now().getTime() + longestWait).toISOString();
  await notices.bringForward(deps.database, { after, at: deps.clock.now().toISOString() });
  await noteSilentWorkers(deps);
  let done = await notifyOfCauses(deps);
  const now = deps.clock.now();
  for (const way of ownWays) {
    const batches = await notices.due(deps.database, way, now.toISOString(), batchesAtOnce);
    for (const batch of batches)
      await deps.database
        .write((tx) =>
          isMail(way) ? queueBatch(deps, tx, { ...batch, way }, now) : queuePushes(deps, tx, batch, now),
        )
        .then(
          () => {
            done += 1;
          },
          (error) => deps.log.error({ err: error, ...batch }, "notifying a member failed"),
        );
  }
  return done;
}

async function pause({ clock, database, time }: WorkerDeps): Promise<number> {
  if (time.isDoubtful()) return pauseInDoubt;
  const dues = await Promise.all(ownWays.map((way) => notices.nextDue(database, way)));
  const next = dues.filter((at) => at !== undefined).sort()[0];
  if (next === undefined) return longestSleep;
  return Math.min(longestSleep, Math.max(shortestSleep, Date.parse(next) - clock.now().getTime()));
}

/** Puts the waiting notices of a member about an app into a mail, or sets a later time. (rule N3) */
async function queueBatch(deps: WorkerDeps, tx: Transaction, batch: MailBatch, now: Date): Promise<void> {
  const waiting = await notices.takeWithThreads(tx, batch);
  const member = await noticeChoices.member(tx, batch);
  const at = now.toISOString();
  // Unsent mails whose text was deleted are written again.
  for (const mailId of new Set(waiting.flatMap((row) => row.mailId ?? [])))
    await writeAgain(deps, tx, {
      batch,
      member,
      rows: waiting.filter((row) => row.mailId === mailId),
      mailId,
      at,
    });
  const rows = waiting.filter((row) => row.mailId === null);
  if (!rows.some(({ dueAt }) => dueAt <= at)) return;
  const allowed = allowedFor(member, rows).filter(
    ({ kind }) => member && stillWants(member.role, choicesOf(member.choices), kind, batch.way),
  );
  if (member === undefined || allowed.length === 0 || !sendsMail(deps.settings))
    return notices.queued(tx, rows, at, null);
  const later = await postponed(tx, { batch, member, rows, now });
  if (later !== undefined) return notices.postpone(tx, rows, later.toISOString());
  const mail = await mailOf(deps, tx, { batch, member, rows: allowed });
  const mailId = mail && (await queueMail(deps, tx, mail));
  await notices.queued(tx, rows, at, mailId ?? null);
}

interface MailBatch extends Batch {
  readonly way: MailWay;
}

/** Writes a mail again after its notices have changed. Deletes a mail without notices. (rules N3, N5) */
async function writeAgain(
  deps: WorkerDeps,
  tx: Transaction,
  {
    batch,
    member,
    rows,
    mailId,
    at,
  }: Omit<DueBatch, "member"> & {
    readonly member: MemberRow | undefined;
    readonly mailId: string;
    readonly at: string;
  },
): Promise<void> {
  const mail = member && (await mailOf(deps, tx, { batch, member, rows: allowedFor(member, rows) }));
  await notices.queued(tx, rows, at, mail ? mailId : null);
  // The mail keeps its Message-ID, because its old version may already have arrived.
  if (mail) await rewriteMail(deps, tx, mailId, mail);
  else await mails.removeWaiting(tx, mailId);
}

/** Returns the notices that the member may get. The member may have left the app or got another role. (rule N2) */
const allowedFor = (member: MemberRow | undefined, rows: readonly WaitingNotice[]): WaitingNotice[] =>
  rows.filter(({ kind }) => member !== undefined && mayGet(member.role, kind));

interface DueBatch {
  readonly batch: MailBatch;
  readonly member: MemberRow;
  readonly rows: readonly WaitingNotice[];
}

/** Returns a later time for the mail if quiet hours or too many mails delay it; undefined otherwise. (rules N3, N4) */
async function postponed(
  reader: Reader,
  { batch: { appId, way }, member, rows, now }: DueBatch & { readonly now: Date },
): Promise<Date | undefined> {
  const hours = { timezone: member.timezone, quiet: quietHoursOf(member) };
  const end = afterQuiet(now, hours);
  if (end > now) return end;
  // A notice that is due at the time of the daily mail is not delayed again.
  if (way === "daily" || rows.some((row) => isDailyTime(new Date(row.dueAt), hours))) return undefined;
  const since = new Date(now.getTime() - day).toISOString();
  const recipient = normaliseEmail(member.email);
  const sent = await notices.countMails(reader, { appId, recipient, since, until: now.toISOString() });
  return sent < mostInADay ? undefined : dueAt("daily", now, hours);
}

/** Returns the mail with these notices; undefined if no notice is left to send. */
async function mailOf(
  deps: WorkerDeps,
  reader: Reader,
  { batch, member, rows }: DueBatch,
): Promise<OutgoingMail | undefined> {
  const { appId, userId, way } = batch;
  const { items, more } = await itemsOf(deps, reader, batch, { rows, most: mostItems });
  const appName = await noticeFacts.appName(reader, appId);
  if (items.length + more === 0 || appName === undefined) return undefined;
  const { consoleUrl } = deps.settings;
  const stopUrl = stopUrlOf(deps, { userId, appId });
  const mail = {
    ...{ appName, way, items, more },
    inboxUrl: `${consoleUrl}/feedback/${appId}`,
    choicesUrl: choicesUrlOf(consoleUrl, appId),
    stopUrl,
  };
  return {
    ...{ kind: "notice", to: member.email, subject: subjectOf(mail), text: textOf(mail) },
    ...{ appId, subjectId: userId, unsubscribeUrl: stopUrl },
  };
}

const choicesUrlOf = (consoleUrl: string, appId: string): string =>
  `${consoleUrl}/account/notices?app=${appId}`;
