import type { Database } from "../database/database.ts";
import type { DataLocation } from "../settings/settings.ts";
import { readIfThere } from "../start/read-if-there.ts";
import { type Secrets, unlock } from "../start/unlock.ts";
import { secretFile } from "./data-location.ts";

/** The secrets that the environment of a command has. */
export interface GivenSecrets {
  readonly secret?: string | undefined;
  /** Separated by commas. */
  readonly oldSecrets?: string | undefined;
}

/** The secrets of a deployment for a command, undefined if it has none. Throws a SettingError if they do not fit the database. */
export async function secretsFor(
  { secret: given, oldSecrets = "" }: GivenSecrets,
  location: DataLocation,
  database: Database,
): Promise<Secrets | undefined> {
  const inFolder = location.databaseUrl === undefined ? await readIfThere(secretFile(location)) : undefined;
  const secret = given || inFolder;
  if (!secret) return undefined;
  const secrets = { secret, old: oldSecrets.split(",").filter((each) => each !== "") };
  await unlock(database, secrets);
  return secrets;
}
