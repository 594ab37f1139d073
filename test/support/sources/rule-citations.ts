import type { Tree } from "./tree.ts";

/** The numbers on a page of rules, in its order; a repeated number appears twice. */
export const ruleNumbersIn = (page: string): string[] =>
  [...page.matchAll(/^- \*\*([A-Z]\d{1,3})\*\* /gm)].flatMap(([, number]) => number ?? []);

/** The rules that files cite, by `file:line`. */
export const citationsIn = (tree: Tree): { readonly at: string; readonly number: string }[] =>
  linesOf(tree).flatMap(({ at, line }) =>
    [...line.matchAll(/\brules? ([A-Z]\d{1,3})\b/g)].map(([, number = ""]) => ({ at, number })),
  );

/** The places that cite a document which is not in the repository. */
export const foreignCitationsIn = (tree: Tree): string[] =>
  linesOf(tree).flatMap(({ at, line }) => (foreignCitation.test(line) ? [at] : []));

const foreignCitation = /\(spec\b|\bspec:|\bspec\.md|\bdecisions(?:\.md| \d)/;

const linesOf = (tree: Tree): { readonly at: string; readonly line: string }[] =>
  [...tree].flatMap(([path, text]) =>
    text.split("\n").map((line, index) => ({ at: `${path}:${index + 1}`, line })),
  );
