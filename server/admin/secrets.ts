import type { Database } from "../database/database.ts";
import { lockFolder } from "../database/folder-lock.ts";
import { credentialsTopic, slotsTopic } from "../database/signals.ts";
import { sealed } from "../secrets/store.ts";
import type { DataLocation } from "../settings/settings.ts";
import { readIfThere } from "../start/data-folder.ts";
import { type Secrets, unlock } from "../start/unlock.ts";
import { secretFile } from "./data-location.ts";

/** The secrets from the environment of a command. */
export interface GivenSecrets {
  readonly secret?: string | undefined;
  /** Earlier secrets, separated by commas. */
  readonly oldSecrets?: string | undefined;
}

/**
 * Returns the secrets of a deployment. Undefined if it has none. Throws a SettingError if they are not the secrets of
 * the database.
 */
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

/**
 * Deletes everything that only the lost secret could decrypt, so that the server can start with a new secret. With
 * SQLite the server must be stopped. Returns how many values of each kind were deleted.
 */
export async function resetSecret(database: Database, location: DataLocation) {
  const lock =
    location.databaseUrl === undefined ? await lockFolder(location.data, { patienceMs: 0 }) : undefined;
  try {
    return await database.write(async (tx) => {
      tx.signal(slotsTopic);
      tx.signal(credentialsTopic);
      return sealed.forgetAll(tx);
    });
  } finally {
    await lock?.release();
  }
}
