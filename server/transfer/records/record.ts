import { withoutSenderLinks } from "../../mail/sender/sender-links.ts";
import { id as idField, isObject, type Naming, type Stored } from "../fields.ts";
import { nameOf, type RecordKind, type StoredRow } from "./record-kinds.ts";

/** A line of an export, read as JSON. */
export type Line = Readonly<Record<string, unknown>>;

/** The version of the format. A file of another version is refused. */
export const formatVersion = 1;

/** The longest line in bytes. The longest record, a release note, has less. */
export const mostLineBytes = 4 * 1_048_576;

/** How deep a line may be nested. Metadata has five levels. */
const deepest = 16;

/** Reads one line. Gives a text that says what is wrong with it if it is no JSON object. */
export function parseLine(text: string): Line | string {
  // Checked first: JSON.parse takes seconds for a megabyte of brackets.
  if (isTooDeep(text)) return `nests deeper than ${deepest} levels`;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : "must be a JSON object";
  } catch {
    return "is not JSON";
  }
}

const [quote, backslash] = [0x22, 0x5c];
const openings = new Set([0x5b, 0x7b]);
const closings = new Set([0x5d, 0x7d]);

function isTooDeep(text: string): boolean {
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (quoted && unit === backslash) at++;
    else if (unit === quote) quoted = !quoted;
    else if (quoted) continue;
    else if (openings.has(unit)) depth++;
    else if (closings.has(unit)) depth--;
    if (depth > deepest) return true;
  }
  return false;
}

/** Everything that is wrong with the values of a record. */
export function faultsOf(kind: RecordKind, line: Line): string[] {
  const fields = fieldsOf(kind);
  const faults = fields.flatMap(([name, { fault }]) => {
    const found = Object.hasOwn(line, name) ? fault(line[name]) : "is missing";
    return found === undefined ? [] : [`\`${name}\` ${found}`];
  });
  const known = new Set(["type", ...fields.map(([name]) => name)]);
  for (const name of Object.keys(line))
    if (!known.has(name)) faults.push(`\`${name.slice(0, 50)}\` is unknown`);
  const together = faults.length === 0 ? kind.disagreement?.(line) : undefined;
  return together === undefined ? faults : [together];
}

/** The fields of a line by their names. A record below another one names it. */
function fieldsOf(kind: RecordKind) {
  const own = Object.entries(kind.columns).map(([column, field]) => [nameOf(kind, column), field] as const);
  return isBelow(kind) ? [...own, [nameOf(kind, kind.parent), idField] as const] : own;
}

/** Whether the parent of a record is another record, and not the app. */
const isBelow = ({ parent }: RecordKind): boolean => parent !== "app_id" && parent !== "id";

/** What an import stores of a line without faults. */
export function rowOf(kind: RecordKind, line: Line, place: Naming & { readonly appId: string }): StoredRow {
  const own = Object.entries(kind.columns).map(([column, field]): [string, Stored] => [
    column,
    withoutLinks(field.stored(line[nameOf(kind, column)], place)),
  ]);
  const fixed = Object.entries(kind.fixed ?? {}).map(([column, value]): [string, Stored] => [
    column,
    value(place),
  ]);
  const above = isBelow(kind) ? idField.stored(line[nameOf(kind, kind.parent)], place) : place.appId;
  const inApp = (kind.app ?? []).map((column): [string, Stored] => [column, place.appId]);
  const row = Object.fromEntries([...own, ...fixed, [kind.parent, above], ...inApp]);
  return kind.adjusted ? kind.adjusted(row, place.now) : row;
}

/** An older version of a server stored and exported links to senders' pages. They may still work there. (rule M8) */
const withoutLinks = (stored: Stored): Stored =>
  typeof stored === "string" ? withoutSenderLinks(stored) : stored;

/** The line of a stored row, whose values stand in the order of `columns`, after those of the parent. */
export function lineOf(kind: RecordKind, row: StoredRow): Line {
  const own = Object.entries(kind.columns).map(([column, field]) => [
    nameOf(kind, column),
    field.shown(row[column] ?? null),
  ]);
  const above = isBelow(kind) ? [[nameOf(kind, kind.parent), row[kind.parent]]] : [];
  return { type: kind.type, ...Object.fromEntries([...above, ...own]) };
}
