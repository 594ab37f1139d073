import type { ImportedChangelogEntry, ReleaseImport } from "../../../../src/contract/changelog.ts";
import { ApiError } from "../../../../src/contract/errors.ts";
import type { Viewer } from "../../../access/members/visibility.ts";
import type { Transaction } from "../../../database/database.ts";
import type { Deps } from "../../../deps.ts";
import { type EntryVersion, type OwnedChangelogRow, changelogEntries as rows } from "../changelog-entries.ts";
import { mergeImport, type ReleaseField } from "../changelog-merge.ts";
import { entryAnswer, insertEntry, type Making, saveEntry } from "./changelog-changes.ts";
import { linkFeedback } from "./changelog-feedback.ts";
import { editedIn, givenValues, newRow } from "./changelog-values.ts";
import { ofVersion } from "./entries.ts";

/** The version whose entry is imported, the caller, and what the caller sent. */
export interface VersionImport {
  readonly appId: string;
  readonly version: string;
  readonly viewer: Viewer;
  readonly given: ReleaseImport;
}

/**
 * Creates or changes the entry of a version. Fields that a person has changed since the last import stay, unless the
 * request allows overwriting. Throws `version_exists` if several entries have the version.
 */
export async function importEntry(
  making: Making,
  tx: Transaction,
  { appId, version, viewer, given }: VersionImport,
): Promise<ImportedChangelogEntry> {
  await rows.lock(tx, appId);
  const known = await rows.listVersions(tx, appId);
  const id = onlyOne(ofVersion(known, version), version)?.id;
  const entry = id === undefined ? undefined : await rows.find(tx, id, viewer);
  if (entry) return changeEntry(making, tx, { entry, given, by: viewer.userId });

  const values = givenValues(given, null, making.clock.now());
  const others = known.map((other) => other.version);
  const row = newRow({ title: given.title ?? `Version ${version}`, version }, values, others);
  const created = await insertEntry(making, tx, {
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
  { clock }: Pick<Deps, "clock">,
  tx: Transaction,
  {
    entry,
    given,
    by,
  }: Pick<VersionImport, "given"> & { readonly entry: OwnedChangelogRow; readonly by: string },
): Promise<ImportedChangelogEntry> {
  const now = clock.now();
  const values = givenValues(given, entry.publishedAt, now);
  const before = editedIn(entry);
  const merged = mergeImport({ values: entry, edited: before }, values, given.overwrite === true);
  const change = pick(values, merged.changed);
  const at = merged.changed.length > 0 ? { updatedAt: now.toISOString(), updatedBy: by } : {};
  const editedFields = JSON.stringify(merged.edited);
  if (merged.changed.length > 0 || merged.edited.length < before.length)
    await saveEntry(tx, entry, { ...change, ...at, editedFields });
  const row = { ...entry, ...change, ...at, editedFields };
  const answer = entryAnswer(row, await linkFeedback(tx, row));
  return { ...answer, created: false, changedFields: [...merged.changed], keptFields: [...merged.kept] };
}

type Values = ReturnType<typeof givenValues>;

function pick(values: Values, fields: readonly ReleaseField[]): Partial<Values> {
  return Object.fromEntries(fields.map((field) => [field, values[field]]));
}
