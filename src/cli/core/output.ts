import { join } from "node:path";
import { type Fields, isObject, valueAt } from "../../contract/json.ts";
import { readIfThere, stateFolder, writePrivately } from "../../credentials/folders.ts";
import { escapedJson, oneLine, visibleText } from "../../words/visible.ts";
import { isCiJob } from "./ci.ts";
import { usageError } from "./cli-error.ts";
import type { Context, GlobalFlags, Invocation, Sink } from "./context.ts";
import { shortened } from "./ids.ts";

/** Prints how to get the next page. `all` means that the command has the flag `--all`. */
export function noteFurther(
  invocation: Invocation,
  {
    count,
    nextCursor,
    all = false,
  }: { readonly count: number; readonly nextCursor: string | null | undefined; readonly all?: boolean },
): void {
  if (!nextCursor) return;
  // The server may stop a long search before it finds a row.
  const more = count === 0 ? "Older threads were not searched yet" : "There are more";
  note(invocation, `${more}. ${howToGetMore(`--cursor ${nextCursor}`, all)}`);
}

/** Returns a sentence with the flags that make a list show more items. */
export const howToGetMore = (flag: string, all: boolean): string => `Use ${flag}${all ? ", or --all" : ""}.`;

/** Throws a usage error if `--limit` or `--cursor` is used together with `--all`. */
export function refusePageOfAll(flags: {
  readonly all?: boolean;
  readonly limit?: unknown;
  readonly cursor?: string;
}): void {
  if (flags.all && (flags.limit !== undefined || flags.cursor !== undefined))
    throw usageError("--all reads all pages. Leave out --limit and --cursor.");
}

/** One column of a list: its heading, and the function that returns its value for a row. */
export interface Column<Row> {
  readonly heading: string;
  readonly of: (row: Row) => unknown;
  /** True for a column of ids. A terminal shows only the start of each id, and commands accept this start. */
  readonly isId?: boolean;
  /** True for a column that a terminal shows only if at least one row has a value in it. */
  readonly isRare?: boolean;
}

/**
 * Writes one value: as JSON (`--json`), some fields (`--fields`), one field's bytes (`--raw`), or the lines of `text`.
 * (rule L1)
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

/** Text with colours. The caller has removed control characters from the texts of strangers with `printable`. */
interface Painted {
  readonly painted: string;
}

interface List<Row> {
  readonly items: readonly Row[];
  readonly columns: readonly Column<Row>[];
  /** Fields of the JSON object in addition to the items. */
  readonly extra?: Readonly<Record<string, unknown>>;
  /** The name of the JSON field that contains the items. The default is `items`. */
  readonly name?: string;
}

/** Writes a list as JSON, a table, or tab-separated text. Throws a usage error for unknown fields. (rule L1) */
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

/** Returns the order of the columns. If rows need several lines, ids come first. */
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

/** Returns the cells with short ids and relative times. */
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

/** Writes a note for the person to standard error. Writes nothing with `--json`. */
export function note({ context, flags }: Invocation, message: string): void {
  if (!flags.json) context.io.stderr.write(`${asLogged(context.env, printable(message))}\n`);
}

/** Writes one value as a line of JSON. Throws a usage error for an unknown field. */
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

/** Writes the text of a file, such as CSV, to standard output. The text has its own line ends. */
export const printFile = ({ context }: Invocation, text: string): void => context.io.stdout.write(text);

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
    note(invocation, `There is no field \`${name}\`. The fields are: ${knownFields([value])}.`);
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

const gap = "  ";

const narrowest = 8;

const idLength = 36;

type Columns = readonly { readonly least: number; readonly most: number }[];

/** Returns the lines of a table, at most `columns` wide if possible. A row may continue on an indented line. */
export function table(rows: readonly (readonly string[])[], columns: number): string[] {
  const cells = rows.map((row) => row.map((cell) => oneLine(cell)));
  const lines = packed(measured(cells), columns);
  return cells.map((row) =>
    lines
      .map(({ from, widths }) => widths.map((width, at) => padded(row[from + at] ?? "", width)).join(gap))
      .map((line) => line.trimEnd())
      .filter((line, at) => at === 0 || line !== "")
      .join(`\n${gap}`),
  );
}

const fitsOnOneLine = (rows: readonly (readonly string[])[], columns: number): boolean =>
  packed(measured(rows.map((row) => row.map((cell) => oneLine(cell)))), columns).length === 1;

const measured = (rows: readonly (readonly string[])[]): Columns =>
  (rows[0] ?? []).map((_, at) => {
    const cells = rows.map((row) => row[at] ?? "");
    const most = Math.max(...cells.map(widthOf));
    return { most, least: Math.min(most, Math.max(narrowest, ...cells.map(wordWidth))) };
  });

function wordWidth(cell: string): number {
  const width = widthOf(cell);
  return width > idLength || cell.includes(" ") ? 0 : width;
}

/** Distributes columns over lines. Returns the index of the first column and the widths for each line. */
function packed(columns: Columns, available: number): { from: number; widths: number[] }[] {
  const starts = [0];
  let used = -gap.length;
  columns.forEach(({ least }, at) => {
    used += gap.length + least;
    if (used <= available || at === 0) return;
    starts.push(at);
    used = gap.length + least;
  });
  return starts.map((from, line) => {
    const space = available - (line === 0 ? 0 : gap.length);
    return { from, widths: fitted(columns.slice(from, starts[line + 1]), space) };
  });
}

/** Reduces the widest column that is above its minimum width, until all columns fit. Returns the widths. */
function fitted(columns: Columns, available: number): number[] {
  const widths = columns.map(({ most }) => most);
  let excess = widths.reduce((sum, width) => sum + width, gap.length * (widths.length - 1)) - available;
  while (excess > 0) {
    const spare = columns.map(({ least }, at) => ((widths[at] ?? 0) > least ? (widths[at] ?? 0) : 0));
    const most = Math.max(...spare);
    if (most === 0) break;
    widths[spare.indexOf(most)] = most - 1;
    excess -= 1;
  }
  return widths;
}

function padded(cell: string, width: number): string {
  const cut = cutTo(cell, width);
  return cut + " ".repeat(Math.max(0, width - widthOf(cut)));
}

/** Returns the names in `--fields a,b.c`. Undefined if the flag is not given. */
const fieldNames = (flag: string | undefined): readonly string[] | undefined =>
  flag
    ?.split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");

/** Returns the value of the field with a name such as `a.b`. Undefined if there is none. */
export const fieldOf = (value: unknown, name: string): unknown => valueAt(value, ...name.split("."));

/** Returns only the named fields. A missing field is null. */
const pick = (value: unknown, names: readonly string[]): Fields =>
  Object.fromEntries(names.map((name) => [name, fieldOf(value, name) ?? null]));

/** Returns the names of fields that none of the values contains. */
const unknownFields = (values: readonly unknown[], names: readonly string[]): string[] =>
  values.length === 0
    ? []
    : names.filter((name) => values.every((value) => fieldOf(value, name) === undefined));

/** Returns the names of all fields of the values, for a message. */
const knownFields = (values: readonly unknown[]): string =>
  [...new Set(values.flatMap((value) => (isObject(value) ? Object.keys(value) : [])))].join(", ");

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

const units = [
  { seconds: 86_400, name: "d" },
  { seconds: 3_600, name: "h" },
  { seconds: 60, name: "min" },
] as const;

const longestRelative = 30 * 86_400;

/** Returns a time as `3 h ago`, `in 2 d` or a date. Returns other text on one line. */
export function relativeTime(text: string, now: Date): string {
  if (!instant.test(text)) return oneLine(text);
  const seconds = (Date.parse(text) - now.getTime()) / 1_000;
  const distance = Math.abs(seconds);
  if (distance >= longestRelative) return text.slice(0, 10);
  const unit = units.find((one) => distance >= one.seconds);
  if (!unit) return "now";
  // A future time is rounded: a new snooze of four hours ends `in 4 h`.
  return seconds < 0
    ? `${Math.floor(distance / unit.seconds)} ${unit.name} ago`
    : `in ${Math.round(distance / unit.seconds)} ${unit.name}`;
}

/** Returns lines of `name  value` with aligned values. Omits missing values. */
export function details(facts: Readonly<Record<string, string | number | null | undefined>>): string {
  const shown = Object.entries(facts).filter(
    ([, value]) => value !== null && value !== undefined && value !== "",
  );
  const width = Math.max(0, ...shown.map(([name]) => name.length));
  const margin = " ".repeat(width + 2);
  return shown
    .map(([name, value]) => `${name.padEnd(width)}  ${String(value).replaceAll("\n", `\n${margin}`)}`)
    .join("\n");
}

/** Returns a duration in words, for a sentence. */
export function formatDuration(seconds: number): string {
  const minutes = Math.floor((seconds % 3_600) / 60);
  if (seconds >= 3_600) return `${Math.floor(seconds / 3_600)} h${minutes > 0 ? ` ${minutes} min` : ""}`;
  return seconds >= 60 ? `${Math.floor(seconds / 60)} min` : `${seconds} s`;
}

const dayMs = 86_400_000;

/**
 * Whether a day has passed between two times in epoch milliseconds. Also true for a future `since`, after a
 * clock change.
 */
export const isDayOver = (since: number, now: number): boolean => now - since >= dayMs || since > now;

/** Returns whether the note `what` is due, at most once a day. If so, stores the time. */
export function mayShowToday(context: Context, what: string): boolean {
  const file = join(stateFolder(context), `said-${what}`);
  const now = context.clock.now();
  const before = Date.parse(readIfThere(file)?.trim() ?? "");
  if (!Number.isNaN(before) && !isDayOver(before, now.getTime())) return false;
  try {
    writePrivately(file, `${now.toISOString()}\n`, context.newId);
  } catch {
    // If the time cannot be stored, the note is shown more often.
  }
  return true;
}

// U+FE0F widens some characters from one column to two. So U+FE0F itself counts as one column.
const wide =
  /[\u{20000}-\u{3fffd}\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;

const escapes: Readonly<Record<string, string>> = { "\\": "\\\\", "\t": "\\t", "\r": "\\r" };

/** Removes characters that move the cursor, change the text direction or are invisible. Keeps line ends and tabs. */
export const printable = (text: string): string => visibleText(text).text;

/** Changes a text so that CI services find no commands, such as `::error` or `##vso[`. */
export const withoutCommands = (text: string): string =>
  text.replace(/(^|\n)([^\S\n]*)(?=::|##)/g, "$1$2\\").replace(/##(?=\w*\[)/g, "# #");

type Env = Context["env"];

/** Makes a text safe for the log of a CI job, because CI services execute commands in logs. */
export const asLogged = (env: Env, text: string): string => (isCiJob(env) ? withoutCommands(text) : text);

/**
 * Escapes invisible characters, and `##` in a CI job. These characters occur only in strings, so the JSON keeps
 * its meaning. (rule W4)
 */
export const asLoggedJson = (env: Env, json: string): string =>
  isCiJob(env) ? escapedJson(json).replaceAll("##", "#\\u0023") : escapedJson(json);

/** Escapes backslashes, tabs and line ends, so that the text can be one value in a tab-separated line. */
export const asTabbed = (text: string): string =>
  printable(text.replace(/[\\\t\n\r\u0085\u2028\u2029]/g, (character) => escapes[character] ?? "\\n"));

/** Returns the width of the text in a terminal, in columns. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += columnsOf(character);
  return width;
}

function columnsOf(character: string): number {
  if (character < "\u0300" || character === "\ufe0f") return 1;
  if (wide.test(character)) return 2;
  return /\p{M}/u.test(character) ? 0 : 1;
}

/** Cuts the text to a width. An ellipsis marks the cut. */
export function cutTo(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let [kept, used] = ["", 0];
  for (const character of text) {
    used += columnsOf(character);
    if (used > width - 1) break;
    kept += character;
  }
  return `${kept}…`;
}

const styles = { bold: [1, 22], dim: [2, 22], red: [31, 39], yellow: [33, 39], green: [32, 39] } as const;

type Style = keyof typeof styles;

export type Painter = (style: Style, text: string) => string;

/** Returns the function that adds a style to a text. Without colours, the text stays unchanged. */
export function painter(context: Context, flags: GlobalFlags, sink: Sink): Painter {
  if (!showsColor(context, flags, sink)) return (_style, text) => text;
  return (style, text) => `\u001b[${styles[style][0]}m${text}\u001b[${styles[style][1]}m`;
}

function showsColor({ env }: Context, { color }: GlobalFlags, sink: Sink): boolean {
  if (color === "always") return true;
  if (color === "never" || color === false) return false;
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== "0";
  return sink.isTerminal && env.TERM !== "dumb";
}
