import { join } from "node:path/posix";
import { parseAst } from "vitest/node";
import { readTree } from "../sources/tree.ts";

/** A node of the syntax tree of a file. */
export interface Syntax {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [part: string]: unknown;
}

/** A file of the server, read once. */
export interface Source {
  readonly file: string;
  readonly text: string;
  /** All nodes, each before its parts. */
  readonly nodes: readonly Syntax[];
  readonly places: ReadonlyMap<Syntax, number>;
  readonly above: ReadonlyMap<Syntax, Syntax>;
  /** The imports from other sources, by their names in this file. */
  readonly imports: ReadonlyMap<string, { readonly from: string; readonly name: string }>;
}

export const readSources = (folder: string): Source[] =>
  [...readTree([folder], [".ts", ".tsx"])]
    .filter(([file]) => !file.endsWith(".d.ts"))
    .map(([file, text]) => sourceOf(file, text));

function sourceOf(file: string, text: string): Source {
  const nodes: Syntax[] = [];
  const above = new Map<Syntax, Syntax>();
  const add = (node: Syntax) => {
    nodes.push(node);
    for (const part of partsOf(node)) {
      above.set(part, node);
      add(part);
    }
  };
  const program: unknown = parseAst(text, { lang: file.endsWith("x") ? "tsx" : "ts" });
  if (isSyntax(program)) add(program);
  const imports = nodes
    .filter(({ type }) => type === "ImportDeclaration")
    .flatMap((node) => {
      const from = join(file, "..", String(partOf(node, "source")?.value));
      return listOf(node, "specifiers").map((one) => {
        const name = nameOf(partOf(one, "imported")) || "*";
        return [nameOf(partOf(one, "local")), { from, name }] as const;
      });
    });
  const places = new Map(nodes.map((node, place) => [node, place]));
  return { file, text, nodes, places, above, imports: new Map(imports) };
}

const isSyntax = (value: unknown): value is Syntax =>
  typeof value === "object" && value !== null && "type" in value && "start" in value && "end" in value;

const partsOf = (node: Syntax): Syntax[] =>
  Object.values(node).flatMap((value) =>
    Array.isArray(value) ? value.filter(isSyntax) : isSyntax(value) ? [value] : [],
  );

export const partOf = (node: Syntax | undefined, name: string): Syntax | undefined => {
  const value = node?.[name];
  return isSyntax(value) ? value : undefined;
};

export const listOf = (node: Syntax | undefined, name: string): Syntax[] => {
  const value = node?.[name];
  return Array.isArray(value) ? value.filter(isSyntax) : [];
};

/** The name of an identifier; empty if the node is not an identifier. */
export const nameOf = (node: Syntax | undefined): string =>
  node?.type === "Identifier" && typeof node.name === "string" ? node.name : "";

export const isFunction = (node: Syntax | undefined): boolean =>
  node !== undefined && /^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(node.type);

/** The node and all inside it. */
export const within = ({ nodes, places }: Source, outer: Syntax): Syntax[] => {
  const found: Syntax[] = [];
  for (let at = places.get(outer) ?? nodes.length; at < nodes.length; at++) {
    const node = nodes[at];
    if (node === undefined || node.start < outer.start || node.end > outer.end) break;
    found.push(node);
  }
  return found;
};

export const textOf = ({ text }: Source, { start, end }: Syntax): string => text.slice(start, end);

/** The nodes around a node, the nearest first. */
export function* around({ above }: Source, node: Syntax): Generator<Syntax> {
  for (let at = above.get(node); at !== undefined; at = above.get(at)) yield at;
}

/** Whether a node is a text, or a part of a template between two expressions. */
export const isText = ({ type, value }: Syntax): boolean =>
  type === "TemplateElement" || (type === "Literal" && typeof value === "string");
