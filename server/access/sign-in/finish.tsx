import type { PasskeyRequest } from "../../../src/contract/account.ts";
import { session } from "../../../src/contract/console-session.ts";
import { isMutation } from "../../../src/contract/endpoint.ts";
import { ApiError } from "../../../src/contract/errors.ts";
import type { Form, SignedInVisit } from "../../console/definitions.ts";
import type { PageDrafts } from "../../console/drafts/api.ts";
import { isOfAnother } from "../../console/drafts/page.tsx";
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
import type { NotDone, Notices } from "../../console/notices.ts";
import type { Ask } from "../../console/page-reads.ts";
import { SignInRefused } from "../../console/parts.tsx";
import { type Reply, unlessSignedOut } from "../../console/respond.tsx";

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
 * Does one step of a sign-in: the password, or the code or passkey. A refused code returns `second_factor`
 * again.
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
  /** The address to which the form is sent. */
  readonly action: string;
  /** The encrypted proof of the first step of the sign-in. */
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

/** A form that was sent after the console session had ended. The server has not processed it. */
export interface PendingForm {
  /** The sentence which says that the server did nothing, and the word that identifies the sentence. */
  readonly form: NotDone;
  readonly action: string;
  readonly page: string;
  readonly values: readonly (readonly [name: string, value: string])[];
}

const valuePrefix = "kept:";

const actionName = "kept-action";

const wordName = "kept-act";

const pageName = "kept-page";

/** Whether a page may show the value of a field again. A page must not show secrets again. */
const mayBeShown = (name: string): boolean => !/password|secret|webhook|^(code|passkey)$/i.test(name);

/** Creates a pending form from the sent fields. */
export const pendingFormOf = (fields: Fields, sent: Omit<PendingForm, "values">): PendingForm => ({
  ...sent,
  values: fields.entries().filter(([name]) => mayBeShown(name)),
});

/** Reads the pending form in the fields of a sign-in form; undefined if there is none. */
export function pendingFormIn(fields: Fields, { notDone }: Notices): PendingForm | undefined {
  const action = fields.text(actionName);
  const form = notDone.get(fields.text(wordName));
  if (action === "" || form === undefined) return undefined;
  const values = fields
    .entries()
    .flatMap(([name, value]) =>
      name.startsWith(valuePrefix) ? [[name.slice(valuePrefix.length), value] as const] : [],
    );
  return { form, action, page: fields.text(pageName), values };
}

/** Returns the hidden fields that keep a pending form in the sign-in form. */
export const pendingFormFields = ({ form, action, page, values }: PendingForm): PendingForm["values"] => [
  [wordName, form.word],
  [actionName, action],
  [pageName, page],
  ...values.map(([name, value]) => [valuePrefix + name, value] as const),
];

/** Returns the hidden fields of the button that opens a pending form again. */
export const fieldsToShowAgain = ({ page, values }: PendingForm): PendingForm["values"] => [
  ...values,
  [onlyShown, page],
];

const onlyShown = "kept-from";

/**
 * Returns the page of the pending form, if the request only asks to show that form again. Otherwise returns undefined.
 */
export const pageOfPending = (fields: Fields): string | undefined =>
  fields.has(onlyShown) ? fields.text(onlyShown) : undefined;

/**
 * Shows a pending form again. Changes no data. Returns undefined if this is impossible, or for another person's
 * form.
 */
export const showAgain = async (visit: SignedInVisit, form: Form): Promise<Reply<string> | undefined> =>
  isOfAnother(visit.fields, visit.caller.email)
    ? undefined
    : unlessSignedOut(() =>
        form.act({ ...visit, ask: readOnlyAsk(visit.ask, form), drafts: readOnlyDrafts(visit.drafts) }),
      );

/** Creates an `ask` that can only read. It throws `sign_in_required` for a request that would change something. */
const readOnlyAsk =
  (ask: Ask, { notDone }: NotDone): Ask =>
  (endpoint, asked) => {
    if (!isMutation(endpoint)) return ask(endpoint, asked);
    throw new ApiError("sign_in_required", { message: `${sessionEnded} ${notDone} ${keptHere}` });
  };

/**
 * Returns `drafts` with a `remove` that throws `sign_in_required`, because a page that is shown again changes
 * nothing.
 */
const readOnlyDrafts = (drafts: PageDrafts): PageDrafts => ({
  ...drafts,
  remove: async () => {
    throw new ApiError("sign_in_required");
  },
});

const sessionEnded = "Your session had ended when you sent this.";

const keptHere = "Your text is still here. Send it again.";
