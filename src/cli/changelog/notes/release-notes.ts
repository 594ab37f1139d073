import type { Token } from "markdown-it";
import MarkdownIt from "markdown-it";
import { withoutFeedbackLines } from "../../../contract/content-text.ts";
import { limits } from "../../../contract/limits.ts";
import { type ChangeType, changeTypes, isOfTools } from "./change-type.ts";

export interface Item {
  readonly type: ChangeType;
  readonly text: string;
}

/** The notes of one version. */
export interface Notes {
  /** The unchanged Markdown. */
  readonly body: string;
  readonly items: readonly Item[];
  /** Whether the items contain everything that the body says. */
  readonly isList: boolean;
  /** Whether the notes have a text, but nothing in it concerns the users of an app. */
  readonly isHidden?: boolean;
}

/** Creates the notes of a version. `blocks` are the blocks of `text` that belong to this version. */
export function notesOf(text: MarkdownText, blocks: readonly Block[]): Notes {
  const body = bodyOf(text, blocks);
  const { items, isList } = changesIn(blocks);
  const fitting = items.length <= limits.changelogItems ? withoutRepeated(items) : [];
  const isHidden = isList && items.length === 0 && body !== "";
  return { body, items: fitting, isList: isList && fitting.length > 0, ...(isHidden && { isHidden }) };
}

/** Removes repeated items, because some tools list a breaking change twice. */
function withoutRepeated(items: readonly Item[]): readonly Item[] {
  const breaking = new Set(items.map(({ text }) => text).filter((text) => text.startsWith("Breaking: ")));
  return items.filter(({ text }) => !breaking.has(`Breaking: ${text}`));
}

/** The items that have been read so far, and the properties of the last heading. */
interface Reading {
  readonly items: readonly Item[];
  readonly isList: boolean;
  /** The type of the changes under the heading. Null if the heading has no type. Undefined before the first heading. */
  readonly type: ChangeType | null | undefined;
  /** Whether the heading contains only the size of the changes, such as `Minor Changes`. */
  readonly isSize: boolean;
  readonly isBreaking: boolean;
  /** Whether the changes below the heading do not concern the users of an app. */
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

/** Returns the text of a heading. A paragraph that contains only the name of a type is also a heading. */
function headingIn(block: Block): string | undefined {
  if (block.type !== "heading" && block.type !== "paragraph") return undefined;
  const text = plainText(block);
  return block.type === "heading" || typeOfHeading(text) !== undefined ? text : undefined;
}

/** Whether a block says nothing about the release: a comment, a horizontal line, or a link to commits or feedback. */
function isAside(block: Block): boolean {
  if (block.type === "hr" || isComment(block)) return true;
  if (block.type !== "paragraph") return false;
  const text = plainLines(block).join("\n");
  return withoutFeedbackLines(text) === "" || /^full changelog\b[^\n]*$/i.test(text);
}

/** Whether a block is an HTML comment. Comments are removed, because apps would show them as text. */
const isComment = ({ type, tokens }: Block): boolean =>
  type === "html_block" && /^\s*<!--[\s\S]*-->\s*$/.test(tokens[0]?.content ?? "");

interface Change {
  readonly item?: Item;
  /** Whether the item contains the complete text of the change. */
  readonly isWhole: boolean;
}

/** The longest list item that is read as a change. The patterns are too slow for longer texts. */
const longestRead = 10_000;

/** Returns the change in a list item. Its type comes from the heading or the first word. */
function changeOf(listItem: Block, { type, isSize, isBreaking }: Reading): Change {
  const { text: whole, isWhole } = textOf(listItem);
  if (whole.length > longestRead) return { isWhole: false };
  const text = withoutToolMarks(whole);
  if (text === "" || isOfTools(whole) || isOfTools(text) || (!isBreaking && isHiddenChange(text)))
    return { isWhole };
  const labelled = type === undefined || isSize ? labelledChange(text) : undefined;
  // If no heading came before and a tool added texts to this change, the default type is `changed`.
  const usual = type === undefined && text !== whole ? "changed" : type;
  const change = labelled ?? (usual && { type: usual, text });
  if (!change || [...change.text].length > limits.changelogItem) return { isWhole: false };
  const isSaid = !isBreaking || /^breaking\b/i.test(change.text);
  return { item: { type: change.type, text: isSaid ? change.text : `Breaking: ${change.text}` }, isWhole };
}

/** Returns the text of a list item on one line. Appends the items of inner lists after a colon. */
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

/** Returns the Markdown of the blocks. Adds the definitions of the links that the blocks use. */
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

/**
 * Removes the indent that all lines have in common. Otherwise the server would remove it only from the first line.
 */
function withoutIndent(text: string): string {
  const indents = text
    .split("\n")
    .flatMap((line) => (line.trim() === "" ? [] : (/^ */.exec(line)?.[0].length ?? 0)));
  const least = Math.min(...indents);
  return Number.isFinite(least) ? text.replace(new RegExp(`^ {${least}}`, "gm"), "") : text;
}

/** Returns the line ends before a block. Several empty lines in the source become one. */
const gapBefore = (lines: readonly string[], from: number): string =>
  (lines[from - 1] ?? "").trim() === "" ? "\n\n" : "\n";

/** A block of a Markdown text, such as a heading, and its tokens from the Markdown parser. */
export interface Block {
  readonly type: string;
  readonly tokens: readonly Token[];
  /** The index of the first line. `to` is the index of the line after the last one. */
  readonly from: number;
  readonly to: number;
}

/** A Markdown text, split into its parts. */
interface MarkdownText {
  readonly lines: readonly string[];
  readonly blocks: readonly Block[];
  /**
   * The definitions of links such as `[1.0.0]: https://…`. The keys are the labels, normalised by the parser.
   */
  readonly definitions: ReadonlyMap<string, string>;
}

const parser = new MarkdownIt("commonmark");

/** Parses Markdown. Accepts any kind of line ends and a byte order mark. */
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

/** Converts the label of a link to a key of `definitions`. */
const labelOf = (text: string): string => parser.utils.normalizeReference(text);

/** Splits a list of tokens into the outer blocks. The tokens of an inner block stay in its outer block. */
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

/** Returns the blocks inside a block, such as the items of a list. */
export const insideOf = ({ tokens }: Block): Block[] => blocksIn(tokens.slice(1, -1));

/** Returns the lines of a heading or a paragraph without Markdown characters. Keeps only the text of a link. */
export const plainLines = ({ tokens }: Block): readonly string[] =>
  tokens
    .flatMap((token) => token.children ?? [])
    .map(plainOf)
    .join("")
    .split("\n")
    .map((line) => line.trim());

/** Returns the text of a heading or a paragraph on one line, without the characters of Markdown. */
export const plainText = (block: Block): string => plainLines(block).join(" ").trim();

function plainOf({ type, content }: Token): string {
  if (type === "softbreak" || type === "hardbreak") return "\n";
  return type === "text" || type === "text_special" || type === "code_inline" || type === "image"
    ? content
    : "";
}

/**
 * The type of change for each heading that tools write. The headings are in lower case, without punctuation and emoji.
 */
const headings = new Map<string, ChangeType>([
  // Headings of Keep a Changelog.
  ...changeTypes.map((type) => [type, type] as const),
  // Headings of conventional-changelog, release-please and semantic-release.
  ["features", "added"],
  ["bug fixes", "fixed"],
  ["performance improvements", "changed"],
  ["breaking changes", "changed"],
  ["reverts", "changed"],
  ["dependencies", "changed"],
  // Headings of changesets.
  ["major changes", "changed"],
  ["minor changes", "added"],
  ["patch changes", "fixed"],
  // Headings in the release notes that GitHub writes.
  ["exciting new features", "added"],
  ["what's changed", "changed"],
  ["other changes", "changed"],
]);

/**
 * Matches headings of changes that users do not need, as conventional-changelog, GitHub and auto-changelog write them.
 */
const hidden =
  /^(?:(?:miscellaneous )?chores?|docs|documentation|styles?|(?:code )?refactor(?:ing)?|tests?|build(?: system)?|ci|continuous integration|new contributors|commits)$/;

/** The first words that show the type of a change, as in `fix(list)!: …` or `Fix the list`. */
const words: Readonly<Record<ChangeType, readonly string[]>> = {
  added: ["feat", "feature", "add", "adds", "added", "introduce", "introduces", "new"],
  changed: [
    ...["change", "changes", "changed", "update", "updates", "updated", "improve", "improves", "improved"],
    ...["perf", "refactor", "revert", "reverts", "reverted", "rename", "move", "breaking"],
  ],
  deprecated: ["deprecate", "deprecates", "deprecated"],
  removed: ["remove", "removes", "removed"],
  fixed: ["fix", "fixes", "fixed", "bugfix", "hotfix", "resolve", "resolves", "resolved"],
  security: ["security"],
};

const byWord = new Map(changeTypes.flatMap((type) => words[type].map((word) => [word, type] as const)));

/** Returns the type of the changes under a heading. Returns undefined if the heading is not a type. */
export const typeOfHeading = (text: string): ChangeType | undefined => headings.get(wordsOf(text));

const isHiddenHeading = (text: string): boolean => hidden.test(wordsOf(text));

const isBreakingHeading = (text: string): boolean => wordsOf(text) === "breaking changes";

/** Whether a heading is only a size, such as `Minor Changes`. Each change below it may name its own type. */
const isSizeHeading = (text: string): boolean =>
  /^(?:(?:major|minor|patch|other) changes|what's changed)$/.test(wordsOf(text));

/** Returns the words of a heading in lower case, without punctuation and signs such as `⚠`. */
const wordsOf = (text: string): string =>
  text
    .replace(/[^\p{L}' ]/gu, " ")
    .replace(/\s+/g, " ")
    .trim()
    .toLowerCase();

/** Returns the type and the text of a change from a line such as `fix(list)!: …` or `Fix the list`. */
function labelledChange(text: string): { type: ChangeType; text: string } | undefined {
  const [, label = "", rest = ""] = /^(\p{L}+)(?:\([^)]*\))?!?:\s+(.+)$/su.exec(text) ?? [];
  const labelled = byWord.get(label.toLowerCase());
  if (labelled) return { type: labelled, text: rest };
  const verb = byWord.get(/^(\p{L}+)\s/u.exec(text)?.[1]?.toLowerCase() ?? "");
  return verb && { type: verb, text };
}

/** Whether users do not need a change: a tool wrote it, or its commit type is internal. */
const isHiddenChange = (text: string): boolean =>
  isOfTools(text) || /^(?:chore|ci|docs|tests?|build|style|refactor)(?:\([^)]*\))?: /i.test(text);

/** The texts that tools add around a change, in the order of removal. */
const around = [
  // `changesets` begins a change with the commit, or with the pull request, the commit and thanks.
  /^(?:#\d+\s+)?(?:[0-9a-f]{7,40}\s+)?Thanks (?:@[\w-]+(?:, (?:and )?| and )?)+!\s*-\s*/,
  /^[0-9a-f]{7,40}: /,
  // GitHub ends a change with the author and the pull request.
  /\s+by @[\w[\]-]+ in (?:https?:\/\/\S+|#\d+)$/,
  // conventional-changelog ends a change with the pull request, the commits and the closed issues.
  /(?:,?\s+(?:closes|closed|fixes|fixed|resolves|resolved)(?:,?\s+(?:and\s+)?[\w./-]*#\d+)+)+\.?$/i,
  /(?:\s+\(#\d+\))?(?:,?\s*\([0-9a-f]{7,40}(?:, [0-9a-f]{7,40})*\))+$/,
  // auto-changelog ends a change with the commit.
  /\s+(?=[a-f]*\d)[0-9a-f]{7,40}$/,
];

/** Returns the text of a change without the texts that tools add at its beginning and end. */
const withoutToolMarks = (text: string): string =>
  around.reduce((rest, pattern) => rest.replace(pattern, ""), text).trim();
