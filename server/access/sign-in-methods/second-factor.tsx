import type { ComponentChildren } from "preact";
import type * as z from "zod/mini";
import type { SecondFactor as contract, Passkey } from "../../../src/contract/account.ts";
import { type ApiError, badRequest } from "../../../src/contract/errors.ts";
import { type Filled, filledWith, IdempotencyField, TextField } from "../../console/forms.tsx";
import type { Links } from "../../console/links.ts";
import { Line, Notice, Refused } from "../../console/parts.tsx";
import { Ago, LastUse } from "../../console/times.tsx";

interface SecondFactorLineProps {
  readonly state: z.output<typeof contract>;
  readonly passkeys: readonly Passkey[];
  readonly hasPassword: boolean;
  readonly refused: RefusedFactorForm | undefined;
  readonly links: Links;
  readonly now: Date;
}

/** The warning for an account without recovery codes. All codes were used, or a restore of a backup deleted them. */
export const noRecoveryCodes =
  "You have no recovery codes. If you lose your authenticator app, you cannot sign in.";

/** Shows whether the account has a second factor, with the forms that change it. (rules S23, S24, S25) */
export const SecondFactorLine = (props: SecondFactorLineProps) => {
  const { totp, recoveryCodesLeft } = props.state;
  return (
    <li>
      <div class="row spread">
        <b>Second factor</b>
        <span class="badge">{totp ? "On" : "Off"}</span>
      </div>
      {totp ? (
        <>
          <p class="under">
            <span>
              authenticator app, since <Ago at={totp.createdAt} now={props.now} />
            </span>
            <span>
              {recoveryCodesLeft === 1 ? "1 recovery code left" : `${recoveryCodesLeft} recovery codes left`}
            </span>
          </p>
          {recoveryCodesLeft === 0 && <Notice>{noRecoveryCodes} Create new ones below.</Notice>}
          <PasskeyList {...props} />
          <RenewCodes {...props} />
          <TurnOff {...props} />
        </>
      ) : (
        <SetUp {...props} />
      )}
    </li>
  );
};

const SetUp = ({ hasPassword, refused, links }: SecondFactorLineProps) => (
  <FactorForm
    offer="Set up an authenticator app"
    action={links.beginSecondFactor}
    form={formOf(refused, "begin")}
  >
    <p class="muted small">
      When you sign in, you will also enter a code that an app on your phone shows. Then nobody can sign in
      with a stolen password alone.
    </p>
    {hasPassword && (
      <TextField
        form={formOf(refused, "begin") ?? filledWith()}
        name="currentPassword"
        part="factor"
        label="Your password"
        type="password"
        autocomplete="current-password"
        required
      />
    )}
  </FactorForm>
);

const RenewCodes = ({ refused, links }: SecondFactorLineProps) => (
  <FactorForm
    offer="Create new recovery codes"
    action={links.renewRecoveryCodes}
    form={formOf(refused, "renew")}
  >
    <p class="muted small">Your current recovery codes will no longer work.</p>
    <CodeField form={formOf(refused, "renew")} part="renew" />
  </FactorForm>
);

const TurnOff = ({ refused, links }: SecondFactorLineProps) => (
  <FactorForm
    offer="Turn off the second factor"
    action={links.removeSecondFactor}
    form={formOf(refused, "remove")}
    danger
  >
    <p class="muted small">Then you no longer need a code to sign in.</p>
    <CodeField form={formOf(refused, "remove")} part="remove" />
  </FactorForm>
);

/** The passkeys of the second factor. (rule S29) */
const PasskeyList = ({
  passkeys,
  refused,
  links,
  now,
}: {
  readonly passkeys: readonly Passkey[];
  readonly refused: RefusedFactorForm | undefined;
  readonly links: Links;
  readonly now: Date;
}) => (
  <>
    {passkeys.length > 0 && (
      <ul class="stack">
        {passkeys.map(({ id, name, createdAt, lastUsedAt }) => (
          <li key={id}>
            <b>
              Passkey <Line text={name} />
            </b>
            <p class="under">
              <span>
                added <Ago at={createdAt} now={now} />
              </span>
              <LastUse at={lastUsedAt} now={now} />
            </p>
            <FactorForm
              offer="Remove this passkey"
              action={links.removePasskey(id)}
              form={formOf(refused, id)}
              danger
            >
              <CodeField form={formOf(refused, id)} part={`passkey-${id}`} />
            </FactorForm>
          </li>
        ))}
      </ul>
    )}
    <FactorForm offer="Add a passkey" action={links.beginPasskey} form={formOf(refused, "passkey")}>
      <p class="muted small">
        A passkey is a key in your device, or a security key. You touch it instead of typing a code. The
        authenticator app still works.
      </p>
      <CodeField form={formOf(refused, "passkey")} part="passkey" />
    </FactorForm>
  </>
);

/** A refused form of the second factor. */
export interface RefusedFactorForm {
  /** The name of the form. For the form that removes a passkey, this is the id of the passkey. */
  readonly name: string;
  readonly form: Filled;
}

/** Returns the values of the form `name` if it was refused, otherwise undefined. */
const formOf = (refused: RefusedFactorForm | undefined, name: string) =>
  refused?.name === name ? refused.form : undefined;

/** A form that is closed until a person opens it. A refused form is open. */
export const FactorForm = ({
  offer,
  action,
  form,
  danger = false,
  children,
}: {
  readonly offer: string;
  readonly action: string;
  readonly form: Filled | undefined;
  readonly danger?: boolean;
  readonly children: ComponentChildren;
}) => (
  <details class="reveal" open={form !== undefined}>
    <summary>{offer}</summary>
    <form class="stack" method="post" action={action}>
      <Refused refusal={form?.refusal} />
      {children}
      <IdempotencyField />
      <div class="actions">
        <button class={danger ? "danger" : "primary"} type="submit">
          {offer}
        </button>
      </div>
    </form>
  </details>
);

/** The field for a code. It never shows a typed code again. */
export const CodeField = ({
  form,
  part,
  hint = "From your authenticator app, or a recovery code.",
}: {
  readonly form: Filled | undefined;
  readonly part: string;
  readonly hint?: string;
}) => (
  <TextField
    form={{ value: () => "", refusal: form?.refusal }}
    name="code"
    part={part}
    label="Code"
    autocomplete="one-time-code"
    hint={hint}
    required
  />
);

/** Returns a refusal as an error of the form field. Here, `invalid_credentials` means a wrong password. */
export function atFactorField(refusal: ApiError): ApiError {
  if (refusal.code === "invalid_second_factor") return badRequest("code", "is wrong or was used before");
  return refusal.code === "invalid_credentials" ? badRequest("currentPassword", "is wrong") : refusal;
}
