import { access } from "node:fs/promises";
import { join } from "node:path";
import { SettingError } from "../settings/setting-error.ts";
import type { Database } from "../store/engine/database.ts";
import { type DatabaseAddress, openDatabase } from "../store/engine/open.ts";

/** Where a deployment keeps everything. */
export interface DeploymentPlace {
  readonly data: string;
  readonly databaseUrl: string | undefined;
}

export const databaseFile = ({ data }: DeploymentPlace): string => join(data, "innkeep.db");
export const filesFolder = ({ data }: DeploymentPlace): string => join(data, "files");
export const secretFile = ({ data }: DeploymentPlace): string => join(data, "secret");

export const addressOf = (place: DeploymentPlace): DatabaseAddress =>
  place.databaseUrl === undefined ? { file: databaseFile(place) } : { url: place.databaseUrl };

/**
 * Opens the database for `work` and closes it again. `make` makes it where there is none, `update` brings it to this
 * version, `leave` leaves its schema as it is.
 */
export async function withDatabase<Result>(
  place: DeploymentPlace,
  how: "make" | "update" | "leave",
  work: (database: Database) => Promise<Result>,
): Promise<Result> {
  if (how !== "make" && place.databaseUrl === undefined && !(await exists(databaseFile(place))))
    throw new SettingError(`There is no database in ${place.data}. Set --data to the server's folder.`);
  const database = await openDatabase(addressOf(place), how === "leave" ? { migrations: "none" } : {});
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

export const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
