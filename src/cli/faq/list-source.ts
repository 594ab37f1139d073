import { isUtf8 } from "node:buffer";
import { limits } from "../../contract/limits.ts";
import { usageError } from "../core/cli-error.ts";
import { assertUnchanged, replaceFile } from "../core/files.ts";
import { readForeign } from "../core/foreign-file.ts";
import type { FileEntry } from "./entry.ts";
import type { FileChange, FileFault, Source } from "./file-change.ts";
import { checkFields, type FileFields, parseYaml, setFields, unixLines, yamlStyle } from "./front-matter.ts";
import { type Document, isSeq, parseDocument } from "./packages.lazy.ts";

/** A list file that was read: the values of its elements, and what else its text holds. */
interface ListFile {
  readonly path: string;
  readonly shown: string;
  /** Undefined if there was no file. */
  readonly text: string | undefined;
  readonly document: Document;
  readonly isJson: boolean;
  readonly mark: string;
  readonly lineEnd: string;
}

/** Reads one YAML or JSON file with the list of all entries. `shown` is how messages call the file. */
export async function readList(path: string, shown: string): Promise<Source> {
  const text = textOf(path, shown);
  const isJson = /\.json$/i.test(path);
  const mark = text?.startsWith("\ufeff") ? "\ufeff" : "";
  const plain = unixLines(text ?? "").slice(mark.length);
  const lineEnd = text?.includes("\r\n") ? "\r\n" : "\n";
  const read = isJson ? parseJson(plain) : parseYaml(plain);
  if ("fault" in read) return broken(`is broken: ${read.fault}`);
  const document = read.value;
  if (document.contents !== null && !isSeq(document.contents))
    return broken("must be a list of entries, each with `question` and `answer`");
  const { entries, faults } = entriesOf(document, shown);
  const list = { path, shown, text, document, isJson, mark, lineEnd };
  return { entries, faults, isThere: text !== undefined, change: (changes) => change(list, changes) };

  function broken(message: string): Source {
    return { entries: [], faults: [{ file: shown, message }], isThere: true, change: async () => [] };
  }
}

function textOf(path: string, shown: string): string | undefined {
  const read = readForeign(path, limits.faqList);
  if (!read) return undefined;
  if ("fault" in read) throw usageError(`${shown} ${read.fault}.`);
  const { bytes } = read;
  if (!isUtf8(bytes)) throw usageError(`${shown} is not UTF-8 text.`);
  return bytes.toString("utf8");
}

/** JSON is also YAML, but the messages for its faults speak of JSON. */
function parseJson(text: string): ReturnType<typeof parseYaml> {
  if (text.trim() === "") return { value: parseDocument("[]") };
  try {
    return { value: parseDocument(JSON.stringify(JSON.parse(text))) };
  } catch (error) {
    return { fault: error instanceof Error ? error.message : "it is not JSON" };
  }
}

/** The entries of an earlier version of a list file; none if it is broken. */
export function fieldsInList(path: string, text: string): FileFields[] {
  const plain = unixLines(text).replace(/^\ufeff/, "");
  const read = /\.json$/i.test(path) ? parseJson(plain) : parseYaml(plain);
  return "fault" in read ? [] : entriesOf(read.value, "").entries;
}

function entriesOf(document: Document, shown: string) {
  const faults: FileFault[] = [];
  const elements: unknown = document.toJS() ?? [];
  const entries = [elements].flat().map((element: unknown, at): FileEntry => {
    const file = nameOf(shown, at);
    const { id, question, answer, sortOrder } = Object(element);
    const raw = {
      id,
      question,
      sortOrder,
      answer: typeof answer === "string" ? answer.replace(/\n$/, "") : answer,
    };
    const { value, faults: own } = checkFields(raw);
    faults.push(...own.map((message) => ({ file, message })));
    return { ...value, file };
  });
  return { entries, faults };
}

const nameOf = (shown: string, at: number): string => `${shown}#${at + 1}`;

async function change(list: ListFile, changes: readonly FileChange[]): Promise<string[]> {
  const { document, shown, path, text } = list;
  if (text !== undefined) await assertUnchanged(path, text);
  if (!isSeq(document.contents)) document.contents = document.createNode([]);
  const sequence = document.contents;
  if (!isSeq(sequence)) return [];
  const before = sequence.items.map((_, at) => nameOf(shown, at));
  const removed: number[] = [];
  let count = 0;
  for (const one of changes) {
    if (one.kind === "add") {
      sequence.add(document.createNode(elementOf(one.fields)));
      count += 1;
      continue;
    }
    const at = before.indexOf(one.file);
    if (one.kind === "remove") removed.push(at);
    else setFields(document, sequence.items[at], one.fields);
  }
  for (const at of removed.sort((one, other) => other - one)) sequence.delete(at);
  await replaceFile(path, list.mark + textIn(list).replaceAll("\n", list.lineEnd));
  const first = sequence.items.length - count;
  return Array.from({ length: count }, (_, at) => nameOf(shown, first + at));
}

const textIn = ({ document, isJson }: ListFile): string =>
  isJson ? `${JSON.stringify(document.toJS(), null, 2)}\n` : document.toString(yamlStyle);

const elementOf = ({ id, question, answer, sortOrder }: FileFields) => ({
  ...(id !== undefined && { id }),
  question,
  ...(sortOrder !== undefined && { sortOrder }),
  answer: unixLines(answer),
});
