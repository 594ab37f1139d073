import type { Use } from "./use-text.ts";

/**
 * The uses of many keys since the last batch, in the order in which they came. It is stored as one row, because a row for
 * each key made requests slower by a fifth.
 */
export interface UseBatch {
  readonly keys: string[];
  /** Pairs: the place of a key, or of a use that was taken back -1 minus that place, and the time after `start`. */
  readonly changes: number[];
  /** Milliseconds since 1970, so that the times are short. */
  start: number;
  /** Different for each batch. A key remembers it in place of the batch, which would stay in memory. */
  readonly mark: symbol;
}

/** The place of a key in the batch that it was last noted in. */
export interface Place {
  readonly key: string;
  batch: symbol | undefined;
  place: number;
}

export const createUseBatch = (): UseBatch => ({ keys: [], changes: [], start: 0, mark: Symbol("batch") });

/** Notes a use of a key at a time, or a use that was taken back. */
export function noteUse(batch: UseBatch, of: Place, at: number, isTakenBack: boolean): void {
  if (of.batch !== batch.mark) {
    of.batch = batch.mark;
    of.place = batch.keys.push(of.key) - 1;
  }
  if (batch.changes.length === 0) batch.start = at;
  batch.changes.push(isTakenBack ? -1 - of.place : of.place, at - batch.start);
}

/** A batch as the text that is stored. */
export const textOfBatch = ({ start, keys, changes }: Omit<UseBatch, "mark">): string =>
  JSON.stringify({ start, keys, changes });

/** The changes of each key in a stored batch. A use that was taken back has the count -1. */
export function changesIn(text: string): Map<string, Use[]> {
  const { start, keys, changes }: Omit<UseBatch, "mark"> = JSON.parse(text);
  const found = new Map<string, Use[]>(keys.map((key) => [key, []]));
  for (let at = 0; at < changes.length; at += 2) {
    const place = changes[at] ?? 0;
    const isTakenBack = place < 0;
    const ofKey = found.get(keys[isTakenBack ? -1 - place : place] ?? "");
    ofKey?.push({ at: start + (changes[at + 1] ?? 0), count: isTakenBack ? -1 : 1 });
  }
  return found;
}
