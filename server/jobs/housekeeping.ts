import { invitations } from "../access/members/store.ts";
import { lifetimes } from "../access/oauth/rules.ts";
import { oauthClients, oauthCodes, oauthTokens } from "../access/oauth/store.ts";
import { signInCodes } from "../access/sign-in/store.ts";
import { drafts } from "../console/drafts/store.ts";
import { appTopic } from "../database/signals.ts";
import { keepStatistics } from "../database/statistics.ts";
import type { Deps } from "../deps.ts";
import { hiddenFeedback } from "../feedback/blocked-senders/store.ts";
import { outbox } from "../feedback/chat/store.ts";
import { answering } from "../feedback/messages/store.ts";
import { expiredApprovals, proposals } from "../feedback/proposals/store.ts";
import { quarterAt } from "../feedback/statistics/rules.ts";
import { statistics } from "../feedback/statistics/store.ts";
import { removeThread } from "../feedback/threads/store/removal.ts";
import { idempotency } from "../http/idempotency-store.ts";
import { prune } from "../http/rate-limits/store.ts";
import { originalKeptMilliseconds } from "../mail/incoming/rules.ts";
import { mailOriginals } from "../mail/incoming/store.ts";
import { mails } from "../mail/outgoing/store.ts";
import { notices } from "../notices/waiting/store.ts";
import { discardAbandoned } from "../transfer/import.ts";
import { events, readers } from "../webhooks/events/store.ts";
import { startJob } from "./runner.ts";

const pauseMilliseconds = 600_000;
const atOnce = 1_000;
const originalsAtOnce = 100;
/** How long the result of a delivery to a chat channel is kept. */
const deliveriesKeptMilliseconds = 30 * 86_400_000;
/** How long the server keeps text that a person typed but did not send. (rule O17) */
const draftsKeptMilliseconds = 30 * 86_400_000;
/**
 * How long the server stores who is writing an answer in which thread. Pages show this for a shorter time. (rule F36)
 */
const answeringKeptMilliseconds = 600_000;
const hiddenKeptMilliseconds = 30 * 86_400_000;
/** How long events are kept, so that they can be sent to receivers again. */
const eventsKeptMilliseconds = 90 * 86_400_000;
/** How long an app without webhooks stores reports as events after a program has read its events. */
const readersKeptMilliseconds = 30 * 86_400_000;

type HousekeepingDeps = Pick<Deps, "database" | "clock" | "time" | "files" | "keptFiles" | "log" | "newId">;

/** Removes expired rows and files every ten minutes, in small batches. Returns the function that stops it. */
export const startHousekeeping = (deps: HousekeepingDeps): (() => Promise<void>) =>
  startJob(deps, {
    run: (stopping) => tidy(deps, stopping),
    pause: () => pauseMilliseconds,
    firstAfter: pauseMilliseconds,
    failure: "housekeeping failed",
    severity: "warn",
  });

/**
 * Removes expired answers, rate limits, sign-in codes, connections, invitations, deliveries, mails, notices, unsent
 * texts and events. Removes parts of imports that a crash interrupted, and temporary files. Deletes the feedback of
 * blocked senders. Stores which approvals have expired. Refreshes the statistics that the database uses to choose its
 * indexes. Does nothing while the server's clock may be wrong.
 */
export async function tidy(deps: HousekeepingDeps, stopping?: AbortSignal): Promise<void> {
  const { database, clock, time, files, keptFiles, log, newId } = deps;
  if (time.isDoubtful()) return;
  // Reads the clock only once, because the time may be changed while this function runs.
  const now = clock.now();
  while ((await database.write((tx) => idempotency.prune(tx, now, atOnce))) === atOnce && !stopping?.aborted);
  while ((await database.write((tx) => prune(tx, clock, atOnce))) === atOnce && !stopping?.aborted);
  await discardAbandoned({ clock, database, keptFiles, log });
  while ((await database.write((tx) => signInCodes.prune(tx, now, atOnce))) === atOnce && !stopping?.aborted);
  await tidyConnections(database, now, stopping);
  while (
    (await database.write((tx) => invitations.prune(tx, now.toISOString(), atOnce))) === atOnce &&
    !stopping?.aborted
  );
  const settledBefore = new Date(now.getTime() - deliveriesKeptMilliseconds).toISOString();
  while (
    (await database.write((tx) => outbox.prune(tx, settledBefore, atOnce))) === atOnce &&
    !stopping?.aborted
  );
  await database.write((tx) => mails.expire(tx, now.toISOString()));
  while (
    (await database.write((tx) => mails.prune(tx, settledBefore, atOnce))) === atOnce &&
    !stopping?.aborted
  );
  const draftsBefore = new Date(now.getTime() - draftsKeptMilliseconds).toISOString();
  while (
    (await database.write((tx) => drafts.prune(tx, draftsBefore, atOnce))) === atOnce &&
    !stopping?.aborted
  );
  const answeringBefore = new Date(now.getTime() - answeringKeptMilliseconds).toISOString();
  await database.write((tx) => answering.prune(tx, answeringBefore));
  await tidyOriginals({ database, keptFiles, log }, now);
  await storeExpired({ database, newId }, now);
  await tidyHidden(database, now);
  const eventsBefore = new Date(now.getTime() - eventsKeptMilliseconds).toISOString();
  while (
    (await database.write((tx) => events.prune(tx, eventsBefore, atOnce))) === atOnce &&
    !stopping?.aborted
  );
  await tidyNotices(database, now, stopping);
  await addUpCounts(database, now, stopping);
  await forgetReaders(database, now);
  await database.write(keepStatistics, "long");
  await files.sweepTemporary();
}

/** How long a notice is kept after it was put into a mail, so that some kinds are sent only once a day. (rule N2) */
const noticesKeptMilliseconds = 25 * 3_600_000;

async function tidyNotices(database: Deps["database"], now: Date, stopping?: AbortSignal): Promise<void> {
  const before = new Date(now.getTime() - noticesKeptMilliseconds).toISOString();
  while ((await database.write((tx) => notices.prune(tx, before, atOnce))) === atOnce && !stopping?.aborted);
}

/** The number of rows that one transaction adds up. */
const countsAtOnce = 500;

/** Only counts that are older than this are added up, because connections still change newer counts. */
const countsSettledMilliseconds = 3_600_000;

/** Adds up the counts of different connections. (rule F60) */
async function addUpCounts(database: Deps["database"], now: Date, stopping?: AbortSignal): Promise<void> {
  const to = quarterAt(new Date(now.getTime() - countsSettledMilliseconds));
  while (
    (await database.write((tx) => statistics.addUp(tx, { to }, countsAtOnce))) > 0 &&
    !stopping?.aborted
  );
}

/** If no program has read the events of an app for 30 days, its reports are no longer stored as events. (rule O25) */
async function forgetReaders(database: Deps["database"], now: Date): Promise<void> {
  const before = new Date(now.getTime() - readersKeptMilliseconds).toISOString();
  await database.write(async (tx) => {
    for (const { id } of await readers.forget(tx, before)) tx.signal(appTopic(id));
  });
}

/** Deletes the original data of mails that are older than 30 days. (rule M16) */
async function tidyOriginals(
  { database, keptFiles, log }: Pick<HousekeepingDeps, "database" | "keptFiles" | "log">,
  now: Date,
): Promise<void> {
  const before = new Date(now.getTime() - originalKeptMilliseconds).toISOString();
  for (let count = originalsAtOnce; count === originalsAtOnce; ) {
    const hashes = await database.write((tx) => mailOriginals.prune(tx, before, originalsAtOnce));
    keptFiles.removeLater(hashes, (error) => log.warn({ err: error }, "unused files could not be deleted"));
    count = hashes.length;
  }
}

/**
 * Deletes the feedback of blocked senders 30 days after it arrived. The daily cleanup deletes the files that belonged
 * to it. (rule F34)
 */
async function tidyHidden(database: Deps["database"], now: Date): Promise<void> {
  const before = new Date(now.getTime() - hiddenKeptMilliseconds).toISOString();
  for (const { id } of await hiddenFeedback.oldReports(database, before, atOnce))
    await database.write((tx) => removeThread(tx, id));
  for (const answer of await hiddenFeedback.oldAnswers(database, before, atOnce))
    await database.write((tx) => hiddenFeedback.removeAnswer(tx, answer));
}

/**
 * Stores which approvals have expired, so that lists, the audit and receivers of events show it. A request that claims
 * a proposal does not depend on this, because it compares the times itself. (rule A23)
 */
async function storeExpired(
  { database, newId }: Pick<HousekeepingDeps, "database" | "newId">,
  now: Date,
): Promise<void> {
  for (const { id } of await expiredApprovals.list(database, now, atOnce)) {
    await database.write(async (tx) => {
      const run = await proposals.findOwned(tx, id);
      if (!run) return;
      await tx.lock(run.feedbackId);
      await expiredApprovals.store(tx, run, { now, newId });
    });
  }
}

/**
 * The maximum number of stored OAuth clients that nobody has allowed to connect. If there are more, the oldest ones are
 * deleted.
 */
const mostUnusedClients = 10_000;

async function tidyConnections(
  database: Deps["database"],
  now: Date,
  stopping: AbortSignal | undefined,
): Promise<void> {
  const dayAgo = new Date(now.getTime() - lifetimes.unusedClient).toISOString();
  while (
    (await database.write((tx) => oauthTokens.prune(tx, now.toISOString(), atOnce))) === atOnce &&
    !stopping?.aborted
  );
  const endedBefore = new Date(now.getTime() - lifetimes.endedConnection).toISOString();
  await database.write((tx) => oauthTokens.pruneEnded(tx, endedBefore));
  await database.write((tx) => oauthCodes.prune(tx, dayAgo));
  while ((await database.write((tx) => oauthClients.prune(tx, dayAgo, mostUnusedClients))) >= atOnce);
}
