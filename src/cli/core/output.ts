import { usageError } from "./cli-error.ts";
import { painter } from "./color.ts";
import type { Invocation } from "./context.ts";
import { fieldNames, fieldOf, knownFields, pick, unknownFields } from "./fields.ts";
import { shortened } from "./ids.ts";
import { asLogged, asLoggedJson, asTabbed, printable } from "./plain-text.ts";
import { relativeTime } from "./relative-time.ts";
import { fitsOnOneLine, table } from "./table.ts";

/** One column of a list: its heading and what it shows of a row. */
export interface Column<Row> {
  readonly heading: string;
  readonly of: (row: Row) => unknown;
  /** An id that commands also take by its start. A terminal shows only the start. */
  readonly isId?: boolean;
  /** A terminal shows it only if a row has something in it. */
  readonly isRare?: boolean;
}

/**
 * Writes one value to standard output: JSON with `--json`, the values of `--fields`, the bytes of the field that
 * `--raw` names, else the lines of `text`.
 */
export function printOne(invocation: Invocation, value: unknown, text: () => string | Painted): void {
  const names = fieldNames(invocation.flags.fields);
  if (invocation.flags.raw !== undefined) {
    printRaw(invocation, value, invocation.flags.raw);
    return;
  }
  if (names) warnOfUnknown(invocation, value, names);
  if (invocation.flags.json) writeJson(invocation, names ? pick(value, names) : value);
  else if (names)
    writeRow(
      invocation,
      names.map((name) => fieldOf(value, name)),
    );
  else writeText(invocation, text());
}

/** Text with colours of our own. Texts of strangers in it must be `printable` already. */
export interface Painted {
  readonly painted: string;
}

/** A list to print. */
export interface List<Row> {
  readonly items: readonly Row[];
  readonly columns: readonly Column<Row>[];
  /** Further fields of the JSON object. */
  readonly extra?: Readonly<Record<string, unknown>>;
  /** The field of the items in the JSON object, in place of `items`. */
  readonly name?: string;
}

/**
 * Writes a list to standard output: with `--json` one object `{items, …extra}`; else a table on a terminal, and tab-separated full values without headings in a pipe. `--fields` chooses
 * the fields of each item.
 */
export function printList<Row>(
  invocation: Invocation,
  { items, columns, extra = {}, name = "items" }: List<Row>,
): void {
  const names = fieldNames(invocation.flags.fields);
  if (names) refuseUnknown(items, names);
  if (invocation.flags.json) {
    const shown = names ? items.map((item) => pick(item, names)) : items;
    writeJson(invocation, { [name]: shown, ...extra });
    return;
  }
  const shown = names?.map((name) => ({ heading: name, of: (row: Row) => fieldOf(row, name) })) ?? columns;
  const rowsOf = (of: readonly Column<Row>[]) => items.map((item) => of.map((column) => column.of(item)));
  if (!invocation.context.io.stdout.isTerminal) for (const row of rowsOf(shown)) writeRow(invocation, row);
  else if (names)
    writeTable(
      invocation,
      shown,
      rowsOf(shown).map((row) => row.map(plain)),
    );
  else {
    const used = columns.filter(({ isRare, of }) => !isRare || items.some((item) => plain(of(item)) !== ""));
    const rows = forPeople(invocation, used, rowsOf(used));
    const order = orderOnTerminal(invocation, used, rows);
    writeTable(
      invocation,
      order.flatMap((at) => used[at] ?? []),
      rows.map((row) => order.map((at) => row[at] ?? "")),
    );
  }
}

/** The places of the columns. If rows need several lines, ids come first: a person copies them from the line of their row. */
function orderOnTerminal<Row>(
  { context }: Invocation,
  columns: readonly Column<Row>[],
  rows: readonly (readonly string[])[],
): readonly number[] {
  const places = columns.map((_, at) => at);
  const all = [columns.map(({ heading }) => heading), ...rows];
  if (fitsOnOneLine(all, context.io.stdout.columns)) return places;
  const [ids, others] = [true, false].map((wanted) =>
    places.filter((at) => (columns[at]?.isId ?? false) === wanted),
  );
  return [...(ids ?? []), ...(others ?? [])];
}

/** Short ids and relative times, unless `--fields` is given. */
function forPeople<Row>(
  { context }: Invocation,
  columns: readonly Column<Row>[],
  rows: readonly (readonly unknown[])[],
): string[][] {
  const now = context.clock.now();
  const ids = columns.map(({ isId }, at) =>
    isId ? shortened(rows.map((row) => plain(row[at]))) : undefined,
  );
  return rows.map((row, line) => row.map((value, at) => ids[at]?.[line] ?? relativeTime(plain(value), now)));
}

/** Writes a note for the person to standard error. Silent with `--json`. */
export function note({ context, flags }: Invocation, message: string): void {
  if (!flags.json) context.io.stderr.write(`${asLogged(context.env, printable(message))}\n`);
}

/** Writes one value as one line of JSON, only with the fields of `--fields` if it is given. */
export function printLine(invocation: Invocation, value: unknown): void {
  const names = fieldNames(invocation.flags.fields);
  if (names) refuseUnknown([value], names);
  const json = JSON.stringify(names ? pick(value, names) : value);
  write(invocation, asLoggedJson(invocation.context.env, json));
}

function writeJson(invocation: Invocation, value: unknown): void {
  const indent = invocation.context.io.stdout.isTerminal ? 2 : 0;
  const json = JSON.stringify(value ?? null, null, indent);
  write(invocation, asLoggedJson(invocation.context.env, json));
}

function writeTable(
  { context, flags }: Invocation,
  columns: readonly { readonly heading: string }[],
  rows: readonly (readonly string[])[],
): void {
  const { stdout, stderr } = context.io;
  if (rows.length === 0) {
    stderr.write("Nothing to list.\n");
    return;
  }
  const paint = painter(context, flags, stdout);
  const headings = columns.map(({ heading }) => heading.toUpperCase());
  const [first = "", ...rest] = table([headings, ...rows], stdout.columns);
  const lines = [paint("bold", first), ...rest].join("\n");
  stdout.write(`${asLogged(context.env, lines)}\n`);
}

/** A pipe gets exactly the server's text; a terminal gets it without control characters. */
function printRaw({ context, flags }: Invocation, value: unknown, name: string): void {
  if (flags.json || flags.fields !== undefined)
    throw usageError("--raw prints one field as it is.", "Leave out --json and --fields.");
  const field = fieldOf(value, name);
  if (field === undefined)
    throw usageError(`There is no field \`${name}\`.`, `--raw takes one of: ${knownFields([value])}`);
  const { stdout } = context.io;
  stdout.write(stdout.isTerminal ? `${printable(plain(field))}\n` : plain(field));
}

function warnOfUnknown(invocation: Invocation, value: unknown, names: readonly string[]): void {
  for (const name of unknownFields([value], names)) {
    note(invocation, `There is no field \`${name}\`. There are: ${knownFields([value])}.`);
  }
}

function refuseUnknown(items: readonly unknown[], names: readonly string[]): void {
  const [unknown] = unknownFields(items, names);
  if (unknown) throw usageError(`There is no field \`${unknown}\`.`, `--fields takes: ${knownFields(items)}`);
}

const write = ({ context }: Invocation, line: string): void => context.io.stdout.write(`${line}\n`);

function writeText(invocation: Invocation, given: string | Painted): void {
  const text = typeof given === "string" ? printable(given) : given.painted;
  if (text !== "") write(invocation, asLogged(invocation.context.env, text));
}

const writeRow = (invocation: Invocation, values: readonly unknown[]): void =>
  write(invocation, asLogged(invocation.context.env, values.map(cell).join("\t")));

const cell = (value: unknown): string => asTabbed(plain(value));

const plain = (value: unknown): string => {
  if (value === null || value === undefined) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
};
