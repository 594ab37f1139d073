import type { MergedThread } from "../../../src/contract/threads.ts";
import { undoRefusal, undoUntil } from "../merge/rules.ts";
import type { MergeRow } from "../merge/store.ts";

/** Returns the threads that were merged into a thread, as an answer shows them. */
export const mergedThreads = (rows: readonly MergeRow[], now: Date): MergedThread[] =>
  rows.map((row) => ({
    ...{ id: row.id, number: row.threadNumber, subject: row.subject },
    ...{ mergedAt: row.mergedAt, mergedBy: row.mergedBy, mergedByName: row.mergedByName },
    undoUntil: undoRefusal(row, now) === undefined ? undoUntil(row.mergedAt) : null,
  }));
