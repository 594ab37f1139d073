/** The fields of a release note that an import writes; lists as JSON. */
export const releaseFields = [
  "title",
  "versions",
  "releaseType",
  "bodyFormat",
  "body",
  "items",
  "publishedAt",
] as const;
export type ReleaseField = (typeof releaseFields)[number];

export type ReleaseValues = Readonly<Partial<Record<ReleaseField, string | null | undefined>>>;

export interface StoredRelease {
  readonly values: ReleaseValues;
  /** The fields that a person has changed since the last import. */
  readonly edited: readonly ReleaseField[];
}

export interface Merged {
  readonly changed: readonly ReleaseField[];
  /** The fields that the import leaves as a person wrote them. */
  readonly kept: readonly ReleaseField[];
  /** The fields that count as written by a person from now on. */
  readonly edited: readonly ReleaseField[];
}

/** Decides what an import changes in an entry. Fields that a person wrote stay unless `overwrite` is true. */
export function mergeImport(stored: StoredRelease, given: ReleaseValues, overwrite: boolean): Merged {
  const differing = differingFields(stored.values, given);
  const kept = overwrite ? [] : differing.filter((field) => stored.edited.includes(field));
  return {
    changed: differing.filter((field) => !kept.includes(field)),
    kept,
    // A field that is the same on both sides belongs to the import again.
    edited: stored.edited.filter((field) => given[field] === undefined || kept.includes(field)),
  };
}

/** The fields that count as written by a person after a person's change. */
export function markEdited(stored: StoredRelease, given: ReleaseValues): readonly ReleaseField[] {
  const differing = differingFields(stored.values, given);
  return releaseFields.filter((field) => stored.edited.includes(field) || differing.includes(field));
}

const differingFields = (values: ReleaseValues, given: ReleaseValues): readonly ReleaseField[] =>
  releaseFields.filter((field) => given[field] !== undefined && given[field] !== values[field]);
