import { access } from "node:fs/promises";
import { join } from "node:path";
import type { Database } from "../database/database.ts";
import { type DatabaseAddress, openDatabase } from "../database/open.ts";
import { SettingError } from "../settings/setting-error.ts";
import type { DataLocation } from "../settings/settings.ts";

/** Returns the path of the SQLite database. */
export const databaseFile = ({ data }: DataLocation): string => join(data, "innkeep.db");
/** Returns the path of the file with the server's secret. */
export const secretFile = ({ data }: DataLocation): string => join(data, "secret");

/** Returns the address of the database for `openDatabase`. */
export const addressOf = (location: DataLocation): DatabaseAddress =>
  location.databaseUrl === undefined ? { file: databaseFile(location) } : { url: location.databaseUrl };

/**
 * Opens the database for `work` and closes it again. `create` creates a missing database, `update` applies missing
 * migrations, `leave` does not change the schema. Throws a SettingError if the database is missing.
 */
export async function withDatabase<Result>(
  location: DataLocation,
  how: "create" | "update" | "leave",
  work: (database: Database) => Promise<Result>,
): Promise<Result> {
  if (how !== "create" && location.databaseUrl === undefined && !(await exists(databaseFile(location))))
    throw new SettingError(`There is no database in ${location.data}. Set --data to the server's folder.`);
  const database = await openDatabase(addressOf(location), how === "leave" ? { migrations: "none" } : {});
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/** Whether a file or a folder can be accessed. */
export const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
