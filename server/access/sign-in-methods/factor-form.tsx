import type { ComponentChildren } from "preact";
import { type Filled, TextField } from "../../console/forms.tsx";
import { IdempotencyField } from "../../console/idempotency-field.tsx";
import { Refused } from "../../console/parts.tsx";

/** A form of the second factor that was refused. */
export interface RefusedFactorForm {
  /** What the form does, or the id of the passkey that it removes. */
  readonly act: string;
  readonly form: Filled;
}

/** The refusal of this form; undefined if it was another one, or none. */
export const formOf = (refused: RefusedFactorForm | undefined, act: string) =>
  refused?.act === act ? refused.form : undefined;

export interface FactorFormProps {
  readonly offer: string;
  readonly action: string;
  readonly form: Filled | undefined;
  readonly danger?: boolean;
  readonly children: ComponentChildren;
}

/** A form that is hidden until a person wants it, or that was refused. */
export const FactorForm = ({ offer, action, form, danger = false, children }: FactorFormProps) => (
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

export interface CodeFieldProps {
  readonly form: Filled | undefined;
  readonly part: string;
  readonly hint?: string;
}

/** A typed code is never sent back. */
export const CodeField = ({
  form,
  part,
  hint = "From your authenticator app, or a recovery code.",
}: CodeFieldProps) => (
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
