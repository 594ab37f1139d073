import type { ComponentChildren, JSX } from "preact";
import type { ApiError } from "../../src/contract/errors.ts";
import { draftTraits } from "./drafts/fields.ts";

/** The values of a form, and the refusal if it was sent and refused. */
export interface Filled {
  value(name: string): string;
  readonly refusal?: ApiError | undefined;
  /** Whether the values are those that were sent, not the stored ones. */
  readonly sent?: boolean;
}

export interface FieldProps {
  readonly form: Filled;
  /** Name of the field, and the path of its faults. */
  readonly name: string;
  readonly label: string;
  readonly hint?: ComponentChildren;
  /** Whether the label is for screen readers only. */
  readonly unlabelled?: boolean;
  /** Keeps ids unique when two fields on a page have the same name. */
  readonly part?: string;
  /** Whether its text is never kept, though the text of a field with this name is kept elsewhere. (rule O18) */
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

export interface TextAreaProps extends FieldProps {
  readonly size?: "line" | "short" | "tall" | undefined;
  readonly required?: boolean;
  readonly placeholder?: string;
}

export const TextArea = ({ form, size, required, placeholder, unkept = false, ...rest }: TextAreaProps) => {
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

export interface SelectProps extends FieldProps {
  readonly options: readonly (readonly [value: string, label: string])[];
  /** Whether the script chooses the browser's own time zone. */
  readonly ownZone?: boolean;
}

export const Select = ({ form, options, ownZone, ...rest }: SelectProps) => {
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

/** The fault of a field or of a part of it, as words that follow the label; undefined when there is none. */
export const faultAt = ({ refusal }: Pick<Filled, "refusal">, name: string): string | undefined =>
  refusal?.details.issues?.find(({ path }) => path === name || path.startsWith(`${name}.`))?.message;

interface LabelledProps extends Omit<FieldProps, "form"> {
  readonly ids: ReturnType<typeof fieldIds>;
  readonly fault: string | undefined;
  readonly children: ComponentChildren;
}

/** A control with its label, its hint and its fault. */
const Labelled = ({ ids, label, hint, unlabelled, fault, children }: LabelledProps) => (
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
