import { join, resolve } from "node:path";
import { usageError } from "../core/cli-error.ts";
import type { Invocation } from "../core/context.ts";
import { readForeignText } from "../core/foreign-file.ts";
import { mostTextBytes } from "../core/read-at-most.ts";
import type { Described } from "./described-release.ts";
import { readChangesets } from "./notes/changesets.lazy.ts";

/** The names of the changesets in a folder; undefined if there is no such folder. */
export async function changesetsIn({ context }: Invocation, folder: string): Promise<string[] | undefined> {
  const { readdir } = await import("node:fs/promises");
  const names = await readdir(resolve(context.cwd, folder)).catch(() => undefined);
  return names?.filter((name) => /\.md$/i.test(name) && !/^readme\.md$/i.test(name)).sort();
}

/** Reads pending changesets as notes of the next version. Throws a usage error that names every file with a fault. */
export async function describeChangesets(
  { context }: Invocation,
  folder: string,
  names: readonly string[],
): Promise<Described> {
  const files = names.map((name) => {
    const shown = join(folder, name);
    return { name, text: readForeignText(resolve(context.cwd, shown), shown, mostTextBytes) ?? "" };
  });
  const { notes, releaseType, faults } = readChangesets(files);
  if (faults.length > 0)
    throw usageError(`${folder} cannot be read:`, undefined, {
      issues: faults.map(({ name, message }) => ({ path: name, message })),
    });
  if (releaseType === undefined) return { releases: [], remarks: [] };
  const draftReason = "it is not released yet";
  return {
    releases: [{ place: folder, releaseType, draftReason, isPreRelease: false, notes }],
    remarks: [],
  };
}
