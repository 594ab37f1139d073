import type { IncomingMessage } from "node:http";
import type { Settings } from "../settings/settings.ts";

/** The console's path: `mountedAt` in incoming requests, `href` in links. */
export interface ConsolePath {
  readonly mountedAt: string;
  readonly href: string;
}

/**
 * The two paths of the console. They differ when a proxy cuts off the path of `baseUrl`. Neither ends in a slash; both may
 * be empty.
 */
export function consolePathOf({
  baseUrl,
  consoleUrl,
}: Pick<Settings, "baseUrl" | "consoleUrl">): ConsolePath {
  const href = new URL(consoleUrl).pathname.replace(/\/$/, "");
  const below = consoleUrl === baseUrl || consoleUrl.startsWith(`${baseUrl}/`);
  return { href, mountedAt: below ? consoleUrl.slice(baseUrl.length) : href };
}

/** The path and query of the page whose form was sent; empty when the browser does not say. */
export function pageOfForm({ req }: { readonly req: IncomingMessage }): string {
  const { referer } = req.headers;
  if (referer === undefined || !URL.canParse(referer)) return "";
  const { pathname, search } = new URL(referer);
  return pathname + search;
}

/**
 * The address to open after signing in: the given one if it is a path of this origin, else `otherwise`. Backslashes,
 * `//host` and other schemes are parsed as a browser does, then refused.
 */
export function returnPath(given: string, consoleUrl: string, otherwise: string): string {
  if (!given.startsWith("/") || !URL.canParse(given, consoleUrl)) return otherwise;
  const url = new URL(given, consoleUrl);
  const path = url.pathname + url.search;
  return url.origin === new URL(consoleUrl).origin && !path.startsWith("//") ? path : otherwise;
}
