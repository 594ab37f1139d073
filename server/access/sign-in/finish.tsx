import { session } from "../../../src/contract/console-session.ts";
import { ApiError } from "../../../src/contract/errors.ts";
import type { PasskeyRequest } from "../../../src/contract/sign-in-methods.ts";
import type { Ask } from "../../console/ask.ts";
import {
  type Fields,
  type Filled,
  HiddenFields,
  PasskeyParts,
  passkeyAttribute,
  passkeyIn,
  TextField,
} from "../../console/forms.tsx";
import { BarePage } from "../../console/layout.tsx";
import type { Links } from "../../console/links.ts";
import { SignInRefused } from "../../console/parts.tsx";
import type { Reply } from "../../console/respond.ts";
import { type PendingForm, pendingFormFields } from "./pending-form.ts";

/** The result of a sign-in form. */
type SignInOutcome =
  | { readonly outcome: "signed_in" }
  /** The page must ask for the second factor. `refusal` says why the last code was refused. */
  | {
      readonly outcome: "second_factor";
      readonly step: string;
      readonly passkey: PasskeyRequest | null;
      readonly refusal?: ApiError;
    };

/**
 * Signs in with the values of a form: first with e-mail and password, then with the second factor if the account has
 * one. Throws if the first factor is refused.
 */
export async function signInWith(ask: Ask, fields: Fields): Promise<SignInOutcome> {
  const step = fields.text("step");
  try {
    if (step === "") {
      const body = { email: fields.text("email"), password: fields.text("password") };
      await ask(session.create, { body });
    } else {
      const passkey = passkeyIn(fields.text("passkey"));
      const shown = passkey ? { passkey } : { code: fields.text("code") };
      await ask(session.finish, { body: { step, ...shown } });
    }
    return { outcome: "signed_in" };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.code === "second_factor_required" && error.details.step !== undefined)
      return askFactor(ask, error.details.step);
    if (step === "" || !codeRefusals.has(error.code)) throw error;
    return { ...(await askFactor(ask, step)), refusal: error };
  }
}

async function askFactor(ask: Ask, step: string) {
  const { passkey } = await ask(session.askPasskey, { body: { step } });
  return { outcome: "second_factor", step, passkey } as const;
}

const codeRefusals: ReadonlySet<string> = new Set([
  "invalid_second_factor",
  "bad_request",
  "rate_limited",
  "busy",
] satisfies ApiError["code"][]);

interface SecondFactorPageProps {
  readonly links: Links;
  /** The address of the form. */
  readonly action: string;
  /** The sealed first step of the sign-in. */
  readonly step: string;
  /** The address that the browser opens after the sign-in. */
  readonly to: string;
  /** The request to the authenticator; null if the account has no passkey. */
  readonly passkey: PasskeyRequest | null;
  readonly refusal?: Filled["refusal"];
  readonly kept?: PendingForm | undefined;
}

export const showSecondFactor = (props: SecondFactorPageProps): Reply => ({
  document: <SecondFactorPage {...props} />,
  status: props.refusal?.status ?? 200,
  retryAfterSeconds: props.refusal?.details.retryAfterSeconds,
});

/** Asks for the second factor of a sign-in. The page never contains a code that was typed. (rule S23) */
const SecondFactorPage = ({ links, action, step, to, passkey, refusal, kept }: SecondFactorPageProps) => (
  <BarePage links={links} title="Second factor">
    <div class="card stack">
      <h1>Enter your code</h1>
      <SignInRefused refusal={refusal} />
      <form class="stack" method="post" action={action} {...passkeyAttribute(passkey)}>
        <input type="hidden" name="to" value={to} />
        <input type="hidden" name="step" value={step} />
        {kept && <HiddenFields values={pendingFormFields(kept)} />}
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
        If you have lost your app and your codes, the operator of this server can remove the second factor,
        with <code>innkeep admin user remove-second-factor</code>.
      </p>
    </div>
  </BarePage>
);
