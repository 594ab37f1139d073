import { consentPath } from "../../../../src/contract/connection-consent.ts";
import { limits } from "../../../../src/contract/limits.ts";
import { BarePage } from "../../../console/bare-page.tsx";
import { type Filled, TextField } from "../../../console/forms.tsx";
import { Refused, SignInRefused } from "../../../console/parts.tsx";
import type { Settings } from "../../../settings/settings.ts";
import { ProviderLinks } from "../../identity-providers/links.tsx";
import type { DeviceSignInVisit } from "../device-visit.ts";
import { onTo } from "../paths.ts";

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

interface PasswordProps {
  readonly autocomplete: "current-password" | "new-password";
  readonly refusal?: Filled["refusal"];
  readonly hint?: string;
}

/** A typed password is never sent back. */
const Password = ({ autocomplete, refusal, hint }: PasswordProps) => (
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
