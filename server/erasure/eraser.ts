import { setTimeout as sleep } from "node:timers/promises";
import { users } from "../access/accounts/store.ts";
import type { Database } from "../database/database.ts";
import { erasuresTopic } from "../database/transaction.ts";
import type { Deps } from "../deps.ts";
import { forgetDeletedWords } from "../feedback/search/store/indexing.ts";
import { longestSleep, startDueWork } from "../jobs/runner.ts";
import { openAddress } from "../secrets/secrets.ts";
import { compareWithJournal, journalOf, recordErasures } from "./journal.ts";
import { findAddress } from "./rules.ts";
import { seats } from "./store/accounts.ts";
import { type Erasing, eraseAt, type FoundThere, findAt, type Place } from "./store/erase.ts";
import { type ErasureRow, erasures, listOf, placeOf } from "./store/erasures.ts";

type EraserDeps = Pick<Deps, "database" | "clock" | "keptFiles" | "newId" | "sealer" | "log" | "stopping"> & {
  readonly settings: Pick<Deps["settings"], "data" | "erasuresFile" | "backupsKeptDays" | "dev">;
};

const tryAgainMilliseconds = 1_000;
const dayMilliseconds = 86_400_000;

/** Starts the job that erases people in small steps. Returns a function that stops the job. */
export function startErasing(deps: EraserDeps): () => Promise<void> {
  let compared = false;
  const eraser = createEraser(deps);
  return startDueWork(deps, {
    topic: erasuresTopic,
    doDue: async () => {
      if (!compared) await compareWithJournal(deps);
      compared = true;
      return eraser.next();
    },
    pause: eraser.pause,
    failure: "erasing a person failed",
  });
}

export interface Eraser {
  /** Does one step of an erasure. Returns 1, or 0 if no erasure is running. */
  next(): Promise<number>;
  /** Returns the number of milliseconds to wait before the next call of `next`. */
  pause(): Promise<number>;
}

/**
 * The maximum number of attempts at one point (`Place`) of an erasure. Crashes in all attempts stop the
 * erasure.
 */
const mostStarts = 5;
const mostRunning = 100;
const mostDoublings = 6;

/** Creates the eraser. It erases people step by step, the oldest erasure first. (rule P7) */
export function createEraser(deps: EraserDeps): Eraser {
  const begun = new Set<string>();
  const failures = new Map<string, number>();
  const failuresOf = ({ id }: ErasureRow) => failures.get(id) ?? 0;
  const waiting = async () => {
    const rows = (await erasures.running(deps.database, mostRunning)).filter(
      ({ emailSealed }) => emailSealed !== null,
    );
    // Erasures with fewer failures continue first.
    return rows.sort((one, other) => failuresOf(one) - failuresOf(other))[0];
  };
  return {
    async next() {
      const row = await waiting();
      if (!row) return 0;
      try {
        // `begin` counts the attempts at the current `Place` of the erasure. After a crash, the next server
        // calls `begin` again.
        const present = begun.has(row.id) ? row : await begin(deps, row);
        if (present) {
          begun.add(row.id);
          await takeStep(deps, present);
        }
        failures.delete(row.id);
        return 1;
      } catch (error) {
        failures.set(row.id, failuresOf(row) + 1);
        // The server did not crash, so this attempt is not counted. If this write fails, the attempt stays
        // counted.
        begun.delete(row.id);
        await deps.database.write((tx) => erasures.release(tx, row.id)).catch(() => undefined);
        throw error;
      }
    },
    async pause() {
      const row = await waiting();
      if (!row) return longestSleep;
      const doublings = Math.min(mostDoublings, Math.max(0, failuresOf(row) - 1));
      return Math.min(longestSleep, tryAgainMilliseconds * 2 ** doublings);
    },
  };
}

/**
 * Counts an attempt. Stops the erasure after `mostStarts` attempts. Returns undefined if this server must not
 * continue the erasure.
 */
async function begin({ database, clock, log }: EraserDeps, row: ErasureRow): Promise<ErasureRow | undefined> {
  const { begun = 0, pass } = placeOf(row);
  if (begun < mostStarts) return database.write((tx) => erasures.begin(tx, row));
  log.error(
    { erasure: row.id, pass, begun },
    "an erasure is stopped, because the server ended during each attempt",
  );
  const at = clock.now().toISOString();
  await database.write(async (tx) => {
    if (await erasures.hold(tx, row)) await erasures.stop(tx, row.id, at);
  });
  return undefined;
}

async function takeStep(deps: EraserDeps, row: ErasureRow): Promise<number> {
  const { database } = deps;
  if (row.emailSealed === null) return 0;
  if (row.files !== "[]") return deleteFiles(deps, row);
  // The decrypted text is the address. For a deleted account, a space and the account's id follow.
  const [email = "", deletedId] = openAddress(deps.sealer, row.emailSealed).split(" ");
  const accountId = deletedId ?? (await users.findByEmail(database, email))?.id ?? null;
  const erasing: Erasing = {
    person: { finder: findAddress(email), accountId },
    scope: row.ownerId === null ? "everywhere" : { ownerId: row.ownerId },
  };
  const place = placeOf(row);
  if (place.pass === 0 && place.after === undefined) await addToErasureJournal(deps, row);
  const found = await findAt(database, erasing, place);
  if (found) return step(deps, row, { erasing, place, found });
  const ended = await seats.ended(database, erasing.person, erasing.scope);
  if (ended.length > 0) return eraseSeats(database, row, { erasing, place, ended });
  return finish(deps, row);
}

/** Adds the erasure to the journal. After an error, the next start of a server adds the entry. */
async function addToErasureJournal({ settings, sealer, log }: EraserDeps, row: ErasureRow): Promise<void> {
  if (settings.dev) return;
  await recordErasures(journalOf(settings), sealer, [row]).catch((error) =>
    log.warn({ err: error }, "an erasure could not be recorded outside of the database"),
  );
}

interface Step {
  readonly erasing: Erasing;
  readonly place: Place;
  readonly found: FoundThere;
}

async function step(
  { database, clock, newId }: EraserDeps,
  row: ErasureRow,
  { erasing, place, found }: Step,
): Promise<1> {
  await database.write(async (tx) => {
    if (!(await erasures.hold(tx, row))) return;
    const recording = { newId, now: clock.now() };
    const effects = await eraseAt(tx, { ...erasing, ...recording }, { place, keys: found.keys });
    await erasures.advance(tx, row, { place: found.next, effects });
  }, "long");
  return 1;
}

async function eraseSeats(
  database: Database,
  row: ErasureRow,
  { erasing, place, ended }: Omit<Step, "found"> & { readonly ended: readonly string[] },
): Promise<1> {
  await database.write(async (tx) => {
    if (!(await erasures.hold(tx, row))) return;
    const effects = [];
    for (const id of ended) effects.push(await seats.erase(tx, erasing.person, id));
    await erasures.advance(tx, row, { place, effects });
  }, "long");
  return 1;
}

/** Deletes the files in `row.files` to which no row refers any more. */
async function deleteFiles({ database, keptFiles }: EraserDeps, row: ErasureRow): Promise<1> {
  await keptFiles.removeUnreferenced(listOf(row.files));
  await database.write((tx) => erasures.filesGone(tx, row));
  return 1;
}

/** Ends an erasure. Throws an Error if another connection uses the write-ahead log of SQLite for too long. */
async function finish(deps: EraserDeps, { id }: ErasureRow): Promise<1> {
  const { database, clock, settings } = deps;
  // The search index and the write-ahead log still contain deleted data.
  await forgetDeletedWords(database, deps.stopping);
  for (let tries = 0; !(await database.emptyLog()); tries++) {
    if (tries === mostTries) throw new Error("the write-ahead log of the database is in use");
    await sleep(pauseMilliseconds);
  }
  const now = clock.now();
  const days = settings.backupsKeptDays;
  await database.write((tx) =>
    erasures.finish(tx, id, {
      at: now.toISOString(),
      backupsUntil:
        days === undefined ? null : new Date(now.getTime() + days * dayMilliseconds).toISOString(),
    }),
  );
  return 1;
}

const mostTries = 50;
const pauseMilliseconds = 100;
