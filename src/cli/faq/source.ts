import { isUtf8 } from "node:buffer";
import { readdir, realpath, rm, stat } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import { canonicalLanguage } from "../../contract/content-text.ts";
import { limits } from "../../contract/limits.ts";
import { makeFolder } from "../../credentials/folders.ts";
import { systemReason } from "../../words/phrases.ts";
import { usageError } from "../core/cli-error.ts";
import type { Context } from "../core/context.ts";
import { addFile, assertInside, assertUnchanged, isUnder, replaceFile } from "../core/files.ts";
import { readForeign } from "../core/input.ts";
import {
  changedMarkdown,
  checkFields,
  type FaqText,
  type FileEntry,
  type FileFields,
  foldedName,
  type MarkdownParts,
  markdownOf,
  rawFieldsOf,
  slugOf,
  splitMarkdown,
  unixLines,
} from "./entry.ts";
import { type Document, isMap, isSeq, parseDocument } from "./packages.lazy.ts";
import { type SeenState, type StateFile, stateFileOf } from "./states.ts";
import { parseYaml, type Read, setFields, yamlStyle } from "./yaml.ts";

/** FAQ files that were checked and have no faults. */
export interface CheckedSource extends Source {
  /** The path that the person typed. */
  readonly path: string;
  /** The file with the states that earlier commands stored. */
  readonly stateFile: StateFile;
}

export const defaultPath = "faq";

/**
 * Reads all FAQ files. Throws one usage error with all faults. With `mustHave`, also throws if there are no
 * entries.
 */
export async function readSource(
  { cwd }: Pick<Context, "cwd">,
  path: string,
  { mustHave }: { readonly mustHave: boolean },
): Promise<CheckedSource> {
  const absolute = resolve(cwd, path);
  const isList = /\.(ya?ml|json)$/i.test(path);
  await assertKind(absolute, path, isList);
  await assertInside(cwd, path);
  const shown = path.replace(/(?<![\\/])[\\/]+$/, "");
  const stateFile = stateFileOf(absolute, isList);
  const source = await (isList
    ? readList(absolute, shown)
    : readFolder(absolute, shown, languagesSeen(await stateFile.read())));
  const faults = [...source.faults, ...doubles(source.entries)];
  if (faults.length > 0) throw faultsError(faults);
  if (mustHave && source.entries.length === 0) throw nothingThere(path, source.isThere);
  return { ...source, path, stateFile };
}

/** Returns the languages of all translations in these states. */
const languagesSeen = (states: readonly SeenState[]): ReadonlySet<string> =>
  new Set(
    states.flatMap(({ entries }) =>
      [...entries.values()].flatMap(({ translations = {} }) => Object.keys(translations)),
    ),
  );

async function assertKind(absolute: string, path: string, isList: boolean): Promise<void> {
  const found = await stat(absolute).catch(() => undefined);
  if (!found && /\.(?:txt|md|markdown|csv|tsv|html?|xml|toml|ndjson)$/i.test(path))
    throw usageError(
      `${path} has the name of a file, but innkeep would create a folder.`,
      "PATH is a folder of Markdown files, or one file that ends in .yaml, .yml or .json.",
    );
  if (!found || found.isDirectory() !== isList) return;
  throw usageError(
    isList ? `${path} is a folder.` : `${path} is not a folder.`,
    "PATH is a folder of Markdown files, or one file that ends in .yaml, .yml or .json.",
  );
}

/** Returns a fault for each file with the id of an earlier file. Without an id, the questions are compared. */
function doubles(entries: readonly FileEntry[]): FileFault[] {
  const first = new Map<string, string>();
  return entries.flatMap(({ id, question, file }) => {
    const key = id ?? `?${question.trim()}`;
    const other = first.get(key);
    if (other === undefined) {
      first.set(key, file);
      return [];
    }
    const same = id === undefined ? "asks the same question as" : "has the same id as";
    const mend = id === undefined ? "delete one of them" : "delete one of them, or the `id` of the new one";
    return [{ file, message: `${same} ${other}: ${mend}` }];
  });
}

export function faultsError(faults: readonly FileFault[]) {
  const count = faults.length === 1 ? "One thing is wrong" : `${faults.length} things are wrong`;
  return usageError(`Nothing was changed. ${count}:`, undefined, {
    issues: faults.map(({ file, message }) => ({ path: file, message })),
  });
}

const nothingThere = (path: string, isThere: boolean) =>
  usageError(
    isThere ? `${path} has no FAQ entries.` : `${path} does not exist.`,
    "`innkeep faq pull` writes the entries of the server to this path. To delete entries, use `innkeep faq delete`.",
  );

/** A file that was read. `name` is its path in the folder. */
interface ReadFile {
  readonly entry: FileEntry;
  readonly parts: MarkdownParts;
  readonly text: string;
  readonly name: string;
}

/**
 * Reads a folder of Markdown files. Messages call the folder `shown`. `languages` are the languages of earlier
 * pushes and pulls.
 */
async function readFolder(folder: string, shown: string, languages: ReadonlySet<string>): Promise<Source> {
  const found = await markdownIn(folder);
  const root = found ? await realpath(folder) : folder;
  const files: ReadFile[] = [];
  const faults: FileFault[] = [];
  for (const name of found?.names ?? []) {
    const file = `${shown}/${name.replaceAll("\\", "/")}`;
    const read = await readOne(join(folder, name), { file, root });
    if ("value" in read && !read.value.parts.hasFront && ofProject.test(basename(name))) continue;
    if ("fault" in read) faults.push(...[read.fault].flat().map((message) => ({ file, message })));
    else files.push({ ...read.value, name });
  }
  const { own, translated, strays } = withoutTranslations(files, languages);
  faults.push(
    ...strays.map(({ entry, of }) => ({
      file: entry.file,
      message: `is a translation, but there is no entry ${shown}/${of}`,
    })),
  );
  return {
    entries: own.map(({ entry, name }) => {
      const translations = translated.get(name);
      return translations ? { ...entry, translations: filesByLanguage(translations) } : entry;
    }),
    faults,
    isThere: found !== undefined,
    change: (changes) => changeFolder({ folder, shown, files: own, translated }, found?.taken ?? [], changes),
  };
}

/** The files with the translations of one entry, by language. */
type TranslatedFiles = ReadonlyMap<string, ReadFile>;

const filesByLanguage = (files: TranslatedFiles): FileEntry["translations"] =>
  Object.fromEntries(
    [...files].map(([language, { entry }]) => [
      language,
      { question: entry.question, answer: entry.answer, file: entry.file },
    ]),
  );

/** Separates the translations from the entries. (rule C36) */
function withoutTranslations(files: readonly ReadFile[], seen: ReadonlySet<string>) {
  const placed = files.map((file) => {
    const [first = "", ...rest] = file.name.replaceAll("\\", "/").split("/");
    const language = rest.length > 0 ? canonicalLanguage(first) : undefined;
    return { file, language, folder: first, of: rest.join("/") };
  });
  const outside = new Set(
    placed.filter(({ language }) => language === undefined).map(({ file }) => pathOf(file)),
  );
  // A language folder has translations if a file in it has the path of an entry, or if `seen` has the language.
  const folders = new Set(
    placed.flatMap(({ language, folder, of }) =>
      language !== undefined && (outside.has(of) || seen.has(language)) ? [folder] : [],
    ),
  );
  const translated = new Map<string, Map<string, ReadFile>>();
  const own: ReadFile[] = [];
  const strays: { readonly entry: FileEntry; readonly of: string }[] = [];
  for (const { file, language, folder, of } of placed) {
    if (language === undefined || !folders.has(folder)) own.push(file);
    else if (!outside.has(of)) strays.push({ entry: file.entry, of });
  }
  const byPath = new Map(own.map((file) => [pathOf(file), file.name]));
  for (const { file, language, folder, of } of placed) {
    const name = byPath.get(of);
    if (language === undefined || !folders.has(folder) || name === undefined) continue;
    translated.set(name, (translated.get(name) ?? new Map()).set(language, file));
  }
  return { own, translated, strays };
}

const pathOf = ({ name }: ReadFile): string => name.replaceAll("\\", "/");

/** Names of common project files. Such a file is an entry only with a front matter. (rule C24) */
const ofProject =
  /^(?:CONTRIBUTING|CHANGELOG|CODE_OF_CONDUCT|LICENSE|SECURITY|SUPPORT|AUTHORS|AGENTS|CLAUDE|[Cc]ontributing|[Cc]hangelog|code_of_conduct|license)(?:[.-][A-Za-z]{2})?\.(?:md|markdown)$/;

/** The Markdown files of a folder. */
interface FoundFiles {
  /** The relative paths of the files that may contain an entry, sorted. */
  readonly names: readonly string[];
  /** The names that a new file must not have. They have no extension and were converted with `foldedName`. */
  readonly taken: readonly string[];
}

/**
 * Returns the Markdown files below a folder, or undefined without the folder. Throws a usage error for an
 * unreadable folder.
 */
async function markdownIn(folder: string): Promise<FoundFiles | undefined> {
  try {
    const found = await readdir(folder, { recursive: true, withFileTypes: true });
    const all = found.filter(({ name }) => /\.(md|markdown)$/i.test(name));
    const names = all
      .filter((one) => !one.isDirectory() && !/^readme\./i.test(one.name))
      .map((one) => relative(folder, join(one.parentPath, one.name)))
      .filter((name) => !/(^|[\\/])\./.test(name));
    return { names: names.sort(), taken: all.map(({ name }) => withoutEnding(name)) };
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw usageError(`${folder} cannot be read (${systemReason(error)}).`);
  }
}

/**
 * Returns the bytes of a file, or a fault. Refuses links out of the folder: strangers may have created them.
 */
async function bytesOf(path: string, root: string): Promise<Buffer | string> {
  try {
    const file = await realpath(path);
    if (!isUnder(root, file)) return "is a link that leads out of the folder";
    const read = readForeign(file, limits.faqList) ?? { fault: "does not exist" };
    return "bytes" in read ? read.bytes : read.fault;
  } catch (error) {
    return `cannot be read (${systemReason(error)})`;
  }
}

async function readOne(
  path: string,
  { file, root }: { readonly file: string; readonly root: string },
): Promise<Read<Omit<ReadFile, "name">> | { readonly fault: readonly string[] }> {
  const bytes = await bytesOf(path, root);
  if (typeof bytes === "string") return { fault: bytes };
  if (!isUtf8(bytes)) return { fault: "is not UTF-8 text" };
  const text = bytes.toString("utf8");
  const split = splitMarkdown(text);
  if ("fault" in split) return split;
  const { value, faults } = checkFields(rawFieldsOf(split.value, basename(path)));
  if (faults.length > 0) return { fault: faults };
  return { value: { entry: { ...value, file }, parts: split.value, text } };
}

interface ReadFolder {
  readonly folder: string;
  readonly shown: string;
  readonly files: readonly ReadFile[];
  /** The translations of each entry. The key is the name of the entry's file. */
  readonly translated: ReadonlyMap<string, TranslatedFiles>;
}

async function changeFolder(
  { folder, shown, files, translated }: ReadFolder,
  names: readonly string[],
  changes: readonly FileChange[],
): Promise<string[]> {
  const named = changes.flatMap((one) => (one.kind === "add" ? [] : one.file));
  for (const { name, text, entry } of files) {
    if (!named.includes(entry.file)) continue;
    await assertUnchanged(join(folder, name), text);
    for (const file of translated.get(name)?.values() ?? [])
      await assertUnchanged(join(folder, file.name), file.text);
  }
  const taken = new Set(names);
  const added: string[] = [];
  for (const one of changes) {
    if (one.kind === "add") {
      const slug = slugOf(one.fields.question, taken);
      taken.add(foldedName(slug));
      await addFile(join(folder, `${slug}.md`), markdownOf(one.fields));
      await changeTranslations(folder, `${slug}.md`, new Map(), one.translations);
      added.push(`${shown}/${slug}.md`);
      continue;
    }
    const found = files.find(({ entry }) => entry.file === one.file);
    if (!found) continue;
    const own = translated.get(found.name) ?? new Map();
    if (one.kind === "remove") {
      await rm(join(folder, found.name), { force: true });
      for (const { name } of own.values()) await rm(join(folder, name), { force: true });
      continue;
    }
    if (Object.keys(one.fields).length > 0)
      await replaceFile(join(folder, found.name), changedMarkdown(found.parts, one.fields));
    await changeTranslations(folder, found.name, own, one.translations);
  }
  return added;
}

/**
 * Writes translations into language folders. Null deletes a file. Throws a usage error for a link out of
 * `folder`.
 */
async function changeTranslations(
  folder: string,
  name: string,
  files: TranslatedFiles,
  translations: TranslatedTexts = {},
): Promise<void> {
  for (const [language, text] of Object.entries(translations)) {
    const file = files.get(language);
    if (text === null) {
      if (file) await rm(join(folder, file.name), { force: true });
      continue;
    }
    const { question, answer } = text;
    if (file) await replaceFile(join(folder, file.name), changedMarkdown(file.parts, { question, answer }));
    else {
      const path = join(folder, language, name);
      makeFolder(dirname(path));
      // The folder of the language may be a link to another folder.
      if (!isUnder(await realpath(folder), await realpath(dirname(path))))
        throw usageError(`${join(folder, language)} is a link that leads out of the folder.`);
      await addFile(path, markdownOf({ id: undefined, question, answer, sortOrder: undefined }));
    }
  }
}

const withoutEnding = (name: string): string => foldedName(basename(name).replace(/\.\w+$/, ""));

/** The result of reading a file that contains a list of entries. */
interface ListFile {
  readonly path: string;
  readonly shown: string;
  /** The text of the file. Undefined if the file does not exist. */
  readonly text: string | undefined;
  readonly document: Document;
  readonly isJson: boolean;
  readonly mark: string;
  readonly lineEnd: string;
}

/** Reads a list of entries from YAML or JSON. `shown` is the file's name in messages. */
async function readList(path: string, shown: string): Promise<Source> {
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
  return { entries, faults, isThere: text !== undefined, change: (changes) => changeList(list, changes) };

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

/** Parses JSON. Does not use the YAML parser, because its error messages would be about YAML and not about JSON. */
function parseJson(text: string): ReturnType<typeof parseYaml> {
  if (text.trim() === "") return { value: parseDocument("[]") };
  try {
    return { value: parseDocument(JSON.stringify(JSON.parse(text))) };
  } catch (error) {
    return { fault: error instanceof Error ? error.message : "it is not JSON" };
  }
}

/** Returns the entries in an earlier version of a list file. Empty if that version cannot be parsed. */
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
    const { id, question, answer, sortOrder, translations } = Object(element);
    const raw = {
      id,
      question,
      sortOrder,
      answer: typeof answer === "string" ? answer.replace(/\n$/, "") : answer,
    };
    const { value, faults: own } = checkFields(raw);
    faults.push(...own.map((message) => ({ file, message })));
    const read = translationsIn(translations, file);
    faults.push(...read.faults);
    return { ...value, file, ...(read.texts && { translations: read.texts }) };
  });
  return { entries, faults };
}

/** Reads the translations of an element of a list file. */
function translationsIn(value: unknown, file: string) {
  if (value === undefined || value === null) return { texts: undefined, faults: [] };
  const faults: FileFault[] = [];
  const texts = Object.entries(Object(value)).flatMap(([language, text]) => {
    const tag = canonicalLanguage(language);
    if (tag === undefined) {
      faults.push({
        file,
        message: `has a translation into “${language.slice(0, 40)}”, which is not a language tag`,
      });
      return [];
    }
    const { question, answer } = Object(text);
    const plain = typeof answer === "string" ? answer.replace(/\n$/, "") : answer;
    const read = checkFields({ id: undefined, sortOrder: undefined, question, answer: plain });
    faults.push(...read.faults.map((message) => ({ file, message: `in ${tag} ${message}` })));
    return [[tag, { question: read.value.question, answer: read.value.answer, file }] as const];
  });
  return { texts: Object.fromEntries(texts), faults };
}

const nameOf = (shown: string, at: number): string => `${shown}#${at + 1}`;

async function changeList(list: ListFile, changes: readonly FileChange[]): Promise<string[]> {
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
      const element = document.createNode(elementOf(one.fields));
      sequence.add(element);
      setTranslations(document, element, one.translations);
      count += 1;
      continue;
    }
    const at = before.indexOf(one.file);
    if (one.kind === "remove") removed.push(at);
    else {
      setFields(document, sequence.items[at], one.fields);
      setTranslations(document, sequence.items[at], one.translations);
    }
  }
  for (const at of removed.sort((one, other) => other - one)) sequence.delete(at);
  await replaceFile(path, list.mark + textIn(list).replaceAll("\n", list.lineEnd));
  const first = sequence.items.length - count;
  return Array.from({ length: count }, (_, at) => nameOf(shown, first + at));
}

function setTranslations(document: Document, element: unknown, translations: TranslatedTexts = {}): void {
  if (!isMap(element)) return;
  for (const [language, text] of Object.entries(translations)) {
    if (text === null) element.deleteIn(["translations", language]);
    else
      element.setIn(
        ["translations", language],
        document.createNode({ question: text.question, answer: unixLines(text.answer) }),
      );
  }
}

const textIn = ({ document, isJson }: ListFile): string =>
  isJson ? `${JSON.stringify(document.toJS(), null, 2)}\n` : document.toString(yamlStyle);

const elementOf = ({ id, question, answer, sortOrder }: FileFields) => ({
  ...(id !== undefined && { id }),
  question,
  ...(sortOrder !== undefined && { sortOrder }),
  answer: unixLines(answer),
});

/** A change of the files. `file` means the same as in FileEntry. */
export type FileChange =
  | { readonly kind: "add"; readonly fields: FileFields; readonly translations?: TranslatedTexts }
  | {
      readonly kind: "set";
      readonly file: string;
      readonly fields: Partial<FileFields>;
      readonly translations?: TranslatedTexts;
    }
  | { readonly kind: "remove"; readonly file: string };

/** The translated texts by language. Null deletes a translation. */
type TranslatedTexts = Readonly<Record<string, FaqText | null>>;

/** The entries of a folder or of a list file, and a function that changes them. */
interface Source {
  readonly entries: readonly FileEntry[];
  /** The faults. Each message continues a sentence that starts with the file name. */
  readonly faults: readonly FileFault[];
  readonly isThere: boolean;
  /** Writes all changes. Returns the names of the files that it added, in the order of the changes. */
  change(changes: readonly FileChange[]): Promise<readonly string[]>;
}

export interface FileFault {
  readonly file: string;
  readonly message: string;
}
