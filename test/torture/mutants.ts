/** A program with one change. */
export interface Mutant {
  readonly code: string;
  readonly change: string;
}

const swaps: readonly (readonly [RegExp, string])[] = [
  [/ < /g, " <= "],
  [/ <= /g, " < "],
  [/ > /g, " >= "],
  [/ >= /g, " > "],
  [/ === /g, " !== "],
  [/ !== /g, " === "],
  [/ && /g, " || "],
  [/ \|\| /g, " && "],
  [/ \+ (?=[\w(])/g, " - "],
  [/ - (?=[\w(])/g, " + "],
  [/ \* (?=[\w(])/g, " / "],
  [/\btrue\b/g, "false"],
  [/\bfalse\b/g, "true"],
  [/(?<=[(=&|?] ?)!(?=[\w(])/g, ""],
];

/** All mutants of a source: each changes one operator or one boolean. Texts, comments and types stay. */
export function mutantsOf(source: string): Mutant[] {
  const code = blankOut(source);
  return swaps.flatMap(([pattern, other]) =>
    [...code.matchAll(pattern)].map((found) => ({
      code: source.slice(0, found.index) + other + source.slice(found.index + found[0].length),
      change: `line ${lineOf(source, found.index)}: \`${found[0].trim()}\` for \`${other.trim()}\``,
    })),
  );
}

const lineOf = (source: string, at: number): number => source.slice(0, at).split("\n").length;

/** The source with blanks instead of comments, texts and type declarations. */
const blankOut = (source: string): string =>
  source.replace(
    /\/\*[\s\S]*?\*\/|\/\/[^\n]*|"[^"\n]*"|`[^`]*`|^(export )?(type|interface) [\s\S]*?^(?=\S)|readonly [^\n]*/gm,
    (text) => text.replace(/[^\n]/g, " "),
  );
