import type { Database, Reader, Transaction } from "../database/database.ts";
import * as tables from "../database/schema/feedback.ts";
import { select } from "../database/statements.ts";

export interface UploadRow {
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

/** The thread or the proof that an upload belongs to. */
export type UploadOwner = { readonly feedbackId: string } | { readonly proofId: string };

/** The media type of the stored original of a mail. Its bytes are encrypted. No file of a report has this type. */
export const mailType = "message/rfc822";

const served = select(
  tables.uploads,
  ["sha256", "mediaType", "size", "fileName"],
  `WHERE name = ? AND media_type <> '${mailType}'`,
);

const referencesTo = select(
  tables.uploads,
  ["name", "fileName", "feedbackId", "proofId"],
  "WHERE sha256 = ? ORDER BY name",
);

/** The uploads. Each has an unguessable name, under which the server sends it to browsers. */
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
   * Calls `decide`, which may delete files without references. On PostgreSQL, `decide` runs in a transaction and can
   * lock files against other servers. With SQLite there is only one server.
   */
  async withFileLocks(database: Database, decide: (locks: FileLocks) => Promise<void>): Promise<void> {
    const decideWith = (reader: Reader, lock: FileLocks["lock"]) =>
      decide({ lock, isReferenced: (sha256) => isReferenced(reader, sha256) });
    if (database.engine === "sqlite") return decideWith(database, async () => {});
    await database.write((tx) => decideWith(tx, tx.lock));
  },

  /** Returns the given hashes to which no upload refers. */
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

  insert: (tx: Transaction, upload: NewUpload & UploadOwner) => tx.insert(tables.uploads, upload),
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
