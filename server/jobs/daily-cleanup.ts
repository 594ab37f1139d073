import { countOf } from "../../src/words/count.ts";
import { audit } from "../access/audit/store.ts";
import { sweepPictures } from "../content/texts/sweep.ts";
import type { Deps } from "../deps.ts";
import { forgetDeletedWords, tryAgain } from "../feedback/search/store/indexing.ts";
import { retentionTime } from "../feedback/threads/rules.ts";
import { type RetentionOfApp, retention } from "../feedback/threads/store/removal.ts";
import { sweepFiles } from "../files/stray-files.ts";
import { forgottenAfter } from "../notices/browsers/rules.ts";
import { noticeBrowsers } from "../notices/browsers/store.ts";
import { startJob } from "./runner.ts";

const dayMilliseconds = 86_400_000;

const pauseMilliseconds = 600_000;

type CleanupDeps = Pick<Deps, "clock" | "database" | "files" | "keptFiles" | "log" | "newId" | "time">;

/**
 * Cleans up at the start and then once a day. Returns the function that stops it and waits for a running cleanup to
 * end.
 */
export function startDailyCleanup(deps: CleanupDeps): () => Promise<void> {
  let dueAt = 0;
  return startJob(deps, {
    async run(stopping) {
      if (performance.now() < dueAt || deps.time.isDoubtful()) return;
      dueAt = performance.now() + dayMilliseconds;
      await cleanUp(deps, stopping);
    },
    pause: () => pauseMilliseconds,
    failure: "cleanup failed",
    severity: "warn",
  });
}

/**
 * Deletes threads that are older than the limit of their app, files without references, the words of deleted threads
 * from the search index, browsers whose session ended long ago, and pictures that no text shows.
 */
export async function cleanUp(deps: CleanupDeps, stopping: AbortSignal): Promise<void> {
  await deleteExpired(deps, stopping);
  const count = await sweepFiles(deps, stopping);
  if (count > 0) deps.log.info({ count }, "deleted files without references");
  await forgetDeletedWords(deps.database, stopping);
  await deps.database.write(tryAgain);
  await forgetBrowsers(deps);
  // This is the last step, because it reads many texts. If it fails, the steps before it are done.
  await sweepPictures(deps, stopping);
}

/**
 * Deletes the data of browsers that have shown no notices for a long time, because nobody signed in there. (rule N10)
 */
async function forgetBrowsers({ clock, database }: Pick<CleanupDeps, "clock" | "database">): Promise<void> {
  const before = new Date(clock.now().getTime() - forgottenAfter).toISOString();
  const most = 500;
  while ((await database.write((tx) => noticeBrowsers.removeEnded(tx, before, most))) === most);
}

type RetentionDeps = Pick<Deps, "clock" | "database" | "keptFiles" | "log" | "newId">;

/** The number of threads that one transaction deletes. The number is small, so that other writes wait only briefly. */
const threadsAtOnce = 50;

/** The name of this cleanup as the actor in the audit. */
const actor = "retention";

/**
 * Deletes resolved threads that are older than the retention time of their app, with their files. The audit gets one
 * entry for each app, with the number of threads. (rules P9, P10)
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
