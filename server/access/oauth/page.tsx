import { consentPath } from "../../../src/contract/connection-consent.ts";
import type { ConnectionScope } from "../../../src/contract/endpoint.ts";
import { BarePage } from "../../console/bare-page.tsx";
import { IdempotencyField } from "../../console/idempotency-field.tsx";
import { Notice } from "../../console/parts.tsx";
import { Line } from "../../console/text.tsx";
import { hashOf } from "../../secrets/secrets.ts";
import type { DeviceSignInVisit } from "../sign-in/device-visit.ts";
import { SwitchAccount } from "../sign-in/switch-account.tsx";
import type { ConsentRequest } from "./consent-request.ts";
import { isOnThisComputer, redirectName } from "./redirect.ts";

export interface ConsentProps {
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
