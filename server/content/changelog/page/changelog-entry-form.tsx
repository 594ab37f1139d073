import { itemTypes } from "../../../../src/contract/changelog.ts";
import type { Values } from "../../../console/changed-values.ts";
import { Choices } from "../../../console/choices.tsx";
import type { Fields } from "../../../console/form-values.tsx";
import { type Filled, Select, TextArea, TextField } from "../../../console/forms.tsx";
import { IdempotencyField } from "../../../console/idempotency-field.tsx";
import { OriginalValues } from "../../../console/original-values.tsx";
import { Refused } from "../../../console/parts.tsx";
import { countOf } from "./changelog-entry-values.ts";

export interface ChangelogEntryFormProps {
  readonly form: Filled;
  readonly action: string;
  /** The sent fields. They say how many rows the form had. */
  readonly fields: Fields;
  /** The values of the stored entry; undefined for a new one. */
  readonly current?: Values | undefined;
  readonly published: boolean;
  /** The address of the release note that has the version already. */
  readonly existing?: string | undefined;
  /** Whether to add more empty rows. */
  readonly more?: boolean | undefined;
}

export const ChangelogEntryForm = (props: ChangelogEntryFormProps) => {
  const { form, action, current, published, existing } = props;
  return (
    <form class="card stack editor" method="post" action={action} data-guards>
      <Refused refusal={form.refusal} />
      {existing !== undefined && (
        <p>
          <a href={existing}>Open the release note of this version</a>
        </p>
      )}
      <IdempotencyField />
      {current && <OriginalValues current={current} />}
      <TextField form={form} name="title" label="Title" required />
      <div class="columns">
        <TextField form={form} name="version" label="Version" placeholder="1.4.0" required />
        <Select form={form} name="releaseType" label="Kind of release" options={releaseTypes} />
      </div>
      <Choices form={form} name="bodyFormat" legend="What changed" options={bodyFormats} />
      <div class="as-text" data-shown-by="bodyFormat=markdown">
        <TextArea
          form={form}
          name="body"
          label="Text"
          size="tall"
          hint="Markdown. HTML is shown as it is typed."
        />
      </div>
      <Items {...props} />
      <Versions {...props} />
      <div class="brief">
        <TextField
          form={form}
          name="publishedAt"
          label="Publication time (UTC)"
          type="datetime-local"
          hint="In UTC, as in the list. Leave it empty for a draft. A note with a future time is hidden until then."
        />
      </div>
      <div class="actions">
        <button class={published ? "primary" : undefined} type="submit" name="intent" value="save">
          {published ? "Save" : "Save draft"}
        </button>
        {!published && (
          <button class="primary" type="submit" name="intent" value="publish">
            Publish now
          </button>
        )}
        <button class="quiet" type="submit" name="intent" value="preview" formnovalidate>
          Preview
        </button>
        <button class="quiet" type="submit" name="intent" value="more" formnovalidate>
          More lines
        </button>
      </div>
    </form>
  );
};

const releaseTypes = [
  ["major", "Major"],
  ["minor", "Minor"],
  ["patch", "Patch"],
] as const;

const bodyFormats = [
  { value: "markdown", label: "Text", hint: "Written in Markdown" },
  { value: "items", label: "List of changes", hint: "One line for each, by kind" },
] as const;

const Items = (props: ChangelogEntryFormProps) => (
  <fieldset class="as-list stack tight" data-shown-by="bodyFormat=items">
    <legend>Changes</legend>
    <RowCount list="items" {...props} />
    {rowNumbers(props, "items", 5).map((at) => (
      <div class="pair" key={at}>
        <Select
          form={props.form}
          name={`items.${at}.type`}
          label={`Kind of change ${at + 1}`}
          options={itemTypes.map((type) => [type, type[0]?.toUpperCase() + type.slice(1)])}
          unlabelled
        />
        <TextArea
          form={props.form}
          name={`items.${at}.text`}
          label={`Change ${at + 1}`}
          size="line"
          unlabelled
        />
      </div>
    ))}
  </fieldset>
);

const Versions = (props: ChangelogEntryFormProps) => (
  <fieldset class="stack tight">
    <legend>Versions by platform</legend>
    <p class="hint">For platforms with their own version, such as Android 1.4.1.</p>
    <RowCount list="versions" {...props} />
    {rowNumbers(props, "versions", 2).map((at) => (
      <div class="pair" key={at}>
        <TextField
          form={props.form}
          name={`versions.${at}.platform`}
          label={`Platform ${at + 1}`}
          placeholder="Platform"
          unlabelled
        />
        <TextField
          form={props.form}
          name={`versions.${at}.version`}
          label={`Version on platform ${at + 1}`}
          placeholder="Version"
          unlabelled
        />
      </div>
    ))}
  </fieldset>
);

type ListProps = ChangelogEntryFormProps & { readonly list: "items" | "versions" };

const RowCount = ({ list, ...props }: ListProps) => (
  <input type="hidden" name={`${list}-rows`} value={rowNumbers(props, list, spare[list]).length} />
);

const spare = { items: 5, versions: 2 } as const;

/** The rows of a list in the form: those that were sent, or those of the entry and some empty ones. */
function rowNumbers(
  { fields, current, more }: ChangelogEntryFormProps,
  list: "items" | "versions",
  free: number,
): number[] {
  const sent = Math.min(500, Number(fields.text(`${list}-rows`)) || 0);
  const known = sent > 0 ? sent : (current ? countOf(current, list) : 0) + free;
  return Array.from({ length: known + (more ? free : 0) }, (_, at) => at);
}
