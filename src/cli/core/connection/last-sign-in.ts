import { join } from "node:path";
import { configFolder } from "../../../credentials/folders.ts";
import { readIfThere, writePrivately } from "../../../credentials/private-file.ts";
import { openStore } from "../credentials/find-credential.ts";
import type { Context } from "../program/context.ts";

const fileIn = (context: Context): string => join(configFolder(context), "last-sign-in");

/** Keeps the address of the server that this machine has just signed in to. */
export const rememberSignIn = (context: Context, baseUrl: string): void =>
  writePrivately(fileIn(context), `${baseUrl}\n`, context.newId);

/**
 * The server of the last sign-in. Undefined where nobody signed in, where its token is no longer stored, and where
 * INNKEEP_DEVICE_TOKEN is set: a token from elsewhere is not for a server that this machine remembers.
 */
export function lastSignIn(context: Context): string | undefined {
  if (context.env.INNKEEP_DEVICE_TOKEN) return undefined;
  const address = readIfThere(fileIn(context))?.trim();
  if (!address || !URL.canParse(address)) return undefined;
  return openStore(context).index()[new URL(address).origin]?.deviceToken ? address : undefined;
}
