import { redirectSchemes } from "../../../src/contract/sign-in.ts";

/**
 * Whether a sign-in code may be sent there: to the one address of the deployment, written byte for byte alike, or to an
 * app by one of the two schemes, with any path. (rule S4)
 */
export function isRedirectTarget(given: string, redirectUrl: string | undefined): boolean {
  if (given.length > longest) return false;
  return given === redirectUrl || isAppTarget(given);
}

/** What comes back to who asked: a code, or why there is none. */
export type RedirectAnswer = { readonly code: string } | { readonly error: "access_denied" };

/** The target with an answer in its query, which is otherwise kept as it is. `state` is whatever the asker sent. */
export function redirectAddress(target: string, answer: RedirectAnswer, state: string | undefined): string {
  const fields = Object.entries({ ...answer, ...(state === undefined ? {} : { state }) });
  const query = fields.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
  return target + joint(target) + query;
}

/** What the policy of a page must name so that a browser follows its form there: the scheme of an app, or an origin. */
export function formActionOf(target: string): string {
  const { protocol, origin, hostname } = new URL(target);
  // Policies have no words for IPv6.
  return schemes.has(protocol) || hostname.startsWith("[") ? protocol : origin;
}

const longest = 2_000;

const schemes: ReadonlySet<string> = new Set(redirectSchemes);

// Of RFC 3986: no user, no port, no fragment, nothing that a browser or a phone reads in more than one way.
const appForm = /^([a-z]+:)\/\/[A-Za-z0-9._-]*(?:\/[\w.~:@!$&'()*+,;=%/-]*)?(\?[\w.~:@!$&'()*+,;=%/?-]*)?$/;

function isAppTarget(given: string): boolean {
  const [, scheme = "", query = ""] = appForm.exec(given) ?? [];
  return schemes.has(scheme) && URL.canParse(given) && !answersItself(query);
}

/** One that brings an answer of its own could make an app take a stranger's code for its own. */
function answersItself(query: string): boolean {
  const fields = new URLSearchParams(query);
  return fields.has("code") || fields.has("error");
}

function joint(target: string): string {
  if (!target.includes("?")) return "?";
  return /[?&]$/.test(target) ? "" : "&";
}
