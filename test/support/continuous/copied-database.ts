import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pino from "pino";
import { onTestFinished } from "vitest";
import {
  type ContinuousBackup,
  type ContinuousOrder,
  startContinuousBackup,
} from "../../../server/continuous/continuous-backup.ts";
import { createFolderPlace } from "../../../server/continuous/places/folder-place.ts";
import type { Place } from "../../../server/continuous/places/place.ts";
import { rebuildFile } from "../../../server/continuous/rebuild-file.ts";
import type { RestorePoint } from "../../../server/continuous/restore-points.ts";
import { createKeptNames, notingKept } from "../../../server/files/kept-names.ts";
import { createLocalFiles } from "../../../server/files/local-files.ts";
import type { Database } from "../../../server/store/engine/database.ts";
import { type OpenOptions, openDatabase } from "../../../server/store/engine/open.ts";
import { sqlite } from "../database/databases.ts";
import { quickFolder } from "../files/quick-folder.ts";
import { removableFolder, temporaryFolder } from "../files/temporary-folder.ts";

/** A SQLite database with files, whose changes are copied to a folder. */
export interface CopiedDatabase {
  readonly database: Database;
  readonly backup: ContinuousBackup;
  readonly file: string;
  readonly place: Place;
  /** The folder of the copies. */
  readonly copies: string;
  /** What the log says, line by line. */
  readonly lines: readonly string[];
  /** Resolves when everything up to now is copied. */
  copied(): Promise<void>;
  stop(): Promise<void>;
}

export interface CopiedOptions extends Partial<ContinuousOrder> {
  readonly folder?: string;
  readonly open?: OpenOptions;
}

/** Opens a database in a folder, a new one unless it is given, and copies its changes all the time. */
export async function copiedDatabase(options: CopiedOptions = {}): Promise<CopiedDatabase> {
  const { folder = await temporaryFolder(quickFolder), open, ...order } = options;
  const file = join(folder, "innkeep.db");
  const copies = join(folder, "copies");
  const database = await openDatabase({ file }, open);
  const keptNames = createKeptNames();
  const files = notingKept(createLocalFiles(join(folder, "files")), keptNames);
  const lines: string[] = [];
  const log = pino({ level: "info" }, { write: (line: string) => void lines.push(line) });
  const place = options.place ?? createFolderPlace(copies);
  if (!database.log) throw new Error("Only SQLite has a log to copy.");
  let id = 0;
  const backup = startContinuousBackup(
    { database, files, log, newId: () => `id-${++id}`, keptNames },
    database.log,
    {
      ...{ place, recipients: [], everyMs: 20, keptDays: 7 },
      ...{ secretFile: join(folder, "secret"), journal: join(folder, "erasures.ndjson") },
      ...order,
    },
  );
  let stopped: Promise<void> | undefined;
  const stop = () =>
    (stopped ??= backup
      .stop()
      .then(() => database.close())
      .then(() => backup.close()));
  onTestFinished(stop);
  return {
    ...{ database, backup, file, place, copies, lines, stop },
    async copied() {
      const now = new Date();
      while (!(backup.status().copiedAt ?? 0) || Number(backup.status().copiedAt) <= now.getTime())
        await sleep(5);
    },
  };
}

/** The database at a point, built from its copies. To close it deletes it: a test may build hundreds. */
export async function rebuilt(place: Place, point: RestorePoint): Promise<Database> {
  const { path, remove } = await removableFolder();
  onTestFinished(remove);
  const file = join(path, "rebuilt.db");
  await rebuildFile(point, { place, identities: [], file });
  const database = await openDatabase({ file }, { migrations: "none" });
  let closed: Promise<void> | undefined;
  const close = () => (closed ??= database.close().then(remove));
  onTestFinished(close);
  return { ...database, close };
}

export { sqlite };
