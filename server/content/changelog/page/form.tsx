import type { ComponentChildren } from "preact";
import { type EditedChangelogEntry, itemTypes } from "../../../../src/contract/changelog.ts";
import {
  Choices,
  type Fields,
  type Filled,
  IdempotencyField,
  OriginalVersions,
  originalVersions,
  Select,
  sentVersions,
  TextArea,
  TextField,
  type Values,
} from "../../../console/forms.tsx";
import { Refused } from "../../../console/parts.tsx";
import { MarkdownField } from "../../texts/parts.tsx";
import { countOfSenders, type Fixes } from "./fixes.tsx";
import { countOf, type List, publishedVersion } from "./values.ts";

/**
 * The time zone of the field for the publication time. If the zone is only a guess, the script uses the zone of the
 * browser.
 */
export interface FieldZone {
  readonly name: string;
  readonly guessed: boolean;
}

export interface ChangelogEntryFormProps {
  readonly form: Filled;
  readonly action: string;
  /** The fields of the sent form. They include the number of rows. */
  readonly fields: Fields;
  /** The values of the stored entry; undefined for a new one. */
  readonly current?: Values | undefined;
  readonly published: boolean;
  /** The stored entry; undefined for a new one. */
  readonly entry?: EditedChangelogEntry | undefined;
  /** The address of another release note with the same version. */
  readonly existing?: string | undefined;
  /** The list to which empty rows are added. */
  readonly more?: List | undefined;
  /** The threads that the note names. */
  readonly fixes: Fixes;
  /** The field that names the threads. */
  readonly field: ComponentChildren;
  readonly zone: FieldZone;
}

export const ChangelogEntryForm = (props: ChangelogEntryFormProps) => {
  const { form, action, current, published, existing, entry } = props;
  return (
    <form class="card stack editor" method="post" action={action} data-guards data-previews>
      <Refused refusal={form.refusal} />
      {existing !== undefined && (
        <p>
          <a href={existing}>Open the release note of this version</a>
        </p>
      )}
      <IdempotencyField />
      {current && (
        <OriginalVersions
          versions={
            form.sent && !form.refusal ? sentVersions(props.fields, current) : originalVersions(current)
          }
        />
      )}
      <TextField form={form} name="title" label="Title" required />
      <div class="columns">
        <TextField form={form} name="version" label="Version" placeholder="1.4.0" required />
        <Select form={form} name="releaseType" label="Kind of release" options={releaseTypes} />
      </div>
      <Choices form={form} name="bodyFormat" legend="What changed" options={bodyFormats} />
      <div class="as-text" data-shown-by="bodyFormat=markdown">
        <MarkdownField form={form} name="body" label="Text" pictures={`${action}/pictures`} />
      </div>
      <Items {...props} />
      <Versions {...props} />
      {props.field}
      {entry && <input type="hidden" name="was-published" value={publishedVersion(entry)} />}
      <div class="brief" hidden={Boolean(entry?.draft)}>
        <input
          type="hidden"
          name="zone"
          value={props.zone.name}
          data-guessed={props.zone.guessed || undefined}
        />
        <TextField
          form={form}
          name="publishedAt"
          label={`Publication time (${props.zone.name})`}
          type="datetime-local"
          hint="Leave it empty for a draft. A note with a future time is hidden until then."
        />
      </div>
      <div class="actions">
        {!entry?.draft && (
          <button class={published ? "primary" : undefined} type="submit" name="intent" value="save">
            {published ? "Save" : "Save draft"}
          </button>
        )}
        {(!published || entry?.draft) && (
          <button id="publish" class="primary" type="submit" name="intent" value="publish" data-refreshed>
            {published ? "Publish" : publishWords(props.fixes)}
          </button>
        )}
        {published && (
          <button type="submit" name="intent" value="draft">
            {entry?.draft ? "Save the draft" : "Save as a draft"}
          </button>
        )}
        <button class="quiet" type="submit" name="intent" value="preview" formnovalidate>
          Preview
        </button>
      </div>
    </form>
  );
};

const publishWords = ({ notified }: Fixes): string =>
  notified.length === 0 ? "Publish now" : `Publish and notify ${countOfSenders(notified.length)}`;

const releaseTypes = [
  ["major", "Major"],
  ["minor", "Minor"],
  ["patch", "Patch"],
] as const;

const bodyFormats = [
  { value: "markdown", label: "Text", hint: "Written in Markdown" },
  { value: "items", label: "List of changes", hint: "One line for each change, by kind" },
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
    <AddLine list="items" />
  </fieldset>
);

const Versions = (props: ChangelogEntryFormProps) => (
  <fieldset class="stack tight">
    <legend>Versions by platform</legend>
    <p class="hint">For platforms with a separate version, such as Android 1.4.1.</p>
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
    <AddLine list="versions" />
  </fieldset>
);

/** A button that adds a line to a list. The script adds it without loading the page. */
const AddLine = ({ list }: { readonly list: List }) => (
  <div>
    <button
      class="quiet small"
      type="submit"
      name="intent"
      value={`more-${list}`}
      formnovalidate
      data-adds-line={list}
    >
      Add a line
    </button>
  </div>
);

const RowCount = ({ list, ...props }: ChangelogEntryFormProps & { readonly list: "items" | "versions" }) => (
  <input type="hidden" name={`${list}-rows`} value={rowNumbers(props, list, spare[list]).length} />
);

const spare = { items: 5, versions: 2 } as const;

/**
 * Returns the numbers of a list's rows. A sent form is shown with as many rows as it had. Otherwise there are the rows
 * of the entry and some empty rows.
 */
function rowNumbers(
  { fields, current, more }: ChangelogEntryFormProps,
  list: "items" | "versions",
  free: number,
): number[] {
  const sent = Math.min(500, Number(fields.text(`${list}-rows`)) || 0);
  const count = sent > 0 ? sent : (current ? countOf(current, list) : 0) + free;
  return Array.from({ length: count + (more === list ? free : 0) }, (_, at) => at);
}
