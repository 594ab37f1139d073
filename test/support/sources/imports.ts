import { posix } from "node:path";
import type { Tree } from "./tree.ts";

/** The imports of the files of a tree, by file: our own files by their path, packages by their name. Imports of types count. */
export type Imports = ReadonlyMap<string, readonly string[]>;

export const importsIn = (tree: Tree): Imports =>
  new Map([...tree].map(([file, text]) => [file, importsOf(file, text)]));

const forms = /(?:^|[\n;])\s*(?:import|export)\b(?:[^"';]*?\bfrom)?\s*"([^"]+)"|\bimport\(\s*"([^"]+)"\s*\)/g;

function importsOf(file: string, text: string): string[] {
  const names = [...codeOf(text).matchAll(forms)].flatMap(([, named, called]) => named ?? called ?? []);
  const paths = names.map((name) => (name.startsWith(".") ? posix.join(posix.dirname(file), name) : name));
  return [...new Set(paths)];
}

/** The text without its comments. */
export const codeOf = (text: string): string =>
  text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");

/** The cycles of imports, one for each group of files that import each other, as `a → b → a`. */
export function circlesIn(imports: Imports): string[] {
  const reach = new Map([...imports.keys()].map((file) => [file, reachableFrom(file, imports)]));
  const inCircle = [...reach].filter(([file, reached]) => reached.has(file)).map(([file]) => file);
  const groups = inCircle.map((file) =>
    inCircle.filter((other) => reach.get(file)?.has(other) && reach.get(other)?.has(file)),
  );
  return [...new Set(groups.map((group) => shortestCircle(group, imports).join(" → ")))].sort();
}

function reachableFrom(start: string, imports: Imports): ReadonlySet<string> {
  const reached = new Set<string>();
  const waiting = [...(imports.get(start) ?? [])];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (reached.has(next)) continue;
    reached.add(next);
    waiting.push(...(imports.get(next) ?? []));
  }
  return reached;
}

/** A shortest path from the first file of a group back to itself. */
function shortestCircle(group: readonly string[], imports: Imports): string[] {
  const [first = ""] = group;
  const ways = [[first]];
  for (const way of ways) {
    for (const next of imports.get(way.at(-1) ?? "") ?? []) {
      if (next === first) return [...way, first];
      if (group.includes(next) && !way.includes(next)) ways.push([...way, next]);
    }
  }
  return [...group];
}
