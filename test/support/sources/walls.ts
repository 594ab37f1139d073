import type { Imports } from "./imports.ts";

/**
 * The allowed imports: for each folder the folders, files and packages that its files may import. `node:*` stands for the
 * runtime, `package/*` for the parts of a package. A folder without a row of its own has the row of the folder above it.
 */
export type Walls = Readonly<Record<string, readonly string[]>>;

/** Imports through a wall that are allowed all the same, by file, with the reason. */
export type Exceptions = Readonly<
  Record<string, { readonly imports: readonly string[]; readonly why: string }>
>;

/** The imports through a wall, as `file imports name`. */
export const breachesIn = (imports: Imports, walls: Walls, exceptions: Exceptions = {}): string[] =>
  breachPairs(imports, walls).flatMap(([file, name]) =>
    exceptions[file]?.imports.includes(name) ? [] : [`${file} imports ${name}`],
  );

/** The exceptions that are no longer needed. */
export function staleExceptions(imports: Imports, walls: Walls, exceptions: Exceptions): string[] {
  const needed = new Set(breachPairs(imports, walls).map((pair) => pair.join(" imports ")));
  return Object.entries(exceptions)
    .flatMap(([file, { imports: names }]) => names.map((name) => `${file} imports ${name}`))
    .filter((pair) => !needed.has(pair));
}

/** The folders with sources, two levels deep at most, that have no row. */
export function foldersWithoutRow(imports: Imports, walls: Walls): string[] {
  const folders = new Set([...imports.keys()].map(roomOf));
  return [...folders].filter((folder) => !Object.hasOwn(walls, folder)).sort();
}

/** The rows of folders that have no sources. */
export const rowsWithoutFolder = (imports: Imports, walls: Walls): string[] =>
  Object.keys(walls).filter((folder) => ![...imports.keys()].some((file) => file.startsWith(`${folder}/`)));

const roomOf = (file: string): string => {
  const [top = "", second = "", ...rest] = file.split("/");
  return rest.length === 0 || !["src", "server"].includes(top) ? top : `${top}/${second}`;
};

const breachPairs = (imports: Imports, walls: Walls): [string, string][] =>
  [...imports].flatMap(([file, names]) => {
    const allowed = rowOf(file, walls);
    return names
      .filter((name) => !allowed.some((entry) => covers(entry, name)))
      .map((name): [string, string] => [file, name]);
  });

function rowOf(file: string, walls: Walls): readonly string[] {
  const rows = Object.keys(walls).filter((folder) => file.startsWith(`${folder}/`));
  const nearest = rows.sort((a, b) => b.length - a.length)[0];
  return nearest === undefined ? [] : (walls[nearest] ?? []);
}

function covers(entry: string, name: string): boolean {
  if (entry === "node:*") return name.startsWith("node:");
  if (entry.endsWith("/*")) return name.startsWith(entry.slice(0, -1));
  return name === entry || name.startsWith(`${entry}/`);
}
