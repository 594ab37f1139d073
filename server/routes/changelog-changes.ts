import type {
  ChangelogChange,
  EditedChangelogEntry,
  NewChangelogEntry,
} from "../../src/contract/changelog.ts";
import type { Deps } from "../deps.ts";
import { type ChangelogRow, changelog } from "../store/changelog.ts";
import { type ChangelogRowChange, changelogEntries as rows } from "../store/changelog-entries.ts";
import type { Transaction } from "../store/database.ts";
import { credentialsTopic } from "../store/topics.ts";

type Making = Pick<Deps, "clock" | "newId">;

/** One entry of one app. */
export interface EntryPlace {
  readonly appId: string;
  readonly id: string;
}

/** A stored release note as its maintainer sees it. */
export const entryAnswer = (row: ChangelogRow): EditedChangelogEntry => ({
  ...row,
  versions: JSON.parse(row.versions),
  items: JSON.parse(row.items),
});

/** Writes a release note: a draft unless it has a date. */
export async function createEntry(
  { clock, newId }: Making,
  tx: Transaction,
  appId: string,
  entry: NewChangelogEntry,
): Promise<EditedChangelogEntry> {
  const at = clock.now().toISOString();
  const row = { id: newId(), ...rowOf(entry), createdAt: at, updatedAt: at };
  await rows.insert(tx, { ...row, appId });
  await renew(tx, appId);
  return entryAnswer(row);
}

/** Changes what is given and nothing where nothing is. */
export async function updateEntry(
  { clock }: Pick<Deps, "clock">,
  tx: Transaction,
  place: EntryPlace,
  { versions, items, ...change }: ChangelogChange,
): Promise<void> {
  const columns = { ...change, versions: jsonOf(versions), items: jsonOf(items) };
  if (Object.values(columns).every((value) => value === undefined)) return;
  await save(tx, place, { ...columns, updatedAt: clock.now().toISOString() });
}

/** Publishes an entry now. One that is published already keeps its date; one whose date is still to come does not. */
export async function publishEntry(
  { clock }: Pick<Deps, "clock">,
  tx: Transaction,
  entry: EntryPlace & Pick<ChangelogRow, "publishedAt">,
): Promise<void> {
  const at = clock.now().toISOString();
  if (entry.publishedAt !== null && entry.publishedAt <= at) return;
  await save(tx, entry, { publishedAt: at, updatedAt: at });
}

/** Deletes an entry for good. */
export async function removeEntry(tx: Transaction, { appId, id }: EntryPlace): Promise<void> {
  await rows.remove(tx, id);
  await renew(tx, appId);
}

const rowOf = ({ versions = [], items, body, bodyFormat, ...entry }: NewChangelogEntry) => ({
  title: entry.title,
  version: entry.version,
  versions: JSON.stringify(versions),
  releaseType: entry.releaseType ?? "minor",
  bodyFormat: bodyFormat ?? (items !== undefined && body === undefined ? "items" : "markdown"),
  body: body ?? "",
  items: JSON.stringify(items ?? []),
  publishedAt: entry.publishedAt ?? null,
});

const jsonOf = (value: unknown): string | undefined =>
  value === undefined ? undefined : JSON.stringify(value);

async function save(tx: Transaction, { appId, id }: EntryPlace, change: ChangelogRowChange): Promise<void> {
  await rows.update(tx, id, change);
  await renew(tx, appId);
}

async function renew(tx: Transaction, appId: string): Promise<void> {
  await changelog.bumpVersion(tx, appId);
  tx.signal(credentialsTopic);
}
