import type { PasskeyRequest } from "../../../src/contract/passkeys.ts";
import { BarePage } from "../../console/bare-page.tsx";
import { type Filled, TextField } from "../../console/forms.tsx";
import { HiddenFields } from "../../console/hidden-fields.tsx";
import type { Links } from "../../console/links.ts";
import { SignInRefused } from "../../console/parts.tsx";
import { PasskeyParts, passkeyAttribute } from "../../console/passkey-parts.tsx";
import type { Reply } from "../../console/reply.ts";
import { carrying, type PendingForm } from "./pending-form.ts";

export interface SecondFactorPageProps {
  readonly links: Links;
  /** Where the form is sent. */
  readonly action: string;
  /** The sealed first step of the sign-in. */
  readonly step: string;
  /** The address to open after the sign-in. */
  readonly to: string;
  /** What an authenticator is asked; null if the account has no passkey. */
  readonly passkey: PasskeyRequest | null;
  readonly refusal?: Filled["refusal"];
  readonly kept?: PendingForm | undefined;
}

export const showSecondFactor = (props: SecondFactorPageProps): Reply => ({
  document: <SecondFactorPage {...props} />,
  status: props.refusal?.status ?? 200,
  retryAfterSeconds: props.refusal?.details.retryAfterSeconds,
});

/** Asks for the second factor of a sign-in. A typed code is never sent back. (rule S23) */
const SecondFactorPage = ({ links, action, step, to, passkey, refusal, kept }: SecondFactorPageProps) => (
  <BarePage links={links} title="Second factor">
    <div class="card stack">
      <h1>Enter your code</h1>
      <SignInRefused refusal={refusal} />
      <form class="stack" method="post" action={action} {...passkeyAttribute(passkey)}>
        <input type="hidden" name="to" value={to} />
        <input type="hidden" name="step" value={step} />
        {kept && <HiddenFields values={carrying(kept)} />}
        <TextField
          form={{ value: () => "", refusal }}
          name="code"
          label="Code"
          autocomplete="one-time-code"
          inputMode="text"
          hint="Six digits from your authenticator app, or one of your recovery codes."
          required
        />
        <button class="primary" type="submit">
          Sign in
        </button>
        {passkey && <PasskeyParts button="Use a passkey" />}
      </form>
      <p class="small muted">
        Have you lost both? The operator of this server can remove the second factor, with{" "}
        <code>innkeep admin user remove-second-factor</code>.
      </p>
    </div>
  </BarePage>
);
