import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pino from "pino";
import { startContinuousBackup } from "../../../server/continuous/continuous-backup.ts";
import { createFolderPlace } from "../../../server/continuous/places/folder-place.ts";
import { createKeptNames } from "../../../server/files/kept-names.ts";
import { createLocalFiles } from "../../../server/files/local-files.ts";
import type { Database } from "../../../server/store/engine/database.ts";
import { openDatabase } from "../../../server/store/engine/open.ts";
import type { WriteLog } from "../../../server/store/engine/write-log.ts";
import { type Figure, median, p99 } from "../table.ts";

export const restOfWriter = "rest of the writer in a continuous backup";

const writers = 8;
/** Each writer pauses after a write: about a thousand writes a second in all. */
const pauseMs = 6;
const everyMs = 2_000;
const milliseconds = 60_000;
/** Rows are overwritten, so that the file stays small. */
const rows = 20_000;

/**
 * How long no write happens each time the log is written back, under an ordinary load. Its detail has the waits of all writes, because a
 * write waits for the disk without any backup, too.
 */
export async function measureRest(folder: string): Promise<Figure> {
  const file = join(folder, "continuous", "innkeep.db");
  const database = await openDatabase({ file });
  if (!database.log) throw new Error("Only SQLite has a log to copy.");
  const rests: number[] = [];
  const backup = startBackup(database, watched(database.log, rests), join(folder, "copies"));
  while (!backup.status().copiedAt) await sleep(10);
  rests.length = 0;
  const waits = await writeFor(database, milliseconds);
  await backup.stop();
  await database.close();
  await backup.close();
  const ms = (value: number) => value.toFixed(1);
  const spread = (values: readonly number[]) => `p99 ${ms(p99(values))}, longest ${ms(Math.max(...values))}`;
  const writes = `${waits.length} writes waited: median ${ms(median(waits))}, ${spread(waits)}`;
  const detail = `${spread(rests)} of ${rests.length}; ${writes}`;
  return { name: restOfWriter, value: median(rests), unit: "ms", goal: ["<=", 10], detail };
}

function startBackup(database: Database, log: WriteLog, folder: string) {
  const kept = { secretFile: join(folder, "no-secret"), journal: join(folder, "no-journal") };
  return startContinuousBackup(
    {
      database,
      ...{ files: createLocalFiles(join(folder, "files")), keptNames: createKeptNames() },
      ...{ log: pino({ level: "silent" }), newId: () => "the deployment" },
    },
    log,
    { place: createFolderPlace(join(folder, "place")), recipients: [], everyMs, keptDays: 7, ...kept },
  );
}

/** The same log. Notes how long the writer rests. */
const watched = (log: WriteLog, rests: number[]): WriteLog => ({
  ...log,
  begin: (copier) => log.begin({ ...copier, rested: (milliseconds) => void rests.push(milliseconds) }),
});

/** How long the writes of many writers have waited. */
async function writeFor(database: Database, duration: number): Promise<number[]> {
  const waits: number[] = [];
  const end = performance.now() + duration;
  const value = "x".repeat(2_000);
  const sql =
    "INSERT INTO deployment (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value";
  await Promise.all(
    Array.from({ length: writers }, async (_, writer) => {
      for (let n = writer; performance.now() < end; n += writers) {
        const from = performance.now();
        await database.write((tx) => tx.run(sql, `row ${(n * 7_919) % rows}`, value));
        waits.push(performance.now() - from);
        await sleep(pauseMs);
      }
    }),
  );
  return waits;
}
