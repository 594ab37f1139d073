import { stat } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { Deps } from "../deps.ts";
import type { KeptNames } from "../files/kept-names.ts";
import { checkpointPages } from "../store/engine/sqlite/guarded-log.ts";
import type { WriteLog } from "../store/engine/write-log.ts";
import { createBaseFile } from "./base-copy.ts";
import { bindCopies } from "./bind-place.ts";
import { type Copier, createCopier } from "./copier.ts";
import { createFileCopies } from "./file-copies.ts";
import { createKeeping, type Keeping, type KeepingOrder } from "./keeping.ts";
import { type ContinuousStatus, createReporter, type Reporter } from "./reporter.ts";
import { resumeLast } from "./resume.ts";
import { generationsIn } from "./retention.ts";

export interface ContinuousOrder extends KeepingOrder {
  readonly everyMs: number;
  /** How long the log may get while it cannot be copied. */
  readonly mostLogBytes?: number;
  /** The length in frames at which the log is written back; as SQLite does unless given. */
  readonly writeBackFrames?: number;
}

type Needed = Pick<Deps, "database" | "files" | "log" | "newId"> & { readonly keptNames: KeptNames };

export interface ContinuousBackup {
  readonly status: () => ContinuousStatus;
  /** Copies what is not yet copied. Gives up after a while. */
  stop(): Promise<void>;
  /** Call it when the database is closed. */
  close(): Promise<void>;
}

/** How often the length of the log is looked at. */
const watchMs = 2_000;
const tryAgainMs = 2_000;
const stopMs = 4_000;
/** The log may get this long while it cannot be copied, or as long as the database. */
const usualMostBytes = 536_870_912;

/**
 * Copies the database, its files and all later changes to a place, again and again. Nothing else waits for the place, and a place that fails
 * or hangs changes nothing for requests.
 */
export function startContinuousBackup(deps: Needed, log: WriteLog, order: ContinuousOrder): ContinuousBackup {
  const { place, recipients, writeBackFrames = checkpointPages } = order;
  const stopping = new AbortController();
  const reporter = createReporter(deps.log);
  const base = createBaseFile(log.file);
  const files = createFileCopies({ ...deps, place, recipients });
  const copier = createCopier({
    ...{ log, base, place, recipients, files, writeBackFrames },
    ...{ events: reporter, stopping: stopping.signal },
  });
  const keeping = createKeeping(deps.log, order, { copier, files, stopping: stopping.signal });
  const work = {
    deps,
    log,
    order,
    copier,
    keeping,
    reporter,
    files: files.folder,
    stopping: stopping.signal,
  };
  const running = run(work);
  const timer = setInterval(() => void watch(work).catch((error) => fail(work, error)), watchMs).unref();
  return {
    status: reporter.status,
    close: base.close,
    async stop() {
      clearInterval(timer);
      stopping.abort();
      const last = running.then(async () => {
        if (copier.current()) await copier.copyLog();
        await keeping.copyJournal();
      });
      const ended = last.catch(reporter.failed);
      await Promise.race([ended, sleep(stopMs, undefined, { ref: false })]);
    },
  };
}

interface Work {
  readonly deps: Needed;
  readonly log: WriteLog;
  readonly order: ContinuousOrder;
  readonly copier: Copier;
  readonly keeping: Keeping;
  readonly reporter: Reporter;
  /** The folder of the copies of files. */
  readonly files: string;
  readonly stopping: AbortSignal;
}

async function run(work: Work): Promise<void> {
  const { order, copier, keeping, stopping } = work;
  let isFirst = true;
  const tidying = beside(keeping.tidy);
  const renewing = beside(() => renew(work).then(tidying.start));
  while (!stopping.aborted) {
    const began = performance.now();
    const isDone = await step(work, isFirst).catch((error) => fail(work, error));
    if (isDone) isFirst = false;
    if (copier.current() && keeping.isRenewalDue()) renewing.start();
    if (copier.current() && keeping.isTidyDue()) tidying.start();
    const pause = isDone && copier.current() ? order.everyMs - (performance.now() - began) : tryAgainMs;
    await sleep(Math.max(pause, 0), undefined, { signal: stopping, ref: false }).catch(() => {});
  }
  await renewing.ended();
}

/** Work that the copying of changes does not wait for. It never runs twice at the same time. */
function beside(work: () => Promise<void>) {
  let running: Promise<void> | undefined;
  return {
    start() {
      running ??= work().finally(() => {
        running = undefined;
      });
    },
    ended: async () => running,
  };
}

async function step(work: Work, isFirst: boolean): Promise<true> {
  const { copier, keeping } = work;
  if (copier.current()) await copier.copyLog();
  else await startGeneration(work, isFirst);
  await keeping.copyJournal();
  return true;
}

/** Goes on with the generation of an earlier process if the log allows it. */
async function startGeneration(work: Work, mayGoOn: boolean): Promise<void> {
  const { deps, log, order, copier, files, reporter } = work;
  const { place, recipients } = order;
  await bindCopies(place, deps.database, deps.newId);
  const generation = mayGoOn ? (await generationsIn(place)).at(-1) : undefined;
  if (generation) {
    const last = { place, recipients, files, generation };
    if (await resumeLast(copier, `${log.file}-wal`, last)) return reporter.began(generation.name, "goes on");
  }
  await beginGeneration(work);
}

async function beginGeneration({ copier, keeping, reporter }: Work): Promise<void> {
  await copier.begin(keeping.prepare);
  const generation = copier.current()?.chain.generation;
  if (generation) reporter.began(generation, "began");
}

/** The next generation is copied while the present one goes on. */
const renew = (work: Work): Promise<void> => beginGeneration(work).catch((error) => fail(work, error));

function fail({ reporter, stopping }: Work, error: unknown): undefined {
  if (!stopping.aborted) reporter.failed(error);
}

async function watch({ log, order, copier }: Work): Promise<void> {
  const most = order.mostLogBytes ?? Math.max(usualMostBytes, (await stat(log.file)).size);
  if (copier.behind(await log.mark()) > most)
    await copier.giveUp("the log has become too long while it could not be copied");
}
