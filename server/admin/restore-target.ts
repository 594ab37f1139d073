import { SettingError } from "../settings/setting-error.ts";
import { isEmpty, tablesOf } from "../store/deployment/tables.ts";
import { appliedTo, hasTable } from "../store/engine/migrations/migrate.ts";
import { openDatabase } from "../store/engine/open.ts";
import type { BackupHeader } from "./archive/backup-format.ts";
import { type DeploymentPlace, databaseFile, exists, secretFile } from "./deployment-place.ts";

/** Throws a SettingError where the folder is in use already. */
export async function assertEmptyFolder(place: DeploymentPlace): Promise<void> {
  const used = [databaseFile(place), ...(place.databaseUrl === undefined ? [secretFile(place)] : [])];
  for (const file of used) {
    if (await exists(file))
      throw new SettingError(`${file} exists already. Restore into a new folder with --data.`);
  }
}

/** Throws a SettingError where the database has rows, or a schema of another version than the backup. */
export async function assertEmptyDatabase(url: string, header: BackupHeader): Promise<void> {
  const database = await openDatabase({ url }, { migrations: "none" });
  try {
    const applied = (await hasTable(database)) ? await appliedTo(database) : [];
    const fits = applied.length === 0 || applied.length === header.migrations.length;
    const empty = await Promise.all((await tablesOf(database)).map(({ name }) => isEmpty(database, name)));
    if (!fits || !empty.every(Boolean))
      throw new SettingError("The database is in use already. Restore into a new one with --database-url.");
  } finally {
    await database.close();
  }
}
