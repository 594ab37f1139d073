import type { ComponentChildren } from "preact";
import {
  consoleChangelog,
  type EditedChangelogEntry,
  itemTypes,
  type ReleaseContent,
} from "../../../../src/contract/changelog.ts";
import type { Role } from "../../../../src/contract/endpoint.ts";
import { ApiError } from "../../../../src/contract/errors.ts";
import { texts } from "../../../../src/contract/texts.ts";
import { type Definitions, defineForm, definePage, defineUploadForm } from "../../../console/definitions.ts";
import {
  Choices,
  Confirmation,
  changedValues,
  type Fields,
  type Filled,
  filledWith,
  IdempotencyField,
  OriginalVersions,
  originalVersions,
  Select,
  sentVersions,
  TextArea,
  TextField,
  type Values,
  versionOf,
} from "../../../console/forms.tsx";
import { ConsolePage } from "../../../console/layout.tsx";
import { appNavigationOf } from "../../../console/navigation.ts";
import type { NotDone } from "../../../console/notices.ts";
import { Can, Line, Refused, UserText } from "../../../console/parts.tsx";
import { goTo, type Reply, reshowForm, show } from "../../../console/respond.ts";
import { fieldTime, TimestampUtc } from "../../../console/times.tsx";
import type { SignedInVisit, UploadVisit } from "../../../console/visit.ts";
import { History, Unpublished } from "../../drafts/unpublished.tsx";
import { Desk, MarkdownField, Preview, picturesNotAdded, Rendered, withPictures } from "../../texts/desk.tsx";
import { htmlOf } from "../../texts/html.ts";
import { PublicationBadge } from "../badge.tsx";
import {
  bodyWithFixes,
  countOfSenders,
  type Fixes,
  FixesField,
  fixesOf,
  NamedThreads,
  toldVersion,
  withFixes,
} from "./fixes.tsx";

const createEntry = (visit: SignedInVisit): Promise<Reply<keyof typeof entrySaved>> =>
  handleButton(visit, async ({ ask, fields, param }) => {
    const given = givenEntry(fields);
    await refuseUnseen(visit, given, false);
    const text = await bodyWithFixes(visit, given);
    const body = entryBody({ ...withoutFixes(given), body: text });
    const params = { appId: param("appId") };
    const entry = await ask(consoleChangelog.create, { params, body, idempotencyKey: fields.idempotencyKey });
    return entry.id;
  });

const updateEntry = (visit: SignedInVisit): Promise<Reply<keyof typeof entrySaved>> =>
  handleButton(visit, async ({ ask, fields, param }) => {
    const entry = await readEntry(visit);
    const intent = fields.text("intent");
    // The person has compared the draft with the published text of the page. Now there is another one.
    if (intent === "publish" && entry.draft && fields.text("was-published") !== publishedVersion(entry))
      throw new ApiError("draft_conflict");
    await refuseUnseen(visit, givenEntry(fields), isOut(entry, visit.now));
    const body = entryBody(await changesOf(visit, entry));
    const params = { entryId: param("entryId") };
    if (entry.publishedAt !== null && (entry.draft || intent === "draft")) {
      const { publishedAt: _, ...text } = body;
      await ask(consoleChangelog.saveDraft, { params, body: text, idempotencyKey: fields.idempotencyKey });
      return params.entryId;
    }
    await ask(consoleChangelog.update, { params, body, idempotencyKey: fields.idempotencyKey });
    return params.entryId;
  });

/** Returns the changed values. The text has the line that names the threads of the field `fixes`. */
async function changesOf(visit: SignedInVisit, entry: EditedChangelogEntry): Promise<Values> {
  const { fields } = visit;
  const current = await withFixes(visit, currentEntry(entry));
  const given = givenEntry(fields);
  // A program that knows no field for threads, or a page from before it, leaves the threads as they are.
  const sent = fields.has("fixes") ? given : { ...given, fixes: current.fixes ?? "" };
  const changed = changedValues(fields, sent, current);
  if (changed.body === undefined && changed.fixes === undefined) return changed;
  const text = await bodyWithFixes(visit, { ...current, ...changed });
  return { ...withoutFixes(changed), body: text };
}

const withoutFixes = ({ fixes: _, ...values }: Values): Values => values;

/**
 * Throws `wrong_state` if publishing would tell senders whom the list on the page did not have: a person publishes only
 * after a look at that list. (rule C32)
 */
async function refuseUnseen(visit: SignedInVisit, given: Values, isOut: boolean): Promise<void> {
  const { fields } = visit;
  if (fields.text("intent") !== "publish" || isOut) return;
  const fixes = await fixesOf(visit, given, false);
  if (fixes.told.length === 0 || fields.text("told") === toldVersion(fixes)) return;
  const message = `${countOfSenders(fixes.told.length)} would get a mail. Look at the list, then publish.`;
  throw new ApiError("wrong_state", { message });
}

const isOut = ({ publishedAt }: EditedChangelogEntry, now: Date): boolean =>
  publishedAt !== null && publishedAt <= now.toISOString();

const publishedVersion = ({ draft: _, updatedAt: __, ...published }: EditedChangelogEntry): string =>
  versionOf(published);

async function discardDraft({ ask, fields, links, param }: SignedInVisit): Promise<Reply<"text-discarded">> {
  const [params, { idempotencyKey }] = [{ entryId: param("entryId") }, fields];
  await ask(consoleChangelog.removeDraft, { params, idempotencyKey });
  return goTo(links.entry(param("appId"), params.entryId), "text-discarded");
}

async function restoreEntry({ ask, fields, links, param }: SignedInVisit): Promise<Reply<"draft-saved">> {
  const [params, body] = [{ entryId: param("entryId") }, { version: fields.text("version") }];
  await ask(consoleChangelog.restore, { params, body, idempotencyKey: fields.idempotencyKey });
  return goTo(links.entry(param("appId"), params.entryId), "draft-saved");
}

async function deleteEntry({ ask, fields, links, param }: SignedInVisit): Promise<Reply<"entry-deleted">> {
  await ask(consoleChangelog.remove, {
    params: { entryId: param("entryId") },
    idempotencyKey: fields.idempotencyKey,
  });
  return goTo(links.changelog(param("appId")), "entry-deleted");
}

/**
 * Answers the form for each of its buttons. Two buttons only show the form again: with a preview, or with more rows.
 * The other buttons save, and one of them also publishes. `save` returns the id of the entry.
 */
async function handleButton(
  visit: SignedInVisit,
  save: (visit: SignedInVisit) => Promise<string>,
): Promise<Reply<keyof typeof entrySaved>> {
  const { fields, links, param } = visit;
  const intent = fields.text("intent");
  if (intent === "preview") return { ...(await entryPageAgain(visit, {})), sentFields: [] };
  if (intent === "more") return { ...(await entryPageAgain(visit, { more: true })), sentFields: [] };
  return reshowForm(
    async () => {
      const entryId = await save(visit);
      if (intent === "publish") await publish(visit, entryId);
      const list = links.changelog(param("appId"));
      if (intent === "draft") return goTo(links.entry(param("appId"), entryId), "draft-saved");
      return goTo(list, intent === "publish" ? "published" : "entry-saved");
    },
    (refusal) => entryPageAgain(visit, { form: entryAgain(fields, refusal) }),
  );
}

const publish = ({ ask, fields }: SignedInVisit, entryId: string) =>
  ask(consoleChangelog.publish, { params: { entryId }, idempotencyKey: fields.idempotencyKey });

const emptyEntry: Values = { releaseType: "minor", bodyFormat: "markdown" };

async function showWritten(visit: SignedInVisit): Promise<Reply> {
  const entry = await readEntry(visit);
  const current = await withFixes(visit, currentEntry(entry));
  return showEntry(visit, { entry, form: filledWith(entryFields(current)), current });
}

/** Shows the sent form again, with a refusal, its preview or more rows. */
async function entryPageAgain(
  visit: SignedInVisit,
  shown: Pick<ShownEntry, "more"> & { readonly form?: Filled },
): Promise<Reply> {
  const entry = visit.param("entryId") === "" ? undefined : await readEntry(visit);
  const current = entry && (await withFixes(visit, currentEntry(entry)));
  return showEntry(visit, { form: entryAgain(visit.fields), ...shown, entry, current });
}

/** Stores pictures and shows the form again, with the pictures in the text. */
const addPictures = async (visit: UploadVisit): Promise<Reply> => ({
  ...(await reshowForm(
    async () =>
      entryPageAgain({ ...visit, fields: await withPictures(visit, texts.addReleasePictures, "body") }, {}),
    (refusal) => entryPageAgain(visit, { form: entryAgain(visit.fields, refusal) }),
  )),
  sentFields: [],
});

const readEntry = ({ ask, param }: SignedInVisit): Promise<EditedChangelogEntry> =>
  ask(consoleChangelog.read, { params: { entryId: param("entryId") } });

/** Returns the values that the form shows before it is sent. */
const valuesIn = ({ current, form }: Pick<ShownEntry, "current" | "form">): Values =>
  current ?? { ...emptyEntry, fixes: form.value("fixes") };

interface ShownEntry extends Pick<ChangelogEntryFormProps, "form" | "current" | "more"> {
  readonly entry?: EditedChangelogEntry | undefined;
}

async function showEntry(visit: SignedInVisit, { entry, ...shown }: ShownEntry): Promise<Reply> {
  const navigation = await appNavigationOf(visit, "changelog");
  const { links, app } = navigation;
  const action = entry ? links.entry(app.id, entry.id) : links.changelog(app.id, "new");
  const title = titleOf(entry, app.role);
  const existingId = shown.form.refusal?.details.entryId;
  const values = shown.form.sent ? givenEntry(visit.fields) : valuesIn(shown);
  const fixes = await fixesOf(visit, values, entry ? isOut(entry, visit.now) : false);
  const earlier = entry
    ? (await visit.ask(consoleChangelog.history, { params: { entryId: entry.id } })).items
    : [];
  return show(
    <ConsolePage navigation={navigation} title={title}>
      <a class="back" href={links.changelog(app.id)}>
        <span aria-hidden="true">←</span> Changelog
      </a>
      <div class="head">
        <div class="row">
          <h1>{title}</h1>
          {entry && <PublicationBadge publishedAt={entry.publishedAt} now={visit.now} />}
          {entry?.publishedAt && <PublicationTime at={entry.publishedAt} />}
        </div>
      </div>
      <div class="stack wide">
        <Can needs="maintainer" otherwise={entry && (await textOf(visit, entry))}>
          {entry?.draft && (
            <Unpublished
              fields={comparedFields(entry, entry.draft)}
              conflict={entry.draft.conflict}
              discard={`${action}/discard`}
            />
          )}
          <Desk
            form={
              <ChangelogEntryForm
                {...shown}
                entry={entry}
                action={action}
                fields={visit.fields}
                fixes={fixes}
                field={<FixesField form={shown.form} fixes={fixes} links={links} appId={app.id} />}
                published={entry ? entry.publishedAt !== null : false}
                existing={existingId && links.entry(app.id, existingId)}
              />
            }
            preview={await previewOf(visit, shown)}
          />
        </Can>
        {entry && (
          <History
            items={earlier.map((version) => ({ ...version, text: <UserText text={writtenText(version)} /> }))}
            action={`${action}/restore`}
            canRestore={app.role !== "viewer"}
          />
        )}
        {entry && fixes.threads.length > 0 && (
          <Can needs="maintainer" otherwise={<LinkedThreads fixes={fixes} links={links} appId={app.id} />}>
            {null}
          </Can>
        )}
        <Can needs="maintainer">
          {entry && (
            <Confirmation
              offer="Delete this release note"
              action={`${action}/delete`}
              button="Delete permanently"
              danger
              large
            >
              Apps can no longer read it. You cannot restore it.
            </Confirmation>
          )}
        </Can>
      </div>
    </ConsolePage>,
    shown.form.refusal?.status,
  );
}

const comparedFields = (published: ReleaseContent, draft: ReleaseContent) => [
  { label: "Title", published: published.title, draft: draft.title },
  { label: "Version", published: published.version, draft: draft.version },
  { label: "Kind of release", published: published.releaseType, draft: draft.releaseType },
  { label: "Text", published: published.body, draft: draft.body },
  { label: "Changes", published: itemLines(published), draft: itemLines(draft) },
  { label: "Versions by platform", published: versionLines(published), draft: versionLines(draft) },
];

const itemLines = ({ items }: ReleaseContent): string =>
  items.map(({ type, text }) => `${type}: ${text}`).join("\n");

const versionLines = ({ versions }: ReleaseContent): string =>
  versions.map(({ platform, version }) => `${platform} ${version}`).join("\n");

const writtenText = (content: ReleaseContent): string =>
  [`${content.title} (${content.version})`, content.body, itemLines(content)]
    .filter((part) => part !== "")
    .join("\n\n");

function titleOf(entry: EditedChangelogEntry | undefined, role: Role): string {
  if (!entry) return "New release note";
  return role === "viewer" ? "Release note" : "Edit release note";
}

/** The threads that the release note names, for a person who cannot change it. */
const LinkedThreads = (named: Parameters<typeof NamedThreads>[0]) => (
  <section class="card stack" aria-labelledby="feedback">
    <h2 id="feedback">Feedback</h2>
    <p class="muted small">The note names these threads. Apps do not get the lines that name them.</p>
    <NamedThreads {...named} />
  </section>
);

/**
 * The time of publication, in the same format as in the list. A browser shows the value of the form field in the format
 * of its own language.
 */
const PublicationTime = ({ at }: { readonly at: string }) => (
  <span class="muted small">
    <TimestampUtc at={at} />
  </span>
);

const previewOf = async (visit: SignedInVisit, { form, current }: Pick<ShownEntry, "form" | "current">) => {
  const entry = form.sent ? givenEntry(visit.fields) : (current ?? emptyEntry);
  return <ReleaseText entry={entry} html={await htmlOf(visit.settings, entry.body ?? "")} />;
};

/** Returns the text of a release note for a person who cannot change it. */
const textOf = async (visit: SignedInVisit, entry: EditedChangelogEntry) => {
  const current = currentEntry(entry);
  return <ReleaseText entry={current} html={await htmlOf(visit.settings, current.body ?? "")} label="Text" />;
};

interface ChangelogEntryFormProps {
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
  /** Whether to add empty rows. */
  readonly more?: boolean | undefined;
  /** The threads that the note names. */
  readonly fixes: Fixes;
  /** The field that names them. */
  readonly field: ComponentChildren;
}

const ChangelogEntryForm = (props: ChangelogEntryFormProps) => {
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
        <TextField
          form={form}
          name="publishedAt"
          label="Publication time (UTC)"
          type="datetime-local"
          hint="In UTC, as in the list. Leave it empty for a draft. A note with a future time is hidden until then."
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
        <button class="quiet" type="submit" name="intent" value="more" formnovalidate>
          Add lines
        </button>
      </div>
    </form>
  );
};

const publishWords = ({ told }: Fixes): string =>
  told.length === 0 ? "Publish now" : `Publish and tell ${countOfSenders(told.length)}`;

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

const RowCount = ({ list, ...props }: ChangelogEntryFormProps & { readonly list: "items" | "versions" }) => (
  <input type="hidden" name={`${list}-rows`} value={rowNumbers(props, list, spare[list]).length} />
);

const spare = { items: 5, versions: 2 } as const;

/**
 * Returns the numbers of a list's rows. A sent form has as many rows as before. Otherwise there are the rows of the
 * entry and some empty ones.
 */
function rowNumbers(
  { fields, current, more }: ChangelogEntryFormProps,
  list: "items" | "versions",
  free: number,
): number[] {
  const sent = Math.min(500, Number(fields.text(`${list}-rows`)) || 0);
  const count = sent > 0 ? sent : (current ? countOf(current, list) : 0) + free;
  return Array.from({ length: count + (more ? free : 0) }, (_, at) => at);
}

/** A release note as an app can show it. */
const ReleaseText = ({
  entry,
  html,
  label,
}: {
  /** The values of the form, with its lists as JSON. */
  readonly entry: Values;
  /** The text, rendered as HTML. */
  readonly html: string;
  readonly label?: "Text";
}) => (
  <Preview label={label}>
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

/** A row of a list in the form. `at` is the row's number in the names of its fields. */
interface Row {
  readonly at: number;
  readonly values: Values;
}

const parts = { versions: ["platform", "version"], items: ["type", "text"] } as const;

type List = keyof typeof parts;

/** The most rows of a list that are read. */
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

/** Joins the lines of a text, because each listed change has only one line. */
const asLine = (text: string): string =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join(" ");

/** Returns the values of the sent form. Lists are JSON. */
const givenEntry = (fields: Fields): Values => ({
  title: fields.text("title"),
  version: fields.text("version"),
  versions: JSON.stringify(rowsOf(fields, "versions").map(({ values }) => values)),
  releaseType: fields.text("releaseType"),
  bodyFormat: fields.text("bodyFormat"),
  body: fields.text("body"),
  fixes: fields.text("fixes"),
  items: JSON.stringify(rowsOf(fields, "items").map(({ values }) => values)),
  publishedAt: fields.text("publishedAt"),
});

/** Returns the values of a stored release note, in the same format as `givenEntry`. */
const currentEntry = ({ draft, ...published }: EditedChangelogEntry): Values =>
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

/** Returns the values of an entry by form field, including the fields of its rows. */
function entryFields(entry: Values): Values {
  const rows = (list: List) =>
    listOf(entry[list]).flatMap((row, at) =>
      parts[list].map((part): [string, string] => [`${list}.${at}.${part}`, row[part] ?? ""]),
    );
  return { ...entry, ...Object.fromEntries([...rows("versions"), ...rows("items")]) };
}

/** Returns the number of rows of a list. */
const countOf = (entry: Values, list: List): number => listOf(entry[list]).length;

/** Returns the request body for the values of the form. */
function entryBody({ versions, items, publishedAt, ...rest }: Values): Record<string, unknown> {
  return {
    ...rest,
    ...(versions === undefined ? {} : { versions: listOf(versions) }),
    ...(items === undefined ? {} : { items: listOf(items) }),
    ...(publishedAt === undefined ? {} : { publishedAt: instantOf(publishedAt) }),
  };
}

/** Returns the sent form with its refusal. Each fault is at its row. */
function entryAgain(fields: Fields, refusal?: ApiError): Filled {
  const issues = refusal?.details.issues?.map(({ path, message }) => ({
    path: fieldOf(fields, path),
    message,
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
 * Replaces the message of a refusal for an existing version. The API's message mentions duplicates, which the console
 * cannot allow.
 */
const sameVersion = ({ code, details }: ApiError): ApiError =>
  new ApiError(code, {
    ...details,
    message: "There is a release note of this version already. Change that one, or enter another version.",
  });

/**
 * Returns the form field for a path of the API. Empty rows are not sent to the API, so `items.0` may be a later row in
 * the form.
 */
function fieldOf(fields: Fields, path: string): string {
  const [, list, at, part] = /^(versions|items)\.(\d+)\.(\w+)$/.exec(path) ?? [];
  if (list !== "versions" && list !== "items") return path;
  return `${list}.${rowsOf(fields, list)[Number(at)]?.at ?? at}.${part}`;
}

const listOf = (json: string | undefined): Values[] => JSON.parse(json ?? "[]");

function instantOf(local: string): string | null {
  if (local === "") return null;
  return local.length === 16 ? `${local}:00Z` : `${local}Z`;
}

const newEntryPage = definePage({
  at: (links) => links.changelog(":appId", "new"),
  needs: "maintainer",
  show: (visit) => showEntry(visit, { form: filledWith({ ...emptyEntry, fixes: namedFirst(visit) }) }),
});

/** Returns the thread that the address of the page names: the first one of a new note. */
const namedFirst = ({ query }: SignedInVisit): string => query("fixes").slice(0, 50);

const entryPage = definePage({
  at: (links) => links.entry(":appId", ":entryId"),
  needs: "viewer",
  show: showWritten,
});

const noteNotSaved: NotDone = { word: "saveNote", notDone: "The release note was not saved." };

const entrySaved = {
  published: "The release note is published.",
  "entry-saved": "The release note is saved.",
  "draft-saved": "The draft is saved. It is not published.",
} as const;

export const definitions: Definitions = [
  newEntryPage,
  entryPage,
  defineForm({
    at: (links) => links.changelog(":appId", "new"),
    page: newEntryPage,
    act: createEntry,
    done: entrySaved,
    ...noteNotSaved,
  }),
  defineForm({
    at: (links) => links.entry(":appId", ":entryId"),
    page: entryPage,
    act: updateEntry,
    done: entrySaved,
    ...noteNotSaved,
  }),
  defineForm({
    at: (links) => links.entry(":appId", ":entryId", "delete"),
    page: entryPage,
    act: deleteEntry,
    done: { "entry-deleted": "The release note is deleted." },
    word: "deleteNote",
    notDone: "The release note was not deleted.",
  }),
  defineForm({
    at: (links) => links.entry(":appId", ":entryId", "discard"),
    page: entryPage,
    act: discardDraft,
    done: { "text-discarded": "The draft is discarded." },
    word: "discardText",
    notDone: "The draft was not discarded.",
  }),
  defineForm({
    at: (links) => links.entry(":appId", ":entryId", "restore"),
    page: entryPage,
    act: restoreEntry,
    done: { "draft-saved": entrySaved["draft-saved"] },
    word: "restoreVersion",
    notDone: "The earlier text was not restored.",
  }),
  defineUploadForm({
    at: (links) => links.changelog(":appId", "new/pictures"),
    page: newEntryPage,
    body: texts.addReleasePictures,
    act: addPictures,
    done: {},
    ...picturesNotAdded,
  }),
  defineUploadForm({
    at: (links) => links.entry(":appId", ":entryId", "pictures"),
    page: entryPage,
    body: texts.addReleasePictures,
    act: addPictures,
    done: {},
    ...picturesNotAdded,
  }),
];
