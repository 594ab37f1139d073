import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { usageError } from "../core/cli-error.ts";
import type { Context } from "../core/context.ts";
import { assertInside } from "../core/inside-folder.ts";
import type { FileEntry } from "./entry.ts";
import type { FileFault, Source } from "./file-change.ts";
import { readFolder } from "./folder-source.ts";
import { readList } from "./list-source.ts";
import { type StatePlace, statePlaceOf } from "./state.ts";

/** A source without faults, and where its state is kept. */
export interface CheckedSource extends Source {
  /** As the person wrote it. */
  readonly path: string;
  readonly statePlace: StatePlace;
}

export const defaultPath = "faq";

/**
 * Reads all FAQ files. Throws one usage error that names every fault. `mustHave`: it is a fault too if there are no
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
  const source = await (isList ? readList : readFolder)(absolute, path.replace(/[\\/]+$/, ""));
  const faults = [...source.faults, ...doubles(source.entries)];
  if (faults.length > 0) throw faultsError(faults);
  if (mustHave && source.entries.length === 0) throw nothingThere(path, source.isThere);
  return { ...source, path, statePlace: statePlaceOf(absolute, isList) };
}

async function assertKind(absolute: string, path: string, isList: boolean): Promise<void> {
  const found = await stat(absolute).catch(() => undefined);
  if (!found && /\.(?:txt|md|markdown|csv|tsv|html?|xml|toml|ndjson)$/i.test(path))
    throw usageError(
      `${path} would be a folder with the name of a file.`,
      "PATH is a folder of Markdown files, or one file that ends in .yaml, .yml or .json.",
    );
  if (!found || found.isDirectory() !== isList) return;
  throw usageError(
    isList ? `${path} is a folder.` : `${path} is not a folder.`,
    "PATH is a folder of Markdown files, or one file that ends in .yaml, .yml or .json.",
  );
}

/** An id in two files; a question in two files without an id, which could not be told apart. */
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
  const count = faults.length === 1 ? "one thing is wrong" : `${faults.length} things are wrong`;
  return usageError(`Nothing was changed, ${count}:`, undefined, {
    issues: faults.map(({ file, message }) => ({ path: file, message })),
  });
}

/** As `faultsError`, for one document. */
export const faqsFault = (file: string, messages: readonly string[]) =>
  faultsError(messages.map((message) => ({ file, message })));

const nothingThere = (path: string, isThere: boolean) =>
  usageError(
    isThere ? `${path} has no FAQ entries.` : `${path} does not exist.`,
    "`innkeep faq pull` writes the entries of the server there. To delete all, use `innkeep faq delete`.",
  );
