import MarkdownIt, { type Token } from "markdown-it";
import { safeAddress } from "../../../src/words/visible.ts";

/**
 * Returns a function that converts Markdown to HTML. Images outside `uploads` become links, because loading an
 * image sends cookies.
 */
export function createMarkdown(uploads: string): (text: string) => string {
  const markdown = new MarkdownIt("default", { html: false, linkify: false, typographer: false });
  markdown.validateLink = (url) => safeAddress(url) !== undefined;
  const { rules } = markdown.renderer;
  const plainImage = rules.image;
  rules.link_open = (tokens, at, options, _, self) => {
    tokens[at]?.attrSet("rel", "noopener noreferrer nofollow");
    return self.renderToken(tokens, at, options);
  };
  rules.image = (tokens, at, options, env, self) => {
    const token = tokens[at];
    const source = String(token?.attrGet("src") ?? "");
    if (isUpload(source, uploads) && plainImage) return plainImage(tokens, at, options, env, self);
    const { escapeHtml } = markdown.utils;
    const label = escapeHtml(token?.content || source);
    return `<a href="${escapeHtml(source)}" rel="noopener noreferrer nofollow">${label}</a>`;
  };
  return (text) => markdown.render(text);
}

/** Whether an address consists of `uploads` and a file name. Returns false for `..`, `%2e` and queries. */
const isUpload = (address: string, uploads: string): boolean =>
  address.startsWith(uploads) && /^[\w-]{1,200}(?:\.\w{1,8})?$/.test(address.slice(uploads.length));

/** Returns a function that removes the Markdown syntax from a text. Each paragraph or other block becomes one line. */
export function createWords(): (text: string) => string {
  const markdown = new MarkdownIt("default", { html: false, linkify: false, typographer: false });
  return (text) =>
    markdown
      .parse(text, {})
      .flatMap(({ type, content, children }) =>
        children
          ? [children.map((child) => (/break$/.test(child.type) ? "\n" : child.content)).join("")]
          : type === "fence" || type === "code_block"
            ? [content]
            : [],
      )
      .join("\n")
      .trim();
}

/** Returns a function that converts Markdown to plain text. Links can only lead to web and mail addresses. */
export function createPlainText(): (text: string) => string {
  const markdown = new MarkdownIt("default", { html: false, linkify: false, typographer: false });
  markdown.validateLink = (url) => safeAddress(url) !== undefined;
  return (text) => plainTextOf(markdown.parse(text, {})).trim();
}

/** A block of parsed Markdown: the token that opens it, and the blocks inside it. */
interface Block {
  readonly open: Token;
  readonly inside: Block[];
}

/** Converts Markdown tokens to plain text. Keeps lists and tables. The address of a link follows its text. */
export const plainTextOf = (tokens: readonly Token[]): string => linesOf(blocksIn(tokens)).join("\n");

/** Returns the blocks as a tree. The tree has at most 100 levels, because the parser allows no more. */
function blocksIn(tokens: readonly Token[]): Block[] {
  const top: Block[] = [];
  const path = [top];
  for (const open of tokens) {
    if (open.nesting === -1) {
      path.pop();
      continue;
    }
    const block = { open, inside: [] };
    path.at(-1)?.push(block);
    if (open.nesting === 1) path.push(block.inside);
  }
  return top;
}

/** Returns the lines of these blocks, with an empty line between two blocks unless they are in a tight list. */
const linesOf = (blocks: readonly Block[], isTight = false): string[] =>
  blocks.flatMap((block, at) => [...(at > 0 && !isTight ? [""] : []), ...linesOfBlock(block)]);

function linesOfBlock({ open, inside }: Block): string[] {
  switch (open.type) {
    case "inline":
      return lineTextOf(open.children ?? []).split("\n");
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

function linesOfList(items: readonly Block[], markOf: (at: number) => string): string[] {
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

const rowsOf = (blocks: readonly Block[]): Block[] =>
  blocks.flatMap((block) => (block.open.type === "tr_open" ? [block] : rowsOf(block.inside)));

/**
 * Returns the text of a block such as a paragraph. Uses no recursion, because emphasis can have thousands of
 * levels.
 */
function lineTextOf(tokens: readonly Token[]): string {
  const texts = [""];
  const addresses: string[] = [];
  const add = (text: string) => texts.push((texts.pop() ?? "") + text);
  for (const token of tokens) {
    if (token.type === "softbreak" || token.type === "hardbreak") add("\n");
    else if (token.type === "image") add(withAddress(token.content, String(token.attrGet("src") ?? "")));
    else if (token.type === "link_open") {
      addresses.push(String(token.attrGet("href") ?? ""));
      texts.push("");
    } else if (token.type === "link_close") {
      const label = texts.pop() ?? "";
      add(withAddress(label, addresses.pop() ?? ""));
    } else add(token.content);
  }
  return texts.join("");
}

const withAddress = (label: string, address: string): string => {
  if (label === "") return address;
  return label === address || `mailto:${label}` === address ? label : `${label} (${address})`;
};
