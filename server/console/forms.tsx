import { randomUUID } from "node:crypto";
import type { ComponentChildren, JSX } from "preact";
import type { ApiError } from "../../src/contract/errors.ts";
import type { PasskeyCreation, PasskeyRequest } from "../../src/contract/sign-in-methods.ts";
import { draftTraits } from "./drafts/fields.ts";

interface Choice {
  readonly value: string;
  readonly label: string;
  readonly hint: string;
}

/** A choice of one option. Each option has a hint. */
export const Choices = ({
  form,
  name,
  legend,
  options,
  part,
}: {
  readonly form: Filled;
  readonly name: string;
  readonly legend: string;
  readonly options: readonly Choice[];
  /** Makes ids unique if a page has several choices with the same name. */
  readonly part?: string;
}) => {
  const fault = faultAt(form, name);
  const prefix = part === undefined ? name : `${part}-${name}`;
  return (
    <fieldset class="stack tight" aria-describedby={fault === undefined ? undefined : `${prefix}-fault`}>
      <legend>{legend}</legend>
      <div class="cards">
        {options.map(({ value, label, hint }) => (
          <label class="choice" key={value}>
            <input
              type="radio"
              name={name}
              value={value}
              id={`${prefix}-${value}`}
              checked={form.value(name) === value}
            />
            <span>
              <b>{label}</b>
              <span class="hint">{hint}</span>
            </span>
          </label>
        ))}
      </div>
      {fault !== undefined && (
        <p class="fault" id={`${prefix}-fault`}>
          {legend} {fault}.
        </p>
      )}
    </fieldset>
  );
};

/** A checkbox with a label and a hint. */
export const Tick = ({
  form,
  name,
  label,
  hint,
}: {
  readonly form: Filled;
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
}) => (
  <label class="choice">
    <input type="checkbox" name={name} value="on" checked={form.value(name) === "on"} />
    <span>
      <b>{label}</b>
      {hint !== undefined && <span class="hint">{hint}</span>}
    </span>
  </label>
);

/** The values of a form, and the refusal if it was sent and refused. */
export interface Filled {
  value(name: string): string;
  readonly refusal?: ApiError | undefined;
  /** Whether the values are those of the sent form, not the stored ones. */
  readonly sent?: boolean;
}

interface FieldProps {
  readonly form: Filled;
  /** The name of the field, and the path of its faults. */
  readonly name: string;
  readonly label: string;
  readonly hint?: ComponentChildren;
  /** Whether the label is for screen readers only. */
  readonly unlabelled?: boolean;
  /** Makes ids unique if two fields on a page have the same name. */
  readonly part?: string;
  /** Whether no draft of its text is kept, although drafts of other fields with this name are. (rule O18) */
  readonly unkept?: boolean;
}

type InputTraits = Pick<
  JSX.InputHTMLAttributes<HTMLInputElement>,
  "type" | "required" | "autocomplete" | "placeholder" | "maxLength" | "inputMode" | "step" | "list"
>;

export const TextField = ({
  form,
  name,
  label,
  hint,
  unlabelled,
  part,
  unkept = false,
  ...traits
}: FieldProps & InputTraits) => {
  const ids = fieldIds({ form, name, hint, part });
  return (
    <Labelled ids={ids} {...{ name, label, hint, unlabelled }} fault={faultAt(form, name)}>
      <input
        type="text"
        {...traits}
        {...ids.control}
        {...(unkept ? {} : draftTraits(name, form.sent))}
        name={name}
        value={form.value(name)}
      />
    </Labelled>
  );
};

export const TextArea = ({
  form,
  size,
  required,
  placeholder,
  unkept = false,
  ...rest
}: FieldProps & {
  readonly size?: "line" | "short" | "tall" | undefined;
  readonly required?: boolean;
  readonly placeholder?: string;
}) => {
  const ids = fieldIds({ form, ...rest });
  return (
    <Labelled ids={ids} {...rest} fault={faultAt(form, rest.name)}>
      <textarea
        {...ids.control}
        {...(unkept ? {} : draftTraits(rest.name, form.sent))}
        {...{ required, placeholder }}
        class={size}
        name={rest.name}
      >
        {/* The parser drops the first line break of a text area. */}
        {`\n${form.value(rest.name)}`}
      </textarea>
    </Labelled>
  );
};

export const Select = ({
  form,
  options,
  ownZone,
  ...rest
}: FieldProps & {
  readonly options: readonly (readonly [value: string, label: string])[];
  /** Whether the script chooses the browser's own time zone. */
  readonly ownZone?: boolean;
}) => {
  const ids = fieldIds({ form, ...rest });
  const chosen = form.value(rest.name);
  return (
    <Labelled ids={ids} {...rest} fault={faultAt(form, rest.name)}>
      <select {...ids.control} name={rest.name} data-own-zone={ownZone || undefined}>
        {options.map(([value, label]) => (
          <option key={value} value={value} selected={value === chosen}>
            {label}
          </option>
        ))}
      </select>
    </Labelled>
  );
};

/** The fault of a field or of a part of it, as words that follow the label; undefined if there is none. */
export const faultAt = ({ refusal }: Pick<Filled, "refusal">, name: string): string | undefined =>
  refusal?.details.issues?.find(({ path }) => path === name || path.startsWith(`${name}.`))?.message;

/** A control with its label, its hint and its fault. */
const Labelled = ({
  ids,
  label,
  hint,
  unlabelled,
  fault,
  children,
}: Omit<FieldProps, "form"> & {
  readonly ids: ReturnType<typeof fieldIds>;
  readonly fault: string | undefined;
  readonly children: ComponentChildren;
}) => (
  <div class="field">
    <label class={unlabelled ? "unseen" : undefined} for={ids.control.id}>
      {label}
    </label>
    {children}
    {hint !== undefined && (
      <p class="hint" id={ids.hint}>
        {hint}
      </p>
    )}
    {fault !== undefined && (
      <p class="fault" id={ids.fault}>
        {label} {fault}.
      </p>
    )}
  </div>
);

function fieldIds({ form, name, hint, part = "field" }: Omit<FieldProps, "label">) {
  const id = `${part}-${name.replaceAll(".", "-")}`;
  const wrong = faultAt(form, name) !== undefined;
  const described = [hint === undefined ? "" : `${id}-hint`, wrong ? `${id}-fault` : ""].filter(Boolean);
  return {
    hint: `${id}-hint`,
    fault: `${id}-fault`,
    control: {
      id,
      "aria-describedby": described.join(" ") || undefined,
      "aria-invalid": wrong ? ("true" as const) : undefined,
    },
  };
}

/** A button that first shows the effects of its action, with a second button to confirm it. */
export const Confirmation = ({
  offer,
  action,
  button,
  danger = false,
  large = false,
  children,
}: {
  /** The text of the first button. */
  readonly offer: string;
  readonly action: string;
  /** The text of the second button. */
  readonly button: string;
  readonly danger?: boolean;
  /** Whether the button has the size of other buttons, as on pages with one object. In lists it is small. */
  readonly large?: boolean;
  /** The effects of the action. */
  readonly children: ComponentChildren;
}) => (
  <details class={danger ? "reveal danger" : "reveal"}>
    <summary>{offer}</summary>
    <form class="stack" method="post" action={action}>
      <p>{children}</p>
      <IdempotencyField />
      <div class="actions">
        <button class={[danger && "danger", !large && "small"].filter(Boolean).join(" ")} type="submit">
          {button}
        </button>
      </div>
    </form>
  </details>
);

/** Hidden fields of a form. */
export const HiddenFields = ({ values }: { readonly values: readonly (readonly [string, string])[] }) => (
  <>
    {values.map(([name, value]) => (
      <input key={`${name} ${value}`} type="hidden" name={name} value={value} />
    ))}
  </>
);

/** A unique value for every form, so that a form that is sent twice acts once. */
export const IdempotencyField = () => <input type="hidden" name="once" value={randomUUID()} />;

/** The attribute of a form whose script asks an authenticator. */
export const passkeyAttribute = (asked: PasskeyRequest | PasskeyCreation | null) =>
  asked === null ? {} : { "data-passkey": JSON.stringify(asked) };

/** The field for the answer of an authenticator, and the button that asks for it. A script shows the button. */
export const PasskeyParts = ({
  button,
  primary = false,
}: {
  readonly button: string;
  readonly primary?: boolean;
}) => (
  <>
    <input type="hidden" name="passkey" value="" />
    <button class={primary ? "primary" : undefined} type="button" data-asks-passkey hidden>
      {button}
    </button>
    <p class="fault" data-passkey-failed hidden>
      The device gave no passkey. Try again, or use another method.
    </p>
  </>
);

/** The value that a script put into the field; undefined if it is not JSON. */
export function passkeyIn(sent: string): object | undefined {
  try {
    const answer: unknown = JSON.parse(sent);
    return typeof answer === "object" && answer !== null ? answer : undefined;
  } catch {
    return undefined;
  }
}
