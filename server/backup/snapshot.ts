import { join } from "node:path";
import type { Database, Reader } from "../database/database.ts";
import { openDatabase } from "../database/open.ts";

/** What the names of the files of the copy begin with. */
export const snapshotName = "snapshot.db";

/**
 * Calls `use` with a reader that sees the database at one instant, while other transactions go on writing. On SQLite this
 * is a copy in the folder `scratch`.
 */
export async function withSnapshot<Result>(
  database: Database,
  scratch: string,
  use: (reader: Reader) => Promise<Result>,
): Promise<Result> {
  if (database.engine === "postgres") {
    return database.write(async (tx) => {
      await tx.run("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY");
      return use(tx);
    });
  }
  const file = join(scratch, snapshotName);
  await database.all("VACUUM INTO ?", file);
  const copy = await openDatabase({ file }, { migrations: "none" });
  return use(copy).finally(() => copy.close());
}
