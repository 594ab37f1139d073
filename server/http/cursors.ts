import { createHash } from "node:crypto";
import type { Endpoint } from "../../src/contract/endpoint.ts";
import { fieldsOf, valueAt } from "../../src/contract/json.ts";

/** The parts of a request that decide which list it reads. */
interface ReadList {
  readonly endpoint: Pick<Endpoint, "method" | "path">;
  readonly params: unknown;
}

/**
 * Returns the query with the cursor as the handler wrote it. A cursor of another list becomes empty. The handler refuses
 * an empty cursor. (rule H24)
 */
export function withoutListMark<Query>(list: ReadList & { readonly query: Query }): Query {
  const cursor = valueAt(list.query, "cursor");
  if (typeof cursor !== "string") return list.query;
  const mark = markOf(list);
  return { ...list.query, cursor: cursor.startsWith(mark) ? cursor.slice(mark.length) : "" };
}

/** Returns the answer with a `nextCursor` that only the same list accepts. (rule H24) */
export function withListMark(answer: unknown, list: ReadList): unknown {
  const next = valueAt(answer, "nextCursor");
  return typeof next === "string" ? { ...fieldsOf(answer), nextCursor: markOf(list) + next } : answer;
}

/**
 * Returns a short hash of a list. Filters are not part of it: a program may follow a cursor without its filters, and
 * then gets the rest of the whole list.
 */
const markOf = ({ endpoint: { method, path }, params }: ReadList): string =>
  createHash("sha256")
    .update(JSON.stringify([method, path, params ?? null]))
    .digest("base64url")
    .slice(0, 8);
