import type { Engine, Reader } from "../../database/database.ts";
import type { Condition } from "../../database/lists.ts";
import { isEmpty, readQuery } from "../search/rules.ts";
import { amongFound, searchThreads } from "../search/store/search.ts";
import { activeAt } from "../unread/store/read-marks.ts";

/** The order of a list of threads: by the time of the report, by the last activity, or in a search by `seq`. */
export type ThreadOrder = "created" | "activity" | "found";

/** The orders that sort by a time. */
export type OrderInTime = Exclude<ThreadOrder, "found">;

/** Returns the columns by which threads `f` are sorted. */
export const sortKeyOf = (order: OrderInTime) =>
  ({ at: order === "created" ? "f.created_at" : activeAt, id: "f.id" }) as const;

/**
 * Returns SQL for the threads `f` of a tag, read from the tag's index, and their sort key. The rows `t` connect the tag
 * with threads. These rows also contain the status, the assignee and the times of the threads.
 */
export const threadsOfTag = (engine: Engine, order: OrderInTime) =>
  ({
    from: `thread_tags t ${engine === "sqlite" ? "CROSS JOIN" : "JOIN"} feedback f ON f.id = t.feedback_id`,
    at: order === "created" ? "t.created_at" : "t.active_at",
    id: "t.feedback_id",
  }) as const;

/**
 * Returns the condition for threads with a status. Without a status, all threads match except those of blocked senders.
 */
export const withStatus = (status: string | undefined): Condition =>
  status === undefined ? ["f.status <> 'blocked'"] : ["f.status = ?", status];

/** A query for threads `f`. In the statement, the values of `from` come before the values of the conditions. */
export interface ThreadQuery {
  readonly from: string;
  readonly order: string;
  readonly conditions: readonly Condition[];
}

/**
 * The rows of a page. `reached` is set if a search ended because of its time limit: threads with a lower `seq` were not
 * searched.
 */
export interface ThreadRows<Row> {
  readonly rows: readonly Row[];
  readonly reached?: number | undefined;
}

/** Searches for the newest threads that match the query `q`, and reads their rows. */
export async function readFound<Row>(
  reader: Reader,
  search: {
    readonly q: string | undefined;
    readonly appIds: readonly string[];
    readonly userId: string;
    readonly by: "member" | "agent";
    readonly status?: string | undefined;
    readonly type?: string | undefined;
    /** The conditions that make the search faster. */
    readonly narrowing: readonly Condition[];
    readonly conditions: readonly Condition[];
  },
  { position, limit }: { readonly position: readonly string[]; readonly limit: number },
  read: (found: ThreadQuery) => Promise<readonly Row[]>,
): Promise<ThreadRows<Row>> {
  const { appIds, status, type, userId } = search;
  const query = readQuery(search.q ?? "", search.by);
  if (isEmpty(query) || appIds.length === 0) return { rows: [] };
  const page = { conditions: search.narrowing, before: Number(position[0]), limit };
  const found = await searchThreads(reader, { scope: { appIds, status, type }, query, userId }, page);
  const { from, condition } = amongFound(reader, found);
  const rows = await read({ from, order: "f.seq DESC", conditions: [condition, ...search.conditions] });
  // A thread that has changed since it was found may be missing on the page. The next page begins after the found
  // threads.
  const isShort = found.seqs.length >= limit && rows.length < found.seqs.length;
  return { rows, reached: found.reached ?? (isShort ? found.seqs.at(-1) : undefined) };
}
