import type { Token } from "markdown-it";
import MarkdownIt from "markdown-it";
import { withoutFeedbackLines } from "../../../contract/feedback-lines.ts";
import { limits } from "../../../contract/limits.ts";
import {
  type ChangeType,
  isBreakingHeading,
  isHiddenChange,
  isHiddenHeading,
  isOfTools,
  isSizeHeading,
  labelledChange,
  typeOfHeading,
  withoutToolMarks,
} from "./change-type.ts";

export interface Item {
  readonly type: ChangeType;
  readonly text: string;
}

/** The notes of one version. */
export interface Notes {
  /** The Markdown as it was written. */
  readonly body: string;
  readonly items: readonly Item[];
  /** Whether the items say everything that the body says. */
  readonly isList: boolean;
  /** Whether there is a text, and none of it is for an app's users. */
  readonly isHidden?: boolean;
}

/** Makes notes of some blocks of a text. */
export function notesOf(text: MarkdownText, blocks: readonly Block[]): Notes {
  const body = bodyOf(text, blocks);
  const { items, isList } = changesIn(blocks);
  const fitting = items.length <= limits.changelogItems ? withoutRepeated(items) : [];
  const isHidden = isList && items.length === 0 && body !== "";
  return { body, items: fitting, isList: isList && fitting.length > 0, ...(isHidden && { isHidden }) };
}

/** Some tools list what breaks something twice. */
function withoutRepeated(items: readonly Item[]): readonly Item[] {
  const breaking = new Set(items.map(({ text }) => text).filter((text) => text.startsWith("Breaking: ")));
  return items.filter(({ text }) => !breaking.has(`Breaking: ${text}`));
}

/** What is read so far, and under which type of heading. */
interface Reading {
  readonly items: readonly Item[];
  readonly isList: boolean;
  /** Undefined before the first heading, null under a heading that names no type. */
  readonly type: ChangeType | null | undefined;
  /** Whether the heading says only how large the changes are. */
  readonly isSize: boolean;
  readonly isBreaking: boolean;
  /** Whether the heading stands over what an app's users do not see. */
  readonly isHidden: boolean;
}

const changesIn = (blocks: readonly Block[]): Reading =>
  blocks.reduce<Reading>(readBlock, {
    ...{ items: [], isList: true, type: undefined },
    ...{ isSize: false, isBreaking: false, isHidden: false },
  });

function readBlock(reading: Reading, block: Block): Reading {
  if (isAside(block)) return reading;
  const heading = headingIn(block);
  if (heading !== undefined) {
    const type = typeOfHeading(heading) ?? null;
    const isHidden = type === null && isHiddenHeading(heading);
    const kind = { isSize: isSizeHeading(heading), isBreaking: isBreakingHeading(heading), isHidden };
    return { ...reading, ...kind, type, isList: reading.isList && (type !== null || isHidden) };
  }
  if (reading.isHidden) return reading;
  if (!isListBlock(block)) return { ...reading, isList: false };
  const changes = insideOf(block).map((item) => changeOf(item, reading));
  const items = [...reading.items, ...changes.flatMap(({ item }) => item ?? [])];
  return {
    ...reading,
    items: items.slice(0, limits.changelogItems + 1),
    isList: reading.isList && changes.every(({ isWhole }) => isWhole),
  };
}

const isListBlock = ({ type }: Block): boolean => type === "bullet_list" || type === "ordered_list";

/** The text of a heading, or of a paragraph that has only the name of a type. */
function headingIn(block: Block): string | undefined {
  if (block.type !== "heading" && block.type !== "paragraph") return undefined;
  const text = plainText(block);
  return block.type === "heading" || typeOfHeading(text) !== undefined ? text : undefined;
}

/** Whether a block says nothing about the release: a comment, a rule, GitHub's link to all commits, lines that name feedback. */
function isAside(block: Block): boolean {
  if (block.type === "hr" || isComment(block)) return true;
  if (block.type !== "paragraph") return false;
  const text = plainLines(block).join("\n");
  return withoutFeedbackLines(text) === "" || /^full changelog\b[^\n]*$/i.test(text);
}

/** Whether a block is an HTML comment, which apps would show. */
const isComment = ({ type, tokens }: Block): boolean =>
  type === "html_block" && /^\s*<!--[\s\S]*-->\s*$/.test(tokens[0]?.content ?? "");

interface Change {
  readonly item?: Item;
  /** Whether the item holds the whole change. */
  readonly isWhole: boolean;
}

/** A change with all that tools write around it is shorter. A longer text would take long to search. */
const longestRead = 10_000;

/** The change that an item of a list describes. Without a heading above, its first word must name the type. */
function changeOf(listItem: Block, { type, isSize, isBreaking }: Reading): Change {
  const { text: whole, isWhole } = textOf(listItem);
  if (whole.length > longestRead) return { isWhole: false };
  const text = withoutToolMarks(whole);
  if (text === "" || isOfTools(whole) || isOfTools(text) || (!isBreaking && isHiddenChange(text)))
    return { isWhole };
  const labelled = type === undefined || isSize ? labelledChange(text) : undefined;
  // A tool that adds hashes and authors lists every change, also those whose first word says no type.
  const usual = type === undefined && text !== whole ? "changed" : type;
  const change = labelled ?? (usual && { type: usual, text });
  if (!change || [...change.text].length > limits.changelogItem) return { isWhole: false };
  const isSaid = !isBreaking || /^breaking\b/i.test(change.text);
  return { item: { type: change.type, text: isSaid ? change.text : `Breaking: ${change.text}` }, isWhole };
}

/** The text of an item of a list on one line, its inner lists after a colon. */
function textOf(listItem: Block): { readonly text: string; readonly isWhole: boolean } {
  const parts = insideOf(listItem).filter((block) => !isComment(block));
  const texts = parts.filter(({ type }) => type === "paragraph").map(ownText);
  const inner = parts.filter(isListBlock).flatMap(insideOf).map(textOf);
  const own = texts.filter(Boolean).join(" ");
  const all = [own.replace(/:$/, ""), inner.map(({ text }) => text).join("; ")].filter(Boolean).join(": ");
  const known = parts.every((part) => part.type === "paragraph" || isListBlock(part));
  return { text: all, isWhole: known && inner.every(({ isWhole }) => isWhole) };
}

const ownText = (paragraph: Block): string =>
  withoutFeedbackLines(plainLines(paragraph).join("\n")).replace(/\s+/g, " ").trim();

/** The Markdown of the blocks as it was written, with the definitions of the links that it uses. */
function bodyOf({ lines, definitions }: MarkdownText, blocks: readonly Block[]): string {
  const shown = blocks.filter((block) => !isComment(block));
  const inner = shown.slice(
    shown.findIndex(({ type }) => type !== "hr"),
    shown.findLastIndex(({ type }) => type !== "hr") + 1,
  );
  const body = inner.map(({ from, to }) => lines.slice(from, to).join("\n").trimEnd());
  const text = inner.map(({ from }, at) => `${at === 0 ? "" : gapBefore(lines, from)}${body[at]}`).join("");
  const used = new Set([...text.matchAll(/\[([^\][]+)\](?!\()/g)].map(([, label = ""]) => labelOf(label)));
  const needed = [...definitions].filter(([label]) => used.has(label));
  const written = needed.map(([label, target]) => `[${label.toLowerCase()}]: ${target}`);
  return [withoutIndent(text), written.join("\n")].filter(Boolean).join("\n\n");
}

/** Lines that are all indented move to the margin: a text loses the space before its first line when it is stored. */
function withoutIndent(text: string): string {
  const indents = text
    .split("\n")
    .flatMap((line) => (line.trim() === "" ? [] : (/^ */.exec(line)?.[0].length ?? 0)));
  const least = Math.min(...indents);
  return Number.isFinite(least) ? text.replace(new RegExp(`^ {${least}}`, "gm"), "") : text;
}

/** Blocks stay as far apart as they were, by at most one empty line. */
const gapBefore = (lines: readonly string[], from: number): string =>
  (lines[from - 1] ?? "").trim() === "" ? "\n\n" : "\n";

/** A block at the top of a Markdown text: a heading, a paragraph, a list and so on, with its tokens. */
export interface Block {
  readonly type: string;
  readonly tokens: readonly Token[];
  /** The first line, counted from 0, and the line after the last one. */
  readonly from: number;
  readonly to: number;
}

/** A Markdown text in its parts. */
interface MarkdownText {
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
const labelOf = (text: string): string => parser.utils.normalizeReference(text);

/** The blocks of a row of tokens, without what lies inside each. */
function blocksIn(tokens: readonly Token[]): Block[] {
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

/** Returns the lines of a heading or a paragraph without the characters of Markdown. Of a link only the text remains. */
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
