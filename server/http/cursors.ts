import { createHash } from "node:crypto";
import type { Endpoint } from "../../src/contract/endpoint.ts";
import { fieldsOf, valueAt } from "../../src/contract/json.ts";

/** The parts of a request that decide which list it reads. */
interface ReadList {
  readonly endpoint: Pick<Endpoint, "method" | "path">;
  readonly params: unknown;
  readonly query: unknown;
}

/**
 * Returns the query with the cursor as the handler wrote it. A cursor of another list, or of other filters, becomes
 * empty. The handler refuses an empty cursor. (rule H24)
 */
export function withoutListMark<Query>(list: ReadList & { readonly query: Query }): Query {
  const cursor = valueAt(list.query, "cursor");
  if (typeof cursor !== "string") return list.query;
  const mark = markOf(list);
  return { ...list.query, cursor: cursor.startsWith(mark) ? cursor.slice(mark.length) : "" };
}

/** Returns the answer with a `nextCursor` that only the same list with the same filters accepts. (rule H24) */
export function withListMark(answer: unknown, list: ReadList): unknown {
  const next = valueAt(answer, "nextCursor");
  return typeof next === "string" ? { ...fieldsOf(answer), nextCursor: markOf(list) + next } : answer;
}

/** Returns a short hash of a list and its filters. The size of a page is not part of it. */
function markOf({ endpoint: { method, path }, params, query }: ReadList): string {
  const { cursor: _, limit: __, ...filters } = fieldsOf(query);
  return createHash("sha256")
    .update(JSON.stringify([method, path, params ?? null, filters]))
    .digest("base64url")
    .slice(0, 8);
}
