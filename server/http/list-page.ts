import { badRequest } from "../../src/contract/errors.ts";

/** The position in a list at which a page starts. It is the sort key of the row before the page. */
export type Position = readonly string[];

/** One part of a sort key: its form in a cursor, and a value that comes before all others. */
interface KeyPart {
  readonly form: RegExp;
  readonly start: string;
}

export const instantPart: KeyPart = {
  form: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
  start: "9999-12-31T23:59:59.999Z",
};
export const idPart: KeyPart = { form: /^[\da-f-]{36}$/, start: "g" };
export const sequencePart: KeyPart = { form: /^\d{1,15}$/, start: String(Number.MAX_SAFE_INTEGER) };

/**
 * Returns the position of a cursor, or the start of the list if there is no cursor. Throws `bad_request` for an invalid
 * cursor.
 */
export function readCursor(cursor: string | undefined, parts: readonly KeyPart[]): Position {
  if (cursor === undefined) return parts.map(({ start }) => start);
  const position = Buffer.from(cursor, "base64url").toString().split(" ");
  const fits =
    position.length === parts.length && parts.every(({ form }, at) => form.test(position[at] ?? ""));
  if (fits) return position;
  throw badRequest("cursor", "must be the `nextCursor` of an earlier page of the same list");
}

/** Returns a page of `rows`. If another page follows, `rows` has one row more than `limit`. (rule H24) */
export function pageOf<Row>(rows: readonly Row[], limit: number, keyOf: (row: Row) => Position) {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  const more = rows.length > limit && last !== undefined;
  return { items, nextCursor: more ? cursorOf(keyOf(last)) : null };
}

const cursorOf = (position: Position): string => Buffer.from(position.join(" ")).toString("base64url");

/**
 * Returns a page of a search. If the search stopped early, `nextCursor` is set even if the page is not full. The next
 * page then begins before the number `reached`.
 */
export function searchedPage<Row>(
  rows: readonly Row[],
  limit: number,
  { keyOf, reached }: { readonly keyOf: (row: Row) => Position; readonly reached?: number | undefined },
) {
  const { items, nextCursor } = pageOf(rows, limit, keyOf);
  const stopped = reached === undefined ? null : cursorOf([String(reached)]);
  return { items, nextCursor: nextCursor ?? stopped };
}
