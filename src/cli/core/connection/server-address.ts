import { usageError } from "../failures/cli-error.ts";
import type { Context, GlobalFlags, Server } from "../program/context.ts";
import { lastSignIn } from "./last-sign-in.ts";

const local = "http://127.0.0.1:4700";

/**
 * The server of a command: `--base-url`, INNKEEP_BASE_URL, for a tester's commands the server of the last sign-in,
 * or the one on this machine. Throws a usage error for a text that is not a web address.
 */
export function serverOf(context: Context, flags: GlobalFlags, asTester: boolean): Server {
  const variable = context.env.INNKEEP_BASE_URL;
  if (flags.baseUrl) return { address: webAddress(flags.baseUrl, "--base-url"), from: "--base-url" };
  if (variable) return { address: webAddress(variable, "INNKEEP_BASE_URL"), from: "INNKEEP_BASE_URL" };
  const last = asTester ? lastSignIn(context) : undefined;
  if (last !== undefined) return { address: last, from: "the last sign-in" };
  return { address: local, from: "the default" };
}

/** The address of a server's console: INNKEEP_CONSOLE_URL, or the server's default. */
export const consoleAddress = ({ env }: Context, baseUrl: string): string =>
  env.INNKEEP_CONSOLE_URL ? webAddress(env.INNKEEP_CONSOLE_URL, "INNKEEP_CONSOLE_URL") : `${baseUrl}/console`;

function webAddress(given: string, origin: string): string {
  const url = URL.canParse(given.trim()) ? new URL(given.trim()) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw usageError(
      `${origin} is not the address of a server.`,
      `Give one such as https://feedback.example.com.`,
    );
  }
  if (url.username || url.password) {
    throw usageError(`${origin} must hold no name and no password.`, "See `innkeep auth set --help`.");
  }
  return (url.origin + url.pathname).replace(/\/+$/, "");
}
