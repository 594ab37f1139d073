import type { Filled } from "../../console/forms.tsx";
import { IdempotencyField } from "../../console/idempotency-field.tsx";
import { ConsolePage } from "../../console/layout.tsx";
import { type Navigation, navigationOf } from "../../console/navigation.ts";
import { Refused } from "../../console/parts.tsx";
import { QrCode } from "../../console/qr-code.tsx";
import { type Reply, show } from "../../console/reply.ts";
import type { SignedInVisit } from "../../console/visit.ts";
import { CodeField } from "./factor-form.tsx";

export interface SetUpTraits {
  /** The secret that was just made. It is shown only once. */
  readonly made?: { readonly secret: string; readonly uri: string };
  readonly form?: Filled;
}

/** Shows the secret for the authenticator app, and asks for its first code. */
export async function showSetUp(visit: SignedInVisit, { made, form }: SetUpTraits): Promise<Reply> {
  const navigation = await navigationOf(visit);
  return show(
    <ConsolePage navigation={navigation} title="Set up a second factor" narrow>
      <div class="head">
        <h1>Set up a second factor</h1>
      </div>
      <div class="card stack">
        {made ? <Secret {...made} /> : <Again navigation={navigation} />}
        <form class="stack" method="post" action={navigation.links.confirmSecondFactor}>
          <Refused refusal={form?.refusal} />
          <CodeField form={form} part="confirm" hint="The six digits that the app shows now." />
          <IdempotencyField />
          <div class="actions">
            <button class="primary" type="submit">
              Turn on
            </button>
            <a class="button" href={navigation.links.signInMethods}>
              Cancel
            </a>
          </div>
        </form>
      </div>
    </ConsolePage>,
    form?.refusal?.status,
  );
}

const Secret = ({ secret, uri }: NonNullable<SetUpTraits["made"]>) => (
  <>
    <p>Scan this with an authenticator app, or type the key into it. Then enter the code that it shows.</p>
    <QrCode text={uri} label="QR code for the authenticator app" />
    <div class="field">
      <label for="secret">Key</label>
      <textarea class="code" id="secret" rows={2} readOnly autocomplete="off" spellcheck={false}>
        {`\n${(secret.match(/.{1,4}/g) ?? []).join(" ")}`}
      </textarea>
      <p class="hint">It is shown only this once. The second factor is off until you enter a correct code.</p>
    </div>
  </>
);

/** The secret is not shown again: it is in the app, or a new one is made. */
const Again = ({ navigation: { links } }: { readonly navigation: Navigation }) => (
  <p>
    If the app does not have the key, <a href={links.signInMethods}>begin again</a>.
  </p>
);

/** The new recovery codes. They are shown only this once. */
export async function showRecoveryCodes(visit: SignedInVisit, codes: readonly string[]): Promise<Reply> {
  const navigation = await navigationOf(visit);
  return show(
    <ConsolePage navigation={navigation} title="Recovery codes" narrow>
      <div class="head">
        <div>
          <h1>Your recovery codes</h1>
          <p>
            Each opens your account once in place of the app. Print them or put them into a password manager
            now: you cannot see them again.
          </p>
        </div>
      </div>
      <div class="card fresh stack">
        <ol class="codes">
          {codes.map((code) => (
            <li key={code}>
              <code>{code}</code>
            </li>
          ))}
        </ol>
        <div class="actions">
          <a class="button" href={navigation.links.signInMethods}>
            I have kept them
          </a>
        </div>
      </div>
    </ConsolePage>,
  );
}
