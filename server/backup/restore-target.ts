import * as z from "zod/mini";
import { databaseFile, exists, secretFile } from "../admin/data-location.ts";
import type { Named } from "../database/before-baseline.ts";
import { appliedMigrations, schemaOf, wasMigrated } from "../database/migrate.ts";
import { migrations } from "../database/migrations.ts";
import { openDatabase } from "../database/open.ts";
import { createStoreMark } from "../files/s3-files.ts";
import { SettingError } from "../settings/setting-error.ts";
import type { DataLocation } from "../settings/settings.ts";
import { type BackupHeader, rowEntries } from "./format.ts";
import type { Backup } from "./load.ts";
import { isEmpty, tablesOf } from "./store.ts";

/** Throws a SettingError if the folder already contains a deployment. */
export async function assertEmptyFolder(location: DataLocation): Promise<void> {
  const used = [
    databaseFile(location),
    ...(location.databaseUrl === undefined ? [secretFile(location)] : []),
  ];
  for (const file of used) {
    if (await exists(file))
      throw new SettingError(`${file} already exists. Restore into a new folder with --data.`);
  }
}

/** Throws a SettingError if the database has rows, or the schema of another version than the backup. */
export async function assertEmptyDatabase(url: string, header: BackupHeader): Promise<void> {
  const database = await openDatabase({ url }, { migrations: "none" });
  try {
    const applied = (await wasMigrated(database)) ? await appliedMigrations(database) : [];
    const fits = applied.length === 0 || haveSameSchema(applied, header.migrations);
    const empty = await Promise.all((await tablesOf(database)).map(({ name }) => isEmpty(database, name)));
    if (!fits || !empty.every(Boolean))
      throw new SettingError("The database is already in use. Restore into a new one with --database-url.");
  } finally {
    await database.close();
  }
}

/** Those of a database from before the baseline, and those of one that was made by it, make the same schema. */
function haveSameSchema(...states: (readonly Named[])[]): boolean {
  const [one, other] = states.map((applied) => schemaOf(applied, migrations));
  return typeof one === "object" && typeof other === "object" && one.length === other.length;
}

/**
 * Marks an empty S3 store with the id of the deployment, before its first file: a restore that fails can be tried again. Throws a
 * SettingError if the store holds the files of another deployment.
 */
export async function claimStoreFor({ s3 }: DataLocation, backup: Backup): Promise<void> {
  if (!s3) return;
  const mark = createStoreMark(s3);
  const [marked, id] = [await mark.read(), await idIn(backup)];
  if (!(await mark.holdsFiles())) {
    if (id !== undefined && id !== marked) await mark.write(id);
    return;
  }
  if (marked === id) return;
  throw new SettingError(
    "INNKEEP_S3_URL names a place that holds other files. Restore into an empty one, for example with a folder of its own: https://…/bucket/folder.",
  );
}

const Row = z.array(z.unknown());

/** The id of the deployment that the backup is of; undefined if it had none yet. */
async function idIn({ archive, header }: Backup): Promise<string | undefined> {
  const columns = header.tables.find(({ name }) => name === "deployment")?.columns ?? [];
  for (const entry of rowEntries(archive, "deployment"))
    for (const line of (await archive.readText(entry)).split("\n").filter((text) => text !== "")) {
      const row = Row.parse(JSON.parse(line));
      const value = row[columns.indexOf("value")];
      if (row[columns.indexOf("name")] === "id" && typeof value === "string") return value;
    }
  return undefined;
}
