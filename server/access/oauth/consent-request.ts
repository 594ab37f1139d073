import { type ConnectionScope, connectionScopes } from "../../../src/contract/endpoint.ts";
import { ApiError } from "../../../src/contract/errors.ts";
import type { Issue } from "../../../src/contract/issues.ts";
import { challengePattern } from "../../../src/contract/pkce.ts";
import type { Settings } from "../../settings/settings.ts";
import type { OAuthClient } from "./api/clients.ts";
import { resourceOf } from "./metadata.ts";
import { isRegisteredRedirect } from "./redirect.ts";

/** What a program asks a person to allow, validated. */
export interface ConsentRequest {
  readonly client: OAuthClient;
  readonly redirect: string;
  readonly challenge: string;
  readonly state: string | undefined;
  /** What it asks for; everything unless it says. */
  readonly scopes: readonly ConnectionScope[];
}

const fields = [
  ...["response_type", "client_id", "redirect_uri", "code_challenge", "code_challenge_method"],
  ...["scope", "state", "resource"],
];

const longestState = 4_000;

/** The id of the program. Throws `bad_request` if there is not exactly one, so that no other field decides which. */
export function clientIdIn(given: URLSearchParams): string {
  const [id = "", ...others] = given.getAll("client_id");
  if (id === "" || others.length > 0 || id.length > 500)
    throw fault([{ path: "client_id", message: "must be given once" }]);
  return id;
}

/**
 * Reads what a program asks for. Throws `bad_redirect` before every other check, then `bad_request` with every fault. The
 * browser is never sent to the address of a wrong request: anybody can register one. (rule A44)
 */
export function readConsentRequest(
  given: URLSearchParams,
  client: OAuthClient,
  settings: Pick<Settings, "baseUrl">,
): ConsentRequest {
  const [redirect = "", ...others] = given.getAll("redirect_uri");
  if (others.length > 0 || !isRegisteredRedirect(redirect, client.redirects))
    throw new ApiError("bad_redirect", { message: "The `redirect_uri` is not one of this program." });
  const one = (name: string) => given.get(name) ?? "";
  const resource = one("resource").replace(/\/$/, "");
  const faults: (readonly [boolean, string, string])[] = [
    ...fields.map((name) => [given.getAll(name).length > 1, name, "must be given once"] as const),
    [one("response_type") !== "code", "response_type", "must be `code`"],
    [!challengePattern.test(one("code_challenge")), "code_challenge", "must be base64url of a SHA-256"],
    [one("code_challenge_method") !== "S256", "code_challenge_method", "must be `S256`"],
    [one("state").length > longestState, "state", `must have at most ${longestState} characters`],
    [resource !== "" && resource !== resourceOf(settings), "resource", `must be ${resourceOf(settings)}`],
  ];
  const issues = faults.flatMap(([is, path, message]) => (is ? [{ path, message }] : []));
  if (issues.length > 0) throw fault(issues);
  return {
    client,
    redirect,
    challenge: one("code_challenge"),
    state: given.get("state") ?? undefined,
    scopes: scopesIn(one("scope")),
  };
}

/** Unknown scopes are left out. Whatever is asked for, a person decides. */
function scopesIn(given: string): readonly ConnectionScope[] {
  const names = given.split(" ");
  const known = connectionScopes.filter((scope) => names.includes(scope));
  return known.length === 0 ? connectionScopes : known;
}

const fault = (issues: readonly Issue[]) => new ApiError("bad_request", { issues });

/** The request as a query. Forms carry it in one field, because browsers change line breaks in fields. */
export const queryOf = (given: URLSearchParams): string =>
  new URLSearchParams([...given].filter(([name]) => fields.includes(name))).toString();
