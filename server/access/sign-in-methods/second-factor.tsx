import type * as z from "zod/mini";
import type { Passkey } from "../../../src/contract/passkeys.ts";
import type { SecondFactor as contract } from "../../../src/contract/sign-in-methods.ts";
import { filledWith } from "../../console/filled-form.ts";
import { TextField } from "../../console/forms.tsx";
import type { Links } from "../../console/links.ts";
import { Notice } from "../../console/parts.tsx";
import { Ago } from "../../console/timestamp.tsx";
import { CodeField, FactorForm, formOf, type RefusedFactorForm } from "./factor-form.tsx";
import { PasskeyList } from "./passkeys.tsx";

export interface SecondFactorLineProps {
  readonly state: z.output<typeof contract>;
  readonly passkeys: readonly Passkey[];
  readonly hasPassword: boolean;
  readonly refused: RefusedFactorForm | undefined;
  readonly links: Links;
  readonly now: Date;
}

/** After the last one was used, or a backup was restored. */
export const noRecoveryCodes =
  "You have no recovery codes: without your authenticator app you could not sign in.";

/** Whether the account has a second factor, and the forms that change it. (rules S23 to S25) */
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
          {recoveryCodesLeft === 0 && <Notice>{noRecoveryCodes} Make new ones below.</Notice>}
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
      After your password you then also enter a code that an app on your phone shows. A stolen password alone
      opens nothing.
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
    offer="Make new recovery codes"
    action={links.renewRecoveryCodes}
    form={formOf(refused, "renew")}
  >
    <p class="muted small">The codes that you have now stop working.</p>
    <CodeField form={formOf(refused, "renew")} part="renew" />
  </FactorForm>
);

const TurnOff = ({ refused, links }: SecondFactorLineProps) => (
  <FactorForm offer="Turn it off" action={links.removeSecondFactor} form={formOf(refused, "remove")} danger>
    <p class="muted small">Your password alone then opens your account again.</p>
    <CodeField form={formOf(refused, "remove")} part="remove" />
  </FactorForm>
);
