import { isId } from "../../../core/input/app-id.ts";
import type { FileEntry } from "../entry.ts";
import { type Document, isMap, parseDocument, stringify } from "./packages.ts";

/** The fields of an entry that a file has. */
export type FileFields = Omit<FileEntry, "file">;

/** A field that a person wrote, as it was read. */
export interface RawFields {
  readonly id: unknown;
  readonly question: unknown;
  readonly answer: unknown;
  readonly sortOrder: unknown;
}

/** The parts of a Markdown file. Its line ends are those of Unix here. */
export interface MarkdownParts {
  readonly front: Document;
  readonly body: string;
  readonly mark: string;
  readonly lineEnd: string;
}

/** A fault as the end of a sentence that begins with the name of the file. */
export type Read<Value> = { readonly value: Value } | { readonly fault: string };

const shape = /^---[ \t]*\n([\s\S]*?\n)??---[ \t]*(?:\n([\s\S]*))?$/;

/** Takes a Markdown file apart. */
export function splitMarkdown(text: string): Read<MarkdownParts> {
  const mark = text.startsWith("\ufeff") ? "\ufeff" : "";
  const lineEnd = text.includes("\r\n") ? "\r\n" : "\n";
  const found = shape.exec(unixLines(text.slice(mark.length)));
  if (!found)
    return { fault: "has no front matter: its first line must be `---`, and a second `---` must end it" };
  const [, front = "", body = ""] = found;
  const read = parseYaml(front, 1);
  if ("fault" in read) return { fault: `has a broken front matter: ${read.fault}` };
  if (read.value.contents !== null && !isMap(read.value.contents))
    return { fault: 'has a broken front matter: it must be lines such as `question: "How do I sync?"`' };
  return { value: { front: read.value, body, mark, lineEnd } };
}

/**
 * Parses YAML. Aliases that grow without limit, and the same key twice, are faults. `linesBefore`: how many lines of the
 * file come before the text.
 */
export function parseYaml(text: string, linesBefore = 0): Read<Document> {
  const document = parseDocument(text, { prettyErrors: true });
  const [error] = document.errors;
  if (error) return { fault: faultOf(error.message, linesBefore) };
  try {
    document.toJS({ maxAliasCount: 100 });
    return { value: document };
  } catch (thrown) {
    return { fault: faultOf(thrown instanceof Error ? thrown.message : "it cannot be read", linesBefore) };
  }
}

function faultOf(message: string, linesBefore: number): string {
  const [first = ""] = message.split("\n", 1);
  const sentence = first
    .replace(/[.:]$/, "")
    .replace(/^Missing closing (["'])quote/, "a quotation mark ($1) without an end")
    .replace(/ at line (\d+)/, (_, line: string) => ` at line ${Number(line) + linesBefore}`);
  return /mapping|implicit/i.test(sentence) ? `${sentence}. A text with a colon needs quotes` : sentence;
}

/** The fields of a Markdown file. The answer is the body, without empty lines before it and one line end after it. */
export function rawFieldsOf({ front, body }: MarkdownParts): RawFields {
  const { id, question, sortOrder } = Object(front.toJS());
  return { id, question, sortOrder, answer: body.replace(/^(?:[ \t]*\n)+/, "").replace(/\n$/, "") };
}

/** Checks the fields of an entry. The faults are ends of sentences. */
export function checkFields(raw: RawFields): {
  readonly value: FileFields;
  readonly faults: readonly string[];
} {
  const { id, sortOrder } = raw;
  const faults = [
    ...textFaults("question", raw.question),
    ...textFaults("answer", raw.answer),
    ...(isMissing(id) || (typeof id === "string" && isId(id.trim())) ? [] : ["has an `id` that is no id"]),
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
  if (typeof value !== "string") return [`has a ${name} that is no text: put it in quotes`];
  if (value.trim() === "") return [`has no ${name}`];
  return value.includes("\0") ? [`has a NUL character in its ${name}`] : [];
}

/** A new Markdown file. */
export const markdownOf = ({ id, question, sortOrder, answer }: FileFields): string =>
  `---\n${stringify(withoutMissing({ id, question, sortOrder }), yamlStyle)}---\n${unixLines(answer)}\n`;

/** The text of a Markdown file with some fields changed. Everything else in it stays. */
export function changedMarkdown(parts: MarkdownParts, change: Partial<FileFields>): string {
  const { front, body, mark, lineEnd } = parts;
  const { answer, ...fields } = change;
  const changed = setFields(front, front.contents, fields);
  const text = `---\n${changed ? front.toString(yamlStyle) : ""}---\n${answer === undefined ? body : `${unixLines(answer)}\n`}`;
  return mark + text.replaceAll("\n", lineEnd);
}

/** Sets fields in a map of a document, an id first. Gives whether the map has any field. */
export function setFields(document: Document, map: unknown, fields: Partial<FileFields>): boolean {
  if (!isMap(map)) return false;
  for (const [name, value] of Object.entries(withoutMissing(fields))) {
    if (name === "id" && !map.has(name)) map.items.unshift(document.createPair(name, value));
    else map.set(name, value);
  }
  return true;
}

/** No line is folded: a long question stays on its line. */
export const yamlStyle = { lineWidth: 0 } as const;

export const unixLines = (text: string): string => text.replace(/\r\n?/g, "\n");

const withoutMissing = (fields: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
