/** The values of the fields of a text. */
export type Content = Readonly<Record<string, unknown>>;

/** The stored columns of a draft. All are null without a draft. */
export interface StoredDraft {
  readonly draft: string | null;
  readonly draftBase: string | null;
  readonly draftAt: string | null;
}

/** Returns a text in the form in which it is stored. The same values always have the same form. */
export const storedContent = (content: Content): string =>
  JSON.stringify(
    Object.fromEntries(Object.entries(content).sort(([a], [b]) => Number(a > b) - Number(a < b))),
  );

/**
 * Whether the published text has changed since the draft was saved. If it has, publishing the draft would undo a change
 * that the writer of the draft has not seen. (rule C30)
 */
export const isConflict = ({ draft, draftBase }: StoredDraft, published: Content): boolean =>
  draft !== null && draftBase !== null && draftBase !== storedContent(published);

/** Returns the fields in which two texts differ. */
export const changedFields = (one: Content, other: Content): string[] =>
  [...new Set([...Object.keys(one), ...Object.keys(other)])].filter(
    (field) => JSON.stringify(one[field]) !== JSON.stringify(other[field]),
  );
