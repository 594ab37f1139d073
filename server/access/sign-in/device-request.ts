import { ApiError } from "../../../src/contract/errors.ts";
import { issuesOf, ownMessages } from "../../../src/contract/issues.ts";
import { AuthorizeQuery, redirectSchemes } from "../../../src/contract/sign-in.ts";
import type { Settings } from "../../settings/settings.ts";

/** The sign-in request of a device, validated. */
export interface AuthorizeRequest extends AuthorizeQuery {
  readonly redirect: string;
}

const fields = ["device", "name", "challenge", "state"] as const;

/**
 * Reads the request of a device, from the query with which it opened the browser or from the form that repeats it. Throws
 * `bad_redirect` before every other check, then `bad_request`. (rule S3)
 */
export function readAuthorizeRequest(
  given: URLSearchParams,
  { redirectUrl }: Pick<Settings, "redirectUrl">,
): AuthorizeRequest {
  const [redirect = "", ...others] = given.getAll("redirect");
  if (others.length > 0 || !isRedirectTarget(redirect, redirectUrl)) throw new ApiError("bad_redirect");
  const twice = fields.filter((name) => given.getAll(name).length > 1);
  if (twice.length > 0) {
    const issues = twice.map((path) => ({ path, message: "must be given once" }));
    throw new ApiError("bad_request", { issues });
  }
  const parsed = AuthorizeQuery.safeParse(
    Object.fromEntries(fields.flatMap((name) => (given.has(name) ? [[name, given.get(name)]] : []))),
    ownMessages,
  );
  if (!parsed.success) throw new ApiError("bad_request", { issues: issuesOf(parsed.error) });
  return { ...parsed.data, redirect };
}

/** The request as a query. Forms carry it in one field, because browsers change line breaks in fields. */
export function queryOf({ redirect, device, name, challenge, state }: AuthorizeRequest): string {
  const query = new URLSearchParams({ redirect, device, name, challenge });
  if (state !== undefined) query.set("state", state);
  return query.toString();
}

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
