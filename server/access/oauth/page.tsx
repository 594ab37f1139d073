import { consentPath } from "../../../src/contract/devices.ts";
import { type ConnectionScope, connectionScopes } from "../../../src/contract/endpoint.ts";
import { ApiError } from "../../../src/contract/errors.ts";
import type { Issue } from "../../../src/contract/issues.ts";
import { challengePattern } from "../../../src/contract/pkce.ts";
import { IdempotencyField } from "../../console/forms.tsx";
import { BarePage } from "../../console/layout.tsx";
import { Notice } from "../../console/parts.tsx";
import { Line } from "../../console/text.tsx";
import { hashOf } from "../../secrets/secrets.ts";
import type { Settings } from "../../settings/settings.ts";
import { SwitchAccount } from "../sign-in/device-parts.tsx";
import type { DeviceSignInVisit } from "../sign-in/device-visit.tsx";
import type { OAuthClient } from "./api/connections.ts";
import { resourceOf } from "./api/endpoints.ts";
import { isOnThisComputer, isRegisteredRedirect, redirectName } from "./redirect.ts";

interface ConsentProps {
  readonly visit: Pick<DeviceSignInVisit, "links" | "at" | "base">;
  readonly asked: ConsentRequest;
  /** The request as the program sent it. */
  readonly query: string;
  readonly account: { readonly id: string; readonly email: string };
  readonly apps: readonly { readonly id: string; readonly name: string }[];
  /** What has changed since the page was shown. */
  readonly changed: Changed | undefined;
}

/** The account with which the browser is signed in, or the name of the program. */
export type Changed = "account" | "program";

/** What a person allows an agent: who it is, where it continues, which app it sees, and what it may do. */
export const Consent = ({ visit, asked, query, account, apps, changed }: ConsentProps) => (
  <BarePage links={visit.links} title="Connect an agent">
    <div class="card stack approval">
      <h1>
        Connect <Line text={asked.client.name} />?
      </h1>
      {changed && (
        <Notice kind="alert">
          <b>{changes[changed]}</b> Nothing was allowed. Look again before you decide.
        </Notice>
      )}
      <dl class="asked">
        <dt>Account</dt>
        <dd class="row spread">
          <Line text={account.email} />
          <SwitchAccount action={visit.at.switchAccount} to={`${visit.base}${consentPath}?${query}`} />
        </dd>
        <dt>Who asks</dt>
        <dd>
          {asked.client.host === null ? (
            "A program that gave this name itself. Nobody has checked it."
          ) : (
            <>
              The site <Line text={asked.client.host} />
            </>
          )}
        </dd>
        <dt>Continues at</dt>
        <dd>
          <Line text={redirectName(asked.redirect)} />
        </dd>
      </dl>
      <p class="notice attention">{warningOf(asked)}</p>
      <form class="stack" method="post" action={`${visit.base}${consentPath}`}>
        <IdempotencyField />
        <input type="hidden" name="asked" value={query} />
        <input type="hidden" name="account" value={account.id} />
        <input type="hidden" name="program" value={hashOf(asked.client.name)} />
        <AppChoice apps={apps} />
        <Allowed scopes={asked.scopes} />
        <div class="actions choice-of-two">
          <button class="primary" type="submit" name="decision" value="allow">
            Allow
          </button>
          <button class="danger" type="submit" name="decision" value="refuse">
            Refuse
          </button>
        </div>
      </form>
    </div>
  </BarePage>
);

const changes: Readonly<Record<Changed, string>> = {
  account: "You are now signed in with another account.",
  program: "The program has changed its name.",
};

const warningOf = ({ redirect }: ConsentRequest): string =>
  isOnThisComputer(redirect)
    ? "The access goes to a program on this computer. Allow it only if you have just started that program yourself."
    : "Allow only a connection that you have just started yourself. Support staff never ask for this.";

const AppChoice = ({ apps }: Pick<ConsentProps, "apps">) => (
  <div class="field">
    <label for="app">What it sees</label>
    <select id="app" name="app">
      <option value="">The feedback of all your apps</option>
      {apps.map(({ id, name }) => (
        <option key={id} value={id} selected={apps.length === 1}>
          Only {name}
        </option>
      ))}
    </select>
  </div>
);

const Allowed = ({ scopes }: Pick<ConsentRequest, "scopes">) => (
  <fieldset class="stack tight">
    <legend>What it may do</legend>
    <p>Read feedback, without its senders, and read decisions.</p>
    {choices
      .filter(({ scope }) => scopes.includes(scope))
      .map(({ scope, label, ticked }) => (
        <label class="choice" key={scope}>
          <input type="checkbox" name={`scope:${scope}`} value="on" checked={ticked} />
          <span>{label}</span>
        </label>
      ))}
    <p class="small muted">
      It never decides on a plan and never answers a sender. You can end the connection at any time, in the
      console under Tokens.
    </p>
  </fieldset>
);

const choices: readonly {
  readonly scope: ConnectionScope;
  readonly label: string;
  readonly ticked: boolean;
}[] = [
  { scope: "propose", label: "Propose plans, on which a person decides", ticked: true },
  {
    scope: "runs:work",
    label: "Claim approved plans, and report progress and outcome",
    ticked: false,
  },
];

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
