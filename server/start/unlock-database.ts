import type { Database } from "../database/database.ts";
import { SettingError } from "../settings/setting-error.ts";
import type { DataLocation, Environment } from "../settings/settings.ts";
import { deploymentSecret, hasSecret } from "./deployment-secret.ts";
import { isLocked, type Secrets, unlock } from "./unlock.ts";

/**
 * Finds the secrets of the deployment and unlocks the database with them. Throws a SettingError if a secret is missing or
 * wrong, and then writes nothing.
 */
export async function unlockDatabase(
  { INNKEEP_SECRET: given, INNKEEP_SECRET_OLD: former = "" }: Environment,
  { data, databaseUrl }: DataLocation,
  database: Database,
): Promise<Secrets> {
  const inFolder = databaseUrl === undefined;
  if (!given && inFolder && !(await hasSecret(data)) && (await isLocked(database))) throw lost(data);
  const secret = await deploymentSecret(given, data, inFolder);
  const secrets = { secret, old: former.split(",").filter((each) => each !== "") };
  await unlock(database, secrets);
  return secrets;
}

const lost = (data: string) =>
  new SettingError(
    `The file \`secret\` is missing in ${data}. Put it back from a backup, or set INNKEEP_SECRET to its content. If the secret is lost permanently, \`innkeep admin secret reset\` deletes everything that was encrypted with it.`,
  );
