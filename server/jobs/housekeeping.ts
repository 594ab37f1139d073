import { countOf } from "../../src/words/phrases.ts";
import { audit } from "../access/audit/store.ts";
import { invitations } from "../access/members/store.ts";
import { lifetimes } from "../access/oauth/rules.ts";
import { oauthClients, oauthCodes, oauthTokens } from "../access/oauth/store.ts";
import { signInCodes } from "../access/sign-in/store.ts";
import { drafts } from "../console/drafts/store.ts";
import { sweepPictures } from "../content/texts/sweep.ts";
import type { Transaction } from "../database/database.ts";
import { keepStatistics } from "../database/statistics.ts";
import { appTopic } from "../database/transaction.ts";
import type { Deps } from "../deps.ts";
import { hiddenFeedback } from "../feedback/blocked-senders/store.ts";
import { outbox } from "../feedback/chat/store.ts";
import { answering } from "../feedback/messages/store.ts";
import { storeExpiries } from "../feedback/proposals/due.ts";
import { expiredApprovals } from "../feedback/proposals/store.ts";
import { forgetDeletedWords, tryAgain } from "../feedback/search/store/indexing.ts";
import { quarterAt } from "../feedback/statistics/rules.ts";
import { statistics } from "../feedback/statistics/store.ts";
import { retentionTime } from "../feedback/threads/rules.ts";
import { type RetentionOfApp, removeThread, retention } from "../feedback/threads/store/removal.ts";
import { sweepFiles } from "../files/store.ts";
import { idempotency } from "../http/idempotency-store.ts";
import { prune as pruneRateLimits } from "../http/rate-limits/store.ts";
import { originalKeptMilliseconds } from "../mail/incoming/rules.ts";
import { mailOriginals } from "../mail/incoming/store.ts";
import { mails } from "../mail/outgoing/store.ts";
import { forgottenAfter } from "../notices/browsers/rules.ts";
import { noticeBrowsers } from "../notices/browsers/store.ts";
import { notices } from "../notices/waiting/store.ts";
import { discardAbandoned } from "../transfer/import.ts";
import { events, readers } from "../webhooks/endpoints/store.ts";
import { startJob } from "./runner.ts";

const pauseMilliseconds = 600_000;

const atOnce = 1_000;

const originalsAtOnce = 100;

/** How long the result of a delivery to a chat channel is kept. */
const deliveriesKeptMilliseconds = 30 * 86_400_000;

/** How long the server keeps text that a person typed but did not send. (rule O17) */
const draftsKeptMilliseconds = 30 * 86_400_000;

/** How long the server stores who is writing an answer. Pages show the writer for a shorter time. (rule F36) */
const answeringKeptMilliseconds = 600_000;

const hiddenKeptMilliseconds = 30 * 86_400_000;

/** How long events are kept, so that they can be sent to receivers again. */
const eventsKeptMilliseconds = 90 * 86_400_000;

/** The server forgets a reader of events after this time without a read. */
const readersKeptMilliseconds = 30 * 86_400_000;

type HousekeepingDeps = Pick<Deps, "database" | "clock" | "time" | "files" | "keptFiles" | "log" | "newId">;

/**
 * Removes expired rows and files every ten minutes, in small batches. Returns the function that stops this job.
 */
export const startHousekeeping = (deps: HousekeepingDeps): (() => Promise<void>) =>
  startJob(deps, {
    run: (stopping) => tidy(deps, stopping),
    pause: () => pauseMilliseconds,
    firstAfter: pauseMilliseconds,
    failure: "housekeeping failed",
    severity: "warn",
  });

/** Deletes expired data and stores expiries of approvals. Does nothing while the clock may be wrong. */
export async function tidy(deps: HousekeepingDeps, stopping = neverStopping): Promise<void> {
  const { database, clock, time, files, keptFiles, log, newId } = deps;
  if (time.isDoubtful()) return;
  // The clock is read only once, because it may be set to another time while this function runs.
  const now = clock.now();
  const ago = (milliseconds: number) => new Date(now.getTime() - milliseconds).toISOString();
  const settledBefore = ago(deliveriesKeptMilliseconds);
  const prune = pruning(database, stopping);
  await runSteps(stopping, [
    () => prune((tx) => idempotency.prune(tx, now, atOnce)),
    () => prune((tx) => pruneRateLimits(tx, clock, atOnce)),
    () => discardAbandoned({ clock, database, keptFiles, log }, stopping),
    () => prune((tx) => signInCodes.prune(tx, now, atOnce)),
    () => tidyConnections(database, now, stopping),
    () => prune((tx) => invitations.prune(tx, now.toISOString(), atOnce)),
    () => prune((tx) => outbox.prune(tx, settledBefore, atOnce)),
    () => database.write((tx) => mails.expire(tx, now.toISOString())),
    () => prune((tx) => mails.prune(tx, settledBefore, atOnce)),
    () => prune((tx) => drafts.prune(tx, ago(draftsKeptMilliseconds), atOnce)),
    () => database.write((tx) => answering.prune(tx, ago(answeringKeptMilliseconds))),
    () => tidyOriginals({ database, keptFiles, log }, now, stopping),
    () => storeExpired({ database, newId }, now, stopping),
    () => tidyHidden(database, now, stopping),
    () => prune((tx) => events.prune(tx, ago(eventsKeptMilliseconds), atOnce)),
    () => prune((tx) => notices.prune(tx, ago(noticesKeptMilliseconds), atOnce)),
    () => addUpCounts(database, now, stopping),
    () => forgetReaders(database, now),
    () => database.write(keepStatistics, "long"),
    () => files.sweepTemporary(),
  ]);
}

const neverStopping = new AbortController().signal;

/** Runs steps one after the other. No step begins after `stopping` has aborted. */
async function runSteps(stopping: AbortSignal, steps: readonly (() => Promise<unknown>)[]): Promise<void> {
  for (const step of steps) {
    if (stopping.aborted) return;
    await step();
  }
}

/** Repeats a transaction until it removes fewer than `most` rows. Each transaction is small. */
const pruning =
  (database: Deps["database"], stopping: AbortSignal) =>
  async (removeSome: (tx: Transaction) => Promise<number>, most = atOnce): Promise<void> => {
    while (!stopping.aborted && (await database.write(removeSome)) >= most);
  };

/** How long a sent notice is kept, so that the server sends some notices only once a day. (rule N2) */
const noticesKeptMilliseconds = 25 * 3_600_000;

/** The number of rows that one transaction adds up. */
const countsAtOnce = 500;

/** Only counts that are older than this are added up, because connections still change newer counts. */
const countsSettledMilliseconds = 3_600_000;

/** Adds up the counts for the statistics. On PostgreSQL, each connection counts in its own rows. (rule F60) */
async function addUpCounts(database: Deps["database"], now: Date, stopping: AbortSignal): Promise<void> {
  const to = quarterAt(new Date(now.getTime() - countsSettledMilliseconds));
  await pruning(database, stopping)((tx) => statistics.addUp(tx, { to }, countsAtOnce), 1);
}

/**
 * Forgets programs that no longer read events. If nobody receives an app's events, reports are not stored as
 * events. (rule O25)
 */
async function forgetReaders(database: Deps["database"], now: Date): Promise<void> {
  const before = new Date(now.getTime() - readersKeptMilliseconds).toISOString();
  await database.write(async (tx) => {
    for (const { id } of await readers.forget(tx, before)) tx.signal(appTopic(id));
  });
}

/** Deletes the originals of mails that are older than 30 days. (rule M16) */
async function tidyOriginals(
  { database, keptFiles, log }: Pick<HousekeepingDeps, "database" | "keptFiles" | "log">,
  now: Date,
  stopping: AbortSignal,
): Promise<void> {
  const before = new Date(now.getTime() - originalKeptMilliseconds).toISOString();
  for (let count = originalsAtOnce; count === originalsAtOnce && !stopping.aborted; ) {
    const hashes = await database.write((tx) => mailOriginals.prune(tx, before, originalsAtOnce));
    keptFiles.removeLater(hashes, (error) => log.warn({ err: error }, "unused files could not be deleted"));
    count = hashes.length;
  }
}

/**
 * Deletes the feedback of blocked senders after 30 days. The daily cleanup deletes the files of this feedback.
 * (rule F34)
 */
async function tidyHidden(database: Deps["database"], now: Date, stopping: AbortSignal): Promise<void> {
  const before = new Date(now.getTime() - hiddenKeptMilliseconds).toISOString();
  const reports = await hiddenFeedback.oldReports(database, before, atOnce);
  await runSteps(
    stopping,
    reports.map(
      ({ id }) =>
        () =>
          database.write((tx) => removeThread(tx, id)),
    ),
  );
  const answers = await hiddenFeedback.oldAnswers(database, before, atOnce);
  await runSteps(
    stopping,
    answers.map((answer) => () => database.write((tx) => hiddenFeedback.removeAnswer(tx, answer))),
  );
}

/**
 * Stores expiries of approvals, so that the audit and receivers of events see them even if nobody reads the proposal.
 * (rule A23)
 */
async function storeExpired(
  deps: Pick<HousekeepingDeps, "database" | "newId">,
  now: Date,
  stopping: AbortSignal,
): Promise<void> {
  const due = await expiredApprovals.list(deps.database, now, atOnce);
  await storeExpiries(deps, { due, now }, stopping);
}

/** The maximum number of OAuth clients that nobody has allowed to connect. The oldest are deleted first. */
const mostUnusedClients = 10_000;

async function tidyConnections(database: Deps["database"], now: Date, stopping: AbortSignal): Promise<void> {
  const dayAgo = new Date(now.getTime() - lifetimes.unusedClient).toISOString();
  const endedBefore = new Date(now.getTime() - lifetimes.endedConnection).toISOString();
  const prune = pruning(database, stopping);
  await runSteps(stopping, [
    () => prune((tx) => oauthTokens.prune(tx, now.toISOString(), atOnce)),
    () => database.write((tx) => oauthTokens.pruneEnded(tx, endedBefore)),
    () => database.write((tx) => oauthCodes.prune(tx, dayAgo)),
    () => prune((tx) => oauthClients.prune(tx, dayAgo, mostUnusedClients)),
  ]);
}

const dayMilliseconds = 86_400_000;

const cleanupPauseMilliseconds = 600_000;

type CleanupDeps = Pick<Deps, "clock" | "database" | "files" | "keptFiles" | "log" | "newId" | "time">;

/** Cleans up at the start, and then daily. Returns the function that stops this job and waits for it. */
export function startDailyCleanup(deps: CleanupDeps): () => Promise<void> {
  let dueAt = 0;
  return startJob(deps, {
    async run(stopping) {
      if (performance.now() < dueAt || deps.time.isDoubtful()) return;
      dueAt = performance.now() + dayMilliseconds;
      await cleanUp(deps, stopping);
    },
    pause: () => cleanupPauseMilliseconds,
    failure: "cleanup failed",
    severity: "warn",
  });
}

/** Deletes data that nobody needs. Queues threads again that could not be indexed. */
export async function cleanUp(deps: CleanupDeps, stopping: AbortSignal): Promise<void> {
  await runSteps(stopping, [
    () => deleteExpired(deps, stopping),
    async () => {
      const count = await sweepFiles(deps, stopping);
      if (count > 0) deps.log.info({ count }, "deleted files without references");
    },
    () => forgetDeletedWords(deps.database, stopping),
    () => deps.database.write(tryAgain),
    () => forgetBrowsers(deps, stopping),
    // This is the last step, because it reads many texts. If it fails, the steps before it are done.
    () => sweepPictures(deps, stopping),
  ]);
}

const browsersAtOnce = 500;

/**
 * Deletes the data of browsers where nobody has been signed in for a long time. Such browsers show no notices.
 * (rule N10)
 */
async function forgetBrowsers(
  { clock, database }: Pick<CleanupDeps, "clock" | "database">,
  stopping: AbortSignal,
): Promise<void> {
  const before = new Date(clock.now().getTime() - forgottenAfter).toISOString();
  await pruning(database, stopping)(
    (tx) => noticeBrowsers.removeEnded(tx, before, browsersAtOnce),
    browsersAtOnce,
  );
}

type RetentionDeps = Pick<Deps, "clock" | "database" | "keptFiles" | "log" | "newId">;

/** The number of threads that one transaction deletes. The number is small, so that other writes wait only briefly. */
const threadsAtOnce = 50;

/** The name of this cleanup as the actor in the audit. */
const actor = "retention";

/**
 * Deletes resolved threads with their files after their app's retention time. Adds one audit entry per app.
 * (rules P9, P10)
 */
async function deleteExpired(deps: RetentionDeps, stopping: AbortSignal): Promise<void> {
  const { database, clock } = deps;
  const real = clock.now().getTime() - clock.offsetMs;
  const base = retentionTime(await retention.lastTime(database), new Date(real));
  await database.write((tx) => retention.setLastTime(tx, base.toISOString()));
  const now = new Date(base.getTime() + clock.offsetMs);
  for (const app of await retention.apps(database)) {
    if (stopping.aborted) return;
    const count = await deleteOfApp(deps, app, now, stopping);
    if (count > 0) await record(deps, app, count);
  }
}

async function deleteOfApp(
  { database, keptFiles, log }: RetentionDeps,
  app: RetentionOfApp,
  now: Date,
  stopping: AbortSignal,
): Promise<number> {
  let total = 0;
  while (!stopping.aborted) {
    // Each transaction reads the setting again, because an owner may turn it off between two transactions.
    const { count, hashes } = await database.write((tx) =>
      retention.removeDue(tx, app.id, { now, most: threadsAtOnce }),
    );
    keptFiles.removeLater(hashes, (error) => log.warn({ err: error }, "unused files could not be deleted"));
    total += count;
    if (count === 0) break;
  }
  return total;
}

const record = (
  { database, newId, clock }: RetentionDeps,
  { id: appId, ownerId }: RetentionOfApp,
  count: number,
): Promise<void> =>
  database.write((tx) =>
    audit.insert(tx, {
      ...{ id: newId(), at: clock.now().toISOString(), ownerId, actor, action: "retention.delete", appId },
      ...{ target: countOf(count, "thread"), address: null },
    }),
  );
