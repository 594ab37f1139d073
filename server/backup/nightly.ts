import { spawn } from "node:child_process";
import { readdir, rm } from "node:fs/promises";
import { constants, setPriority } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import * as z from "zod/mini";
import { makeFolder } from "../../src/credentials/folders.ts";
import type { Deps } from "../deps.ts";
import { startJob } from "../jobs/runner.ts";
import { AgeFault, readRecipients } from "../secrets/age.ts";
import { type Environment, SettingError } from "../settings/settings.ts";
import { begunNightly, isNightlyDue, leaseFrom, type NightlyBackup } from "./rules.ts";
import { nightlyRecord } from "./store.ts";

/** Starts the nightly backups, if the settings switch them on. Throws a SettingError for a malformed public key. */
export function openNightlyBackups(
  deps: Deps,
  {
    environment,
    program,
  }: {
    readonly environment: Environment;
    /** The paths of the runtime and of this program, for a child process. Without them there are no nightly backups. */
    readonly program?: readonly [string, string];
  },
): NightlyBackups | undefined {
  const { nightly, data, databaseUrl = "" } = deps.settings;
  if (!nightly || !program) return undefined;
  assertRecipient(nightly.recipient);
  const variables = { ...environment, INNKEEP_DATA: data, INNKEEP_DATABASE_URL: databaseUrl };
  return startNightlyBackups(deps, (file, stopping) => backUpInChild({ program, file, variables }, stopping));
}

function assertRecipient(recipient: string | undefined): void {
  try {
    if (recipient !== undefined) readRecipients(recipient);
  } catch (error) {
    if (error instanceof AgeFault) throw new SettingError(`INNKEEP_BACKUP_RECIPIENT: ${error.message}`);
    throw error;
  }
}

const Made = z.object({
  bytes: z.number(),
  rows: z.number(),
  files: z.number(),
  missing: z.array(z.string()),
});

const incomplete = 10;

const longestMessage = 2_000;

/**
 * Creates and verifies a backup in a child process with low priority. Throws an Error with the child's message.
 */
async function backUpInChild(
  {
    program: [runtime, script],
    file,
    variables,
  }: { readonly program: readonly [string, string]; readonly file: string; readonly variables: Environment },
  stopping: AbortSignal,
): Promise<MadeBackup> {
  const child = spawn(runtime, [script, "admin", "backup", file, "--prove", "--json"], {
    env: variables,
    stdio: ["ignore", "pipe", "pipe"],
    signal: stopping,
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  lowerPriority(child.pid);
  const [code, out, err] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  if (code === 0 || code === incomplete) return Made.parse(JSON.parse(out));
  throw new Error(messageIn(err).slice(0, longestMessage) || `The backup ended with code ${code}.`);
}

const Failure = z.object({ error: z.string() });

/** Returns the error message in the last line of `err`; the line itself if it is not JSON. */
function messageIn(err: string): string {
  const last = err.trim().split("\n").at(-1) ?? "";
  try {
    return Failure.parse(JSON.parse(last)).error;
  } catch {
    return last;
  }
}

function lowerPriority(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // The error is ignored, because the priority cannot be set if the process has already ended.
  }
}

const pauseMilliseconds = 60_000;

type NightlyDeps = Pick<Deps, "clock" | "database" | "log"> & {
  readonly time: Pick<Deps["time"], "isDoubtful">;
  readonly settings: Pick<Deps["settings"], "nightly">;
};

/** Creates and verifies one backup in another process. Rejects with an Error that describes the problem. */
export type MakeBackup = (file: string, stopping: AbortSignal) => Promise<MadeBackup>;

interface MadeBackup {
  readonly bytes: number;
  readonly rows: number;
  readonly files: number;
  readonly missing: readonly string[];
}

interface NightlyBackups {
  /** Returns the last nightly backup that this server has read from the database. */
  readonly last: () => NightlyBackup | undefined;
  /** Creates a backup if one is due. Resolves when the backup has ended. */
  readonly tick: () => Promise<void>;
  /** Stops a running nightly backup, and waits until it has ended. */
  readonly stop: () => Promise<void>;
}

/**
 * Creates and verifies a backup each night. If several servers use the database, only one creates the backup.
 * (rule O22)
 */
export function startNightlyBackups(deps: NightlyDeps, makeBackup: MakeBackup): NightlyBackups {
  const stopping = new AbortController();
  let last: NightlyBackup | undefined;
  let running: Promise<void> | undefined;

  async function tick(): Promise<void> {
    if (deps.time.isDoubtful() || stopping.signal.aborted) return;
    if (running) return renew(deps);
    last = await nightlyRecord.find(deps.database);
    const former = last;
    if (!(await claim(deps))) return;
    running = run(deps, former, (file) => makeBackup(file, stopping.signal)).finally(() => {
      running = undefined;
    });
    await running;
    last = await nightlyRecord.find(deps.database);
  }

  // `tick` may take as long as the backup. The job does not wait, because later ticks must renew the lease.
  const stopTicks = startJob(deps, {
    run: async () => {
      void tick().catch((error) => deps.log.warn({ err: error }, "the nightly backup cannot begin"));
    },
    pause: () => pauseMilliseconds,
    failure: "the nightly backup cannot begin",
    severity: "warn",
  });
  return {
    last: () => last,
    tick,
    async stop() {
      await stopTicks();
      stopping.abort();
      await running?.catch(() => undefined);
    },
  };
}

/** Marks the nightly backup as running. Returns false if it is not due, or if another server has started it. */
const claim = ({ database, clock, settings: { nightly } }: NightlyDeps): Promise<boolean> =>
  database.write(async (tx) => {
    await tx.lock("backup drill");
    const last = await nightlyRecord.find(tx);
    const now = clock.now();
    if (!nightly || !isNightlyDue(last, now, nightly.at)) return false;
    await nightlyRecord.replace(tx, begunNightly(last, now));
    return true;
  });

const renew = ({ database, clock }: NightlyDeps): Promise<void> =>
  database.write(async (tx) => {
    // Without this lock, the renewed lease could overwrite the result of a nightly backup that ends at the same time.
    await tx.lock("backup drill");
    const last = await nightlyRecord.find(tx);
    if (last?.outcome === "running")
      await nightlyRecord.replace(tx, { ...last, until: leaseFrom(clock.now()) });
  });

async function run(
  deps: NightlyDeps,
  former: NightlyBackup | undefined,
  makeBackup: (file: string) => Promise<MadeBackup>,
): Promise<void> {
  const { clock, database, log, settings } = deps;
  if (!settings.nightly) return;
  const began = clock.now();
  const started = performance.now();
  const record = (nightly: NightlyBackup | undefined) =>
    database.write(async (tx) => {
      await tx.lock("backup drill");
      await nightlyRecord.replace(tx, nightly);
    });
  const nightly = { startedAt: began.toISOString(), until: began.toISOString(), lastGood: former?.lastGood };
  try {
    const { file, made } = await makeIn(settings.nightly, began, makeBackup);
    const { bytes, rows, files, missing } = made;
    const seconds = Math.round(performance.now() - started) / 1_000;
    const lastGood = { at: began.toISOString(), seconds, bytes, missing: missing.length };
    await record({ ...nightly, outcome: "ok", lastGood });
    log.info({ file, seconds, bytes, rows, files }, "the nightly backup was created and verified");
    if (missing.length > 0) log.warn({ missing }, "files are missing in the nightly backup");
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    // A backup that ends because the server stops has not failed. The next server creates the backup.
    if (error instanceof Error && error.name === "AbortError") return record(former);
    await record({ ...nightly, outcome: "failed", message });
    log.error({ err: error }, "the nightly backup failed");
  }
}

async function makeIn(
  { folder, kept, recipient }: NonNullable<NightlyDeps["settings"]["nightly"]>,
  now: Date,
  makeBackup: (file: string) => Promise<MadeBackup>,
) {
  makeFolder(folder, 0o700);
  await removeDrafts(folder);
  const file = join(folder, backupName(now, recipient !== undefined));
  const made = await makeBackup(file);
  await removeOld(folder, kept);
  return { file, made };
}

/** Matches the names of nightly backups. Other files in the folder are not changed. */
const pattern = /^innkeep-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.tar(\.age)?$/;

const draftEnding = ".partial";

/** Returns the name of the backup that begins at this time. */
const backupName = (at: Date, isEncrypted: boolean): string =>
  `innkeep-${at.toISOString().slice(0, 19).replaceAll(":", "-")}Z.tar${isEncrypted ? ".age" : ""}`;

/** Deletes unfinished backup files of processes that were killed. */
async function removeDrafts(folder: string): Promise<void> {
  for (const name of await readdir(folder))
    if (name.endsWith(draftEnding) && pattern.test(name.slice(0, -draftEnding.length)))
      await rm(join(folder, name), { force: true });
}

/** Deletes all nightly backups except the newest ones. `kept` is the number of backups that are kept. */
async function removeOld(folder: string, kept: number): Promise<void> {
  const names = (await readdir(folder)).filter((name) => pattern.test(name)).sort();
  for (const name of names.slice(0, -kept)) await rm(join(folder, name), { force: true });
}
