import { createHash, randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { ComponentChildren, JSX } from "preact";
import type { PasskeyCreation, PasskeyRequest } from "../../src/contract/account.ts";
import { ApiError, type Issue } from "../../src/contract/errors.ts";
import { limits } from "../../src/contract/limits.ts";
import { counted, mediaTypeOf, readBytes, refuseEncoded, type Sending } from "../http/body/read-body.ts";

/** Hidden fields with the version (hash) of each shown value. The versions reveal another person's change. */
export const OriginalValues = ({
  current,
  form,
}: {
  readonly current: Values;
  readonly form: Filled | undefined;
}) => <OriginalVersions versions={versionsIn(form, current)} form={form} />;

/** Returns the versions for a form, by field name. */
const versionsIn = (form: Filled | undefined, current: Values): Values =>
  Object.fromEntries(
    Object.entries(current).map(([name, value]) => [
      name,
      form?.sent ? versionAgain(form, name) : fieldVersion(value),
    ]),
  );

/** Returns the version of a field for a form that is shown again. */
export function versionAgain(form: Filled, name: string): string {
  const saved = savedAt(form, name);
  // The version of the stored value is used only if the page also shows this value.
  return saved === undefined ? form.value(originalVersionName(name)) : fieldVersion(saved);
}

/**
 * Returns the state of a form that changes stored values. Unchanged fields show the stored value, which may be
 * newer.
 */
export function filledOver(form: Filled | undefined, current: Values): Filled {
  if (!form?.sent) return form ?? filledWith(current);
  const given = Object.fromEntries(Object.keys(current).map((name) => [name, form.value(name)]));
  return withStored(form, unchangedValues(form, current, given));
}

/** Returns the stored values of the fields that need no save. `given` has the sent values. */
export const unchangedValues = (form: Filled, current: Values, given: Values): Values =>
  Object.fromEntries(
    Object.entries(current)
      // A save removes spaces and line breaks at the end of a text.
      .filter(
        ([name, value]) => given[name]?.trimEnd() === value || !isChanged(form, name, given[name] ?? ""),
      )
      .map(([name, value]) => [name, savedAt(form, name) ?? value]),
  );

/** Whether the person changed a field of a sent form. False for a field that the form does not have. */
export function isChanged(form: Filled, name: string, given: string): boolean {
  const version = form.value(originalVersionName(name));
  return fieldVersion(given) !== version && given + version !== "";
}

/**
 * Returns `form` with stored values instead of sent values. Versions come from `stored`, field values from
 * `shown`.
 */
export function withStored(form: Filled, stored: Values, shown: Values = stored): Filled {
  const versions = new Map(
    Object.entries(stored).map(([name, value]) => [originalVersionName(name), fieldVersion(value)]),
  );
  // A list has one version but several fields, such as `items.0.text`.
  const isStored = (name: string) => name in stored || (name.split(".")[0] ?? "") in stored;
  return {
    ...form,
    isStored,
    value: (name) => versions.get(name) ?? (isStored(name) ? (shown[name] ?? "") : form.value(name)),
  };
}

/**
 * Hidden fields with the `versions` of fields. For drafts, `data-typed` is the version that the person saw
 * while typing.
 */
export const OriginalVersions = ({
  versions,
  form,
}: {
  readonly versions: Values;
  readonly form: Filled | undefined;
}) => (
  <>
    {Object.entries(versions).map(([name, version]) => (
      <input
        key={name}
        type="hidden"
        name={originalVersionName(name)}
        value={version}
        data-typed={typedFor(form, name, version)}
      />
    ))}
  </>
);

/**
 * Returns the sent version of a field. Undefined without a refusal, or if the sent version equals `version`.
 */
function typedFor(form: Filled | undefined, name: string, version: string): string | undefined {
  const sent = form?.refusal && form.value(originalVersionName(name));
  return sent === "" || sent === version ? undefined : sent;
}

/** The values of a form, by the names of its fields. */
export type Values = Readonly<Record<string, string>>;

/** Returns the name of the hidden field that contains the version of a field. */
export const originalVersionName = (name: string): string => `was-${name}`;

/** Returns the version of a field's value, which is a hash. All kinds of line breaks count as equal. */
export const fieldVersion = (value: string): string => versionOf(withLineFeeds(value));

/** Returns the values that a form has sent for these fields. */
export const givenFor = (fields: Fields, names: Values): Values =>
  Object.fromEntries(Object.keys(names).map((name) => [name, fields.text(name)]));

/**
 * Returns the changed values of `given`, and `implied`. Throws `bad_request` for fields that another person has
 * also changed.
 */
export function changedValues(fields: Fields, given: Values, current: Values, implied: Values = {}): Values {
  // A save of an unchanged value could undo another person's change.
  const typed = Object.entries(given).filter(
    ([name, value]) => fieldVersion(value) !== fields.text(originalVersionName(name)),
  );
  const changed = Object.entries({ ...Object.fromEntries(typed), ...implied });
  const issues = changed
    .filter(([name, value]) =>
      isChangedElsewhere(fields, name, { current: current[name] ?? "", given: value }),
    )
    .map(([path]): Conflict => ({ path, message, saved: current[path] ?? "" }));
  if (issues.length > 0) throw new ApiError("bad_request", { issues });
  return Object.fromEntries(changed);
}

/** The fault of a field that another person has also changed. `saved` is the stored value, which the page shows. */
interface Conflict extends Issue {
  readonly saved: string;
}

const message =
  "was changed by somebody else since you opened this page. Compare yours with the saved text below. To replace the saved text with yours, save again";

/** Returns the stored value of a field if another person has also changed the field; otherwise undefined. */
export function savedAt({ refusal }: Pick<Filled, "refusal">, name: string): string | undefined {
  const issue = refusal?.details.issues?.find(({ path }) => path === name);
  return issue && "saved" in issue && typeof issue.saved === "string" ? issue.saved : undefined;
}

const isChangedElsewhere = (
  fields: Fields,
  name: string,
  { current, given }: { readonly current: string; readonly given: string },
): boolean =>
  fieldVersion(current) !== fields.text(originalVersionName(name)) && withLineFeeds(current) !== given.trim();

/** Returns the state of a form that shows these values and was not sent yet. */
export const filledWith = (values: Readonly<Record<string, string>> = {}): Filled => ({
  value: (name) => values[name] ?? "",
});

/** Returns the state of a form that shows its sent values again. The values are not saved yet. */
export const filledWithSent = (fields: Pick<Fields, "text">): Filled => ({ value: fields.text, sent: true });

/** Returns the state of a form that was refused. The form shows the sent values and the refusal. (rule O19) */
export const filledAgain = (fields: Fields, refusal: ApiError): Filled => ({
  value: fields.text,
  refusal,
  sent: true,
});

/** Returns a short hash that identifies a version of a value. */
export const versionOf = (value: unknown): string =>
  createHash("sha256").update(JSON.stringify(value)).digest("base64url").slice(0, 16);

/** The fields of a sent form. Each line break is a single line feed, as in all stored texts. */
export interface Fields {
  /** Returns the value of a field; empty if the field was not sent. */
  text(name: string): string;
  /** Returns the values of all fields with this name. */
  all(name: string): string[];
  has(name: string): boolean;
  /** Returns all fields, in the order of the page. */
  entries(): [name: string, value: string][];
  /** The hidden field `once`. A form that is sent twice with the same value acts only once. */
  readonly idempotencyKey: string | undefined;
}

/** The maximum size of a form in bytes. The longest release note fits, even with all characters escaped. */
const mostBytes = 2 * 1_048_576;

/** The maximum number of fields of a form. A form with a list of FAQ entries has the most fields. */
const mostFields = 50_000;

/**
 * Reads a sent form. Throws `unsupported_media_type`. Throws `payload_too_large` above 2 MiB or 50,000 fields;
 * without a sign-in, above 32 KiB.
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
  const sent = new URLSearchParams(bytes.toString("latin1"));
  if (sent.size > mostFields) throw new ApiError("payload_too_large");
  return fieldsOf(sent);
}

export function fieldsOf(sent: URLSearchParams): Fields {
  const entries = [...sent].map(([name, value]): [string, string] => [name, withLineFeeds(value)]);
  const values = new Map<string, string[]>();
  for (const [name, value] of entries) {
    const known = values.get(name);
    if (known) known.push(value);
    else values.set(name, [value]);
  }
  const key = values.get("once")?.[0] ?? "";
  return {
    all: (name) => values.get(name) ?? [],
    text: (name) => values.get(name)?.[0] ?? "",
    has: (name) => values.has(name),
    entries: () => entries,
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

/** A group of radio buttons. Each option has a hint. */
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
  /** A prefix that makes the ids unique if a page has several groups with the same name. */
  readonly part?: string;
}) => {
  const fault = faultAt(form, name);
  const saved = savedAt(form, name);
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
      {saved !== undefined && (
        <SavedText label={legend} text={options.find(({ value }) => value === saved)?.label ?? saved} />
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

/** The values of a form, and the refusal if the form was sent and refused. */
export interface Filled {
  value(name: string): string;
  readonly refusal?: ApiError | undefined;
  /** Whether the values come from the sent form, not from the database. */
  readonly sent?: boolean;
  /** Whether a field of a sent form shows the stored value, because the person did not change it. */
  isStored?(name: string): boolean;
}

interface FieldProps {
  readonly form: Filled;
  /** The name of the field. In a refusal, the issues with this name as `path` belong to the field. */
  readonly name: string;
  readonly label: string;
  readonly hint?: ComponentChildren;
  /** Whether the label is for screen readers only. */
  readonly unlabelled?: boolean;
  /** A prefix that makes the ids unique if two fields on a page have the same name. */
  readonly part?: string;
  /** The language of the text, if it is not the language of the page. */
  readonly language?: { readonly lang: string; readonly dir: "ltr" | "rtl" } | undefined;
  /**
   * Whether drafts of this field are not stored. Drafts of other fields with the same name may be stored.
   * (rule O18)
   */
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
  language,
  unkept = false,
  savedText = (saved) => saved,
  ...traits
}: FieldProps &
  InputTraits & {
    /** Converts a stored value to the text that the person reads, such as a local time. */
    readonly savedText?: (saved: string) => string;
  }) => {
  const ids = fieldIds({ form, name, hint, part });
  const saved = savedAt(form, name);
  return (
    <Labelled
      ids={ids}
      {...{ name, label, hint, unlabelled }}
      fault={faultAt(form, name)}
      saved={saved === undefined ? undefined : savedText(saved)}
    >
      <input
        type="text"
        {...traits}
        {...language}
        {...ids.control}
        {...(unkept ? {} : draftTraits(name, isUnsaved(form, name)))}
        name={name}
        value={form.value(name)}
      />
    </Labelled>
  );
};

/** Whether a field shows a value that was sent and not saved. */
const isUnsaved = (form: Filled, name: string): boolean | undefined =>
  form.sent && form.isStored?.(name) !== true;

/** The field for the name of the person. The field can stay empty. (rule K33) */
export const NameField = ({ form, hint, unkept = false }: Pick<FieldProps, "form" | "hint" | "unkept">) => (
  <TextField
    form={form}
    name="name"
    label="Your name (optional)"
    hint={hint}
    autocomplete="name"
    maxLength={limits.memberName}
    unkept={unkept}
  />
);

export const TextArea = ({
  form,
  size,
  required,
  placeholder,
  language,
  unkept = false,
  focusesFault = false,
  ...rest
}: FieldProps & {
  readonly size?: "line" | "short" | "tall" | undefined;
  readonly required?: boolean;
  readonly placeholder?: string;
  /** Whether a field with a fault gets the focus when the page opens. */
  readonly focusesFault?: boolean;
}) => {
  const ids = fieldIds({ form, ...rest });
  const fault = faultAt(form, rest.name);
  return (
    <Labelled ids={ids} {...rest} fault={fault} saved={savedAt(form, rest.name)}>
      <textarea
        {...ids.control}
        {...(unkept ? {} : draftTraits(rest.name, isUnsaved(form, rest.name)))}
        {...{ required, placeholder }}
        {...language}
        autofocus={focusesFault && fault !== undefined}
        class={size}
        name={rest.name}
      >
        {/* A line break is added, because the HTML parser removes the first line break of a text area. */}
        {`\n${form.value(rest.name)}`}
      </textarea>
    </Labelled>
  );
};

/** Returns the attributes of a field for the script that stores drafts. See `DraftField`. */
const draftTraits = (name: string, sent: boolean | undefined) => {
  const field = draftFieldOf(name);
  return field
    ? {
        "data-draft": field.most,
        // Whether the value was sent but not saved.
        "data-unsaved": sent || undefined,
        "data-answers": field.answers,
        "data-choice": field.choice,
        "data-adds": field.adds,
      }
    : {};
};

export const Select = ({
  form,
  options,
  ownZone,
  unchosen,
  ...rest
}: FieldProps & {
  readonly options: readonly (readonly [value: string, label: string])[];
  /** Whether a script in the browser selects the browser's time zone. */
  readonly ownZone?: boolean;
  /**
   * An option that nobody can select. The control shows this option until the person selects another option.
   */
  readonly unchosen?: readonly [value: string, label: string];
}) => {
  const ids = fieldIds({ form, ...rest });
  const chosen = form.value(rest.name);
  const saved = savedAt(form, rest.name);
  const savedLabel = options.find(([value]) => value === saved)?.[1] ?? saved;
  return (
    <Labelled ids={ids} {...rest} fault={faultAt(form, rest.name)} saved={savedLabel}>
      <select {...ids.control} name={rest.name} data-own-zone={ownZone || undefined}>
        {unchosen && (
          <option value={unchosen[0]} selected={unchosen[0] === chosen} hidden data-unchosen>
            {unchosen[1]}
          </option>
        )}
        {options.map(([value, label]) => (
          <option key={value} value={value} selected={value === chosen}>
            {label}
          </option>
        ))}
      </select>
    </Labelled>
  );
};

/** Returns the fault of a field or its nested values. The label and the fault form one sentence. */
export const faultAt = ({ refusal }: Pick<Filled, "refusal">, name: string): string | undefined =>
  refusal?.details.issues?.find(({ path }) => path === name || path.startsWith(`${name}.`))?.message;

/** A control with its label, its hint and its fault. */
const Labelled = ({
  ids,
  label,
  hint,
  unlabelled,
  fault,
  saved,
  children,
}: Omit<FieldProps, "form"> & {
  readonly ids: ReturnType<typeof fieldIds>;
  readonly fault: string | undefined;
  /** The stored value, if another person has also changed it. */
  readonly saved: string | undefined;
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
    {saved !== undefined && <SavedText label={label} text={saved} />}
  </div>
);

/** The stored value of a field that another person has also changed. */
export const SavedText = ({ label, text }: { readonly label: string; readonly text: string }) => (
  <details class="reveal" open>
    <summary>
      Saved text<span class="unseen">{` of ${label}`}</span>
    </summary>
    {text === "" ? (
      <p>The field is empty.</p>
    ) : (
      <textarea class="short" readOnly aria-label={`Saved text of ${label}`}>
        {`\n${text}`}
      </textarea>
    )}
  </details>
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

/** A button that first shows the effects of its action. A second button confirms the action. */
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
  /** Whether the button has the normal size, as on pages with one object. In lists it is small. */
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

export const HiddenFields = ({ values }: { readonly values: readonly (readonly [string, string])[] }) => (
  <>
    {values.map(([name, value]) => (
      <input key={`${name} ${value}`} type="hidden" name={name} value={value} />
    ))}
  </>
);

/** A hidden field with a unique value. If the form is sent twice, its action is done only once. */
export const IdempotencyField = () => <input type="hidden" name="once" value={randomUUID()} />;

/**
 * Returns the attribute `data-passkey` with a request to an authenticator. A script reads the attribute.
 * Returns no attribute for null.
 */
export const passkeyAttribute = (asked: PasskeyRequest | PasskeyCreation | null) =>
  asked === null ? {} : { "data-passkey": JSON.stringify(asked) };

/**
 * The field for the answer of an authenticator, and the button that asks the authenticator. A script shows the
 * button.
 */
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
      The device returned no passkey. Try again, or use another method.
    </p>
  </>
);

/**
 * Parses the answer of the authenticator from the field `passkey`. Returns undefined if the answer is not a
 * JSON object.
 */
export function passkeyIn(sent: string): object | undefined {
  try {
    const answer: unknown = JSON.parse(sent);
    return typeof answer === "object" && answer !== null ? answer : undefined;
  } catch {
    return undefined;
  }
}

/** A field in which a person types text. */
interface DraftField {
  /** The name of the field on pages without the form. */
  readonly label: string;
  /** The maximum number of code points. */
  readonly most: number;
  /** Whether the text is an answer in a thread. Other members see who is writing an answer. (rule F36) */
  readonly answers?: boolean;
  /**
   * The name of the control that belongs to the text, such as `replyReceiver`. A choice is stored only with a
   * text. (rule O17)
   */
  readonly choice?: string;
  /** Whether the field adds something to an object. Such a field is empty after its text was saved. */
  readonly adds?: boolean;
}

/** The value of the field `replyReceiver` for a reply to everyone. */
export const everyone = "everyone";

/** The value of the field `replyReceiver` while the person must still choose a receiver. (rule M10) */
export const unchosen = "unchosen";

/** The limit of a draft for a number or date. It is high, because people may type any text. */
const short = 100;

/** The fields whose drafts are stored, by name. Never add a password, a code or a secret. (rule O18) */
const single: Readonly<Record<string, DraftField>> = {
  note: { label: "Note to the agent", most: limits.decisionNote, answers: true },
  noteBody: { label: "Internal note", most: limits.message, answers: true },
  replyBody: { label: "Reply", most: limits.message, answers: true, choice: "replyReceiver" },
  subject: { label: "Subject", most: limits.subject },
  addTags: { label: "Add tags", most: limits.threadTags * (limits.tagName + 2), adds: true },
  githubIssueUrl: { label: "Linked issue", most: limits.url },
  question: { label: "Question", most: limits.question },
  answer: { label: "Answer", most: limits.answer },
  sortOrder: { label: "Sort number", most: short },
  title: { label: "Title", most: limits.changelogTitle },
  version: { label: "Version", most: limits.version },
  body: { label: "Text", most: limits.changelogBody },
  fixes: { label: "Fixes threads", most: limits.changelogFeedback * 40 },
  publishedAt: { label: "Publication time", most: short },
  name: { label: "Name", most: limits.appName },
  githubRepository: { label: "GitHub repository", most: limits.url },
  approvalHours: { label: "Approvals expire after (hours)", most: short },
  retentionDays: { label: "Delete resolved threads after (days)", most: short },
  appName: { label: "Name of the app", most: limits.appName },
  packageName: { label: "Package name", most: limits.packageName },
  optInUrl: { label: "Opt-in address", most: limits.url },
  iconUrl: { label: "Icon address", most: limits.url },
  testBrief: { label: "What to test", most: limits.testBrief },
  screens: { label: "Screens", most: limits.listingScreens * (limits.screenName + 1) },
  seats: { label: "Slots", most: short },
  durationDays: { label: "Days", most: short },
  maxMissedDays: { label: "Missed days", most: short },
  startsOn: { label: "First day", most: short },
  email: { label: "E-mail", most: limits.email },
  label: { label: "Label", most: limits.label },
};

/** The fields that a form can contain several times, such as one for each language. */
const several: readonly (readonly [RegExp, DraftField])[] = [
  [/^recallNote:[\w-]+$/, { label: "Why you recall it", most: limits.decisionNote, answers: true }],
  [/^items\.\d+\.text$/, { label: "Change", most: limits.changelogItem }],
  [/^translations\.[\w-]{2,35}\.question$/, { label: "Question", most: limits.question }],
  [/^translations\.[\w-]{2,35}\.answer$/, { label: "Answer", most: limits.answer }],
  [/^translations\.[\w-]{2,35}\.title$/, { label: "Title", most: limits.changelogTitle }],
  [/^translations\.[\w-]{2,35}\.body$/, { label: "Text", most: limits.changelogBody }],
  [/^translations\.[\w-]{2,35}\.items\.\d+\.text$/, { label: "Change", most: limits.changelogItem }],
  [/^versions\.\d+\.platform$/, { label: "Platform", most: limits.platform }],
  [/^versions\.\d+\.version$/, { label: "Version on a platform", most: limits.version }],
];

/** Returns the field with this name; undefined if drafts of this field are not stored. */
export const draftFieldOf = (name: string): DraftField | undefined =>
  Object.hasOwn(single, name) ? single[name] : several.find(([pattern]) => pattern.test(name))?.[1];

/** The kinds of objects to which a form can belong. */
export type ObjectKind = "thread" | "faq" | "note" | "cycle" | "listing";

/** The object to which a form belongs. */
export interface FormObject {
  readonly kind: ObjectKind;
  readonly appId: string;
  readonly id: string;
}
