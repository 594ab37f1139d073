import { join } from "node:path";
import { configFolder } from "../../credentials/folders.ts";
import { readIfThere, writePrivately } from "../../credentials/private-file.ts";
import type { Context } from "./context.ts";
import { openStore } from "./credentials.ts";

const fileIn = (context: Context): string => join(configFolder(context), "last-sign-in");

const expiryIn = (context: Context): string => join(configFolder(context), "last-sign-in-expires");

/** Stores the address of the server that this machine signed in to, and until when. */
export function rememberSignIn(context: Context, baseUrl: string, expiresAt: string | undefined): void {
  writePrivately(fileIn(context), `${baseUrl}\n`, context.newId);
  writePrivately(expiryIn(context), `${expiresAt ?? ""}\n`, context.newId);
}

/** When the token of the last sign-in ends, if that was at this server. Undefined if it is not known. */
export function signInExpiry(context: Context, origin: string): Date | undefined {
  const address = lastSignIn(context);
  if (address === undefined || new URL(address).origin !== origin) return undefined;
  const expiry = new Date(readIfThere(expiryIn(context))?.trim() ?? "");
  return Number.isNaN(expiry.getTime()) ? undefined : expiry;
}

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
