import { parseAst } from "vitest/node";
import type { Tree } from "./tree.ts";

/** A regular expression in the source of a file. */
export interface Pattern {
  readonly file: string;
  readonly source: string;
  readonly flags: string;
}

/** Every literal of a regular expression in the files of a tree. */
export const patternsIn = (tree: Tree): Pattern[] =>
  [...tree].flatMap(([file, text]) => {
    const found: Pattern[] = [];
    collect(parseAst(text, { lang: file.endsWith("x") ? "tsx" : "ts" }), ({ pattern, flags }) =>
      found.push({ file, source: pattern, flags }),
    );
    return found;
  });

interface Literal {
  readonly pattern: string;
  readonly flags: string;
}

function collect(node: unknown, found: (literal: Literal) => void): void {
  if (typeof node !== "object" || node === null) return;
  if ("regex" in node) {
    const { pattern, flags } = Object(node.regex);
    found({ pattern: String(pattern), flags: String(flags) });
  }
  for (const part of Object.values(node)) collect(part, found);
}
