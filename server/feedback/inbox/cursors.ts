import { idPart, instantPart, sequencePart } from "../../http/list-page.ts";
import type { ThreadOrder } from "./thread-lists-store.ts";

interface SortedRow {
  readonly seq: number;
  readonly id: string;
  readonly createdAt: string;
  readonly activeAt: string;
}

/**
 * The cursor of a list of threads, for each order of the list: how the parts of the cursor are parsed, and their values
 * for a row.
 */
export const threadCursors = {
  created: { parts: [instantPart, idPart], of: ({ createdAt, id }: SortedRow) => [createdAt, id] },
  activity: { parts: [instantPart, idPart], of: ({ activeAt, id }: SortedRow) => [activeAt, id] },
  found: { parts: [sequencePart], of: ({ seq }: SortedRow) => [String(seq)] },
} as const satisfies Record<ThreadOrder, unknown>;
