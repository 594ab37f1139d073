import type { IncomingMessage } from "node:http";
import type { Settings } from "../settings/settings.ts";

/** Where the console lives: the path at which requests arrive, and the one with which links to it begin. */
export interface ConsolePath {
  readonly mountedAt: string;
  readonly href: string;
}

/** They differ where a proxy cuts the path of `baseUrl` off. Neither ends in a slash; both may be empty. */
export function consolePathOf({
  baseUrl,
  consoleUrl,
}: Pick<Settings, "baseUrl" | "consoleUrl">): ConsolePath {
  const href = new URL(consoleUrl).pathname.replace(/\/$/, "");
  const below = consoleUrl === baseUrl || consoleUrl.startsWith(`${baseUrl}/`);
  return { href, mountedAt: below ? consoleUrl.slice(baseUrl.length) : href };
}

/** The path of the page whose form was sent, with its query; empty where the browser does not tell. */
export function pageOfForm({ req }: { readonly req: IncomingMessage }): string {
  const { referer } = req.headers;
  if (referer === undefined || !URL.canParse(referer)) return "";
  const { pathname, search } = new URL(referer);
  return pathname + search;
}

/**
 * The address to go on to after signing in: the given one where it is a path of this very origin, else `otherwise`.
 * Backslashes, `//host` and other schemes are read as a browser reads them, then refused.
 */
export function returnPath(given: string, consoleUrl: string, otherwise: string): string {
  if (!given.startsWith("/") || !URL.canParse(given, consoleUrl)) return otherwise;
  const url = new URL(given, consoleUrl);
  const path = url.pathname + url.search;
  return url.origin === new URL(consoleUrl).origin && !path.startsWith("//") ? path : otherwise;
}
