import type { Engine, Reader } from "../../database/database.ts";
import type { Condition } from "../../database/lists.ts";
import { amongFound, searchThreads, wordsOf } from "../search/store/search.ts";
import { activeAt } from "../unread/store/read-marks.ts";

/** The order of a list of threads: by the arrival of the report, by the last activity, or in a search by `seq`. */
export type ThreadOrder = "created" | "activity" | "found";

/** The orders by an instant. */
export type OrderInTime = Exclude<ThreadOrder, "found">;

/** The sort key of threads `f`. */
export const sortKeyOf = (order: OrderInTime) =>
  ({ at: order === "created" ? "f.created_at" : activeAt, id: "f.id" }) as const;

/**
 * The threads `f` of a tag, from the index of the tag, and their sort key. The rows `t` belong to the tag. They repeat the
 * status, the assignee and the times of the threads.
 */
export const threadsOfTag = (engine: Engine, order: OrderInTime) =>
  ({
    from: `thread_tags t ${engine === "sqlite" ? "CROSS JOIN" : "JOIN"} feedback f ON f.id = t.feedback_id`,
    at: order === "created" ? "t.created_at" : "t.active_at",
    id: "t.feedback_id",
  }) as const;

/** The condition for threads with a status. Without a status, for all threads but those of blocked senders. */
export const withStatus = (status: string | undefined): Condition =>
  status === undefined ? ["f.status <> 'blocked'"] : ["f.status = ?", status];

/** A query for threads `f`. The values of `from`, if it has any, stand before those of the conditions. */
export interface ThreadQuery {
  readonly from: string;
  readonly order: string;
  readonly conditions: readonly Condition[];
}

/** The rows of a page. `reached` is set if a search ended early: threads before that `seq` were not searched. */
export interface ThreadRows<Row> {
  readonly rows: readonly Row[];
  readonly reached?: number | undefined;
}

/** Searches threads for words, newest first, and reads their rows. */
export async function readFound<Row>(
  reader: Reader,
  search: {
    readonly q: string | undefined;
    readonly appIds: readonly string[];
    readonly status?: string | undefined;
    readonly type?: string | undefined;
    /** Conditions with which the search itself finds threads faster. */
    readonly narrowing: readonly Condition[];
    readonly conditions: readonly Condition[];
  },
  { position, limit }: { readonly position: readonly string[]; readonly limit: number },
  read: (found: ThreadQuery) => Promise<readonly Row[]>,
): Promise<ThreadRows<Row>> {
  const { appIds, status, type } = search;
  const words = wordsOf(search.q ?? "");
  if (words.length === 0 || appIds.length === 0) return { rows: [] };
  const page = { conditions: search.narrowing, before: Number(position[0]), limit };
  const found = await searchThreads(reader, { scope: { appIds, status, type }, words }, page);
  const { from, condition } = amongFound(reader, found);
  const rows = await read({ from, order: "f.seq DESC", conditions: [condition, ...search.conditions] });
  return { rows, reached: found.reached };
}
