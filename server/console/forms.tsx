import { createHash, randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { ComponentChildren, JSX } from "preact";
import { ApiError } from "../../src/contract/errors.ts";
import { limits } from "../../src/contract/limits.ts";
import type { PasskeyCreation, PasskeyRequest } from "../../src/contract/sign-in-methods.ts";
import { counted, mediaTypeOf, readBytes, refuseEncoded, type Sending } from "../http/body/read-body.ts";
import { draftTraits } from "./drafts/fields.ts";

/** Hidden fields with the versions of the first values of a form. */
export const OriginalValues = ({ current }: { readonly current: Values }) => (
  <OriginalVersions
    versions={Object.fromEntries(Object.entries(current).map(([name, value]) => [name, fieldVersion(value)]))}
  />
);

/** Like `OriginalValues`, for computed versions. */
export const OriginalVersions = ({ versions }: { readonly versions: Values }) => (
  <>
    {Object.entries(versions).map(([name, version]) => (
      <input key={name} type="hidden" name={originalVersionName(name)} value={version} />
    ))}
  </>
);

/** Values of a form by the names of its fields. */
export type Values = Readonly<Record<string, string>>;

/** The name of the hidden field with the version that the value of a field had when the form was shown. */
export const originalVersionName = (name: string): string => `was-${name}`;

/** Identifies a version of the value of a field. All kinds of line breaks count as equal. */
export const fieldVersion = (value: string): string => versionOf(withLineFeeds(value));

/** The values that a form sent for these fields. */
export const givenFor = (fields: Fields, names: Values): Values =>
  Object.fromEntries(Object.keys(names).map((name) => [name, fields.text(name)]));

/**
 * The values of `given` that were changed in this form. Unchanged values are left out, so that they do not undo the change of another
 * person. Throws `bad_request` with all fields that both have changed.
 */
export function changedValues(fields: Fields, given: Values, current: Values): Values {
  const changed = Object.entries(given).filter(
    ([name, value]) => fieldVersion(value) !== fields.text(originalVersionName(name)),
  );
  const issues = changed
    .filter(([name, value]) =>
      isChangedElsewhere(fields, name, { current: current[name] ?? "", given: value }),
    )
    .map(([path]) => ({ path, message }));
  if (issues.length > 0) throw new ApiError("bad_request", { issues });
  return Object.fromEntries(changed);
}

const message =
  "was changed by somebody else since you opened this page. Save again to replace it with yours, or open the page again to see it";

const isChangedElsewhere = (
  fields: Fields,
  name: string,
  { current, given }: { readonly current: string; readonly given: string },
): boolean =>
  fieldVersion(current) !== fields.text(originalVersionName(name)) && withLineFeeds(current) !== given.trim();

/** A form with these values, before it is sent. */
export const filledWith = (values: Readonly<Record<string, string>> = {}): Filled => ({
  value: (name) => values[name] ?? "",
});

/** Returns a form with its sent values and its refusal. (rule O19) */
export const filledAgain = (fields: Fields, refusal: ApiError): Filled => ({
  value: fields.text,
  refusal,
  sent: true,
});

/** A short hash that identifies a version of a value. */
export const versionOf = (value: unknown): string =>
  createHash("sha256").update(JSON.stringify(value)).digest("base64url").slice(0, 16);

/** The fields of a sent form. Line breaks are single line feeds, as in all stored text. */
export interface Fields {
  /** The value of a field; empty if it was not sent. */
  text(name: string): string;
  /** All values of the fields with this name. */
  all(name: string): string[];
  has(name: string): boolean;
  /** All fields, in the order of the page. */
  entries(): [name: string, value: string][];
  /** The value of the hidden field `once`. With it, repeats of this form act once. */
  readonly idempotencyKey: string | undefined;
}

/** Enough for the longest release note with all characters escaped. */
const mostBytes = 2 * 1_048_576;

/**
 * Reads a sent form. Throws `unsupported_media_type` for another kind of body, and `payload_too_large` over 2 MiB, or over 32 KiB if
 * nobody is signed in.
 */
export const readForm = (request: IncomingMessage, sending: Sending): Promise<Fields> =>
  counted(sending, () => readFields(request, sending));

async function readFields(request: IncomingMessage, sending: Sending): Promise<Fields> {
  refuseEncoded(request);
  if (mediaTypeOf(request) !== "application/x-www-form-urlencoded") {
    throw new ApiError("unsupported_media_type");
  }
  const bytes = await readBytes(
    request,
    sending.sender.anonymous ? limits.anonymousBody : mostBytes,
    sending,
  );
  return fieldsOf(new URLSearchParams(bytes.toString("latin1")));
}

export function fieldsOf(sent: URLSearchParams): Fields {
  const all = (name: string) => sent.getAll(name).map(withLineFeeds);
  const key = sent.get("once") ?? "";
  return {
    all,
    text: (name) => all(name)[0] ?? "",
    has: (name) => sent.has(name),
    entries: () => [...sent].map(([name, value]) => [name, withLineFeeds(value)]),
    idempotencyKey: /^[\w-]{1,64}$/.test(key) ? key : undefined,
  };
}

const withLineFeeds = (value: string): string => value.replace(/\r\n?/g, "\n");

export const noFields: Fields = fieldsOf(new URLSearchParams());

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
