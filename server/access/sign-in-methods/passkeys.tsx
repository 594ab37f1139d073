import type { Passkey, PasskeyCreation } from "../../../src/contract/passkeys.ts";
import { filledWith } from "../../console/filled-form.ts";
import { type Filled, TextField } from "../../console/forms.tsx";
import { IdempotencyField } from "../../console/idempotency-field.tsx";
import { LastUse } from "../../console/last-use.tsx";
import { ConsolePage } from "../../console/layout.tsx";
import type { Links } from "../../console/links.ts";
import { navigationOf } from "../../console/navigation.ts";
import { Refused } from "../../console/parts.tsx";
import { PasskeyParts, passkeyAttribute } from "../../console/passkey-parts.tsx";
import { type Reply, show } from "../../console/reply.ts";
import { Line } from "../../console/text.tsx";
import { Ago } from "../../console/timestamp.tsx";
import type { SignedInVisit } from "../../console/visit.ts";
import { CodeField, FactorForm, formOf, type RefusedFactorForm } from "./factor-form.tsx";

export interface PasskeyListProps {
  readonly passkeys: readonly Passkey[];
  readonly refused: RefusedFactorForm | undefined;
  readonly links: Links;
  readonly now: Date;
}

/** The passkeys of the second factor. (rule S29) */
export const PasskeyList = ({ passkeys, refused, links, now }: PasskeyListProps) => (
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
        A key in your device or a security key, which you touch in place of typing a code. The app stays as it
        is.
      </p>
      <CodeField form={formOf(refused, "passkey")} part="passkey" />
    </FactorForm>
  </>
);

export interface NewPasskeyTraits {
  /** What the authenticator is asked. Undefined after a refusal: then the person begins again. */
  readonly asked?: PasskeyCreation;
  readonly form?: Filled;
}

/** Asks the authenticator for a new passkey. It needs scripts, as every use of a passkey does. */
export async function showNewPasskey(
  visit: SignedInVisit,
  { asked, form = filledWith() }: NewPasskeyTraits,
): Promise<Reply> {
  const navigation = await navigationOf(visit);
  const { links } = navigation;
  return show(
    <ConsolePage navigation={navigation} title="Add a passkey" narrow>
      <div class="head">
        <h1>Add a passkey</h1>
      </div>
      <div class="card stack">
        <Refused refusal={form.refusal} />
        {asked && (
          <form class="stack" method="post" action={links.passkeys} {...passkeyAttribute(asked)}>
            <noscript>
              <p>A browser makes passkeys only if scripts run.</p>
            </noscript>
            <TextField
              form={form}
              name="name"
              label="Name"
              hint="A name by which you know it later, such as Phone."
              required
            />
            <IdempotencyField />
            <PasskeyParts button="Make the passkey" primary />
          </form>
        )}
        <a href={links.signInMethods}>{asked ? "Cancel" : "Begin again"}</a>
      </div>
    </ConsolePage>,
    form.refusal?.status,
  );
}
