import { randomBytes } from "node:crypto";
import { link, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SettingError } from "../settings/setting-error.ts";

/**
 * The secret that encrypts what must be readable again: the one that is given; with SQLite, where none is, one that
 * is made in the data folder for its owner's eyes only. Two servers that start at once agree on one.
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
  return (await readIfThere(file)) ?? (await make(file));
}

/** Whether the data folder has a secret. */
export const hasSecret = async (data: string): Promise<boolean> =>
  (await readIfThere(join(data, "secret"))) !== undefined;

async function make(file: string): Promise<string> {
  const draft = `${file}.${randomBytes(8).toString("hex")}`;
  await writeFile(draft, randomBytes(32).toString("base64url"), { mode: 0o600, flush: true });
  // A link, unlike a rename, does not replace what another server made meanwhile.
  await link(draft, file).catch((error) => {
    if (error.code !== "EEXIST") throw error;
  });
  await rm(draft);
  return readFile(file, "utf8");
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}
