import type { Token } from "markdown-it";

/** A part of parsed Markdown: the token that opens it, and the parts inside it. */
interface Part {
  readonly open: Token;
  readonly inside: readonly Part[];
}

/**
 * Returns parsed Markdown as plain text. Keeps paragraphs, lists, quotations, blocks of code and rows of tables. Adds the
 * address of a link or a picture after its text.
 */
export const plainTextOf = (tokens: readonly Token[]): string => linesOf(partsIn(tokens)).join("\n");

function partsIn(tokens: readonly Token[]): Part[] {
  const parts: Part[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const open = tokens[at];
    if (open === undefined) break;
    const end = open.nesting === 1 ? endOf(tokens, at, open.level) : at;
    parts.push({ open, inside: partsIn(tokens.slice(at + 1, end)) });
    at = end;
  }
  return parts;
}

/** Returns the index of the token that closes the part which begins at `start`. */
function endOf(tokens: readonly Token[], start: number, level: number): number {
  const end = tokens.findIndex((token, at) => at > start && token.level === level && token.nesting === -1);
  return end === -1 ? tokens.length : end;
}

/** Returns the lines of these blocks, with an empty line between two blocks unless they are in a tight list. */
const linesOf = (blocks: readonly Part[], isTight = false): string[] =>
  blocks.flatMap((block, at) => [...(at > 0 && !isTight ? [""] : []), ...linesOfBlock(block)]);

function linesOfBlock({ open, inside }: Part): string[] {
  switch (open.type) {
    case "inline":
      return lineTextOf(partsIn(open.children ?? [])).split("\n");
    case "fence":
    case "code_block":
      return indented(open.content.trimEnd().split("\n"), "    ");
    case "hr":
      return ["---"];
    case "blockquote_open":
      return linesOf(inside).map((line) => `> ${line}`.trimEnd());
    case "bullet_list_open":
      return linesOfList(inside, () => "- ");
    case "ordered_list_open": {
      const first = Number(open.attrGet("start") ?? 1);
      return linesOfList(inside, (at) => `${first + at}. `);
    }
    case "table_open":
      return rowsOf(inside).map((row) =>
        row.inside.map((cell) => linesOf(cell.inside).join(" ")).join(" | "),
      );
    default:
      return linesOf(inside);
  }
}

function linesOfList(items: readonly Part[], markOf: (at: number) => string): string[] {
  const isTight = items.some(({ inside }) => inside.some(({ open }) => open.hidden));
  return items.flatMap((item, at) => {
    const mark = markOf(at);
    const [first = "", ...others] = linesOf(item.inside, isTight);
    const lines = [`${mark}${first}`.trimEnd(), ...indented(others, " ".repeat(mark.length))];
    return at > 0 && !isTight ? ["", ...lines] : lines;
  });
}

const indented = (lines: readonly string[], margin: string): string[] =>
  lines.map((line) => (line === "" ? "" : margin + line));

const rowsOf = (parts: readonly Part[]): Part[] =>
  parts.flatMap((part) => (part.open.type === "tr_open" ? [part] : rowsOf(part.inside)));

const lineTextOf = (parts: readonly Part[]): string =>
  parts
    .map(({ open, inside }) => {
      switch (open.type) {
        case "softbreak":
        case "hardbreak":
          return "\n";
        case "link_open":
          return withAddress(lineTextOf(inside), String(open.attrGet("href") ?? ""));
        case "image":
          return withAddress(open.content, String(open.attrGet("src") ?? ""));
        default:
          return open.nesting === 1 ? lineTextOf(inside) : open.content;
      }
    })
    .join("");

const withAddress = (label: string, address: string): string => {
  if (label === "") return address;
  return label === address || `mailto:${label}` === address ? label : `${label} (${address})`;
};
