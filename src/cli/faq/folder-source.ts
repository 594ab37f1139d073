import { isUtf8 } from "node:buffer";
import { readdir, realpath, rm } from "node:fs/promises";
import { basename, join, relative } from "node:path";
import { limits } from "../../contract/limits.ts";
import { systemReason } from "../../words/system-reason.ts";
import { usageError } from "../core/cli-error.ts";
import { addFile, assertUnchanged, replaceFile } from "../core/files.ts";
import { readForeign } from "../core/foreign-file.ts";
import { isUnder } from "../core/inside-folder.ts";
import type { FileEntry } from "./entry.ts";
import type { FileChange, FileFault, Source } from "./file-change.ts";
import {
  changedMarkdown,
  checkFields,
  type MarkdownParts,
  markdownOf,
  type Read,
  rawFieldsOf,
  splitMarkdown,
} from "./front-matter.ts";
import { foldedName, slugOf } from "./slug.ts";

/** A file that was read: its name under the folder, and its parts. */
interface ReadFile {
  readonly entry: FileEntry;
  readonly parts: MarkdownParts;
  readonly text: string;
  readonly name: string;
}

/** Reads a folder of Markdown files, one for each entry. `shown` is how messages call the folder. */
export async function readFolder(folder: string, shown: string): Promise<Source> {
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
  return {
    entries: files.map(({ entry }) => entry),
    faults,
    isThere: found !== undefined,
    change: (changes) => change({ folder, shown, files, taken: found?.taken ?? [] }, changes),
  };
}

/** Files of a project. They hold no entry unless they have a front matter. */
const ofProject =
  /^(?:CONTRIBUTING|CHANGELOG|CODE_OF_CONDUCT|LICENSE|SECURITY|SUPPORT|AUTHORS|AGENTS|CLAUDE|[Cc]ontributing|[Cc]hangelog|code_of_conduct|license)(?:[.-][A-Za-z]{2})?\.(?:md|markdown)$/;

/** The Markdown files of a folder. */
interface FoundFiles {
  /** Those with entries, in the folder and the folders in it, sorted. */
  readonly names: readonly string[];
  /** All names that a new file cannot have, without their endings and folded. */
  readonly taken: readonly string[];
}

/** The Markdown files in a folder and the folders in it; undefined without the folder. */
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

/** The bytes of a file, or why it is not read: a link in a checkout of a stranger may lead to any file of the machine. */
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

interface Folder {
  readonly folder: string;
  readonly shown: string;
  readonly files: readonly ReadFile[];
  readonly taken: readonly string[];
}

async function change(
  { folder, shown, files, taken: names }: Folder,
  changes: readonly FileChange[],
): Promise<string[]> {
  const named = changes.flatMap((one) => (one.kind === "add" ? [] : one.file));
  for (const { name, text, entry } of files)
    if (named.includes(entry.file)) await assertUnchanged(join(folder, name), text);
  const taken = new Set(names);
  const added: string[] = [];
  for (const one of changes) {
    if (one.kind === "add") {
      const slug = slugOf(one.fields.question, taken);
      taken.add(foldedName(slug));
      await addFile(join(folder, `${slug}.md`), markdownOf(one.fields));
      added.push(`${shown}/${slug}.md`);
      continue;
    }
    const found = files.find(({ entry }) => entry.file === one.file);
    if (!found) continue;
    if (one.kind === "remove") await rm(join(folder, found.name), { force: true });
    else await replaceFile(join(folder, found.name), changedMarkdown(found.parts, one.fields));
  }
  return added;
}

const withoutEnding = (name: string): string => foldedName(basename(name).replace(/\.\w+$/, ""));
