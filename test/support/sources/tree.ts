import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

/** Files by their path from the root of the repository, with their text. */
export type Tree = ReadonlyMap<string, string>;

const root = resolve(import.meta.dirname, "../../..");

/** The files of some folders whose names have one of these endings, sorted by path. */
export function readTree(folders: readonly string[], endings: readonly string[]): Tree {
  const paths = folders.flatMap(filesIn).filter((path) => endings.some((ending) => path.endsWith(ending)));
  return new Map(paths.sort().map((path) => [path, readText(path)]));
}

/** The files of a tree apart from one. Throws if the tree does not have this file, because it may have moved. */
export function treeWithout(tree: Tree, path: string): Tree {
  if (!tree.has(path)) throw new Error(`There is no file ${path}. Has it moved?`);
  return new Map([...tree].filter(([each]) => each !== path));
}

/** Whether the repository has a file or a folder. */
export const isInRepository = (path: string): boolean => existsSync(join(root, path));

/** The text of one file of the repository. */
export const readText = (path: string): string => readFileSync(join(root, path), "utf8");

const filesIn = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map(
    (name) => `${folder}/${name.replaceAll("\\", "/")}`,
  );
