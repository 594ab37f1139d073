import MarkdownIt, { type Token } from "markdown-it";

/** A block at the top of a Markdown text: a heading, a paragraph, a list and so on, with its tokens. */
export interface Block {
  readonly type: string;
  readonly tokens: readonly Token[];
  /** The first line, counted from 0, and the line after the last one. */
  readonly from: number;
  readonly to: number;
}

/** A Markdown text in its parts. */
export interface MarkdownText {
  readonly lines: readonly string[];
  readonly blocks: readonly Block[];
  /** The definitions of links such as `[1.0.0]: https://…`, by their label in the parser's spelling. */
  readonly definitions: ReadonlyMap<string, string>;
}

const parser = new MarkdownIt("commonmark");

/** Reads Markdown of any line ends, with or without a byte order mark. */
export function readMarkdown(text: string): MarkdownText {
  const source = text.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n");
  const environment: { references?: Record<string, { readonly href: string; readonly title: string }> } = {};
  const tokens = parser.parse(source, environment);
  const definitions = new Map(
    Object.entries(environment.references ?? {}).map(([label, { href, title }]): [string, string] => [
      label,
      title === "" ? href : `${href} "${title}"`,
    ]),
  );
  return { lines: source.split("\n"), blocks: blocksIn(tokens), definitions };
}

/** The label of a link as `definitions` spells it. */
export const labelOf = (text: string): string => parser.utils.normalizeReference(text);

/** The blocks of a row of tokens, without what lies inside each. */
export function blocksIn(tokens: readonly Token[]): Block[] {
  const blocks: Block[] = [];
  let start = 0;
  let depth = 0;
  tokens.forEach((token, at) => {
    depth += token.nesting;
    if (depth > 0) return;
    const own = tokens.slice(start, at + 1);
    const [from = 0, to = from] = own[0]?.map ?? [];
    blocks.push({ type: (own[0]?.type ?? "").replace(/_open$/, ""), tokens: own, from, to });
    start = at + 1;
  });
  return blocks;
}

/** The blocks inside a block, such as the items of a list. */
export const insideOf = ({ tokens }: Block): Block[] => blocksIn(tokens.slice(1, -1));

/** The depth of a heading: 1 for `#`. */
export const depthOf = ({ tokens }: Block): number => Number(tokens[0]?.tag.slice(1));

/** The text of a heading or a paragraph as a reader sees it, in its lines: without marks, and links without addresses. */
export const plainLines = ({ tokens }: Block): readonly string[] =>
  tokens
    .flatMap((token) => token.children ?? [])
    .map(plainOf)
    .join("")
    .split("\n")
    .map((line) => line.trim());

/** The same on one line. */
export const plainText = (block: Block): string => plainLines(block).join(" ").trim();

function plainOf({ type, content }: Token): string {
  if (type === "softbreak" || type === "hardbreak") return "\n";
  return type === "text" || type === "text_special" || type === "code_inline" || type === "image"
    ? content
    : "";
}
