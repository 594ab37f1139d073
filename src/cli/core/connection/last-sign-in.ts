import { join } from "node:path";
import { configFolder } from "../../../credentials/folders.ts";
import { readIfThere, writePrivately } from "../../../credentials/private-file.ts";
import { openStore } from "../credentials/find-credential.ts";
import type { Context } from "../program/context.ts";

const fileIn = (context: Context): string => join(configFolder(context), "last-sign-in");

/** Stores the address of the server that this machine signed in to. */
export const rememberSignIn = (context: Context, baseUrl: string): void =>
  writePrivately(fileIn(context), `${baseUrl}\n`, context.newId);

/**
 * The server of the last sign-in. Undefined without a sign-in, if its token is no longer stored, and if
 * INNKEEP_DEVICE_TOKEN is set: that token may be for another server.
 */
export function lastSignIn(context: Context): string | undefined {
  if (context.env.INNKEEP_DEVICE_TOKEN) return undefined;
  const address = readIfThere(fileIn(context))?.trim();
  if (!address || !URL.canParse(address)) return undefined;
  const kinds = Object.keys(openStore(context).index()[new URL(address).origin] ?? {});
  return kinds.some((kind) => kind.split("#", 1)[0] === "deviceToken") ? address : undefined;
}
