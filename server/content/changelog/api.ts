import * as z from "zod/mini";
import {
  type ChangelogChange,
  type ChangelogEntry,
  type consoleChangelog as consoleContract,
  type EditedChangelogEntry,
  type ImportedChangelogEntry,
  itemTypes,
  type NewChangelogEntry,
  type changelog as publicContract,
  type ReleaseContent,
  type ReleaseImport,
  type ReleaseTranslation,
} from "../../../src/contract/changelog.ts";
import {
  feedbackIdsIn,
  idsInFeedbackLines,
  isSameVersion,
  withFeedbackLine,
  withoutFeedbackLines,
} from "../../../src/contract/content-text.ts";
import { ApiError, badRequest } from "../../../src/contract/errors.ts";
import { limits } from "../../../src/contract/limits.ts";
import { ownedApp } from "../../access/apps/store.ts";
import { createAuditWriter } from "../../access/audit/record.ts";
import { changesBetween } from "../../access/audit/rules.ts";
import type { Viewer } from "../../access/members/visibility.ts";
import type { Reader, Transaction } from "../../database/database.ts";
import { appTopic } from "../../database/transaction.ts";
import type { Deps } from "../../deps.ts";
import { type PreparedAnswer, prepareAnswer } from "../../http/answers.ts";
import {
  type Handlers,
  idPart,
  instantPart,
  pageOf,
  type Request,
  readCursor,
  withTraits,
} from "../../http/handler.ts";
import { withdrawRelease } from "../../mail/outgoing/release-mails.ts";
import { releaseMails } from "../../mail/outgoing/store.ts";
import { recordEvent } from "../../webhooks/events/record.ts";
import {
  changedTexts,
  effectiveLanguage,
  faultOfTranslations,
  hasWords,
  languageFor,
  mergedTranslations,
  picturesIn,
  type StoredDraft,
  storedContent,
  type Translations,
  type TranslationTexts,
  wordsOf,
} from "../texts/rules.ts";
import { versions } from "../texts/store.ts";
import { removing } from "../texts/sweep.ts";
import {
  baseOfDraft,
  baseOfRelease,
  contentIn,
  contentOf,
  editedIn,
  entryAnswer,
  isConflicting,
  keptOf,
  releaseTranslations,
  type StoredContent,
  versionOf,
} from "./answer.ts";
import {
  isPublished,
  markEdited,
  mergeImport,
  publicationOf,
  type ReleaseField,
  type ReleaseValues,
  releaseFields,
  releaseTypeAfter,
  unseenSince,
  type VersionedEntry,
  versionOrder,
} from "./rules.ts";
import {
  type ChangelogRow,
  type ChangelogRowChange,
  draftDate,
  type EntryVersion,
  changelogFeedback as links,
  type NewChangelogRow,
  type OwnedChangelogRow,
  type PublishedRow,
  changelog as publishedRows,
  changelogEntries as rows,
} from "./store.ts";

/** The endpoints for drafts, publication and earlier versions of release notes. (rules C30, C31) */
export function releaseDrafts(
  deps: Pick<Deps, "clock" | "database" | "newId">,
): Pick<Handlers<typeof consoleContract>, "saveDraft" | "removeDraft" | "publish" | "history" | "restore"> {
  const record = createAuditWriter(deps);
  return {
    saveDraft: ({ caller, address, params: { entryId: id }, body, save }) =>
      save(async (tx) => {
        const entry = await lockedEntry(tx, id, caller);
        if (entry.publishedAt === null) throw new ApiError("wrong_state", { message: isDraft });
        const text: StoredContent = entry.draft === null ? contentOf(entry) : contentIn(entry.draft);
        const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
        const translations = { ...text.translations, ...wholeTexts(body.translations) };
        await setDraft(deps, tx, entry, { content: { ...text, ...given, translations }, by: caller.userId });
        await record(tx, { caller, address }, { action: "changelog.draft", appId: entry.appId, target: id });
        return answerOf(tx, id, caller);
      }),

    removeDraft: ({ caller, address, params: { entryId: id }, save }) =>
      save(async (tx) => {
        const entry = await lockedEntry(tx, id, caller);
        if (entry.draft !== null) {
          await rows.update(tx, id, noDraft);
          const { appId } = entry;
          await record(tx, { caller, address }, { action: "changelog.discard", appId, target: id });
        }
        return answerOf(tx, id, caller);
      }),

    publish: ({ caller, address, params: { entryId: id }, save }) =>
      save(async (tx) => {
        const entry = await lockedEntry(tx, id, caller);
        await publishEntry(deps, tx, { entry, by: caller.userId });
        await record(
          tx,
          { caller, address },
          { action: "changelog.publish", appId: entry.appId, target: id },
        );
        return answerOf(tx, id, caller);
      }),

    async history({ caller, params: { entryId } }) {
      await ownedEntry(deps.database, entryId, caller);
      const found = await versions.list(deps.database, { entryId });
      return {
        items: found.map(({ content, ...version }) => {
          const { translations = {}, ...text } = contentIn(content);
          return { ...text, translations: keptOf(translations), ...version };
        }),
      };
    },

    restore: ({ caller, address, params: { entryId: id }, body, save }) =>
      save(async (tx) => {
        const entry = await lockedEntry(tx, id, caller);
        const { appId } = entry;
        const version = await versions.find(tx, { entryId: id }, body.version);
        if (!version) throw new ApiError("not_found");
        const { translations = {}, ...text } = contentIn(version.content);
        const content = { ...text, translations: keptOf(translations) };
        const by = caller.userId;
        if (entry.publishedAt === null)
          await updateEntry(deps, tx, { entry, change: { ...toChange(content), allowDuplicate: true }, by });
        else await setDraft(deps, tx, entry, { content, by });
        await record(tx, { caller, address }, { action: "changelog.draft", appId, target: id });
        return answerOf(tx, id, caller);
      }),
  };
}

const isDraft = "This release note is not published. Change the note itself.";

/** Stores a draft of a published entry, and the published text on which the draft is based. (rule C30) */
async function setDraft(
  { clock }: Pick<Deps, "clock">,
  tx: Transaction,
  entry: OwnedChangelogRow,
  { content: { translations, ...text }, by }: { readonly content: StoredContent; readonly by: string },
): Promise<void> {
  const changed = changedTexts(releaseTranslations(entry), translations);
  translatedAfter(entry, changed, { base: baseOfText(text), at: clock.now().toISOString() });
  const content = { ...text, ...(Object.keys(changed).length > 0 && { translations: changed }) };
  await rows.update(tx, entry.id, {
    ...{ draft: storedContent(content), draftBase: storedContent(baseOfDraft(entry, changed)) },
    ...{ draftAt: clock.now().toISOString(), draftBy: by },
  });
}

const baseOfText = ({ title, body, items }: ReleaseContent): string =>
  baseOfRelease({ title, body, items: JSON.stringify(items) });

/**
 * Publishes an entry and its draft. Throws `draft_conflict` if the published text has changed since the draft
 * was saved.
 */
async function publishEntry(
  deps: EntryDeps,
  tx: Transaction,
  { entry, by }: { readonly entry: OwnedChangelogRow; readonly by: string },
): Promise<void> {
  if (isConflicting(entry)) throw new ApiError("draft_conflict");
  const text = entry.draft === null ? {} : toChange(contentIn(entry.draft));
  const isOut = isPublished(entry.publishedAt, deps.clock.now());
  if (isOut && entry.draft === null) return;
  // An entry that is already published keeps its date. An entry that is not published gets the current time.
  await updateEntry(deps, tx, { entry, change: isOut ? text : { ...text, publish: true }, by });
  if (entry.draft !== null) await rows.update(tx, entry.id, noDraft);
}

const noDraft = { draft: null, draftBase: null, draftAt: null, draftBy: null } as const;

/** Converts a stored text to a change of an entry. Items with an unknown type are left out. */
const toChange = ({ items, translations = {}, ...text }: StoredContent): ChangelogChange => ({
  ...text,
  items: knownItems(items),
  translations: Object.fromEntries(
    Object.entries(translations).map(([language, one]) => [
      language,
      one && { ...one, items: knownItems(one.items) },
    ]),
  ),
});

const knownItems = (items: ReleaseContent["items"]) =>
  items.flatMap(({ type, text }) => {
    const known = itemTypes.find((one) => one === type);
    return known ? [{ type: known, text }] : [];
  });

/** The endpoints of the console for release notes. `releaseDrafts` has the endpoints for drafts. */
export function consoleChangelog(
  deps: Pick<Deps, "clock" | "database" | "keptFiles" | "log" | "newId">,
): Pick<Handlers<typeof consoleContract>, "list" | "create" | "put" | "read" | "update" | "remove"> {
  const record = createAuditWriter(deps);
  return {
    list: (request) => list(deps, request),

    create: ({ caller, address, params: { appId }, body, save }) =>
      save(async (tx) => {
        await ownedApp(tx, appId, caller);
        const writer = { appId, isPerson: caller.kind === "session", by: caller.userId };
        const entry = await createEntry(deps, tx, { writer, entry: body });
        await record(tx, { caller, address }, { action: "changelog.create", appId, target: entry.id });
        return entry;
      }),

    put: ({ caller, address, params: { appId, version }, body, save }) =>
      save(async (tx) => {
        await ownedApp(tx, appId, caller);
        const entry = await importEntry(deps, tx, { appId, version, viewer: caller, given: body });
        const action = entry.created ? "changelog.create" : "changelog.update";
        const changes = entry.created ? undefined : entry.changedFields.map((field) => ({ field }));
        await record(tx, { caller, address }, { action, appId, target: entry.id, changes });
        return entry;
      }),

    read: ({ caller, params }) => answerOf(deps.database, params.entryId, caller),

    update: ({ caller, address, params: { entryId: id }, body, save }) =>
      save(async (tx) => {
        const entry = await lockedEntry(tx, id, caller);
        const { appId } = entry;
        const { fixes = [], ...given } = body;
        const text = given.body ?? entry.body;
        const change = fixes.length === 0 ? given : { ...given, body: naming(text, fixes) };
        await updateEntry(deps, tx, { entry, change, by: caller.userId });
        const answer = await answerOf(tx, id, caller);
        const stored = fixes.length === 0 ? [] : await links.listStored(tx, id);
        if (fixes.some((thread) => !stored.includes(thread.toLowerCase())))
          throw badRequest("fixes", "names a thread that the app does not have, or too many threads");
        const changes = changesBetween(entryAnswer(entry), answer, ["body", "items", "translations"]);
        await record(
          tx,
          { caller, address },
          {
            ...{ action: "changelog.update", appId, target: id },
            changes: changes.filter(({ field }) => field in change),
          },
        );
        return answer;
      }),

    remove: ({ caller, address, params: { entryId: id }, save }) =>
      removing(deps, (remove) =>
        save(async (tx) => {
          const entry = await lockedEntry(tx, id, caller);
          const { appId } = entry;
          remove({ appId, names: await removeEntry(tx, entry) });
          await record(tx, { caller, address }, { action: "changelog.delete", appId, target: id });
          return { success: true };
        }),
      ),
  };
}

/**
 * Adds the threads to the line `Feedback: ID, ID`. Throws `bad_request` if the text gets too long. (rule C32)
 */
function naming(text: string, threads: readonly string[]): string {
  const ids = threads.map((id) => id.toLowerCase());
  const named = withFeedbackLine(text, [...new Set([...idsInFeedbackLines(text), ...ids])]);
  if (named.length > limits.changelogBody)
    throw badRequest("fixes", `would make the text longer than ${limits.changelogBody} characters`);
  return named;
}

async function list(
  { database }: Pick<Deps, "database">,
  { caller, params, query }: Request<typeof consoleContract.list>,
) {
  const { cursor, limit = limits.listPage.default, q = "" } = query;
  const position = readCursor(cursor, [instantPart, instantPart, idPart]);
  await ownedApp(database, params.appId, caller);
  const words = wordsOf(q);
  // A search reads more notes than it returns, but does not read a very long list completely.
  const read = words.length === 0 ? limit : Math.max(limit, mostSearched);
  const found = await rows.list(database, params.appId, { position, limit: read + 1 });
  const page = pageOf(found, read, keyOf);
  const matching = page.items.filter((row) => hasWords(searchedTexts(row), words));
  const shown = pageOf(matching, limit, keyOf);
  const { items } = shown;
  const nextCursor = shown.nextCursor ?? page.nextCursor;
  const linked = await linkedFeedback(
    database,
    items.map(({ id }) => id),
  );
  return { items: items.map((row) => entryAnswer(row, linked.get(row.id))), nextCursor };
}

/** The maximum number of release notes that a search reads for one answer. */
const mostSearched = 200;

const keyOf = (row: ChangelogRow): [string, string, string] => [
  row.publishedAt ?? draftDate,
  row.createdAt,
  row.id,
];

const searchedTexts = (row: ChangelogRow & Partial<StoredDraft>): string[] => [
  ...[row.title, row.version, row.body, row.draft ?? "", row.translations ?? ""],
  ...[row.versions, row.items].flatMap((list) => JSON.parse(list).flatMap(Object.values)),
];

async function answerOf(reader: Reader, id: string, viewer: Viewer): Promise<EditedChangelogEntry> {
  const entry = await ownedEntry(reader, id, viewer);
  return entryAnswer(entry, (await linkedFeedback(reader, [id])).get(id));
}

/** Returns an entry. Locks the app's entries first, so that no import changes the entry at the same time. */
async function lockedEntry(tx: Transaction, id: string, viewer: Viewer): Promise<OwnedChangelogRow> {
  const { appId } = await ownedEntry(tx, id, viewer);
  await rows.lock(tx, appId);
  return ownedEntry(tx, id, viewer);
}

async function ownedEntry(reader: Reader, id: string, viewer: Viewer): Promise<OwnedChangelogRow> {
  const entry = await rows.find(reader, id, viewer);
  if (!entry) throw new ApiError("not_found");
  return entry;
}

interface VersionImport {
  readonly appId: string;
  readonly version: string;
  readonly viewer: Viewer;
  /** The values that the import sets. */
  readonly given: ReleaseImport;
}

/** Creates or changes the entry of a version. Throws `version_exists` if several entries have the version. */
async function importEntry(
  deps: EntryDeps,
  tx: Transaction,
  { appId, version, viewer, given }: VersionImport,
): Promise<ImportedChangelogEntry> {
  await rows.lock(tx, appId);
  const known = await rows.listVersions(tx, appId);
  const id = onlyOne(ofVersion(known, version), version)?.id;
  const entry = id === undefined ? undefined : await rows.find(tx, id, viewer);
  if (entry) return changeEntry(deps, tx, { entry, given, by: viewer.userId });

  const title = given.title ?? `Version ${version}`;
  const values = givenValues(given, { ...newNote, title }, deps.clock.now());
  const others = known.map((other) => other.version);
  const row = newRow({ title, version }, values, others);
  const created = await insertEntry(deps, tx, {
    ...row,
    ...{ appId, editedFields: [], updatedBy: viewer.userId },
  });
  return { ...created, created: true, changedFields: [], keptFields: [] };
}

function onlyOne(found: readonly EntryVersion[], version: string): EntryVersion | undefined {
  if (found.length <= 1) return found[0];
  const ids = found.map(({ id }) => id).join(", ");
  throw new ApiError("version_exists", {
    message: `Several release notes have version ${version}: ${ids}. Delete all but one, or change one by its id.`,
  });
}

async function changeEntry(
  deps: EntryDeps,
  tx: Transaction,
  {
    entry,
    given,
    by,
  }: Pick<VersionImport, "given"> & { readonly entry: OwnedChangelogRow; readonly by: string },
): Promise<ImportedChangelogEntry> {
  const now = deps.clock.now();
  const values = givenValues(given, entry, now);
  const before = editedIn(entry);
  const merged = mergeImport({ values: entry, edited: before }, values, given.overwrite === true);
  const change = pick(values, merged.changed);
  const at = merged.changed.length > 0 ? { updatedAt: now.toISOString(), updatedBy: by } : {};
  const editedFields = JSON.stringify(merged.edited);
  if (merged.changed.length > 0 || merged.edited.length < before.length)
    await saveEntry(deps, tx, { entry, change: { ...change, ...at, editedFields } });
  const row = { ...entry, ...change, ...at, editedFields };
  const answer = entryAnswer(row, await linkFeedback(tx, row));
  return { ...answer, created: false, changedFields: [...merged.changed], keptFields: [...merged.kept] };
}

type Values = ReturnType<typeof givenValues>;

function pick(values: Values, fields: readonly ReleaseField[]): Partial<Values> {
  return Object.fromEntries(fields.map((field) => [field, values[field]]));
}

type EntryDeps = Pick<Deps, "clock" | "newId">;

/** Returns the translations of a request. A field that the request leaves out becomes empty. */
const wholeTexts = (given: ChangelogChange["translations"] = {}): TranslationTexts<ReleaseTranslation> =>
  Object.fromEntries(
    Object.entries(given).map(([language, text]) => [
      language,
      text && { title: text.title, body: text.body ?? "", items: text.items ?? [] },
    ]),
  );

/**
 * Returns the translations of a note after a change. Throws `bad_request` if they are too many or too long.
 * (rule C34)
 */
function translatedAfter(
  row: { readonly translations: string | null },
  given: TranslationTexts<ReleaseTranslation>,
  saved: { readonly base: string; readonly at: string },
): Translations<ReleaseTranslation> {
  const merged = mergedTranslations(releaseTranslations(row), given, saved);
  const fault = faultOfTranslations(merged);
  if (fault !== undefined) throw badRequest("translations", fault);
  return merged;
}

/** The author of a change: a person in the console, or a program with a token. */
interface Writer {
  readonly appId: string;
  readonly isPerson: boolean;
  /** The account of the person, or of the owner of the token. */
  readonly by?: string;
}

/**
 * Creates a release note; without a date, a draft. Throws `version_exists` for an existing version, unless
 * `allowDuplicate` is set.
 */
export async function createEntry(
  deps: EntryDeps,
  tx: Transaction,
  { writer, entry }: { readonly writer: Writer; readonly entry: NewChangelogEntry },
): Promise<EditedChangelogEntry> {
  const { appId, isPerson, by: updatedBy = null } = writer;
  await rows.lock(tx, appId);
  const known = await rows.listVersions(tx, appId);
  if (!entry.allowDuplicate) refuseSameVersion(known, entry.version);
  const given = givenValues(entry, newNote, deps.clock.now());
  const edited = isPerson ? releaseFields.filter((field) => given[field] !== undefined) : [];
  const others = known.map(({ version }) => version);
  return insertEntry(deps, tx, {
    ...newRow(entry, given, others),
    ...{ appId, editedFields: edited, updatedBy },
  });
}

/**
 * Inserts an entry. Records `changelog.published` if it is published. The caller must lock the app's entries
 * first.
 */
async function insertEntry(
  { clock, newId }: EntryDeps,
  tx: Transaction,
  {
    editedFields,
    ...entry
  }: Omit<NewChangelogRow, "id" | "createdAt" | "updatedAt" | "editedFields"> & {
    readonly editedFields: readonly ReleaseField[];
  },
): Promise<EditedChangelogEntry> {
  const at = clock.now().toISOString();
  const row = {
    ...entry,
    ...{ id: newId(), createdAt: at, updatedAt: at, editedFields: JSON.stringify(editedFields) },
  };
  await rows.insert(tx, row);
  const feedbackIds = await linkFeedback(tx, row);
  await renew(tx, entry.appId);
  if (isPublished(row.publishedAt, clock.now()))
    await tellPublished({ newId }, tx, { id: row.id, appId: entry.appId, at });
  return entryAnswer(row, feedbackIds);
}

/**
 * Changes the given fields of a locked entry, and marks these fields as changed by a person. Throws `version_exists`.
 */
async function updateEntry(
  deps: EntryDeps,
  tx: Transaction,
  {
    entry,
    change,
    by,
  }: { readonly entry: OwnedChangelogRow; readonly change: ChangelogChange; readonly by: string },
): Promise<void> {
  const now = deps.clock.now();
  const { version } = change;
  if (version !== undefined && version !== entry.version && !change.allowDuplicate) {
    const others = (await rows.listVersions(tx, entry.appId)).filter(({ id }) => id !== entry.id);
    refuseSameVersion(others, version);
  }
  const given = { ...givenValues(change, entry, now), bodyFormat: change.bodyFormat };
  const columns = { ...given, version };
  if (Object.values(columns).every((value) => value === undefined)) return;
  const editedFields = JSON.stringify(markEdited({ values: entry, edited: editedIn(entry) }, given));
  const update = { ...columns, editedFields, updatedAt: now.toISOString(), updatedBy: by };
  await saveEntry(deps, tx, { entry, change: update });
}

/** Deletes an entry and the waiting mails about it. Returns the file names of the pictures in its texts. (rule C4) */
async function removeEntry(tx: Transaction, { id, appId, ...entry }: OwnedChangelogRow): Promise<string[]> {
  await rows.remove(tx, id);
  await releaseMails.remove(tx, id);
  await renew(tx, appId);
  const texts = [entry.body, entry.items, entry.draft ?? "", entry.translations ?? ""];
  return picturesIn(texts);
}

/** Stores a change of a note. A publication stores an event. A withdrawal deletes the waiting mails. */
async function saveEntry(
  { clock, newId }: Pick<Deps, "clock" | "newId">,
  tx: Transaction,
  { entry, change }: { readonly entry: OwnedChangelogRow; readonly change: ChangelogRowChange },
): Promise<void> {
  const content = storedContent(versionOf(entry));
  const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
  if (storedContent(versionOf({ ...entry, ...given })) !== content)
    await versions.keep(
      tx,
      { entryId: entry.id },
      {
        ...{ id: newId(), appId: entry.appId, content, at: entry.updatedAt },
        writtenBy: entry.updatedBy ?? null,
      },
    );
  await rows.update(tx, entry.id, change);
  const { body = entry.body, items = entry.items, publishedAt = entry.publishedAt } = change;
  await linkFeedback(tx, { ...entry, body, items });
  await renew(tx, entry.appId);
  const now = clock.now();
  const [wasOut, isOut] = [entry.publishedAt, publishedAt].map((at) => isPublished(at, now));
  if (isOut && !wasOut) await tellPublished({ newId }, tx, { ...entry, at: now.toISOString() });
  if (wasOut && !isOut) await withdrawRelease(tx, entry.id, now);
}

/** Stores the event `changelog.published`. For a date in the future, `mailReleases` stores the event later. */
const tellPublished = (
  deps: Pick<Deps, "newId">,
  tx: Transaction,
  { id, appId, at }: { readonly id: string; readonly appId: string; readonly at: string },
): Promise<void> =>
  recordEvent(deps, tx, { ...{ appId, type: "changelog.published", subjectId: id, at }, facts: {} });

async function renew(tx: Transaction, appId: string): Promise<void> {
  await publishedRows.bumpVersion(tx, appId);
  tx.signal(appTopic(appId));
}

/**
 * Returns the entries with this version. Different spellings of a version, such as `v1.2` and `1.2`, are equal.
 */
const ofVersion = (known: readonly EntryVersion[], version: string): readonly EntryVersion[] =>
  known.filter((entry) => isSameVersion(entry.version, version));

/** Throws `version_exists` if an entry has this version. (rule C10) */
function refuseSameVersion(known: readonly EntryVersion[], version: string): void {
  const [entry] = ofVersion(known, version);
  if (!entry) return;
  throw new ApiError("version_exists", {
    entryId: entry.id,
    message: `Release note ${entry.id} has version ${entry.version} already. Change that release note, or allow a duplicate.`,
  });
}

/**
 * Converts the fields of a request to values of columns. Throws `bad_request` for `publish` together with
 * `publishedAt`. (rule C12)
 */
function givenValues(
  given: Omit<ChangelogChange, "version">,
  stored: Pick<ChangelogRow, "title" | "body" | "items" | "publishedAt" | "translations">,
  now: Date,
): GivenValues {
  if (given.publish && given.publishedAt !== undefined)
    throw badRequest("publish", "cannot be given together with publishedAt");
  const { title, versions, releaseType, body, items, translations } = given;
  const after = {
    ...{ title: title ?? stored.title, body: body ?? stored.body },
    items: jsonOf(items) ?? stored.items,
  };
  const saved = { base: baseOfRelease(after), at: now.toISOString() };
  return {
    title,
    versions: jsonOf(versions),
    releaseType,
    bodyFormat: given.bodyFormat ?? formatOf(given),
    body,
    items: jsonOf(items),
    publishedAt: given.publish ? publicationOf(stored.publishedAt, now) : given.publishedAt,
    translations: translations && jsonOf(translatedAfter(stored, wholeTexts(translations), saved)),
  };
}

/** The values that a new note has before the values of the request are applied. */
const newNote = { title: "", body: "", items: "[]", publishedAt: null, translations: null } as const;

type GivenValues = { readonly [Field in ReleaseField]: ChangelogRow[Field] | undefined } & ReleaseValues;

/** Returns a new row with default values for missing fields. `others` are the versions of the app's other entries. */
const newRow = (
  { title, version }: { readonly title: string; readonly version: string },
  given: GivenValues,
  others: readonly string[],
) => ({
  title,
  version,
  versions: given.versions ?? "[]",
  releaseType: given.releaseType ?? releaseTypeAfter(version, others),
  bodyFormat: given.bodyFormat ?? "markdown",
  body: given.body ?? "",
  items: given.items ?? "[]",
  publishedAt: given.publishedAt ?? null,
  translations: given.translations ?? null,
});

function formatOf({ body, items }: ChangelogChange): "items" | "markdown" | undefined {
  if (body !== undefined) return "markdown";
  return items === undefined ? undefined : "items";
}

const jsonOf = (value: unknown): string | undefined =>
  value === undefined ? undefined : JSON.stringify(value);

/** The texts of a release note that can contain ids of threads. */
type EntryTexts = Pick<ChangelogRow, "id" | "body" | "items"> & { readonly appId: string };

/**
 * Links a release note to the threads in its text. Returns their ids, with merged threads replaced by their
 * targets. (rules C17, F46)
 */
async function linkFeedback(tx: Transaction, entry: EntryTexts): Promise<readonly string[]> {
  const wanted = await links.existing(tx, entry.appId, namedIn(entry));
  const stored = await links.listStored(tx, entry.id);
  if (wanted.join() !== stored.join()) await links.replace(tx, entry.id, wanted);
  return wanted.length === 0 ? [] : ((await linkedFeedback(tx, [entry.id])).get(entry.id) ?? []);
}

/** Returns a map from the id of a release note to the ids of its linked threads. */
async function linkedFeedback(
  reader: Reader,
  entryIds: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const byEntry = new Map<string, string[]>();
  for (const { entryId, feedbackId } of await links.list(reader, entryIds)) {
    const ids = byEntry.get(entryId);
    if (ids) ids.push(feedbackId);
    else byEntry.set(entryId, [feedbackId]);
  }
  return byEntry;
}

function namedIn({ body, items }: EntryTexts): readonly string[] {
  const texts = JSON.parse(items).map(({ text }: { readonly text: string }) => text);
  return feedbackIdsIn([body, ...texts].join("\n")).slice(0, limits.changelogFeedback);
}

export const changelog = ({
  database,
  clock,
  answers,
}: Pick<Deps, "database" | "clock" | "answers">): Handlers<typeof publicContract> => ({
  list: withTraits({ ready: true }, async ({ caller, query }) => {
    // An owner may have turned off the changelog of the app. (rule C7)
    if (!caller.changelogEnabled) throw new ApiError("changelog_disabled");
    const now = clock.now();
    const { limit = limits.changelogPage.default } = query;
    const since = readableVersion(query.since);
    const { appId, changelogVersion: version } = caller;
    const at = now.toISOString();
    const recall = (name: string, make: () => Promise<string>) =>
      answers.recall({ name: JSON.stringify(["changelog", appId, name]), version, now }, async () => {
        const answer = prepareAnswer(await make());
        const next = await publishedRows.nextPublication(database, appId, at);
        return { answer, until: next?.at ? Date.parse(next.at) : undefined };
      });
    // The cache key has `ids` and `lang`, not the values of the query. Invented values could fill the cache.
    const ids =
      since === undefined ? null : chosenIds(await recallVersions(database, recall, appId, at), since, limit);
    const lang =
      query.lang === undefined
        ? null
        : effectiveLanguage(query.lang, await recallLanguages(database, recall, appId, at));
    return recall(JSON.stringify([limit, ids, lang]), async () => {
      const found = await (ids === null
        ? publishedRows.listPublished(database, appId, { now: at, limit })
        : publishedRows.listByIds(database, appId, { now: at, ids }));
      const entries = found.map((row) => (lang === null ? publishedEntry(row) : entryIn(row, lang)));
      return JSON.stringify({ entries });
    });
  }),
});

/** Returns the cached answer with this name. If there is none, creates and caches it. */
type Recall = (name: string, make: () => Promise<string>) => Promise<PreparedAnswer>;

const VersionedEntries = z.array(
  z.object({
    ...{ id: z.string(), version: z.string() },
    versions: z.array(z.object({ version: z.string() })),
  }),
);

/** Returns the versions of all entries that are published at `now`, newest first. */
async function recallVersions(
  reader: Reader,
  recall: Recall,
  appId: string,
  now: string,
): Promise<readonly VersionedEntry[]> {
  const { body } = await recall("versions", async () => {
    const published = await publishedRows.listPublishedVersions(reader, appId, now);
    return JSON.stringify(published.map((row) => ({ ...row, versions: JSON.parse(row.versions) })));
  });
  return VersionedEntries.parse(JSON.parse(String(body)));
}

/** Returns the languages of the entries that are published at `now`. */
async function recallLanguages(
  reader: Reader,
  recall: Recall,
  appId: string,
  now: string,
): Promise<readonly string[]> {
  const { body } = await recall("languages", async () =>
    JSON.stringify(await publishedRows.listPublishedLanguages(reader, appId, now)),
  );
  return z.array(z.string()).parse(JSON.parse(String(body)));
}

/** Returns the ids of at most `limit` unseen entries. Null if the answer is the same as without `since`. */
function chosenIds(
  published: readonly VersionedEntry[],
  since: string,
  limit: number,
): readonly string[] | null {
  const chosen = unseenSince(published, since, versionOrder).slice(0, limit);
  const isNewest =
    chosen.length === Math.min(limit, published.length) &&
    chosen.every((entry, at) => entry === published[at]);
  return isNewest ? null : chosen.map(({ id }) => id);
}

/**
 * Returns a note for apps. If there is a translation for the wanted language, the translation replaces the text.
 * (rule C35)
 */
function entryIn(row: PublishedRow, wanted: string) {
  const translations = releaseTranslations(row);
  const language = languageFor(translations, wanted);
  const found = language === undefined ? undefined : translations[language];
  const entry = publishedEntry(row);
  if (!found) return { ...entry, language: null };
  const text = {
    title: found.title,
    body: withoutFeedbackLines(found.body),
    items: publishedItems(found.items),
  };
  return { ...entry, ...text, language };
}

/** Returns the trimmed version. Undefined for an empty or too long version, which is ignored. */
function readableVersion(since = ""): string | undefined {
  const text = since.trim();
  return text === "" || text.length > limits.version ? undefined : text;
}

/** Returns a release note as apps get it, without the lines that only name threads. (rule C17) */
const publishedEntry = (row: PublishedRow): ChangelogEntry => ({
  id: row.id,
  title: row.title,
  version: row.version,
  versions: JSON.parse(row.versions),
  releaseType: row.releaseType,
  bodyFormat: row.bodyFormat,
  body: withoutFeedbackLines(row.body),
  items: publishedItems(JSON.parse(row.items)),
  publishedAt: row.publishedAt,
});

const publishedItems = (items: ChangelogEntry["items"]): ChangelogEntry["items"] =>
  items
    .map(({ type, text }) => ({ type, text: withoutFeedbackLines(text) }))
    .filter(({ text }) => text !== "");
