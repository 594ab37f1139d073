import { join } from "node:path";
import { credentialKinds } from "../../client/credential-kinds.ts";
import { configFolder, readIfThere, writePrivately } from "../../credentials/folders.ts";
import { usageError } from "./cli-error.ts";
import type { Context, GlobalFlags, Invocation, Server } from "./context.ts";
import { openStore } from "./credentials.ts";
import { sourcesOf } from "./settings.ts";

const local = "http://127.0.0.1:4700";

/**
 * Returns the server of a command: the first one that a flag, a variable, the project file or the profile names. If
 * none does, returns the server of the last sign-in, or the server on this machine. Throws a usage error for a text
 * that is not a web address.
 */
export function serverOf(context: Context, flags: GlobalFlags, asTester: boolean): Server {
  for (const { server, from, isProject, profile } of sourcesOf(context, flags)) {
    if (!server) continue;
    const of = { ...(isProject && { isProject }), ...(profile !== undefined && { profile }) };
    return { address: webAddress(server, from), from, ...of };
  }
  const last = asTester || !hasCredentialVariable(context) ? lastSignIn(context) : undefined;
  if (last !== undefined) return { address: last, from: "the last sign-in" };
  return { address: local, from: "the default" };
}

/** Whether a variable contains a credential. It may be for another server than the server of the last sign-in. */
const hasCredentialVariable = ({ env }: Context): boolean =>
  Object.values(credentialKinds).some(({ variable }) => env[variable]);

/**
 * Returns the app, by id or name, that a flag, a variable, the project file or the profile names. If a source also
 * names a server, its app is used only with that server. Undefined if no source names an app.
 */
export function namedApp({ context, flags, baseUrl }: Invocation): string | undefined {
  for (const { app, server, from } of sourcesOf(context, flags)) {
    if (app && (!server || webAddress(server, from) === baseUrl())) return app;
  }
  return undefined;
}

/**
 * Returns the address of the console of the command's server. A variable or the profile can name it. Otherwise it is
 * the default address.
 */
export function consoleAddress({ context, flags, baseUrl }: Invocation): string {
  const address = baseUrl();
  for (const { console, server, from } of sourcesOf(context, flags)) {
    if (console && (!server || webAddress(server, from) === address)) return webAddress(console, from);
  }
  return `${address}/console`;
}

/** Returns the address without a slash at its end. Throws a usage error for a text that is not a web address. */
export function webAddress(given: string, origin: string): string {
  const url = URL.canParse(given.trim()) ? new URL(given.trim()) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw usageError(
      `${origin} is not the address of a server.`,
      `Give an address such as https://feedback.example.com.`,
    );
  }
  if (url.username || url.password) {
    throw usageError(`${origin} must contain no name and no password.`, "See `innkeep auth set --help`.");
  }
  return (url.origin + url.pathname).replace(/\/+$/, "");
}

const fileIn = (context: Context): string => join(configFolder(context), "last-sign-in");

const expiryIn = (context: Context): string => join(configFolder(context), "last-sign-in-expires");

/** Stores the address of the server of the last sign-in, and the expiry time of its token. */
export function rememberSignIn(context: Context, baseUrl: string, expiresAt: string | undefined): void {
  writePrivately(fileIn(context), `${baseUrl}\n`, context.newId);
  writePrivately(expiryIn(context), `${expiresAt ?? ""}\n`, context.newId);
}

/**
 * Returns the expiry time of the token of the last sign-in. Undefined if that sign-in was at another server, or if the
 * time is not known.
 */
export function signInExpiry(context: Context, origin: string): Date | undefined {
  const address = lastSignIn(context);
  if (address === undefined || new URL(address).origin !== origin) return undefined;
  const expiry = new Date(readIfThere(expiryIn(context))?.trim() ?? "");
  return Number.isNaN(expiry.getTime()) ? undefined : expiry;
}

/**
 * Returns the server of the last sign-in. Undefined if there was no sign-in or its token is no longer stored. Also
 * undefined if INNKEEP_DEVICE_TOKEN is set, because that token may be for another server.
 */
function lastSignIn(context: Context): string | undefined {
  if (context.env.INNKEEP_DEVICE_TOKEN) return undefined;
  const address = readIfThere(fileIn(context))?.trim();
  if (!address || !URL.canParse(address)) return undefined;
  const kinds = Object.keys(openStore(context).index()[new URL(address).origin] ?? {});
  return kinds.some((kind) => kind.split("#", 1)[0] === "deviceToken") ? address : undefined;
}
