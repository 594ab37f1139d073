import {
  consoleChangelog,
  type EditedChangelogEntry,
  type ReleaseContent,
  type ReleaseTranslation,
} from "../../../../src/contract/changelog.ts";
import type { Role } from "../../../../src/contract/endpoint.ts";
import { ApiError, badRequest } from "../../../../src/contract/errors.ts";
import { texts } from "../../../../src/contract/texts.ts";
import {
  type Definitions,
  defineForm,
  definePage,
  defineUploadForm,
  type SignedInVisit,
  type UploadVisit,
} from "../../../console/definitions.ts";
import {
  Confirmation,
  changedValues,
  type Filled,
  filledAgain,
  filledOver,
  filledWith,
  filledWithSent,
  givenFor,
  HiddenFields,
  IdempotencyField,
  isChanged,
  OriginalValues,
  TextArea,
  TextField,
  unchangedValues,
  type Values,
  versionOf,
  withStored,
} from "../../../console/forms.tsx";
import { appNavigationOf, ConsolePage } from "../../../console/layout.tsx";
import type { NotDone } from "../../../console/notices.ts";
import { Can, Line, Refused, UserText } from "../../../console/parts.tsx";
import { goTo, type Reply, reshowForm, show } from "../../../console/respond.tsx";
import { TimestampHere } from "../../../console/times.tsx";
import { htmlOf } from "../../texts/html.ts";
import {
  attributesOf,
  type ComparedField,
  DeleteTranslation,
  type DeletionDone,
  Desk,
  EnterButton,
  History,
  isOutdated,
  LanguageTabs,
  languageName,
  languagesOf,
  MarkdownField,
  OutdatedNotice,
  PublicationBadge,
  picturesNotAdded,
  refuseOtherDraft,
  shownLanguage,
  staysPublished,
  type TranslationDone,
  translationDeleted,
  translationSaved,
  Unpublished,
  withPictures,
} from "../../texts/parts.tsx";
import { changedTexts, textsOf } from "../../texts/rules.ts";
import { isZone, localOf } from "../rules.ts";
import {
  bodyWithFixes,
  ChangelogEntryForm,
  type ChangelogEntryFormProps,
  countOfSenders,
  currentEntry,
  entryAgain,
  entryBody,
  entryFields,
  type FieldZone,
  type Fixes,
  FixesField,
  fixesOf,
  givenEntry,
  NamedThreads,
  notifiedVersion,
  publishedVersion,
  ReleaseText,
  timeOf,
  withFixes,
  withStoredFixes,
} from "./form.tsx";
import { publishedQuery } from "./list.tsx";

const createEntry = (visit: SignedInVisit): Promise<Reply<keyof typeof entrySaved>> =>
  handleButton(visit, async ({ ask, fields, param }) => {
    const typed = givenEntry(fields);
    const given = savedContent(typed, undefined);
    refuseOtherTime(visit, given);
    const publication = await publicationOf(visit, given, false);
    const text = await bodyWithFixes(visit, given);
    const body = entryBody({ ...withoutFixes(given), body: text });
    const params = { appId: param("appId") };
    const entry = await ask(consoleChangelog.create, { params, body, idempotencyKey: fields.idempotencyKey });
    return { entryId: entry.id, publication };
  });

async function updateEntry(visit: SignedInVisit): Promise<Reply<keyof typeof entrySaved | TranslationDone>> {
  const { tag } = shownLanguage(visit);
  if (tag === undefined) return updateText(visit);
  const entry = await readEntry(visit);
  if (visit.fields.text("intent") === "preview") return showTyped(visit, { entry, tag });
  return saveTranslation(visit, entry, tag);
}

const updateText = (visit: SignedInVisit): Promise<Reply<keyof typeof entrySaved>> =>
  handleButton(visit, async ({ ask, fields, param }) => {
    const entry = await readEntry(visit);
    const intent = fields.text("intent");
    // If the published version has changed, the person saw an outdated comparison with the draft.
    if (intent === "publish" && entry.draft && fields.text("was-published") !== publishedVersion(entry))
      throw new ApiError("draft_conflict");
    const current = await withFixes(visit, currentEntry(entry));
    const changed = await changedEntry(visit, current);
    const values = { ...current, ...changed };
    if (entry.publishedAt === null) refuseOtherTime(visit, values);
    // The time of a scheduled note is always in the future. So only a newly typed time is refused.
    if (intent === "publish" && isScheduled(entry, visit.now)) refuseOtherTime(visit, changed);
    const isPublished = isOut(entry, visit.now);
    // If a form publishes a published note without a draft, the form is old or was sent twice.
    const isAgain = isPublished && !entry.draft;
    const publication = isAgain ? undefined : await publicationOf(visit, values, isPublished);
    const body = entryBody(await withFixesInText(visit, changed, values));
    const params = { entryId: param("entryId") };
    if (entry.publishedAt !== null && (entry.draft || intent === "draft")) {
      const { publishedAt: _, ...text } = body;
      await ask(consoleChangelog.saveDraft, { params, body: text, idempotencyKey: fields.idempotencyKey });
      return { entryId: params.entryId, publication };
    }
    await ask(consoleChangelog.update, { params, body, idempotencyKey: fields.idempotencyKey });
    return { entryId: params.entryId, publication };
  });

/**
 * Returns the values that the person has changed. If the format changed, the content of the other format
 * becomes empty.
 */
async function changedEntry(visit: SignedInVisit, current: Values): Promise<Values> {
  const { fields } = visit;
  const typed = givenEntry(fields);
  // A page of an earlier server version has no field `fixes`. In this case, the note keeps its threads.
  const sent = fields.has("fixes") ? typed : { ...typed, fixes: current.fixes ?? "" };
  const given = await withStoredFixes(visit, sent, current);
  const empty = emptyOtherForm(given.bodyFormat);
  const chosen = Object.entries(given).filter(([name]) => !(name in empty));
  const switched = { bodyFormat: given.bodyFormat ?? "", ...contentIn(current, empty) };
  const isSwitched = hasChosenForm(filledWithSent(fields), given) && given.bodyFormat !== current.bodyFormat;
  return changedValues(fields, Object.fromEntries(chosen), current, isSwitched ? switched : {});
}

/** Returns the fields of `empty` that have content in `current`. `empty` contains one empty value per field. */
const contentIn = (current: Values, empty: Values): Values =>
  Object.fromEntries(Object.entries(empty).filter(([name, none]) => current[name] !== none));

/** Whether the person changed the format field, or the content of the chosen format. */
const hasChosenForm = (form: Filled, given: Values): boolean =>
  ["bodyFormat", given.bodyFormat === "items" ? "items" : "body"].some((name) =>
    isChanged(form, name, given[name] ?? ""),
  );

/** Returns the changed values for the API. The threads in the field `fixes` become a line of the text. */
async function withFixesInText(visit: SignedInVisit, changed: Values, values: Values): Promise<Values> {
  if (changed.body === undefined && changed.fixes === undefined) return changed;
  return { ...withoutFixes(changed), body: await bodyWithFixes(visit, values) };
}

/** Returns an empty value for the content of the format that is not chosen. */
const emptyOtherForm = (bodyFormat: string | undefined): Values =>
  bodyFormat === "items" ? { body: "" } : { items: "[]" };

/** Returns the values after a save. If the format changes, the content of the other format is empty. */
function savedContent(values: Values, current: Values | undefined): Values {
  const empty = emptyOtherForm(values.bodyFormat);
  if (current?.bodyFormat !== values.bodyFormat) return { ...values, ...empty };
  const kept = Object.keys(empty).map((name): [string, string] => [name, current?.[name] ?? ""]);
  return { ...values, ...Object.fromEntries(kept) };
}

const withoutFixes = ({ fixes: _, ...values }: Values): Values => values;

/** Throws `bad_request` if a draft is saved with a past time, or published now with a future time. */
function refuseOtherTime({ fields, now }: SignedInVisit, { publishedAt }: Values): void {
  const time = timeOf(publishedAt);
  if (Number.isNaN(time)) return;
  const publishes = fields.text("intent") === "publish";
  if (publishes && time > now.getTime())
    throw badRequest(
      "publishedAt",
      "is in the future. To publish the note at that time, save it. To publish it now, leave the time empty",
    );
  if (!publishes && time <= now.getTime())
    throw badRequest(
      "publishedAt",
      "is in the past. To publish the note with this time, publish it. To save a draft, leave the time empty",
    );
}

/**
 * Returns threads and receivers if this request publishes the note. Throws `wrong_state` if the page showed
 * other receivers. (rule C32)
 */
async function publicationOf(
  visit: SignedInVisit,
  given: Values,
  isOut: boolean,
): Promise<Fixes | undefined> {
  const { fields, now } = visit;
  const isByTime = !isOut && timeOf(given.publishedAt) <= now.getTime();
  if (fields.text("intent") !== "publish" && !isByTime) return undefined;
  const fixes = await fixesOf(visit, given, isOut);
  if (fixes.notified.length === 0 || fields.text("notified") === notifiedVersion(fixes)) return fixes;
  const message = `${countOfSenders(fixes.notified.length)} would get a mail. Check the list before you publish the note.`;
  throw new ApiError("wrong_state", { message });
}

const isScheduled = (entry: EditedChangelogEntry | undefined, now: Date): boolean =>
  entry !== undefined && entry.publishedAt !== null && !isOut(entry, now);

const isOut = ({ publishedAt }: EditedChangelogEntry, now: Date): boolean =>
  publishedAt !== null && publishedAt <= now.toISOString();

function discardDraft(visit: SignedInVisit): Promise<Reply<"text-discarded">> {
  const { ask, fields, links, param } = visit;
  const params = { entryId: param("entryId") };
  return reshowForm(
    async () => {
      refuseOtherDraft(fields, draftVersion(await readEntry(visit)));
      await ask(consoleChangelog.removeDraft, { params, idempotencyKey: fields.idempotencyKey });
      return goTo(links.entry(param("appId"), params.entryId), "text-discarded");
    },
    (refusal) => showWritten(visit, refusal),
  );
}

function restoreEntry(visit: SignedInVisit): Promise<Reply<"draft-saved">> {
  const { ask, fields, links, param } = visit;
  const [params, body] = [{ entryId: param("entryId") }, { version: fields.text("version") }];
  return reshowForm(
    async () => {
      const { items } = await ask(consoleChangelog.history, { params });
      const restored = items.find(({ id }) => id === body.version);
      const entry = await readEntry(visit);
      refuseOtherDraft(fields, draftVersion(entry), restored && restoredVersion(entry, restored));
      await ask(consoleChangelog.restore, { params, body, idempotencyKey: fields.idempotencyKey });
      return goTo(links.entry(param("appId"), params.entryId), "draft-saved");
    },
    (refusal) => showWritten(visit, refusal),
  );
}

/** Returns the version of the draft, or of an unpublished note. Empty for a published note without a draft. */
function draftVersion(entry: EditedChangelogEntry): string {
  if (entry.draft !== null) return textVersion(entry.draft);
  return entry.publishedAt === null ? textVersion(entry) : "";
}

type TranslatedContent = ReleaseContent & {
  readonly translations: Readonly<Record<string, ReleaseTranslation | null>>;
};

/**
 * Returns the version (a hash) of the unpublished text after `restored` is restored. A restore removes no
 * translation that `restored` lacks.
 */
function restoredVersion(entry: EditedChangelogEntry, restored: TranslatedContent): string {
  const [own, earlier] = [entry.translations, restored.translations];
  const translations = entry.publishedAt === null ? { ...own, ...earlier } : changedTexts(own, earlier);
  return textVersion({ ...restored, translations });
}

const textVersion = ({ translations, ...text }: TranslatedContent): string => {
  const { title, version, versions, releaseType, bodyFormat, body, items } = text;
  return versionOf([title, version, versions, releaseType, bodyFormat, body, items, textsOf(translations)]);
};

async function deleteEntry({ ask, fields, links, param }: SignedInVisit): Promise<Reply<"entry-deleted">> {
  await ask(consoleChangelog.remove, {
    params: { entryId: param("entryId") },
    idempotencyKey: fields.idempotencyKey,
  });
  return goTo(links.changelog(param("appId")), "entry-deleted");
}

/** Handles all buttons of the form. Only `preview` and the buttons for more rows do not save. */
async function handleButton(
  visit: SignedInVisit,
  save: (visit: SignedInVisit) => Promise<Saved>,
): Promise<Reply<keyof typeof entrySaved>> {
  const { fields, links, param } = visit;
  const intent = fields.text("intent");
  if (intent === "preview") return { ...(await entryPageAgain(visit, {})), sentFields: [] };
  if (intent === "more-items" || intent === "more-versions") {
    const more = intent === "more-items" ? "items" : "versions";
    return { ...(await entryPageAgain(visit, { more })), sentFields: [] };
  }
  return reshowForm(
    async () => {
      const { entryId, publication } = await save(visit);
      const list = links.changelog(param("appId"));
      if (intent === "publish") await publish(visit, entryId);
      if (publication || intent === "publish")
        return goTo(`${list}?${publishedQuery(entryId, publication)}`, "published");
      if (intent === "draft") return goTo(links.entry(param("appId"), entryId), "draft-saved");
      const time = timeOf(givenEntry(fields).publishedAt);
      return goTo(list, time > visit.now.getTime() ? "scheduled" : "entry-saved");
    },
    (refusal) => entryPageAgain(visit, { form: entryAgain(fields, refusal) }),
  );
}

interface Saved {
  readonly entryId: string;
  /** The threads and the receivers of the note; undefined if the request publishes nothing. */
  readonly publication: Fixes | undefined;
}

const publish = ({ ask, fields }: SignedInVisit, entryId: string): Promise<unknown> =>
  ask(consoleChangelog.publish, { params: { entryId }, idempotencyKey: fields.idempotencyKey });

const emptyEntry: Values = { releaseType: "minor", bodyFormat: "markdown" };

/** Shows the stored text. `refusal` is the error of a form that restores or discards a text. */
async function showWritten(visit: SignedInVisit, refusal?: ApiError): Promise<Reply> {
  const entry = await readEntry(visit);
  const { tag } = shownLanguage(visit);
  if (tag !== undefined) return showTranslation(visit, { entry, tag });
  const current = await withFixes(visit, currentEntry(entry));
  const zone = await zoneOf(visit);
  const form = { ...filledWith(inFields(current, zone)), refusal };
  return showEntry(visit, { entry, form, values: current, current });
}

/** Converts values for the form fields. The publication time is in the time zone of the form. */
const inFields = (values: Values, zone: FieldZone): Values => ({
  ...entryFields(values),
  publishedAt: localOf(values.publishedAt ?? "", zone.name),
});

/** Shows the sent form again. Values that the person did not change come from the database. */
async function entryPageAgain(
  visit: SignedInVisit,
  { more, form = entryAgain(visit.fields) }: Pick<ShownEntry, "more"> & { readonly form?: Filled },
): Promise<Reply> {
  const sent = givenEntry(visit.fields);
  if (visit.param("entryId") === "") return showEntry(visit, { form, values: sent, more });
  const entry = await readEntry(visit);
  const current = await withFixes(visit, currentEntry(entry));
  const given = await withStoredFixes(visit, sent, current);
  const { bodyFormat = "", ...unchanged } = unchangedValues(form, current, given);
  const stored = hasChosenForm(form, given) ? unchanged : { ...unchanged, bodyFormat };
  const again = withStored(form, stored, inFields(stored, await zoneOf(visit)));
  return showEntry(visit, { form: again, values: { ...given, ...stored }, more, entry, current });
}

/** Stores the uploaded pictures, and shows the form again with the pictures in its text. */
const addPictures = async (visit: UploadVisit): Promise<Reply> => ({
  ...(await reshowForm(
    async () => {
      const { tag } = shownLanguage(visit);
      if (tag !== undefined)
        return showTyped(await withTranslatedPictures(visit, tag), { entry: await readEntry(visit), tag });
      const fields = await withPictures(visit, texts.addReleasePictures, "body");
      return entryPageAgain({ ...visit, fields }, {});
    },
    async (refusal) => {
      const { tag } = shownLanguage(visit);
      if (tag === undefined) return entryPageAgain(visit, { form: entryAgain(visit.fields, refusal) });
      const given = filledAgain(visit.fields, refusal);
      return showTranslation(visit, { entry: await readEntry(visit), tag, given });
    },
  )),
  sentFields: [],
});

const readEntry = ({ ask, param }: SignedInVisit): Promise<EditedChangelogEntry> =>
  ask(consoleChangelog.read, { params: { entryId: param("entryId") } });

interface ShownEntry extends Pick<ChangelogEntryFormProps, "form" | "current" | "more"> {
  readonly entry?: EditedChangelogEntry | undefined;
  /** The values in the form. Lists are JSON texts. */
  readonly values: Values;
}

async function showEntry(visit: SignedInVisit, { entry, values, ...shown }: ShownEntry): Promise<Reply> {
  const navigation = await appNavigationOf(visit, "changelog");
  const { links, app } = navigation;
  const action = entry ? links.entry(app.id, entry.id) : links.changelog(app.id, "new");
  const title = titleOf(entry, app.role);
  const existingId = shown.form.refusal?.details.entryId;
  const saved = savedContent(values, shown.current);
  const fixes = await fixesOf(visit, saved, entry ? isOut(entry, visit.now) : false);
  const zone = await zoneOf(visit);
  const earlier = entry
    ? (await visit.ask(consoleChangelog.history, { params: { entryId: entry.id } })).items
    : [];
  return show(
    <ConsolePage navigation={navigation} title={title}>
      <a class="back" href={links.changelog(app.id)}>
        <span aria-hidden="true">←</span> Release notes
      </a>
      <div class="head">
        <div class="row">
          <h1>{title}</h1>
          {entry && <PublicationBadge publishedAt={entry.publishedAt} now={visit.now} />}
          {entry?.publishedAt && (
            <span class="muted small">
              <TimestampHere at={entry.publishedAt} zone={zone.guessed ? undefined : zone.name} />
            </span>
          )}
        </div>
      </div>
      {entry && <LanguageTabs address={action} languages={languagesOf(entry)} shown={shownLanguage(visit)} />}
      <div class="stack wide">
        <Can needs="maintainer" otherwise={entry && (await textOf(visit, entry))}>
          {entry?.draft && (
            <Unpublished
              fields={[...comparedFields(entry, entry.draft), ...comparedTranslations(entry)]}
              conflict={entry.draft.conflict}
              version={draftVersion(entry)}
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
                field={
                  <FixesField
                    form={shown.form}
                    fixes={fixes}
                    mails={{
                      sendsMail: visit.reads.sendsMail,
                      hasPages: app.senderPages,
                      isOut: entry !== undefined && isOut(entry, visit.now),
                    }}
                    links={links}
                    appId={app.id}
                  />
                }
                zone={zone}
                published={entry ? entry.publishedAt !== null : false}
                scheduled={isScheduled(entry, visit.now)}
                existing={existingId && links.entry(app.id, existingId)}
              />
            }
            preview={await previewOf(visit, values)}
          />
        </Can>
        {entry && (
          <History
            items={earlier.map((version) => ({ ...version, text: <UserText text={versionText(version)} /> }))}
            draft={draftVersion(entry)}
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

const versionText = ({
  translations,
  ...content
}: ReleaseContent & { readonly translations: Readonly<Record<string, ReleaseTranslation>> }): string =>
  [
    writtenText(content),
    ...Object.entries(translations).map(([tag, text]) => `${languageName(tag)}: ${wholeText(text)}`),
  ].join("\n\n");

const writtenText = (content: ReleaseContent): string =>
  [`${content.title} (${content.version})`, content.body, itemLines(content)]
    .filter((part) => part !== "")
    .join("\n\n");

function titleOf(entry: EditedChangelogEntry | undefined, role: Role): string {
  if (!entry) return "New release note";
  return role === "viewer" ? "Release note" : "Edit release note";
}

/** The section for viewers that lists the threads of a release note. */
const LinkedThreads = (named: Parameters<typeof NamedThreads>[0]) => (
  <section class="card stack" aria-labelledby="feedback">
    <h2 id="feedback">Feedback</h2>
    <p class="muted small">The note names these threads. Apps do not get the lines that name them.</p>
    <NamedThreads {...named} />
  </section>
);

/** Returns the time zone of the form, or else the person's own time zone, or else UTC. */
async function zoneOf({ fields, reads }: SignedInVisit): Promise<FieldZone> {
  const sent = fields.text("zone");
  if (isZone(sent)) return { name: sent, guessed: false };
  const own = await reads.ownZone();
  return { name: own ?? "UTC", guessed: own === undefined };
}

const previewOf = async (visit: SignedInVisit, entry: Values) => (
  <ReleaseText entry={entry} html={await htmlOf(visit.settings, entry.body ?? "")} />
);

/** Returns the text of a release note as viewers see it, without a form. */
const textOf = async (visit: SignedInVisit, entry: EditedChangelogEntry) => {
  const current = currentEntry(entry);
  return <ReleaseText entry={current} html={await htmlOf(visit.settings, current.body ?? "")} label="Text" />;
};

/** Returns the query parameter `fixes`, which is the initial value of the field for threads in a new note. */
const namedFirst = ({ query }: SignedInVisit): string => query("fixes").slice(0, 50);

/** Returns the translations that a draft changes, each next to its published translation. */
const comparedTranslations = ({ translations, draft }: EditedChangelogEntry): ComparedField[] =>
  Object.entries(draft?.translations ?? {}).map(([tag, text]) => ({
    label: languageName(tag),
    published: wholeText(translations[tag]),
    draft: wholeText(text ?? undefined),
  }));

/** Joins title, body and changes of a translation to one text. */
const wholeText = (text: ReleaseTranslation | undefined): string =>
  text === undefined
    ? ""
    : [text.title, text.body, text.items.map((item) => `${item.type}: ${item.text}`).join("\n")]
        .filter((part) => part !== "")
        .join("\n\n");

const newEntryPage = definePage({
  at: (links) => links.changelog(":appId", "new"),
  needs: "maintainer",
  show: (visit) => {
    const values = { ...emptyEntry, fixes: namedFirst(visit) };
    return showEntry(visit, { form: filledWith(values), values });
  },
});

/** Returns the text that is to be translated: the draft if there is one, otherwise the published text. */
const originalOf = ({ draft, ...entry }: EditedChangelogEntry) => draft ?? entry;

/** The field names contain the language, because the browser stores unsent text by field name. */
const namesOf = (tag: string) => ({
  title: `translations.${tag}.title`,
  body: `translations.${tag}.body`,
  item: (at: number) => `translations.${tag}.items.${at}.text`,
});

/** Returns the type of each change, such as `fixed`. Changes that only the translation has come last. */
const typesOf = (entry: EditedChangelogEntry, tag: string): string[] => {
  const own = (translationOf(entry, tag)?.items ?? []).map(({ type }) => type);
  const original = originalOf(entry).items.map(({ type }) => type);
  return original.length >= own.length ? original : [...original, ...own.slice(original.length)];
};

const TranslationForm = ({
  form,
  entry,
  tag,
  action,
}: Omit<Translating, "given"> & {
  readonly form: Filled;
  readonly action: string;
}) => {
  const names = namesOf(tag);
  const language = attributesOf(tag);
  const original = originalOf(entry);
  return (
    <form class="card stack" method="post" action={action} data-guards data-previews>
      <EnterButton intent={entry.draft === null && entry.publishedAt !== null ? "draft" : "save"} />
      <Refused refusal={form.refusal} />
      <IdempotencyField />
      <HiddenFields values={[["lang", tag]]} />
      <OriginalValues current={currentOf(entry, tag)} form={form} />
      <TextField form={form} name={names.title} label="Title" language={language} required />
      {original.bodyFormat === "markdown" || form.value(names.body) !== "" ? (
        <MarkdownField
          form={form}
          name={names.body}
          label="Text"
          language={language}
          pictures={`${action}/pictures`}
        />
      ) : (
        <HiddenFields values={[[names.body, ""]]} />
      )}
      {typesOf(entry, tag).map((type, at) => (
        <TextArea
          key={names.item(at)}
          form={form}
          name={names.item(at)}
          label={`Change ${at + 1} (${type})`}
          size="line"
          language={language}
          hint={original.items[at] ? <Line text={original.items[at].text} /> : undefined}
        />
      ))}
      <div class="actions">
        <button class="primary" type="submit" name="intent" value="save">
          {entry.draft === null ? "Save" : "Save in the draft"}
        </button>
        {entry.draft === null && entry.publishedAt !== null && (
          <button type="submit" name="intent" value="draft">
            Save as a draft
          </button>
        )}
        <button class="quiet" type="submit" name="intent" value="preview" formnovalidate>
          Preview
        </button>
      </div>
    </form>
  );
};

const entryPage = definePage({
  at: (links) => links.entry(":appId", ":entryId"),
  needs: "viewer",
  show: showWritten,
});

const noteNotSaved: NotDone = { word: "saveNote", notDone: "The release note was not saved." };

const entrySaved = {
  published: "The release note is published.",
  scheduled: "The release note is saved. It will be published at its publication time.",
  "entry-saved": "The release note is saved.",
  "draft-saved": "The draft is saved. It is not published.",
} as const;

/**
 * Stores the uploaded pictures. Returns the visit, with the Markdown for the pictures in the translated text.
 */
const withTranslatedPictures = async (visit: UploadVisit, tag: string): Promise<UploadVisit> => ({
  ...visit,
  fields: await withPictures(visit, texts.addReleasePictures, namesOf(tag).body),
});

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
    done: { ...entrySaved, ...translationSaved },
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
    at: (links) => links.entry(":appId", ":entryId", "translation"),
    page: entryPage,
    act: removeTranslation,
    done: translationDeleted,
    word: "deleteTranslation",
    notDone: "The translation was not deleted.",
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

function translationOf({ translations, draft }: EditedChangelogEntry, tag: string) {
  const drafted = draft?.translations[tag];
  return drafted === null ? undefined : (drafted ?? translations[tag]);
}

function currentOf(entry: EditedChangelogEntry, tag: string): Values {
  const names = namesOf(tag);
  const text = translationOf(entry, tag);
  const lines = typesOf(entry, tag).map((_, at): [string, string] => [
    names.item(at),
    text?.items[at]?.text ?? "",
  ]);
  return { [names.title]: text?.title ?? "", [names.body]: text?.body ?? "", ...Object.fromEntries(lines) };
}

/** Returns the translation from the fields of a form. Changes with an empty text are left out. */
function textIn(entry: EditedChangelogEntry, tag: string, value: (name: string) => string) {
  const names = namesOf(tag);
  const items = typesOf(entry, tag).map((type, at) => ({ type, text: value(names.item(at)).trim() }));
  return {
    title: value(names.title),
    body: value(names.body),
    items: items.filter(({ text }) => text !== ""),
  };
}

/** Saves a translation. If the note has a draft, the translation is saved in the draft. */
function saveTranslation(
  visit: SignedInVisit,
  entry: EditedChangelogEntry,
  tag: string,
): Promise<Reply<TranslationDone>> {
  const { ask, fields, links, param } = visit;
  return reshowForm(
    async () => {
      const current = currentOf(entry, tag);
      const values = { ...current, ...changedValues(fields, givenFor(fields, current), current) };
      const text = textIn(entry, tag, (name) => values[name] ?? "");
      const body = { translations: { [tag]: text } };
      const [params, { idempotencyKey }] = [{ entryId: entry.id }, fields];
      const address = `${links.entry(param("appId"), entry.id)}?${new URLSearchParams({ lang: tag })}`;
      if (entry.draft || (entry.publishedAt !== null && fields.text("intent") === "draft")) {
        await ask(consoleChangelog.saveDraft, { params, body, idempotencyKey });
        return goTo(address, "translation-drafted");
      }
      await ask(consoleChangelog.update, { params, body, idempotencyKey });
      return goTo(address, "translation-saved");
    },
    (refusal) => showTranslation(visit, { entry, tag, given: filledAgain(fields, refusal) }),
  );
}

/** Deletes a translation. If the note has a draft, the published translation stays until the draft is published. */
async function removeTranslation(visit: SignedInVisit): Promise<Reply<DeletionDone>> {
  const { ask, fields, links, param } = visit;
  const { tag = "" } = shownLanguage(visit);
  const params = { entryId: param("entryId") };
  const entry = await ask(consoleChangelog.read, { params });
  const endpoint = entry.draft === null ? consoleChangelog.update : consoleChangelog.saveDraft;
  const body = { translations: { [tag]: null } };
  await ask(endpoint, { params, body, idempotencyKey: fields.idempotencyKey });
  const done = staysPublished(entry, tag) ? "translation-deleted-in-draft" : "translation-deleted";
  return goTo(links.entry(param("appId"), params.entryId), done);
}

/** Shows the sent form of a translation again, after a preview or an upload of pictures. Saves no text. */
async function showTyped(visit: SignedInVisit, shown: Pick<Translating, "entry" | "tag">): Promise<Reply> {
  const given = filledWithSent(visit.fields);
  return { ...(await showTranslation(visit, { ...shown, given })), sentFields: [] };
}

interface Translating {
  readonly entry: EditedChangelogEntry;
  readonly tag: string;
  /** The sent form; undefined if the page was only opened. */
  readonly given?: Filled | undefined;
}

/** Shows the form for a translation. The preview of the translation and the default text are next to the form. */
async function showTranslation(visit: SignedInVisit, { entry, tag, given }: Translating) {
  const navigation = await appNavigationOf(visit, "changelog");
  const address = navigation.links.entry(navigation.app.id, entry.id);
  const form = filledOver(given, currentOf(entry, tag));
  const title = `Release note in ${languageName(tag)}`;
  const language = attributesOf(tag);
  const text = textIn(entry, tag, form.value);
  const original = originalOf(entry);
  const values = (from: ReleaseTranslation) => ({
    ...{ title: from.title, version: original.version, bodyFormat: original.bodyFormat },
    items: JSON.stringify(from.items.map(({ type, text: line }) => ({ type, text: line }))),
  });
  const html = (body: string) => htmlOf(visit.settings, body);
  const beside = (
    <div class="stack">
      <ReleaseText entry={values(text)} html={await html(text.body)} language={language} />
      <ReleaseText entry={values(original)} html={await html(original.body)} label="Default text" />
    </div>
  );
  return show(
    <ConsolePage navigation={navigation} title={title}>
      <a class="back" href={address}>
        <span aria-hidden="true">←</span> Release note
      </a>
      <div class="head">
        <h1>{title}</h1>
      </div>
      <LanguageTabs address={address} languages={languagesOf(entry)} shown={{ tag, unknown: undefined }} />
      <Can needs="maintainer" otherwise={beside}>
        <Desk
          form={
            <div class="stack">
              {isOutdated(entry, tag) && <OutdatedNotice />}
              <TranslationForm {...{ form, entry, tag }} action={address} />
              {translationOf(entry, tag) && (
                <DeleteTranslation
                  tag={tag}
                  action={`${address}/translation`}
                  isInDraft={staysPublished(entry, tag)}
                />
              )}
            </div>
          }
          preview={beside}
        />
      </Can>
    </ConsolePage>,
    given?.refusal?.status,
  );
}
