import type {
  ChangelogChange,
  EditedChangelogEntry,
  NewChangelogEntry,
} from "../../../../src/contract/changelog.ts";
import type { Transaction } from "../../../database/database.ts";
import { appTopic } from "../../../database/signals.ts";
import type { Deps } from "../../../deps.ts";
import {
  type ChangelogRowChange,
  type NewChangelogRow,
  type OwnedChangelogRow,
  changelogEntries as rows,
} from "../changelog-entries.ts";
import { markEdited, type ReleaseField, releaseFields } from "../changelog-merge.ts";
import { type ChangelogRow, changelog } from "../store.ts";
import { linkFeedback } from "./changelog-feedback.ts";
import { editedIn, givenValues, isPublished, newRow } from "./changelog-values.ts";
import { refuseSameVersion } from "./entries.ts";

export type Making = Pick<Deps, "clock" | "newId">;

/** The id of an entry and of its app. */
export interface EntryKey {
  readonly appId: string;
  readonly id: string;
}

/** A stored release note as its maintainer reads it, with the threads that it is linked to. */
export const entryAnswer = (
  row: ChangelogRow & Pick<OwnedChangelogRow, "editedFields">,
  feedbackIds: readonly string[] = [],
): EditedChangelogEntry => ({
  id: row.id,
  title: row.title,
  version: row.version,
  versions: JSON.parse(row.versions),
  releaseType: row.releaseType,
  bodyFormat: row.bodyFormat,
  body: row.body,
  items: JSON.parse(row.items),
  publishedAt: row.publishedAt,
  feedbackIds: [...feedbackIds],
  editedFields: [...editedIn(row)],
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
});

/** The author of an entry: a person in the console, or a program with a token. */
export interface Writer {
  readonly appId: string;
  readonly isPerson: boolean;
  /** The account for which it is written. */
  readonly by?: string;
}

/**
 * Writes a release note. Without a date it is a draft. Throws `version_exists` if the app has an entry of this version,
 * unless duplicates are allowed.
 */
export async function createEntry(
  making: Making,
  tx: Transaction,
  { writer, entry }: { readonly writer: Writer; readonly entry: NewChangelogEntry },
): Promise<EditedChangelogEntry> {
  const { appId, isPerson, by: updatedBy = null } = writer;
  await rows.lock(tx, appId);
  const known = await rows.listVersions(tx, appId);
  if (!entry.allowDuplicate) refuseSameVersion(known, entry.version);
  const given = givenValues(entry, null, making.clock.now());
  const edited = isPerson ? releaseFields.filter((field) => given[field] !== undefined) : [];
  const others = known.map(({ version }) => version);
  return insertEntry(making, tx, {
    ...newRow(entry, given, others),
    ...{ appId, editedFields: edited, updatedBy },
  });
}

type NewEntry = Omit<NewChangelogRow, "id" | "createdAt" | "updatedAt" | "editedFields"> & {
  readonly editedFields: readonly ReleaseField[];
};

/** Stores a new entry. The app's entries must be locked. */
export async function insertEntry(
  { clock, newId }: Making,
  tx: Transaction,
  { editedFields, ...entry }: NewEntry,
): Promise<EditedChangelogEntry> {
  const at = clock.now().toISOString();
  const row = {
    ...entry,
    ...{ id: newId(), createdAt: at, updatedAt: at, editedFields: JSON.stringify(editedFields) },
  };
  await rows.insert(tx, row);
  const feedbackIds = await linkFeedback(tx, row);
  await renew(tx, entry.appId);
  return entryAnswer(row, feedbackIds);
}

/**
 * Changes the given fields of a locked entry and records which fields a person changed. Does nothing without fields.
 * Throws `version_exists` if another entry has the version, unless duplicates are allowed.
 */
export async function updateEntry(
  { clock }: Pick<Deps, "clock">,
  tx: Transaction,
  {
    entry,
    change,
    by,
  }: { readonly entry: OwnedChangelogRow; readonly change: ChangelogChange; readonly by: string },
): Promise<void> {
  const now = clock.now();
  const { version } = change;
  if (version !== undefined && version !== entry.version && !change.allowDuplicate) {
    const others = (await rows.listVersions(tx, entry.appId)).filter(({ id }) => id !== entry.id);
    refuseSameVersion(others, version);
  }
  const given = { ...givenValues(change, entry.publishedAt, now), bodyFormat: change.bodyFormat };
  const columns = { ...given, version };
  if (Object.values(columns).every((value) => value === undefined)) return;
  const editedFields = JSON.stringify(markEdited({ values: entry, edited: editedIn(entry) }, given));
  await saveEntry(tx, entry, { ...columns, editedFields, updatedAt: now.toISOString(), updatedBy: by });
}

/** Publishes an entry now. An entry that is published already keeps its date. A date in the future is replaced. */
export async function publishEntry(
  deps: Pick<Deps, "clock">,
  tx: Transaction,
  { entry, by }: { readonly entry: OwnedChangelogRow; readonly by: string },
): Promise<void> {
  if (!isPublished(entry.publishedAt, deps.clock.now()))
    await updateEntry(deps, tx, { entry, change: { publish: true }, by });
}

/** Deletes an entry permanently. */
export async function removeEntry(tx: Transaction, { appId, id }: EntryKey): Promise<void> {
  await rows.remove(tx, id);
  await renew(tx, appId);
}

/** Stores changed columns of an entry, and links the threads that it names now. */
export async function saveEntry(
  tx: Transaction,
  entry: OwnedChangelogRow,
  change: ChangelogRowChange,
): Promise<void> {
  await rows.update(tx, entry.id, change);
  const { body = entry.body, items = entry.items } = change;
  await linkFeedback(tx, { ...entry, body, items });
  await renew(tx, entry.appId);
}

async function renew(tx: Transaction, appId: string): Promise<void> {
  await changelog.bumpVersion(tx, appId);
  tx.signal(appTopic(appId));
}
