import { isUtf8 } from "node:buffer";
import { readdir, readFile, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { usageError } from "../../../core/failures/cli-error.ts";
import { assertUnchanged, replaceFile } from "../../../core/output/replace-file.ts";
import type { FileEntry } from "../entry.ts";
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
import { slugOf } from "./slug.ts";

/** A file that was read: its name under the folder, and its parts. */
interface ReadFile {
  readonly entry: FileEntry;
  readonly parts: MarkdownParts;
  readonly text: string;
  readonly name: string;
}

/** Reads a folder of Markdown files, one for each entry. `shown` is how messages call the folder. */
export async function readFolder(folder: string, shown: string): Promise<Source> {
  const names = await markdownIn(folder);
  const files: ReadFile[] = [];
  const faults: FileFault[] = [];
  for (const name of names ?? []) {
    const file = `${shown}/${name.replaceAll("\\", "/")}`;
    const read = await readOne(join(folder, name), file);
    if ("fault" in read) faults.push(...[read.fault].flat().map((message) => ({ file, message })));
    else files.push({ ...read.value, name });
  }
  return {
    entries: files.map(({ entry }) => entry),
    faults,
    isThere: names !== undefined,
    change: (changes) => change({ folder, shown, files }, changes),
  };
}

/** The names of the Markdown files in a folder and the folders in it, sorted; undefined without the folder. */
async function markdownIn(folder: string): Promise<string[] | undefined> {
  try {
    const found = await readdir(folder, { recursive: true, withFileTypes: true });
    const names = found
      .filter(
        (one) => !one.isDirectory() && /\.(md|markdown)$/i.test(one.name) && !/^readme\./i.test(one.name),
      )
      .map((one) => join(one.parentPath, one.name).slice(folder.length + 1))
      .filter((name) => !/(^|[\\/])\./.test(name));
    return names.sort();
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw usageError(`${folder} cannot be read (${String(error)}).`);
  }
}

async function readOne(
  path: string,
  file: string,
): Promise<Read<Omit<ReadFile, "name">> | { readonly fault: readonly string[] }> {
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => error.code ?? "EIO");
  if (typeof bytes === "string") return { fault: `cannot be read (${bytes})` };
  if (!isUtf8(bytes)) return { fault: "is not UTF-8 text" };
  const text = bytes.toString("utf8");
  const split = splitMarkdown(text);
  if ("fault" in split) return split;
  const { value, faults } = checkFields(rawFieldsOf(split.value));
  if (faults.length > 0) return { fault: faults };
  return { value: { entry: { ...value, file }, parts: split.value, text } };
}

interface Folder {
  readonly folder: string;
  readonly shown: string;
  readonly files: readonly ReadFile[];
}

async function change({ folder, shown, files }: Folder, changes: readonly FileChange[]): Promise<string[]> {
  const named = changes.flatMap((one) => (one.kind === "add" ? [] : one.file));
  for (const { name, text, entry } of files)
    if (named.includes(entry.file)) await assertUnchanged(join(folder, name), text);
  const taken = new Set(files.map(({ name }) => withoutEnding(name)));
  const added: string[] = [];
  for (const one of changes) {
    if (one.kind === "add") {
      const slug = slugOf(one.fields.question, taken);
      taken.add(slug);
      await replaceFile(join(folder, `${slug}.md`), markdownOf(one.fields));
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

const withoutEnding = (name: string): string =>
  basename(name)
    .replace(/\.\w+$/, "")
    .toLowerCase();
