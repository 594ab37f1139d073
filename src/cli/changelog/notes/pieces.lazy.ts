import { withoutFeedbackLines } from "../../../contract/content-text.ts";
import { type Block, insideOf, plainLines, readMarkdown } from "./release-notes.ts";

/**
 * A heading, a paragraph, a list item or a code block. A reader understands each piece alone, except a heading.
 */
export interface Piece {
  readonly text: string;
  readonly isHeading: boolean;
}

/** Returns the paragraphs, headings and list items of a Markdown text as plain text. */
export const piecesOf = (markdown: string): readonly Piece[] =>
  readMarkdown(withoutFeedbackLines(markdown)).blocks.flatMap((block) => piecesIn(block, ""));

function piecesIn(block: Block, indent: string): Piece[] {
  if (block.type === "heading") return [{ text: textOf(block), isHeading: true }];
  if (block.type === "paragraph") return [{ text: textOf(block), isHeading: false }];
  if (block.type === "fence" || block.type === "code_block")
    return [{ text: (block.tokens[0]?.content ?? "").trimEnd(), isHeading: false }];
  if (block.type === "bullet_list" || block.type === "ordered_list")
    return insideOf(block).map((item) => ({ text: itemText(item, indent), isHeading: false }));
  return block.type === "blockquote" ? insideOf(block).flatMap((inner) => piecesIn(inner, indent)) : [];
}

function itemText(item: Block, indent: string): string {
  const parts = insideOf(item).flatMap((block) =>
    piecesIn(block, `${indent}  `).map(({ text }) => (isList(block) ? text : text.replaceAll("\n", " "))),
  );
  const [first = "", ...rest] = parts;
  return [`${indent}- ${first}`, ...rest].join("\n");
}

const isList = ({ type }: Block): boolean => type === "bullet_list" || type === "ordered_list";

const textOf = (block: Block): string => plainLines(block).join("\n").trim();
