/** The fields of a release note that an import can set. Lists are JSON. */
export const releaseFields = [
  "title",
  "versions",
  "releaseType",
  "bodyFormat",
  "body",
  "items",
  "publishedAt",
  "translations",
] as const;

export type ReleaseField = (typeof releaseFields)[number];

export type ReleaseValues = Readonly<Partial<Record<ReleaseField, string | null | undefined>>>;

export interface StoredRelease {
  readonly values: ReleaseValues;
  /** The fields that a person has changed since the last import. */
  readonly edited: readonly ReleaseField[];
}

interface Merged {
  readonly changed: readonly ReleaseField[];
  /** The fields that the import does not change, because a person has changed them. */
  readonly kept: readonly ReleaseField[];
  /** The fields that count as changed by a person after the import. */
  readonly edited: readonly ReleaseField[];
}

/**
 * Decides what an import changes in an entry. It does not change a field that a person has changed, unless `overwrite`
 * is true. (rule C11)
 */
export function mergeImport(stored: StoredRelease, given: ReleaseValues, overwrite: boolean): Merged {
  const differing = differingFields(stored.values, given);
  const kept = overwrite ? [] : differing.filter((field) => stored.edited.includes(field));
  return {
    changed: differing.filter((field) => !kept.includes(field)),
    kept,
    // If a field has the imported value, it no longer counts as changed by a person.
    edited: stored.edited.filter((field) => given[field] === undefined || kept.includes(field)),
  };
}

/** Returns the fields that count as changed by a person after a person has made this change. */
export function markEdited(stored: StoredRelease, given: ReleaseValues): readonly ReleaseField[] {
  const differing = differingFields(stored.values, given);
  return releaseFields.filter((field) => stored.edited.includes(field) || differing.includes(field));
}

const differingFields = (values: ReleaseValues, given: ReleaseValues): readonly ReleaseField[] =>
  releaseFields.filter((field) => given[field] !== undefined && given[field] !== values[field]);
