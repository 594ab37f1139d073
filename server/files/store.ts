import { apps } from "../access/apps/store.ts";
import type { Database, Reader, Transaction } from "../database/database.ts";
import * as deploymentTables from "../database/schema/deployment.ts";
import * as feedbackTables from "../database/schema/feedback.ts";
import { select } from "../database/transaction.ts";
import type { Deps } from "../deps.ts";
import type { Files } from "./files.ts";

export type FilesPlace = "folder" | "s3";

const placeName = "files";

/** The storage of the files of a deployment, as recorded in the database. */
export const filesPlace = {
  /**
   * Returns the storage. A deployment that uses the local folder has no row.
   */
  async find(reader: Pick<Reader, "get">): Promise<FilesPlace> {
    const row = await reader.get<{ value: string }>("SELECT value FROM deployment WHERE name = ?", placeName);
    return row?.value === "s3" ? "s3" : "folder";
  },

  /**
   * Returns the storage. Prevents a change of the storage until the transaction ends. Call this before adding
   * an upload.
   */
  async hold(tx: Pick<Transaction, "engine" | "get" | "run">): Promise<FilesPlace> {
    if (tx.engine === "postgres") await tx.run("LOCK TABLE uploads IN ROW EXCLUSIVE MODE");
    return filesPlace.find(tx);
  },

  /** Records a new storage. On PostgreSQL, first waits for transactions that add uploads. */
  async replace(tx: Transaction, place: FilesPlace): Promise<void> {
    if (tx.engine === "postgres") await tx.run("LOCK TABLE uploads IN SHARE ROW EXCLUSIVE MODE");
    await tx.run("DELETE FROM deployment WHERE name = ?", placeName);
    if (place !== "folder") await tx.insert(deploymentTables.deployment, { name: placeName, value: place });
  },
};

/**
 * The id of the deployment. It is in the database, in the storage of files (see `PlaceMark`), and in backups.
 */
export const deploymentId = {
  async find(reader: Reader): Promise<string | undefined> {
    return (await reader.get<{ value: string }>("SELECT value FROM deployment WHERE name = 'id'"))?.value;
  },

  insert: (tx: Transaction, id: string) => tx.insert(deploymentTables.deployment, { name: "id", value: id }),
};

/** Yields stray files in batches. These files are at least an hour old, and no upload refers to these files. */
export async function* strayFiles(reader: Reader, files: Pick<Files, "settled">): AsyncGenerator<string[]> {
  for await (const hashes of files.settled()) {
    const strays = await uploads.unreferenced(reader, hashes);
    if (strays.length > 0) yield strays;
  }
}

/** Deletes stray files, which a killed server may leave. Returns how many stray files were found. */
export async function sweepFiles(
  { database, files, keptFiles }: Pick<Deps, "database" | "files" | "keptFiles">,
  stopping?: AbortSignal,
): Promise<number> {
  // A database without apps is new. The stored files may belong to another database, so nothing is deleted.
  if (!(await apps.exist(database))) return 0;
  let count = 0;
  for await (const strays of strayFiles(database, files)) {
    if (stopping?.aborted) break;
    await keptFiles.removeUnreferenced(strays);
    count += strays.length;
  }
  return count;
}

interface UploadRow {
  readonly sha256: string;
  readonly mediaType: string;
  readonly size: number;
  readonly fileName: string | null;
}

export interface NewUpload extends UploadRow {
  readonly name: string;
  readonly appId: string;
  readonly createdAt: string;
}

export interface UploadReference {
  readonly name: string;
  readonly fileName: string | null;
  readonly feedbackId: string | null;
  readonly proofId: string | null;
}

/** The thread or the proof to which an upload belongs. */
type UploadOwner = { readonly feedbackId: string } | { readonly proofId: string };

/** The media type of a stored original mail, which is encrypted. No file of a report has this type. */
export const mailType = "message/rfc822";

const served = select(
  feedbackTables.uploads,
  ["sha256", "mediaType", "size", "fileName"],
  `WHERE name = ? AND media_type <> '${mailType}'`,
);

const referencesTo = select(
  feedbackTables.uploads,
  ["name", "fileName", "feedbackId", "proofId"],
  "WHERE sha256 = ? ORDER BY name",
);

/** The uploads. Each upload has an unguessable name, which is in its address on the server. */
export const uploads = {
  /** Returns an upload by its name; undefined if there is none. Never returns the original of a mail. */
  find: (reader: Reader, name: string): Promise<UploadRow | undefined> => reader.get(served, name),

  isReferenced,

  exist: async (reader: Reader): Promise<boolean> =>
    (await reader.get("SELECT 1 AS one FROM uploads LIMIT 1")) !== undefined,

  /** Returns the total size of all uploads of an app in bytes. */
  async bytesOf(reader: Reader, appId: string): Promise<number> {
    const sum = await reader.get<{ bytes: number }>(
      "SELECT CAST(coalesce(sum(size), 0) AS BIGINT) AS bytes FROM uploads WHERE app_id = ?",
      appId,
    );
    return Number(sum?.bytes ?? 0);
  },

  /**
   * Calls `decide`, which may delete files without uploads. On SQLite, `lock` does nothing, because only one
   * server uses the database.
   */
  async withFileLocks(database: Database, decide: (locks: FileLocks) => Promise<void>): Promise<void> {
    const decideWith = (reader: Reader, lock: FileLocks["lock"]) =>
      decide({ lock, isReferenced: (sha256) => isReferenced(reader, sha256) });
    if (database.engine === "sqlite") return decideWith(database, async () => {});
    await database.write((tx) => decideWith(tx, tx.lock));
  },

  /** Returns those of the given hashes to which no upload refers. */
  async unreferenced(reader: Reader, hashes: readonly string[]): Promise<string[]> {
    const marks = hashes.map(() => "?").join(", ");
    const sql = `SELECT DISTINCT sha256 FROM uploads WHERE sha256 IN (${marks})`;
    const found = new Set((await reader.all<{ sha256: string }>(sql, ...hashes)).map(({ sha256 }) => sha256));
    return hashes.filter((sha256) => !found.has(sha256));
  },

  /** Returns the uploads that refer to a file. */
  references: (reader: Reader, sha256: string): Promise<UploadReference[]> =>
    reader.all(referencesTo, sha256),

  removeBySha256: (tx: Transaction, sha256: string) => tx.run("DELETE FROM uploads WHERE sha256 = ?", sha256),

  insert: (tx: Transaction, upload: NewUpload & UploadOwner) => tx.insert(feedbackTables.uploads, upload),
};

interface FileLocks {
  lock(name: string): Promise<unknown>;
  isReferenced(sha256: string): Promise<boolean>;
}

async function isReferenced(reader: Reader, sha256: string): Promise<boolean> {
  return (await reader.get("SELECT 1 AS one FROM uploads WHERE sha256 = ? LIMIT 1", sha256)) !== undefined;
}

const atOnce = 1_000;

export interface StoredFile {
  readonly sha256: string;
  /** The size in bytes. */
  readonly size: number;
}

/** Yields every stored file once, in the order of the hashes. */
export async function* storedFiles(reader: Reader): AsyncGenerator<StoredFile> {
  for (let last = ""; ; ) {
    const page = await reader.all<StoredFile>(
      `SELECT sha256, max(size) AS size FROM uploads WHERE sha256 > ?
       GROUP BY sha256 ORDER BY sha256 LIMIT ?`,
      last,
      atOnce,
    );
    yield* page;
    const end = page.at(-1);
    if (!end || page.length < atOnce) return;
    last = end.sha256;
  }
}
