import type { VNode } from "preact";
import { consentPath } from "../../../../src/contract/devices.ts";
import { type DeviceScope, deviceScopes } from "../../../../src/contract/endpoint.ts";
import { limits } from "../../../../src/contract/limits.ts";
import { codePath } from "../../../../src/contract/sign-in.ts";
import { type Filled, IdempotencyField, TextField } from "../../../console/forms.tsx";
import { BarePage } from "../../../console/layout.tsx";
import type { Links } from "../../../console/links.ts";
import { Notice, Refused, SignInRefused } from "../../../console/parts.tsx";
import { show } from "../../../console/reply.ts";
import { Line } from "../../../console/text.tsx";
import type { Settings } from "../../../settings/settings.ts";
import { ProviderLinks } from "../../identity-providers/flow.tsx";
import { SwitchAccount } from "../device-parts.tsx";
import { type AuthorizeRequest, queryOf } from "../device-request.ts";
import { type DeviceSignInReply, type DeviceSignInVisit, onTo } from "../device-visit.tsx";
import { tokenLifetimeDays } from "../rules.ts";

/** What a person approves: the device, the account, what it may do and for how long. (RFC 8252 8.6) */
export const Approval = ({
  visit: { links, at, settings },
  asked,
  account,
  changed,
}: {
  readonly visit: Pick<DeviceSignInVisit, "links" | "at" | "settings">;
  readonly asked: AuthorizeRequest;
  readonly account: { readonly id: string; readonly email: string };
  /** Whether the account has changed since the page was shown. */
  readonly changed: boolean;
}) => (
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
        <li key={scope}>{scopeWords[scope]}</li>
      ))}
    </ul>
    <p class="small muted">Nothing else: not your apps, not this console.</p>
  </section>
);

const scopeWords: Readonly<Record<DeviceScope, string>> = {
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

/** Shows a code for a person to copy to a terminal. From the address, only a well-formed code is shown. */
export async function codePage({ links, query }: DeviceSignInVisit): Promise<DeviceSignInReply> {
  return { reply: show(pageFor(links, query)), traits: { referrerPolicy: "no-referrer" } };
}

function pageFor(links: Links, query: URLSearchParams): VNode {
  const code = /^[\w-]{43}$/.exec(query.get("code") ?? "")?.[0];
  if (code !== undefined) return <Code links={links} code={code} />;
  return query.get("error") === "access_denied" ? <DeviceRefused links={links} /> : <Nothing links={links} />;
}

const Code = ({ links, code }: { readonly links: Links; readonly code: string }) => (
  <BarePage links={links} title="Your sign-in code">
    <div class="card stack">
      <h1>Approved</h1>
      <p>
        The device may have continued by itself. If it still asks for a code, paste this one there. It works
        once, within five minutes, and only on that device.
      </p>
      <div class="field">
        <label for="code">Code</label>
        <textarea class="code" id="code" rows={2} readOnly autocomplete="off" spellcheck={false}>
          {`\n${code}`}
        </textarea>
      </div>
      <div class="actions">
        <button class="primary" type="button" data-copies="code" hidden>
          Copy the code
        </button>
      </div>
      <p class="small muted">Do not give it to anybody. You can close this window afterwards.</p>
    </div>
  </BarePage>
);

const DeviceRefused = ({ links }: { readonly links: Links }) => (
  <BarePage links={links} title="Refused">
    <div class="card stack">
      <h1>Refused</h1>
      <p>The device was not signed in. You can close this window.</p>
    </div>
  </BarePage>
);

const Nothing = ({ links }: { readonly links: Links }) => (
  <BarePage links={links} title="No code">
    <div class="card stack">
      <h1>There is no code here</h1>
      <p>Start on the device that you want to sign in. It opens the page on which you approve it.</p>
    </div>
  </BarePage>
);

export interface EntryProps {
  readonly visit: DeviceSignInVisit;
  /** The path of this server to open afterwards. */
  readonly to: string;
  readonly form: Filled;
}

/** The sign-in page of a person who is about to approve a device or a program, or to accept an invitation. */
export const SignIn = ({ visit: { links, at, settings }, to, form }: EntryProps) => {
  const next = nextStep(to, { authorize: at.authorize, invitations: links.invitation("") });
  return (
    <BarePage links={links} title="Sign in">
      <div class="card stack">
        <div class="stack tight">
          <h1>Sign in</h1>
          {next && <p class="muted">{next}</p>}
        </div>
        <SignInRefused refusal={form.refusal} />
        <form class="stack" method="post" action={at.signIn}>
          <input type="hidden" name="to" value={to} />
          <Email form={form} />
          <Password autocomplete="current-password" />
          <button class="primary" type="submit">
            Sign in
          </button>
        </form>
        <ProviderLinks settings={settings} to={to} />
        {settings.registration && (
          <p class="small muted">
            New here? <a href={onTo(at.signUp, to)}>Create an account</a>
          </p>
        )}
        <p class="small muted">
          Password forgotten? <a href={links.recover}>How you get a new one</a>
        </p>
      </div>
    </BarePage>
  );
};

/** What comes after the sign-in; nothing is said about pages of the console, which the person has chosen. */
function nextStep(to: string, paths: { readonly authorize: string; readonly invitations: string }) {
  if (to.includes(consentPath)) return "Next, you decide what the program that opened this page may do.";
  if (to.startsWith(paths.authorize))
    return "Next, you decide whether to sign in the device that opened this page.";
  if (to.startsWith(paths.invitations)) return "Next, you see the invitation.";
  return undefined;
}

/** Whether a new account begins with a mail, which proves the address. */
export const isByMail = ({ mailOut, dev }: Pick<Settings, "mailOut" | "dev">): boolean =>
  mailOut !== undefined || dev;

export const SignUp = ({ visit: { links, at, settings }, to, form }: EntryProps) => (
  <BarePage links={links} title="Create an account">
    <div class="card stack">
      <h1>Create an account</h1>
      <Refused refusal={form.refusal} />
      <form class="stack" method="post" action={at.signUp}>
        <input type="hidden" name="to" value={to} />
        <Email form={form} />
        {!isByMail(settings) && (
          <Password
            autocomplete="new-password"
            refusal={form.refusal}
            hint={`At least ${limits.password.min} characters. A few words that only you would put together are best.`}
          />
        )}
        <button class="primary" type="submit">
          Create account
        </button>
        {isByMail(settings) && (
          <p class="small muted">You get a mail with a link, with which you choose a password.</p>
        )}
      </form>
      <ProviderLinks settings={settings} to={to} />
      <p class="small muted">
        Do you have an account? <a href={onTo(at.signIn, to)}>Sign in</a>
      </p>
    </div>
  </BarePage>
);

const Email = ({ form }: { readonly form: Filled }) => (
  <TextField form={form} name="email" label="E-mail" type="email" autocomplete="username" required />
);

/** A typed password is never sent back. */
const Password = ({
  autocomplete,
  refusal,
  hint,
}: {
  readonly autocomplete: "current-password" | "new-password";
  readonly refusal?: Filled["refusal"];
  readonly hint?: string;
}) => (
  <TextField
    form={{ value: () => "", refusal }}
    name="password"
    label="Password"
    type="password"
    autocomplete={autocomplete}
    hint={hint}
    required
  />
);
