import { SettingError } from "../settings/setting-error.ts";
import type { DataLocation } from "../settings/settings.ts";
import { isEmpty, tablesOf } from "../store/deployment/tables.ts";
import { appliedMigrations, wasMigrated } from "../store/engine/migrate.ts";
import { openDatabase } from "../store/engine/open.ts";
import type { BackupHeader } from "./archive/backup-format.ts";
import { databaseFile, exists, secretFile } from "./data-location.ts";

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
    const fits = applied.length === 0 || applied.length === header.migrations.length;
    const empty = await Promise.all((await tablesOf(database)).map(({ name }) => isEmpty(database, name)));
    if (!fits || !empty.every(Boolean))
      throw new SettingError("The database is already in use. Restore into a new one with --database-url.");
  } finally {
    await database.close();
  }
}
