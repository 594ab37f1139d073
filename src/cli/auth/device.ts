import { hostname, userInfo } from "node:os";
import { join } from "node:path";
import { configFolder } from "../../credentials/folders.ts";
import { readIfThere, writePrivately } from "../../credentials/private-file.ts";
import type { Context } from "../core/context.ts";
import { onOneLine } from "../core/plain-text.ts";
import { explainWriteFailure } from "../core/store-credential.ts";

/**
 * The id of this installation, made once and stored beside the credentials. Only its owner can read it: with the id
 * and the account, somebody else could sign in as this device.
 */
export async function deviceIdOf(context: Context): Promise<string> {
  const file = join(configFolder(context), "device-id");
  const known = readIfThere(file)?.trim();
  if (known && /^[!-~]{1,200}$/.test(known)) return known;
  const made = context.newId();
  await explainWriteFailure(async () => writePrivately(file, `${made}\n`, context.newId));
  return made;
}

const longestName = 100;

/** The name of this machine for a person: `ada on lovelace`. */
export function deviceNameOf(given: string | undefined): string {
  const name = given === undefined ? `${userName()} on ${hostname()}` : given;
  return [...onOneLine(name)].slice(0, longestName).join("");
}

/** The user may have no name, as in some containers. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return "innkeep";
  }
}
