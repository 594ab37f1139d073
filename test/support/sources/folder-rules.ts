import type { Imports } from "./imports.ts";

/**
 * The allowed imports: for each folder the folders, files and packages that its files may import. `node:*` stands for
 * the runtime, `package/*` for the parts of a package. A folder without a separate row has the row of the folder above
 * it.
 */
export type ImportRules = Readonly<Record<string, readonly string[]>>;

/** The imports that break the rules, as `file imports name`. */
export const breachesIn = (imports: Imports, rules: ImportRules): string[] =>
  [...imports].flatMap(([file, names]) => {
    const allowed = rowOf(file, rules);
    return names
      .filter((name) => !allowed.some((entry) => covers(entry, name)))
      .map((name) => `${file} imports ${name}`);
  });

/** The folders with sources, two levels deep at most, that have no row. */
export function foldersWithoutRow(imports: Imports, rules: ImportRules): string[] {
  const folders = new Set([...imports.keys()].map(folderOf));
  return [...folders].filter((folder) => !Object.hasOwn(rules, folder)).sort();
}

/** The rows of folders that have no sources. */
export const rowsWithoutFolder = (imports: Imports, rules: ImportRules): string[] =>
  Object.keys(rules).filter((folder) => ![...imports.keys()].some((file) => file.startsWith(`${folder}/`)));

/** The entries of rows that name a file or a folder of ours that does not exist. */
export const entriesWithoutFile = (rules: ImportRules, exists: (path: string) => boolean): string[] =>
  [...new Set(Object.values(rules).flat())].filter(
    (entry) => /^(bin|build|mcp|server|src)(\/|$)/.test(entry) && !exists(entry),
  );

const folderOf = (file: string): string => {
  const [top = "", second = "", ...rest] = file.split("/");
  return rest.length === 0 || !["src", "server"].includes(top) ? top : `${top}/${second}`;
};

function rowOf(file: string, rules: ImportRules): readonly string[] {
  const rows = Object.keys(rules).filter((folder) => file.startsWith(`${folder}/`));
  const nearest = rows.sort((a, b) => b.length - a.length)[0];
  return nearest === undefined ? [] : (rules[nearest] ?? []);
}

function covers(entry: string, name: string): boolean {
  if (entry === "node:*") return name.startsWith("node:");
  if (entry.endsWith("/*")) return name.startsWith(entry.slice(0, -1));
  return name === entry || name.startsWith(`${entry}/`);
}
