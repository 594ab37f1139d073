import { isId } from "../core/ids.ts";
import { type Document, isMap } from "./packages.lazy.ts";
import { parseYaml, type Read, setFields, yamlOf, yamlStyle } from "./yaml.ts";

export type FileFields = Omit<FileEntry, "file">;

/** The unchecked fields that a person wrote. */
interface RawFields {
  readonly id: unknown;
  readonly question: unknown;
  readonly answer: unknown;
  readonly sortOrder: unknown;
}

/** The parts of a Markdown file, with Unix line ends. `mark` is the byte order mark, or empty. */
export interface MarkdownParts {
  readonly front: Document;
  readonly body: string;
  readonly mark: string;
  readonly lineEnd: string;
  /** Whether the file has a front matter. */
  readonly hasFront: boolean;
  /** The heading with the question. Undefined if the front matter contains the question. */
  readonly heading: Heading | undefined;
}

const shape = /^---[ \t]*\n([\s\S]*?\n)??---[ \t]*(?:\n([\s\S]*))?$/;

/** Splits a Markdown file. A heading at its start is the question if the front matter has none. (rule C24) */
export function splitMarkdown(text: string): Read<MarkdownParts> {
  const mark = text.startsWith("\ufeff") ? "\ufeff" : "";
  const lineEnd = text.includes("\r\n") ? "\r\n" : "\n";
  const plain = unixLines(text.slice(mark.length));
  const found = shape.exec(plain);
  if (!found && /^---[ \t]*(?:\n|$)/.test(plain))
    return { fault: "begins with `---`, but has no second line `---` that ends the front matter" };
  const [, front = "", body = ""] = found ?? ["", "", plain];
  const read = parseYaml(front, 1);
  if ("fault" in read) return { fault: `has a broken front matter: ${read.fault}` };
  if (read.value.contents !== null && !isMap(read.value.contents))
    return { fault: 'has a broken front matter: it must be lines such as `question: "How do I sync?"`' };
  const hasQuestion = isMap(read.value.contents) && read.value.contents.has("question");
  const heading = hasQuestion ? undefined : headingOf(body);
  return { value: { front: read.value, body, mark, lineEnd, hasFront: found !== null, heading } };
}

/**
 * Returns the fields of a Markdown file. The question may come from the heading or the file name. (rule C24)
 */
export function rawFieldsOf({ front, body, heading }: MarkdownParts, name: string): RawFields {
  const { id, question = heading?.text ?? questionOfName(name), sortOrder } = Object(front.toJS());
  const rest = heading ? body.slice(heading.end) : body;
  return { id, question, sortOrder, answer: rest.replace(/^(?:[ \t]*\n)+/, "").replace(/\n$/, "") };
}

/** Makes a question from a file name, such as "How do i export" from `02-how-do-i-export.md`. */
function questionOfName(name: string): string {
  const words = name
    .replace(/\.\w+$/, "")
    .replace(/[-_\s]+/g, " ")
    .trim()
    .replace(/^\d+\.? (?=\S)/, "");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Checks the fields of an entry. Each fault continues a sentence that starts with the file name. */
export function checkFields(raw: RawFields): {
  readonly value: FileFields;
  readonly faults: readonly string[];
} {
  const { id, sortOrder } = raw;
  const faults = [
    ...textFaults("question", raw.question),
    ...textFaults("answer", raw.answer),
    ...(isMissing(id) || (typeof id === "string" && isId(id.trim()))
      ? []
      : ["has an `id` that is not a valid id"]),
    ...(isMissing(sortOrder) || Number.isSafeInteger(sortOrder)
      ? []
      : ["has a `sortOrder` that is not a whole number"]),
  ];
  const value = {
    id: typeof id === "string" ? id.trim().toLowerCase() : undefined,
    question: String(raw.question),
    answer: String(raw.answer).replace(/\r\n?/g, "\n"),
    sortOrder: typeof sortOrder === "number" ? sortOrder : undefined,
  };
  return { value, faults };
}

const isMissing = (value: unknown): boolean => value === undefined || value === null;

function textFaults(name: string, value: unknown): string[] {
  if (isMissing(value) || value === "") return [`has no ${name}`];
  if (typeof value !== "string") return [`has a ${name} that is not a text. Put it in quotes`];
  if (value.trim() === "") return [`has no ${name}`];
  return value.includes("\0") ? [`has a NUL character in its ${name}`] : [];
}

/** Returns the text of a new Markdown file. */
export const markdownOf = ({ id, question, sortOrder, answer }: FileFields): string =>
  `---\n${yamlOf({ id, question, sortOrder })}---\n${unixLines(answer)}\n`;

/** Returns the text of a Markdown file after a change of some fields. The rest stays the same. (rule C24) */
export function changedMarkdown(parts: MarkdownParts, change: Partial<FileFields>): string {
  const { mark, lineEnd, heading } = parts;
  const { answer, question, ...others } = change;
  const fields = heading ? others : { question, ...others };
  const text = frontWith(parts, fields) + bodyWith(parts, heading && question, answer);
  return mark + text.replaceAll("\n", lineEnd);
}

function frontWith({ front, hasFront }: MarkdownParts, fields: Partial<FileFields>): string {
  if (setFields(front, front.contents, fields)) return `---\n${front.toString(yamlStyle)}---\n`;
  const given = yamlOf(fields);
  return given !== "" || hasFront ? `---\n${given}---\n` : "";
}

function bodyWith(
  { body, heading }: MarkdownParts,
  question: string | undefined,
  answer: string | undefined,
): string {
  if (!heading) return answer === undefined ? body : `${unixLines(answer)}\n`;
  const head = question === undefined ? body.slice(0, heading.end) : heading.with(question);
  return head + (answer === undefined ? body.slice(heading.end) : `\n${unixLines(answer)}\n`);
}

export const unixLines = (text: string): string => text.replace(/\r\n?/g, "\n");

/** A heading at the beginning of a text. */
interface Heading {
  readonly text: string;
  /** The position after the heading. */
  readonly end: number;
  /** Returns a heading of the same kind (with `#` or underlined) with a new text, including the line end. */
  readonly with: (text: string) => string;
}

/** The maximum length of a heading line. The patterns are too slow for longer lines. */
const longestHeading = 2_000;

/** Returns the heading at the start of a text, with `#` or underlined. Returns undefined if there is none. */
function headingOf(body: string): Heading | undefined {
  const blank = blankOf(body);
  const [line = "", next = ""] = body.slice(blank.length).split("\n", 2);
  if (line.length > longestHeading) return undefined;
  const end = (taken: string) => Math.min(body.length, blank.length + taken.length + 1);
  const [, signs, title = ""] = /^ {0,3}(#{1,6})[ \t]+(\S.*)$/.exec(line) ?? [];
  const text = title.trimEnd().replace(/(?<![ \t])[ \t]+#+$/, "");
  if (signs !== undefined && text !== "")
    return { text, end: end(line), with: (other) => `${blank}${signs} ${oneLine(other)}\n` };
  if (/^ {0,3}[^\s#>*+-]/.test(line) && /^ {0,3}(?:=+|-+)[ \t]*$/.test(next))
    return {
      text: line.trim(),
      end: end(`${line}\n${next}`),
      with: (other) => `${blank}${oneLine(other)}\n${next}\n`,
    };
  return undefined;
}

/**
 * Returns the empty lines and comments before the text. Never searches the same characters twice, so the time is
 * linear.
 */
function blankOf(body: string): string {
  let at = 0;
  for (;;) {
    const empty = /^(?:[ \t]*\n)*/.exec(body.slice(at))?.[0].length ?? 0;
    at += empty;
    const end = body.startsWith("<!--", at) ? body.indexOf("-->", at + 4) : -1;
    if (end < 0) return body.slice(0, at);
    const after = /^[ \t]*(?:\n|$)/.exec(body.slice(end + 3))?.[0];
    if (after === undefined) return body.slice(0, at);
    at = end + 3 + after.length;
  }
}

const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim();

const longestSlug = 60;

/** The names that a file must not have. They are device names of Windows and `readme`. */
const reserved = /^(con|prn|aux|nul|com\d|lpt\d|readme)$/;

/** Returns a form of a file name for comparisons. Windows and macOS ignore letter case and the encoding of accents. */
export const foldedName = (name: string): string => name.normalize("NFC").toUpperCase().normalize("NFC");

/** Returns a file name for a question, without an extension. `taken` has names in the form of `foldedName`. */
export function slugOf(question: string, taken: ReadonlySet<string>): string {
  const words = question
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "")
    .normalize("NFC")
    .toLowerCase()
    .match(/[\p{L}\p{N}\p{M}]+/gu);
  const cut = [...(words ?? ["entry"]).join("-")].slice(0, longestSlug).join("").replace(/-$/, "");
  const slug = reserved.test(cut) ? `${cut}-entry` : cut;
  for (let count = 1; ; count += 1) {
    const name = count === 1 ? slug : `${slug}-${count}`;
    if (!taken.has(foldedName(name))) return name;
  }
}

export interface FaqText {
  readonly question: string;
  readonly answer: string;
}

export interface FileEntry extends FaqText {
  /** The name of the file in messages. In a list file, it also contains the number of the entry. */
  readonly file: string;
  readonly id: string | undefined;
  /** The position of the entry. Undefined if the file does not contain a position. */
  readonly sortOrder: number | undefined;
  /** The translations, by language. */
  readonly translations?: Readonly<Record<string, TranslationFile>>;
}

export interface TranslationFile extends FaqText {
  readonly file: string;
}

/** An entry on the server. Some servers do not store the fields about the last push. */
export interface ServerEntry extends FaqText {
  readonly id: string;
  readonly sortOrder: number;
  readonly pushedHash?: string | undefined;
  readonly pushedSortOrder?: number | undefined;
  /** The translations, by language. Undefined if the server does not support translations. */
  readonly translations?: Readonly<Record<string, ServerTranslation>> | undefined;
}

interface ServerTranslation extends FaqText {
  readonly pushedHash?: string | undefined;
}
