import { randomBytes } from "node:crypto";
import { link, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { makeFolder } from "../../src/credentials/folders.ts";
import type { Database, Reader, Transaction } from "../database/database.ts";
import { createSealer, isSealed, type Sealer, sealAddress } from "../secrets/secrets.ts";
import { sealed } from "../secrets/store.ts";
import { type DataLocation, type Environment, SettingError } from "../settings/settings.ts";
import { readIfThere } from "./data-folder.ts";

/**
 * Finds the secrets and unlocks the database. For a missing or wrong secret, throws a SettingError and writes
 * nothing.
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

export interface Secrets {
  /** The current secret. It encrypts and decrypts values. */
  readonly secret: string;
  /** Earlier secrets. They only decrypt values, until every value is encrypted with the current secret. */
  readonly old: readonly string[];
}

const checkText = "innkeep";

/**
 * Encrypts old values and plain addresses with the current secret. Throws a SettingError if no secret decrypts
 * the values.
 */
export async function unlock(database: Database, { secret, old }: Secrets): Promise<void> {
  const sealer = createSealer(secret);
  await database.write(async (tx) => {
    await tx.lock("innkeep secret");
    const former = await formerOf(tx, sealer, old);
    await sealed.replaceAll(tx, (stored) => sealAgain(stored, sealer, former));
    if (former || !(await sealed.check(tx))) await sealed.setCheck(tx, sealer.seal(checkText));
  }, "long");
}

/** Whether the database contains a value that only the correct secret can decrypt. */
export async function isLocked(database: Database): Promise<boolean> {
  return ((await sealed.check(database)) ?? (await sealed.sample(database))) !== undefined;
}

/** Whether the current secret or an old one decrypts a stored value. */
export const opensWith = ({ secret, old }: Secrets, stored: string): boolean =>
  [secret, ...old].some((each) => opens(createSealer(each), stored));

/** Returns a SettingError if none of the secrets decrypts the values in the database; otherwise undefined. */
export async function secretFault(reader: Reader, secrets: Secrets): Promise<SettingError | undefined> {
  const stored = (await sealed.check(reader)) ?? (await sealed.sample(reader));
  return stored === undefined || opensWith(secrets, stored) ? undefined : wrongSecret();
}

export const wrongSecret = () =>
  new SettingError(
    "INNKEEP_SECRET is not the secret with which this database was used. Set the former secret again. (If INNKEEP_SECRET was not set, the secret is in the file `secret` in the data folder.) To change the secret, set the new one as INNKEEP_SECRET and the former one as INNKEEP_SECRET_OLD.",
  );

/**
 * Returns the former secret's sealer; undefined if the current secret is in use. Throws a SettingError if no
 * secret decrypts.
 */
async function formerOf(
  tx: Transaction,
  sealer: Sealer,
  old: readonly string[],
): Promise<Sealer | undefined> {
  const stored = (await sealed.check(tx)) ?? (await sealed.sample(tx));
  if (stored === undefined || opens(sealer, stored)) return undefined;
  const former = old.map((secret) => createSealer(secret)).find((candidate) => opens(candidate, stored));
  if (former) return former;
  throw wrongSecret();
}

function sealAgain(stored: string, sealer: Sealer, former: Sealer | undefined): string {
  if (/^https?:/.test(stored)) return sealAddress(sealer, stored);
  if (former === undefined) return stored;
  const prefix = isSealed(stored) ? "sealed:" : "";
  const body = stored.slice(prefix.length);
  return opens(former, body) ? prefix + sealer.seal(former.open(body)) : stored;
}

function opens(sealer: Sealer, stored: string): boolean {
  try {
    sealer.open(stored);
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns `given`, or with SQLite the content of the file `secret`. Throws a SettingError for a missing or
 * short secret.
 */
export async function deploymentSecret(
  given: string | undefined,
  data: string,
  onSqlite: boolean,
): Promise<string> {
  if (given !== undefined && given !== "") {
    if (given.length >= 32) return given;
    throw new SettingError("INNKEEP_SECRET must have at least 32 characters.");
  }
  if (!onSqlite) {
    throw new SettingError(
      "INNKEEP_SECRET must be set when the database is PostgreSQL: 32 or more random characters.",
    );
  }
  makeFolder(data, 0o700);
  const file = join(data, "secret");
  return (await readIfThere(file)) ?? (await createSecret(file));
}

const hasSecret = async (data: string): Promise<boolean> =>
  (await readIfThere(join(data, "secret"))) !== undefined;

async function createSecret(file: string): Promise<string> {
  const draft = `${file}.${randomBytes(8).toString("hex")}`;
  await writeFile(draft, randomBytes(32).toString("base64url"), { mode: 0o600, flush: true });
  // Unlike a rename, a link does not replace a file that another server has just created.
  await link(draft, file).catch((error) => {
    if (error.code !== "EEXIST") throw error;
  });
  await rm(draft);
  return readFile(file, "utf8");
}
