import type { CredentialKind } from "../client/credential-kinds.ts";
import { type Route, routes } from "../client/routes.ts";
import { usageError } from "./core/cli-error.ts";

const methods = ["GET", "POST", "PATCH", "PUT", "DELETE"] as const;

/** The credential for addresses outside the contract, by prefix. */
const prefixes: readonly (readonly [RegExp, CredentialKind | "none"])[] = [
  [/^\/api\/v1\/testing\/auth\//, "none"],
  [/^\/api\/v1\/testing\/sdk\//, "appKey"],
  [/^\/api\/v1\/testing\//, "deviceToken"],
  [/^\/api\/v1\/agent\//, "agentToken"],
  [/^\/api\/v1\/console\//, "maintainerToken"],
  [/^\/api\/v1\/(feedback|faqs|changelog)\//, "appKey"],
];

/** The route for an address on the command line, with its method and credential. */
export function rawRoute(method: string, given: string, baseUrl: string): Route {
  const known = methods.find((one) => one === method.toUpperCase());
  if (!known) throw usageError(`${method} is not a method.`, `There are ${methods.join(", ")}.`);
  const path = pathOf(given, baseUrl);
  return { method: known, path, auth: authFor(known, path.replace(/\?.*$/, "")), summary: "", large: true };
}

/** The path and query relative to the base URL. Throws if the address is on another server. */
function pathOf(given: string, baseUrl: string): string {
  if (/^[A-Za-z]:[\\/]/.test(given)) {
    throw usageError(
      "This shell turned the path into a file name.",
      "Set MSYS_NO_PATHCONV=1, or leave out the first slash.",
    );
  }
  const absolute = /^https?:\/\//i.test(given);
  if (absolute && !`${given}/`.startsWith(`${baseUrl}/`)) {
    throw usageError(
      `${given} is not on ${baseUrl}.`,
      "A credential is sent only to its own server. --base-url chooses another server.",
    );
  }
  const url = new URL(
    absolute ? given.slice(baseUrl.length) : `/${given.replace(/^\/+/, "")}`,
    "http://localhost",
  );
  return url.pathname + url.search;
}

const authFor = (method: string, path: string): Route["auth"] =>
  Object.values(routes)
    .flatMap((group): Route[] => Object.values(group))
    .find((route) => route.method === method && patternOf(route.path).test(path))?.auth ??
  prefixes.find(([prefix]) => prefix.test(path))?.[1] ??
  "none";

const patternOf = (path: string): RegExp => new RegExp(`^${path.replace(/:\w+/g, "[^/]+")}$`);
