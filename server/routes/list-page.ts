import { badRequest } from "../../src/contract/errors.ts";

/** Where a page of a list that runs from the newest to the oldest begins: the sort key of the row before it. */
export type Position = readonly string[];

/** One part of a sort key: its form in a cursor, and what comes before every value. */
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

/** The position that a cursor stands for; without one the start of the list. A broken cursor is a 400. */
export function readCursor(cursor: string | undefined, parts: readonly KeyPart[]): Position {
  if (cursor === undefined) return parts.map(({ start }) => start);
  const position = Buffer.from(cursor, "base64url").toString().split(" ");
  const fits =
    position.length === parts.length && parts.every(({ form }, at) => form.test(position[at] ?? ""));
  if (fits) return position;
  throw badRequest("cursor", "must be the `nextCursor` of an earlier page of the same list");
}

/** A page of `rows`, of which there is one more than `limit` where another page follows. */
export function pageOf<Row>(rows: readonly Row[], limit: number, keyOf: (row: Row) => Position) {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  const more = rows.length > limit && last !== undefined;
  return { items, nextCursor: more ? Buffer.from(keyOf(last).join(" ")).toString("base64url") : null };
}
