import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Deps } from "../deps.ts";
import { drillName, removeDrafts, removeOld } from "./drill-files.ts";
import { drillRecord } from "./drill-record.ts";
import { begunDrill, type Drill, isDrillDue, leaseFrom } from "./rules.ts";

const pauseMilliseconds = 60_000;

type Needed = Pick<Deps, "clock" | "database" | "log"> & {
  readonly time: Pick<Deps["time"], "isDoubtful">;
  readonly settings: Pick<Deps["settings"], "drill">;
};

/** Makes and proves one backup, outside of this process. Rejects with what is wrong. */
export type MakeBackup = (file: string, stopping: AbortSignal) => Promise<MadeBackup>;

export interface MadeBackup {
  readonly bytes: number;
  readonly rows: number;
  readonly files: number;
  readonly missing: readonly string[];
}

export interface Drills {
  /** The last drill, as far as this server knows. */
  readonly last: () => Drill | undefined;
  /** Does what is due now. Resolves when it is done. */
  readonly tick: () => Promise<void>;
  /** Ends a running drill, and waits for its end. */
  readonly stop: () => Promise<void>;
}

/** Makes a backup each night and proves it. Of several servers one does it. (rule O22) */
export function startDrills(deps: Needed, makeBackup: MakeBackup): Drills {
  const stopping = new AbortController();
  let last: Drill | undefined;
  let running: Promise<void> | undefined;

  async function tick(): Promise<void> {
    if (deps.time.isDoubtful() || stopping.signal.aborted) return;
    if (running) return renew(deps);
    last = await drillRecord.find(deps.database);
    const former = last;
    if (!(await claim(deps))) return;
    running = run(deps, former, (file) => makeBackup(file, stopping.signal)).finally(() => {
      running = undefined;
    });
    await running;
    last = await drillRecord.find(deps.database);
  }

  const quietly = () =>
    tick().catch((error) => deps.log.warn({ err: error }, "the nightly backup cannot begin"));
  const timer = setInterval(quietly, pauseMilliseconds).unref();
  void quietly();
  return {
    last: () => last,
    tick,
    async stop() {
      clearInterval(timer);
      stopping.abort();
      await running?.catch(() => undefined);
    },
  };
}

/** Marks the drill as running if it is due. Gives false if it is not, or another server was first. */
const claim = ({ database, clock, settings: { drill } }: Needed): Promise<boolean> =>
  database.write(async (tx) => {
    await tx.lock("backup drill");
    const last = await drillRecord.find(tx);
    const now = clock.now();
    if (!drill || !isDrillDue(last, now, drill.at)) return false;
    await drillRecord.replace(tx, begunDrill(last, now));
    return true;
  });

const renew = ({ database, clock }: Needed): Promise<void> =>
  database.write(async (tx) => {
    // Without the lock it could overwrite the outcome of the drill that ends at this moment.
    await tx.lock("backup drill");
    const last = await drillRecord.find(tx);
    if (last?.outcome === "running")
      await drillRecord.replace(tx, { ...last, until: leaseFrom(clock.now()) });
  });

async function run(
  deps: Needed,
  former: Drill | undefined,
  makeBackup: (file: string) => Promise<MadeBackup>,
): Promise<void> {
  const { clock, database, log, settings } = deps;
  if (!settings.drill) return;
  const began = clock.now();
  const started = performance.now();
  const record = (drill: Drill | undefined) =>
    database.write(async (tx) => {
      await tx.lock("backup drill");
      await drillRecord.replace(tx, drill);
    });
  const drill = { startedAt: began.toISOString(), until: began.toISOString(), lastGood: former?.lastGood };
  try {
    const { file, made } = await makeIn(settings.drill, began, makeBackup);
    const { bytes, rows, files, missing } = made;
    const seconds = Math.round(performance.now() - started) / 1_000;
    const lastGood = { at: began.toISOString(), seconds, bytes, missing: missing.length };
    await record({ ...drill, outcome: "ok", lastGood });
    log.info({ file, seconds, bytes, rows, files }, "the nightly backup was made and proven");
    if (missing.length > 0) log.warn({ missing }, "files are missing in the nightly backup");
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    // A server that stops has proven nothing: the next start does it.
    if (error instanceof Error && error.name === "AbortError") return record(former);
    await record({ ...drill, outcome: "failed", message });
    log.error({ err: error }, "the nightly backup failed");
  }
}

async function makeIn(
  { folder, kept, recipient }: NonNullable<Needed["settings"]["drill"]>,
  now: Date,
  makeBackup: (file: string) => Promise<MadeBackup>,
) {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await removeDrafts(folder);
  const file = join(folder, drillName(now, recipient !== undefined));
  const made = await makeBackup(file);
  await removeOld(folder, kept);
  return { file, made };
}
