import { randomBytes } from "node:crypto";
import { link, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SettingError } from "../settings/setting-error.ts";
import { readIfThere } from "./read-if-there.ts";

/**
 * The secret that encrypts stored values which must be readable again. It is the given secret. With SQLite and no given
 * secret it is the file `secret` in the data folder, which the first start creates, readable by its owner only. Servers that
 * start at the same time use the same file. Throws a SettingError for a short secret, and with PostgreSQL for none.
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
  await mkdir(data, { recursive: true, mode: 0o700 });
  const file = join(data, "secret");
  return (await readIfThere(file)) ?? (await createSecret(file));
}

/** Whether the data folder holds a secret. */
export const hasSecret = async (data: string): Promise<boolean> =>
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
