import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import pg from "pg";
import type { Engine } from "../../../server/database/database.ts";
import type { DatabaseAddress } from "../../../server/database/open.ts";
import type { TestDatabase, TestEngine } from "../database/databases.ts";
import { temporaryFolder } from "../files/temporary-folder.ts";

/** The commit that created the fixtures. */
export const commitBefore = "9e515d813a6c140ea003fe4a98bf16459e29f142";

export const secretsBefore: Readonly<Record<Engine, string>> = {
  sqlite: "only-for-the-sqlite-fixture-of-the-tests",
  postgres: "only-for-the-postgres-fixture-of-the-tests",
};

const unpacked = async (name: string) => gunzipSync(await readFile(join(import.meta.dirname, name)));

/** Fills an empty database with the content of the database from before the baseline. */
export async function fillFromBefore(address: DatabaseAddress): Promise<void> {
  if ("file" in address) return writeFile(address.file, await unpacked("sqlite.db.gz"), { mode: 0o600 });
  const client = new pg.Client({ connectionString: address.url });
  await client.connect();
  try {
    await client.query(`${await unpacked("postgres.sql.gz")}`);
  } finally {
    await client.end();
  }
}

/** A database from before the baseline, as the last program without it has left it. */
export async function databaseFromBefore({ createEmpty }: TestEngine): Promise<TestDatabase> {
  const place = await createEmpty();
  await fillFromBefore(place.address);
  return place;
}

/** A new file with the backup that the last program without the baseline created on this engine. */
export async function backupFromBefore(engine: Engine): Promise<string> {
  const file = join(await temporaryFolder(), "backup.tar");
  await writeFile(file, await unpacked(`${engine}-backup.tar.gz`));
  return file;
}
