import type { ComponentChildren } from "preact";
import { apps } from "../../../../src/contract/apps.ts";
import {
  type EditedChangelogEntry,
  itemTypes,
  type ReleaseContent,
} from "../../../../src/contract/changelog.ts";
import {
  feedbackIdsIn,
  idsInFeedbackLines,
  withFeedbackLine,
  withoutFeedbackLines,
} from "../../../../src/contract/content-text.ts";
import { ApiError } from "../../../../src/contract/errors.ts";
import { limits } from "../../../../src/contract/limits.ts";
import { countOf } from "../../../../src/words/phrases.ts";
import { oneLine } from "../../../../src/words/visible.ts";
import type { SignedInVisit } from "../../../console/definitions.ts";
import {
  Choices,
  type Fields,
  type Filled,
  faultAt,
  IdempotencyField,
  OriginalValues,
  SavedText,
  Select,
  savedAt,
  TextArea,
  TextField,
  type Values,
  versionOf,
} from "../../../console/forms.tsx";
import type { Links } from "../../../console/links.ts";
import type { NamedThread } from "../../../console/page-reads.ts";
import { Line, Refused } from "../../../console/parts.tsx";
import { fieldTime } from "../../../console/times.tsx";
import { StatusBadge } from "../../../feedback/threads/badges.tsx";
import { type ReachCounts, reachInWords } from "../../../mail/outgoing/rules.ts";
import { EnterButton, MarkdownField, Preview, Rendered, type TextLanguage } from "../../texts/parts.tsx";
import { localOf, maskedAddress, typedThreads, utcOf } from "../rules.ts";

/** The time zone of the publication time. If `guessed`, the page's script uses the browser's time zone instead. */
export interface FieldZone {
  readonly name: string;
  readonly guessed: boolean;
}

export interface ChangelogEntryFormProps {
  readonly form: Filled;
  readonly action: string;
  /** The fields of the sent form. The fields `items-rows` and `versions-rows` contain the numbers of rows. */
  readonly fields: Fields;
  /** The values of the stored entry; undefined for a new entry. */
  readonly current?: Values | undefined;
  /** Whether the note has a publication time. */
  readonly published: boolean;
  /** Whether the publication time is in the future. */
  readonly scheduled: boolean;
  /** The stored entry; undefined for a new entry. */
  readonly entry?: EditedChangelogEntry | undefined;
  /** The address of the release note that already has the version in the form. */
  readonly existing?: string | undefined;
  /** The list to which empty rows are added. */
  readonly more?: List | undefined;
  readonly fixes: Fixes;
  /** The form field into which a person types the threads. */
  readonly field: ComponentChildren;
  readonly zone: FieldZone;
}

export const ChangelogEntryForm = (props: ChangelogEntryFormProps) => {
  const { form, action, current, published, scheduled, existing, entry } = props;
  return (
    <form class="card stack editor" method="post" action={action} data-guards data-previews>
      <EnterButton intent={published ? "draft" : "save"} />
      <Refused refusal={form.refusal} />
      {existing !== undefined && (
        <p>
          <a href={existing}>Open the release note of this version</a>
        </p>
      )}
      <IdempotencyField />
      {current && <OriginalValues current={current} form={form} />}
      <TextField form={form} name="title" label="Title" required />
      <div class="columns">
        <TextField form={form} name="version" label="Version" placeholder="1.4.0" required />
        <Select form={form} name="releaseType" label="Kind of release" options={releaseTypes} />
      </div>
      <Choices form={form} name="bodyFormat" legend="What changed" options={bodyFormats} />
      <div {...partOf(form, "body")}>
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
          savedText={(saved) => localOf(saved, props.zone.name).replace("T", " ")}
          hint="Leave it empty for a draft. If you save the note with a future time, it is published at that time. To use a past time, enter the time and publish the note."
        />
      </div>
      <div class="actions">
        {!entry?.draft && (
          <button
            class={published ? "primary" : undefined}
            type="submit"
            name="intent"
            value="save"
            data-scheduled={published ? undefined : "Schedule"}
          >
            {published ? "Save" : "Save draft"}
          </button>
        )}
        {(!published || scheduled || entry?.draft) && (
          <button
            id="publish"
            class={published && !entry?.draft ? undefined : "primary"}
            type="submit"
            name="intent"
            value="publish"
            data-refreshed
          >
            {published && !scheduled ? "Publish" : publishWords(props.fixes)}
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

/**
 * The attributes of two parts of the form, one for each format. Only the part of the chosen format is visible.
 */
const formParts = {
  body: { class: "stack as-text", "data-shown-by": "bodyFormat=markdown" },
  items: { class: "as-list", "data-shown-by": "bodyFormat=items" },
} as const;

/**
 * Returns the attributes of a part of the form. A part that shows another person's change is always visible.
 */
const partOf = (form: Filled, name: keyof typeof formParts) =>
  savedAt(form, name) === undefined ? formParts[name] : {};

const Items = (props: ChangelogEntryFormProps) => (
  <div {...partOf(props.form, "items")}>
    <fieldset class="stack tight">
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
      <ListConflict list="items" label="The list of changes" form={props.form} />
    </fieldset>
  </div>
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
    <ListConflict list="versions" label="The list of versions" form={props.form} />
  </fieldset>
);

/** Shows that another person has also changed a list, and shows the stored list. */
const ListConflict = ({
  list,
  label,
  form,
}: {
  readonly list: List;
  readonly label: string;
  readonly form: Filled;
}) => {
  const saved = savedAt(form, list);
  if (saved === undefined) return null;
  const lines = listOf(saved).map((row) => parts[list].map((part) => row[part] ?? "").join(": "));
  return (
    <>
      <p class="fault">
        {label} {faultAt(form, list)}.
      </p>
      <SavedText label={label} text={lines.join("\n")} />
    </>
  );
};

/** A button that adds a line to a list. If the page's script runs, the page is not loaded again. */
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

/** Returns the row numbers of a list, from 0. An unsent form gets `free` rows after the stored rows. */
function rowNumbers(
  { fields, current, more }: ChangelogEntryFormProps,
  list: "items" | "versions",
  free: number,
): number[] {
  const sent = Math.min(500, Number(fields.text(`${list}-rows`)) || 0);
  const stored = current ? rowCount(current, list) : 0;
  const count = sent > 0 ? Math.max(sent, stored) : stored + free;
  // `more` is the list to which the person adds rows.
  return Array.from({ length: count + (more === list ? free : 0) }, (_, at) => at);
}

/** The threads that are named in a release note, and the addresses that get a mail about the note. */
export interface Fixes {
  readonly threads: readonly NamedThread[];
  /** The addresses that get a mail when the note is published. For a published note, the list is empty. */
  readonly notified: readonly string[];
  /** How many senders get a mail, and why others do not. */
  readonly reach: ReachCounts;
}

/** Returns the id of the app in the path. Throws `not_found` if the person is not a member. */
const appIdOf = async ({ ask, param }: SignedInVisit): Promise<string> =>
  (await ask(apps.read, { params: { appId: param("appId") } })).id;

/**
 * Returns the values for the form. The threads in the `Feedback:` lines of the text move to the field `fixes`.
 * (rule C32)
 */
export async function withFixes(visit: SignedInVisit, values: Values): Promise<Values> {
  const { body = "" } = values;
  const ids = idsInFeedbackLines(body);
  const threads = await visit.reads.threadsNamed(await appIdOf(visit), { ids, numbers: [] });
  const byId = new Map(threads.map((thread) => [thread.id, thread]));
  return {
    ...values,
    body: withoutFeedbackLines(body),
    fixes: ids.map((id) => nameOf(byId.get(id) ?? { id, number: null })).join(", "),
  };
}

/** Returns the name of a thread in the form, such as `#12`; without a number, its id. */
const nameOf = ({ id, number }: Pick<NamedThread, "id" | "number">): string =>
  number === null ? id : `#${number}`;

const tooManyThreads = `must name at most ${limits.changelogFeedback} threads`;

/**
 * Returns the text with a `Feedback:` line for `fixes`. Throws `bad_request` for unknown or too many threads.
 * (rule C32)
 */
export async function bodyWithFixes(
  visit: SignedInVisit,
  { body = "", fixes = "" }: Values,
): Promise<string> {
  const { ids, numbers, unknown } = typedThreads(fixes);
  if (numbers.length > limits.changelogFeedback) throw refused(tooManyThreads);
  const threads = await visit.reads.threadsNamed(await appIdOf(visit), { ids: [], numbers });
  const byNumber = new Map(threads.map(({ number, id }) => [number, id]));
  const missing = [
    ...unknown.map((word) => `“${oneLine(word, 40)}”`),
    ...numbers.filter((number) => !byNumber.has(number)).map((number) => `#${number}`),
  ];
  if (missing.length > 0)
    throw refused(`has ${missing.slice(0, 5).join(", ")}, which names no thread of this app`);
  // Ids are not checked: the stored text may contain ids of deleted threads.
  const named = [...new Set([...ids, ...numbers.flatMap((number) => byNumber.get(number) ?? [])])];
  if (named.length > limits.changelogFeedback) throw refused(tooManyThreads);
  const typed = idsInFeedbackLines(body);
  return withFeedbackLine(body, [...new Set([...named, ...typed])]);
}

const refused = (message: string): ApiError =>
  new ApiError("bad_request", { issues: [{ path: "fixes", message }] });

/** Returns `given`. If `current` names the same threads, uses the text of `current`, such as `#12`. */
export async function withStoredFixes(visit: SignedInVisit, given: Values, current: Values): Promise<Values> {
  if (given.fixes === current.fixes && given.body === current.body) return given;
  const [body, line] = [
    await bodyOrNothing(visit, given),
    await bodyOrNothing(visit, { fixes: given.fixes ?? "" }),
  ];
  if (body === undefined || line === undefined) return given;
  const saved = await withFixes(visit, { body });
  if (saved.body === current.body && saved.fixes === current.fixes) return { ...given, ...saved };
  const { fixes = "" } = await withFixes(visit, { body: line });
  return fixes === current.fixes ? { ...given, fixes } : given;
}

/** The same as `bodyWithFixes`, but returns undefined where `bodyWithFixes` throws an `ApiError`. */
const bodyOrNothing = (visit: SignedInVisit, values: Values): Promise<string | undefined> =>
  bodyWithFixes(visit, values).catch((error: unknown) => {
    if (error instanceof ApiError) return undefined;
    throw error;
  });

/**
 * Returns the threads that `fixes`, `body` and `items` name, and the receivers of mails. Ignores words that
 * name no thread.
 */
export async function fixesOf(
  visit: SignedInVisit,
  { body = "", items = "", fixes = "", publishedAt }: Values,
  isOut: boolean,
): Promise<Fixes> {
  const { ids, numbers } = typedThreads(fixes);
  const named = [...new Set([...ids, ...feedbackIdsIn(`${body}\n${items}`)])].slice(
    0,
    limits.changelogFeedback,
  );
  const appId = await appIdOf(visit);
  const threads = await visit.reads.threadsNamed(appId, {
    ids: named,
    numbers: numbers.slice(0, limits.changelogFeedback),
  });
  const time = timeOf(publishedAt);
  const isPublishedNow = visit.fields.text("intent") === "publish" && time > visit.now.getTime();
  const { addresses, counts } = await visit.reads.reachOf({
    id: visit.param("entryId") || undefined,
    appId,
    threadIds: threads.map(({ id }) => id),
    publishedAt: isPublishedNow ? Number.NaN : time,
    isOut,
  });
  return { threads, notified: addresses, reach: counts };
}

/** Returns a hash of the receivers. The server refuses to publish if the receivers differ from those on the page. */
export const notifiedVersion = ({ notified }: Fixes): string =>
  notified.length === 0 ? "" : versionOf(notified);

export const countOfSenders = (count: number): string => countOf(count, "sender");

/** A field for threads and a list of the named threads. The page's script adds a search and remove buttons. */
export const FixesField = ({
  form,
  fixes,
  mails,
  links,
  appId,
}: {
  readonly form: Filled;
  readonly fixes: Fixes;
  readonly mails: ReleaseMails;
  readonly links: Links;
  readonly appId: string;
}) => (
  <div class="stack tight" data-picks-threads={links.search} data-app={links.thread(appId, "")}>
    <TextField
      form={form}
      name="fixes"
      label="Fixes threads"
      placeholder="#12, #31"
      autocomplete="off"
      hint={`Numbers of threads, separated by commas. ${mailsInWords(mails)} Apps do not see these numbers.`}
    />
    <div id="fixed-threads" data-refreshed>
      <input type="hidden" name="notified" value={notifiedVersion(fixes)} />
      <NamedThreads {...{ fixes, links, appId }} removable={typedIn(form, fixes)} />
      {!mails.isOut && <Notified fixes={fixes} />}
    </div>
  </div>
);

/** What decides whether senders get a mail about a release note. (rule M15) */
interface ReleaseMails {
  readonly sendsMail: boolean;
  readonly hasPages: boolean;
  /** Whether the note is already published. */
  readonly isOut: boolean;
}

function mailsInWords({ sendsMail, hasPages, isOut }: ReleaseMails): string {
  if (!sendsMail)
    return "This server sends no mail, so the senders of these threads get no mail about the note.";
  if (!hasPages)
    return "This app has no sender pages, so the senders of these threads get no mail about the note.";
  return isOut
    ? "The note is published, so senders of threads that you add get no mail."
    : "Senders who have answered a mail get one mail when the note is published.";
}

function typedIn(form: Filled, { threads }: Fixes): ReadonlySet<string> {
  const { ids, numbers } = typedThreads(form.value("fixes"));
  const isTyped = ({ id, number }: NamedThread) =>
    ids.includes(id) || (number !== null && numbers.includes(number));
  return new Set(threads.filter(isTyped).map(({ id }) => id));
}

export const NamedThreads = ({
  fixes: { threads },
  links,
  appId,
  removable = new Set(),
}: {
  /** The ids of the threads typed into the field. Only these threads have a remove button. */
  readonly removable?: ReadonlySet<string>;
  readonly fixes: Fixes;
  readonly links: Links;
  readonly appId: string;
}) =>
  threads.length === 0 ? null : (
    <ul class="list close named" aria-label="Threads">
      {threads.map(({ id, number, subject, status }) => (
        <li key={id} class="row spread">
          <span class="clip">
            {number !== null && <span class="number">{`#${number} `}</span>}
            <a href={links.thread(appId, id)}>
              <Line text={subject} />
            </a>
          </span>
          <span class="row">
            <StatusBadge status={status} />
            {removable.has(id) && (
              <button
                class="small plain"
                type="button"
                data-unnames={`${nameOf({ id, number })} ${id}`}
                aria-label={`Remove ${nameOf({ id, number })}`}
                hidden
              >
                ×
              </button>
            )}
          </span>
        </li>
      ))}
    </ul>
  );

const mostShown = 100;

/** Shows how many senders get a mail, why others do not, and the masked addresses of the receivers. */
const Notified = ({ fixes: { threads, notified, reach } }: { readonly fixes: Fixes }) => {
  if (threads.length === 0) return null;
  if (notified.length === 0) return <p class="small">{reachInWords(reach)}</p>;
  return (
    <details class="reveal">
      <summary>{reachInWords(reach)}</summary>
      <p class="muted small">
        When the note is published, each of these senders gets one mail. The list contains only senders who
        have answered a mail of this app and have not unsubscribed.
      </p>
      <ul class="receivers small">
        {notified.slice(0, mostShown).map((address) => (
          <li key={address}>
            <Line text={maskedAddress(address)} />
          </li>
        ))}
        {notified.length > mostShown && <li>{`and ${notified.length - mostShown} more`}</li>}
      </ul>
    </details>
  );
};

/** A release note as an app can show it. */
export const ReleaseText = ({
  entry,
  html,
  label,
  language,
}: {
  /** The values of the form. Lists are JSON texts. */
  readonly entry: Values;
  /** The text, rendered as HTML. */
  readonly html: string;
  readonly label?: "Text" | "Default text";
  /** The language of the text, if it differs from the language of the page. */
  readonly language?: TextLanguage;
}) => (
  <Preview label={label} language={language}>
    <div>
      <h2>
        <Line text={entry.title || "Untitled"} />
      </h2>
      <p class="muted">
        <Line text={entry.version ?? ""} />
      </p>
    </div>
    {entry.bodyFormat === "items" ? <Changes items={listOf(entry.items)} /> : <Rendered html={html} />}
  </Preview>
);

const Changes = ({ items }: { readonly items: readonly Values[] }) => (
  <div class="markdown">
    {itemTypes.map((kind) => {
      const changes = items.filter(({ type }) => type === kind);
      return changes.length === 0 ? null : (
        <div key={kind}>
          <h3>{kind[0]?.toUpperCase() + kind.slice(1)}</h3>
          <ul>
            {changes.map(({ text = "" }) => (
              <li key={text}>
                <Line text={text} />
              </li>
            ))}
          </ul>
        </div>
      );
    })}
  </div>
);

/** A row of a list in the form. `at` is the number in its field names: 2 in `items.2.text`. */
interface Row {
  readonly at: number;
  readonly values: Values;
}

const parts = { versions: ["platform", "version"], items: ["type", "text"] } as const;

type List = keyof typeof parts;

/** The maximum number of rows that are read from a sent form. */
const mostRows = 500;

/** Returns the rows of a list that are not empty. */
function rowsOf(fields: Fields, list: List): Row[] {
  const count = Math.min(mostRows, Number(fields.text(`${list}-rows`)) || 0);
  const rows = Array.from({ length: count }, (_, at) => ({ at, values: rowAt(fields, list, at) }));
  const [first, second] = parts[list];
  return rows.filter(({ values }) => values[second] || (list === "versions" && values[first]));
}

const rowAt = (fields: Fields, list: List, at: number): Values =>
  Object.fromEntries(parts[list].map((part) => [part, asLine(fields.text(`${list}.${at}.${part}`))]));

/** Joins the lines of a text, because each change in the list must be a single line. */
const asLine = (text: string): string =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join(" ");

/** Returns the values of the sent form. Lists become JSON texts. */
export const givenEntry = (fields: Fields): Values => ({
  title: fields.text("title"),
  version: fields.text("version"),
  versions: JSON.stringify(rowsOf(fields, "versions").map(({ values }) => values)),
  releaseType: fields.text("releaseType"),
  bodyFormat: fields.text("bodyFormat"),
  body: fields.text("body"),
  fixes: fields.text("fixes"),
  items: JSON.stringify(rowsOf(fields, "items").map(({ values }) => values)),
  publishedAt: utcOf(fields.text("publishedAt"), fields.text("zone") || "UTC"),
});

/** Returns the values of a stored note or of its draft, in the same format as `givenEntry`. */
export const currentEntry = ({ draft, ...published }: EditedChangelogEntry): Values =>
  valuesOf({ ...published, ...draft });

const valuesOf = (entry: ReleaseContent & Pick<EditedChangelogEntry, "publishedAt">): Values => ({
  title: entry.title,
  version: entry.version,
  versions: JSON.stringify(entry.versions.map(({ platform, version }) => ({ platform, version }))),
  releaseType: entry.releaseType,
  bodyFormat: entry.bodyFormat,
  body: entry.body,
  items: JSON.stringify(entry.items.map(({ type, text }) => ({ type, text }))),
  publishedAt: fieldTime(entry.publishedAt),
});

/** Returns the values of an entry by the name of the form field, such as `items.0.text` for the first change. */
export function entryFields(entry: Values): Values {
  const rows = (list: List) =>
    listOf(entry[list]).flatMap((row, at) =>
      parts[list].map((part): [string, string] => [`${list}.${at}.${part}`, row[part] ?? ""]),
    );
  return { ...entry, ...Object.fromEntries([...rows("versions"), ...rows("items")]) };
}

const rowCount = (entry: Values, list: List): number => listOf(entry[list]).length;

/** Converts the values of the form to the body of an API request. */
export function entryBody({ versions, items, publishedAt, ...rest }: Values): Record<string, unknown> {
  return {
    ...rest,
    ...(versions === undefined ? {} : { versions: listOf(versions) }),
    ...(items === undefined ? {} : { items: listOf(items) }),
    ...(publishedAt === undefined ? {} : { publishedAt: instantOf(publishedAt) }),
  };
}

/** Returns the sent form with the error of the API. The message is shown at the row with the error. */
export function entryAgain(fields: Fields, refusal?: ApiError): Filled {
  const issues = refusal?.details.issues?.map(({ path, ...issue }) => ({
    ...issue,
    path: fieldOf(fields, path),
  }));
  if (refusal?.code === "version_exists")
    return { value: fields.text, refusal: sameVersion(refusal), sent: true };
  if (!refusal || !issues) return { value: fields.text, refusal, sent: true };
  return {
    value: fields.text,
    refusal: new ApiError(refusal.code, { ...refusal.details, issues }),
    sent: true,
  };
}

/**
 * Replaces the message of the API, which suggests to allow a duplicate. The console cannot allow duplicates.
 */
const sameVersion = ({ code, details }: ApiError): ApiError =>
  new ApiError(code, {
    ...details,
    message: "There is already a release note of this version. Change that note, or enter another version.",
  });

/** Returns the form field for `path` of an API error. The number in `path` does not count empty rows. */
function fieldOf(fields: Fields, path: string): string {
  const [, list, at, part] = /^(versions|items)\.(\d+)\.(\w+)$/.exec(path) ?? [];
  if (list !== "versions" && list !== "items") return path;
  return `${list}.${rowsOf(fields, list)[Number(at)]?.at ?? at}.${part}`;
}

const listOf = (json: string | undefined): Values[] => JSON.parse(json ?? "[]");

/** Returns the milliseconds of a UTC time from the form. Returns NaN if the time is empty or wrong. */
export const timeOf = (utc: string | undefined): number => Date.parse(instantOf(utc ?? "") ?? "");

function instantOf(local: string): string | null {
  if (local === "") return null;
  return local.length === 16 ? `${local}:00Z` : `${local}Z`;
}

export const publishedVersion = ({ draft: _, updatedAt: __, ...published }: EditedChangelogEntry): string =>
  versionOf(published);
