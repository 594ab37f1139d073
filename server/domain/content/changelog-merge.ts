/** What of a release note an import writes; lists as JSON. */
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
  /** What a person wrote since the last import. */
  readonly edited: readonly ReleaseField[];
}

export interface Merged {
  readonly changed: readonly ReleaseField[];
  /** What an import leaves as a person wrote it. */
  readonly kept: readonly ReleaseField[];
  /** What a person wrote, from now on. */
  readonly edited: readonly ReleaseField[];
}

/** What an import does to an entry: it changes what differs, and keeps what a person wrote unless it may `overwrite`. */
export function mergeImport(stored: StoredRelease, given: ReleaseValues, overwrite: boolean): Merged {
  const differing = differingFields(stored.values, given);
  const kept = overwrite ? [] : differing.filter((field) => stored.edited.includes(field));
  return {
    changed: differing.filter((field) => !kept.includes(field)),
    kept,
    // What is the same on both sides is the import's again.
    edited: stored.edited.filter((field) => given[field] === undefined || kept.includes(field)),
  };
}

/** What a person's change does to the list of what people wrote. */
export function markEdited(stored: StoredRelease, given: ReleaseValues): readonly ReleaseField[] {
  const differing = differingFields(stored.values, given);
  return releaseFields.filter((field) => stored.edited.includes(field) || differing.includes(field));
}

const differingFields = (values: ReleaseValues, given: ReleaseValues): readonly ReleaseField[] =>
  releaseFields.filter((field) => given[field] !== undefined && given[field] !== values[field]);
