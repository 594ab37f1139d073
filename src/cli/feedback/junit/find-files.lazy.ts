import { stat } from "node:fs/promises";
import path, { type PlatformPath, resolve } from "node:path";
import { type GlobOptions, glob } from "tinyglobby";

/** Returns the matching files as sorted absolute paths. A folder means all XML files below it. */
export async function findFiles(cwd: string, pattern: string): Promise<readonly string[]> {
  const named = resolve(cwd, pattern);
  const found = await stat(named).catch(() => undefined);
  if (found && !found.isDirectory()) return [named];
  const ignore = pattern.includes("node_modules") ? [] : ["**/node_modules/**"];
  const options = { absolute: true, dot: true, onlyFiles: true, expandDirectories: false, ignore };
  const files = found
    ? await glob("**/*.xml", { ...options, cwd: named })
    : await filesOf(globOf(cwd, pattern), options);
  return [...new Set(files.map((file) => resolve(file)))].sort();
}

const filesOf = ({ folder, glob: signs }: Glob, options: GlobOptions): Promise<string[]> =>
  glob(signs, { ...options, cwd: folder });

/**
 * A pattern, split into `folder` without wildcards and `glob` below `folder`. Only `/` separates folders in
 * `glob`.
 */
export interface Glob {
  readonly folder: string;
  readonly glob: string;
}

/** Splits a pattern into folder and glob. On Windows, the folder contains the drive, because a glob cannot. */
export function globOf(cwd: string, pattern: string, paths: PlatformPath = path): Glob {
  const slashed = paths.sep === "\\" ? pattern.replaceAll("\\", "/") : pattern;
  const parts = slashed.split("/");
  const first = parts.findIndex((part) => /[*?[\]{}()!+@\\]/.test(part));
  const count = first === -1 ? parts.length - 1 : first;
  const literal = parts
    .slice(0, count)
    .map((part) => `${part}/`)
    .join("");
  return { folder: paths.resolve(cwd, literal), glob: parts.slice(count).join("/") };
}
