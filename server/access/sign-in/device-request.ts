import { ApiError } from "../../../src/contract/errors.ts";
import { issuesOf, ownMessages } from "../../../src/contract/issues.ts";
import { AuthorizeQuery } from "../../../src/contract/sign-in.ts";
import type { Settings } from "../../settings/settings.ts";
import { isRedirectTarget } from "./redirect-target.ts";

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
