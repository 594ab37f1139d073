import type { AppKey } from "../../../src/contract/keys.ts";
import { Choices } from "../../console/choices.tsx";
import { filledWith } from "../../console/filled-form.ts";
import { type Filled, TextField } from "../../console/forms.tsx";
import { IdempotencyField } from "../../console/idempotency-field.tsx";
import { InTurns } from "../../console/in-turns.tsx";
import { LastUse } from "../../console/last-use.tsx";
import type { AppNavigation } from "../../console/navigation.ts";
import { Notice, Refused } from "../../console/parts.tsx";
import { Secret } from "../../console/secret.tsx";
import { Line } from "../../console/text.tsx";
import { Ago } from "../../console/timestamp.tsx";

/** The forms of keys: a new key that was refused, or one that was just made. */
export interface KeyForms {
  readonly key?: Filled;
  /** The new key. Its secret is shown only this once. */
  readonly made?: { readonly label: string; readonly key: string };
}

export interface ApiKeysProps {
  readonly navigation: AppNavigation;
  readonly keys: readonly AppKey[];
  readonly forms: KeyForms;
  readonly now: Date;
}

/** The keys with which an app calls the API. */
export const ApiKeys = ({ navigation: { links, app }, keys, forms: { made, key }, now }: ApiKeysProps) => (
  <section class="stack" aria-labelledby="keys" id="keys-section">
    <div>
      <h2 id="keys">Keys</h2>
      <p class="muted">
        An app sends its key in the header <code>x-api-key</code>. Several keys can be valid at the same time,
        so you can replace one without a gap.
      </p>
    </div>
    {made && (
      <div class="card fresh">
        <Secret
          label={made.label === "" ? "The new key" : `The new key for ${made.label}`}
          secret={made.key}
        />
      </div>
    )}
    {keys.length === 0 ? (
      <Notice kind="attention">This app has no key yet, so nothing can reach it.</Notice>
    ) : (
      <ul class="list">
        <InTurns>
          {keys.map((row) => (
            <KeyLine key={row.id} row={row} now={now} at={(part) => links.key(app.id, row.id, part)} />
          ))}
        </InTurns>
      </ul>
    )}
    <details class="reveal" open={key !== undefined || keys.length === 0}>
      <summary>Make a key</summary>
      <NewKey form={key} action={links.app(app.id, "keys")} />
    </details>
  </section>
);

const kinds = [
  {
    value: "full",
    label: "Full",
    hint: "For servers and CI: everything that an app may do, including writing the FAQ.",
  },
  {
    value: "intake",
    label: "Intake",
    hint: "For shipping inside an app: sends feedback, reads FAQ and changelog, writes nothing else.",
  },
] as const;

const NewKey = ({ form, action }: { readonly form: Filled | undefined; readonly action: string }) => (
  <form class="card stack" method="post" action={action}>
    <Refused refusal={form?.refusal} />
    <IdempotencyField />
    <TextField
      form={form ?? filledWith()}
      name="label"
      label="Label"
      hint="Where it will be used, so that you know later what revoking it breaks."
    />
    <Choices
      form={form ?? filledWith({ kind: "full" })}
      name="kind"
      legend="What it may do"
      options={kinds}
    />
    <div class="actions">
      <button class="primary" type="submit">
        Make key
      </button>
    </div>
  </form>
);

interface KeyLineProps {
  readonly row: AppKey;
  readonly now: Date;
  readonly at: (part: string) => string;
}

const KeyLine = ({ row, now, at }: KeyLineProps) => (
  <li>
    <div class="row spread">
      <b>
        <Line text={row.label || "Without a label"} />
      </b>
      <span class="row">
        <code>{row.prefix}…</code>
        <span class="badge">{row.kind === "full" ? "Full" : "Intake"}</span>
      </span>
    </div>
    <p class="under">
      <span>
        made <Ago at={row.createdAt} now={now} />
      </span>
      <LastUse at={row.lastUsedAt} now={now} />
    </p>
    <details class="reveal">
      <summary>Replace or revoke</summary>
      <div class="stack">
        <p>Either way the current key stops working at once, everywhere.</p>
        <div class="actions">
          <form method="post" action={at("regenerate")}>
            <IdempotencyField />
            <button type="submit">Replace by a new key</button>
          </form>
          <form method="post" action={at("revoke")}>
            <IdempotencyField />
            <button class="danger" type="submit">
              Revoke
            </button>
          </form>
        </div>
      </div>
    </details>
  </li>
);
