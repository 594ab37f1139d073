import { access } from "node:fs/promises";
import { join } from "node:path";
import type { Database, Reader } from "../database/database.ts";
import { lockFolder } from "../database/folder-lock.ts";
import { type DatabaseAddress, openDatabase } from "../database/open.ts";
import { credentialsTopic, slotsTopic } from "../database/transaction.ts";
import { sealed } from "../secrets/store.ts";
import { type DataLocation, SettingError } from "../settings/settings.ts";
import { assertDatabaseIsThere, readIfThere } from "../start/data-folder.ts";
import { type Secrets, secretFault, unlock } from "../start/unlock.ts";

/** The secrets from the environment of a command. */
export interface GivenSecrets {
  readonly secret?: string | undefined;
  /** Earlier secrets, separated by commas. */
  readonly oldSecrets?: string | undefined;
}

/**
 * Returns the secrets; undefined without a secret. Encrypts old values with the current secret. Throws a
 * SettingError for wrong secrets.
 */
export async function secretsFor(
  given: GivenSecrets,
  location: DataLocation,
  database: Database,
): Promise<Secrets | undefined> {
  const secrets = secretsIn(given, await secretInFolder(location));
  if (secrets) await unlock(database, secrets);
  return secrets;
}

const secretInFolder = async (location: DataLocation): Promise<string | undefined> =>
  location.databaseUrl === undefined ? readIfThere(secretFile(location)) : undefined;

/** Returns the secrets. `otherwise` is the default. Returns undefined if there is no current secret. */
export function secretsIn(
  { secret: given, oldSecrets = "" }: GivenSecrets,
  otherwise?: string,
): Secrets | undefined {
  const secret = given || otherwise;
  return secret ? { secret, old: oldSecrets.split(",").filter((each) => each !== "") } : undefined;
}

/** Returns a SettingError if the given secrets do not fit the database. Changes nothing. */
export async function secretFaultIn(
  given: GivenSecrets,
  location: DataLocation,
  database: Reader,
): Promise<SettingError | undefined> {
  const secrets = secretsIn(given, await secretInFolder(location));
  return secrets && secretFault(database, secrets);
}

/**
 * Deletes all values that only the lost secret could decrypt. Returns numbers of deleted values by kind.
 * Throws FolderInUse.
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

export const databaseFile = ({ data }: DataLocation): string => join(data, "innkeep.db");

/** Returns the path of the file with the server's secret. */
export const secretFile = ({ data }: DataLocation): string => join(data, "secret");

/** Returns the address of the database for `openDatabase`. */
export const addressOf = (location: DataLocation): DatabaseAddress =>
  location.databaseUrl === undefined ? { file: databaseFile(location) } : { url: location.databaseUrl };

/**
 * `create` allows a new database, `update` applies migrations, `leave` keeps the schema. Throws a SettingError
 * without a database.
 */
export async function withDatabase<Result>(
  location: DataLocation,
  how: "create" | "update" | "leave",
  work: (database: Database) => Promise<Result>,
): Promise<Result> {
  if (how !== "create" && location.databaseUrl === undefined && !(await exists(databaseFile(location))))
    throw new SettingError(`There is no database in ${location.data}. Set --data to the server's folder.`);
  if (location.databaseUrl === undefined) await assertDatabaseIsThere(location.data);
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
