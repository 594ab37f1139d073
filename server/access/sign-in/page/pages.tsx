import { limits } from "../../../../src/contract/limits.ts";
import { BarePage } from "../../../console/bare-page.tsx";
import { filledWith } from "../../../console/filled-form.ts";
import { type Filled, TextField } from "../../../console/forms.tsx";
import type { Links } from "../../../console/links.ts";
import { Refused } from "../../../console/parts.tsx";

export interface LinkPageProps {
  readonly links: Links;
  readonly form?: Filled;
}

/** Asks for the address of a forgotten password. */
export const Recover = ({ links, form = filledWith() }: LinkPageProps) => (
  <BarePage links={links} title="Password forgotten">
    <div class="card stack">
      <h1>Password forgotten</h1>
      <p class="muted">You get a mail with a link to a new password.</p>
      <Refused refusal={form.refusal} />
      <form class="stack" method="post" action={links.recover}>
        <TextField form={form} name="email" label="E-mail" type="email" autocomplete="username" required />
        <button class="primary" type="submit">
          Send the link
        </button>
      </form>
    </div>
  </BarePage>
);

/** For a server that sends no mail. */
export const RecoverByOperator = ({ links }: LinkPageProps) => (
  <BarePage links={links} title="Password forgotten">
    <div class="card stack">
      <h1>Password forgotten</h1>
      <p>
        This server sends no mail. Its operator can set a new password, with{" "}
        <code>innkeep admin user password</code>.
      </p>
      <a class="button" href={links.signIn}>
        To the sign-in page
      </a>
    </div>
  </BarePage>
);

/** The same for every address. */
export const RecoveryAsked = ({ links }: LinkPageProps) => (
  <BarePage links={links} title="Check your mail">
    <div class="card stack">
      <h1>Check your mail</h1>
      <p>
        If there is an account with this address and a password, a link is on its way. It works once, for 30
        minutes. If no mail comes, look in your spam folder. Perhaps you sign in without a password.
      </p>
      <a class="button" href={links.signIn}>
        To the sign-in page
      </a>
    </div>
  </BarePage>
);

export interface SignUpAskedProps {
  readonly links: Links;
  /** Whether the account is made by a mailed link. */
  readonly byMail: boolean;
  /** The sign-in page. */
  readonly signIn: string;
}

/** The same for every address. */
export const SignUpAsked = ({ links, byMail, signIn }: SignUpAskedProps) => (
  <BarePage links={links} title="Your account">
    <div class="card stack">
      <h1>{byMail ? "Check your mail" : "Sign in now"}</h1>
      <p>
        {byMail
          ? "A link is on its way to this address. With it you choose a password, and your account is ready. It works once, for a day."
          : "If there was no account with this address, there is one now, with the password that you have just chosen."}
      </p>
      <a class="button" href={signIn}>
        To the sign-in page
      </a>
    </div>
  </BarePage>
);

export interface NewPasswordProps extends LinkPageProps {
  /** Where the form is sent. It ends in the token of the link. */
  readonly action: string;
  /** Whether the password is that of a new account. */
  readonly newAccount: boolean;
}

/** Asks for the password of a new account, or for a new one. A typed password is never sent back. */
export const NewPassword = ({ links, action, newAccount, form = filledWith() }: NewPasswordProps) => {
  const title = newAccount ? "Create your account" : "Set a new password";
  return (
    <BarePage links={links} title={title}>
      <div class="card stack">
        <h1>{title}</h1>
        {!newAccount && (
          <p class="muted">You are then signed out everywhere. A second factor that you have stays on.</p>
        )}
        <Refused refusal={form.refusal} />
        <form class="stack" method="post" action={action}>
          {passwordFields.map((field) => (
            <TextField
              key={field.name}
              form={{ value: () => "", refusal: form.refusal }}
              type="password"
              autocomplete="new-password"
              {...field}
              required
            />
          ))}
          <button class="primary" type="submit">
            {newAccount ? "Create account" : "Set password"}
          </button>
        </form>
      </div>
    </BarePage>
  );
};

const passwordFields = [
  { name: "password", label: "New password", hint: `At least ${limits.password.min} characters.` },
  { name: "repeatedPassword", label: "New password again" },
] as const;
