import { type DeviceScope, deviceScopes } from "../../../../src/contract/endpoint.ts";
import { codePath } from "../../../../src/contract/sign-in.ts";
import { BarePage } from "../../../console/bare-page.tsx";
import { IdempotencyField } from "../../../console/idempotency-field.tsx";
import { Notice } from "../../../console/parts.tsx";
import { Line } from "../../../console/text.tsx";
import { type AuthorizeRequest, queryOf } from "../device-request.ts";
import type { DeviceSignInVisit } from "../device-visit.ts";
import { tokenLifetimeDays } from "../rules.ts";
import { SwitchAccount } from "../switch-account.tsx";

export interface ApprovalProps {
  readonly visit: Pick<DeviceSignInVisit, "links" | "at" | "settings">;
  readonly asked: AuthorizeRequest;
  readonly account: { readonly id: string; readonly email: string };
  /** Whether the account has changed since the page was shown. */
  readonly changed: boolean;
}

/** What a person approves: the device, the account, what it may do and for how long. (RFC 8252 8.6) */
export const Approval = ({ visit: { links, at, settings }, asked, account, changed }: ApprovalProps) => (
  <BarePage links={links} title="Sign in a device">
    <div class="card stack approval">
      <h1>
        Sign in <Line text={asked.name} />?
      </h1>
      {changed && (
        <Notice kind="alert">
          <b>You are now signed in with another account.</b> Nothing was approved. Look again before you
          decide.
        </Notice>
      )}
      <dl class="asked">
        <dt>Account</dt>
        <dd class="row spread">
          <Line text={account.email} />
          <SwitchAccount action={at.switchAccount} to={`${at.authorize}?${queryOf(asked)}`} />
        </dd>
        <dt>Stays signed in</dt>
        <dd>{tokenLifetimeDays} days, or until you sign it out under Devices</dd>
        <dt>Continues in</dt>
        <dd>{redirectName(asked.redirect, settings.baseUrl)}</dd>
      </dl>
      <Allowed />
      <p class="notice attention">
        Approve only a sign-in that you started yourself, on a device in front of you. Support staff never ask
        for this.
      </p>
      <form method="post" action={at.authorize}>
        <IdempotencyField />
        <input type="hidden" name="asked" value={queryOf(asked)} />
        <input type="hidden" name="account" value={account.id} />
        <div class="actions choice-of-two">
          <button class="primary" type="submit" name="decision" value="approve">
            Approve
          </button>
          <button class="danger" type="submit" name="decision" value="refuse">
            Refuse
          </button>
        </div>
      </form>
    </div>
  </BarePage>
);

const Allowed = () => (
  <section class="stack tight" aria-labelledby="allowed">
    <h2 id="allowed">It can</h2>
    <ul class="granted">
      {deviceScopes.map((scope) => (
        <li key={scope}>{words[scope]}</li>
      ))}
    </ul>
    <p class="small muted">Nothing else: not your apps, not this console.</p>
  </section>
);

const words: Readonly<Record<DeviceScope, string>> = {
  "testing:read": "see your tests, your slots and your tasks of each day",
  "testing:profile:write": "set your time zone and where you are notified",
  "testing:slots:write": "ask for slots in tests",
  "testing:proofs:write": "send proofs of your testing",
};

/** Names where the browser continues: an app by the scheme of its address, a site by its host. */
function redirectName(redirect: string, baseUrl: string): string {
  if (redirect === baseUrl + codePath) return "a page here that shows you a code";
  const { protocol, host } = new URL(redirect);
  return protocol === "https:" || protocol === "http:" ? host : `the app that opens ${protocol}// addresses`;
}
