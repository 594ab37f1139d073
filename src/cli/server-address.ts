import { usageError } from "./cli-error.ts";
import type { Context, GlobalFlags } from "./context.ts";

const local = "http://127.0.0.1:4700";

/** The server that `--base-url` or INNKEEP_BASE_URL names, without a slash at the end. Throws where it is no address. */
export function serverAddress({ env }: Context, flags: GlobalFlags): string {
  const [given, origin] = flags.baseUrl
    ? [flags.baseUrl, "--base-url"]
    : [env.INNKEEP_BASE_URL || local, "INNKEEP_BASE_URL"];
  return webAddress(given, origin);
}

/** Where the console is: INNKEEP_CONSOLE_URL, or the place that a server gives it by itself. */
export const consoleAddress = (context: Context, flags: GlobalFlags): string =>
  context.env.INNKEEP_CONSOLE_URL
    ? webAddress(context.env.INNKEEP_CONSOLE_URL, "INNKEEP_CONSOLE_URL")
    : `${serverAddress(context, flags)}/console`;

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
