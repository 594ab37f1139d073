import { redirectSchemes } from "../../../src/contract/sign-in.ts";

/**
 * Whether a sign-in code may be sent to this target: the redirect address of the deployment, written exactly so, or an
 * app by one of the two schemes with any path. (rule S4)
 */
export function isRedirectTarget(given: string, redirectUrl: string | undefined): boolean {
  if (given.length > longest) return false;
  return given === redirectUrl || isAppTarget(given);
}

/** The answer to the requesting app: a code, or the error. */
export type RedirectAnswer = { readonly code: string } | { readonly error: "access_denied" };

/** The target with the answer added to its query. `state` is the value that the app sent. */
export function redirectAddress(target: string, answer: RedirectAnswer, state: string | undefined): string {
  const fields = Object.entries({ ...answer, ...(state === undefined ? {} : { state }) });
  const query = fields.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
  return target + joint(target) + query;
}

/**
 * The source that the page's policy must list so that a browser follows the redirect after its form: the scheme of an
 * app, or an origin.
 */
export function formActionOf(target: string): string {
  const { protocol, origin, hostname } = new URL(target);
  // Policies cannot express IPv6 addresses.
  return schemes.has(protocol) || hostname.startsWith("[") ? protocol : origin;
}

const longest = 2_000;

const schemes: ReadonlySet<string> = new Set(redirectSchemes);

// A subset of RFC 3986: no user, port or fragment, and nothing that browsers and phones read differently.
const appForm = /^([a-z]+:)\/\/[A-Za-z0-9._-]*(?:\/[\w.~:@!$&'()*+,;=%/-]*)?(\?[\w.~:@!$&'()*+,;=%/?-]*)?$/;

function isAppTarget(given: string): boolean {
  const [, scheme = "", query = ""] = appForm.exec(given) ?? [];
  return schemes.has(scheme) && URL.canParse(given) && !answersItself(query);
}

/** A target that contains an answer already could make an app accept a stranger's code. */
function answersItself(query: string): boolean {
  const fields = new URLSearchParams(query);
  return fields.has("code") || fields.has("error");
}

function joint(target: string): string {
  if (!target.includes("?")) return "?";
  return /[?&]$/.test(target) ? "" : "&";
}
