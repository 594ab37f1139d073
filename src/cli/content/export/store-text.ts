import { withoutFeedbackLines } from "../../../contract/feedback-lines.ts";
import type { Release } from "../changelog-find.ts";
import { type Piece, piecesOf } from "../notes/pieces.ts";

/** How many characters a store shows of what is new. */
export const mostCharacters = { android: 500, ios: 4_000 } as const;
export type Platform = keyof typeof mostCharacters;

/** The text of a release note for a store. */
export interface StoreText {
  readonly text: string;
  /** How many changes and paragraphs of the note did not fit. */
  readonly omitted: number;
}

/** The length of a text in characters, as stores count them. */
export const lengthOf = (text: string): number => [...text].length;

/**
 * The plain text of a release note, as many whole changes as fit. Undefined if not even the first one does (rule L34).
 */
export function storeTextOf(release: Release, most: number): StoreText | undefined {
  const pieces = piecesFor(release);
  const count = fittingCount(pieces, most);
  const shown = pieces.slice(0, count);
  if (!shown.some(({ isHeading }) => !isHeading)) return undefined;
  const omitted = pieces.slice(count).filter(({ isHeading }) => !isHeading).length;
  return { text: joined(shown), omitted };
}

/** How many pieces fit. A heading must not come last. */
function fittingCount(pieces: readonly Piece[], most: number): number {
  let count = 0;
  pieces.forEach(({ isHeading }, at) => {
    if (count < at && !pieces[at - 1]?.isHeading) return;
    if (!isHeading && lengthOf(joined(pieces.slice(0, at + 1))) <= most) count = at + 1;
  });
  return count;
}

/** What readers of the note see: its items, or its text; without both, its title. */
function piecesFor({ bodyFormat, body, items, title }: Release): readonly Piece[] {
  const changes = items
    .map(({ text }) => withoutFeedbackLines(text))
    .filter(Boolean)
    .map((text) => ({ text: `- ${text}`, isHeading: false }));
  if (bodyFormat === "items" && changes.length > 0) return changes;
  const pieces = piecesOf(body).filter(({ text }) => text !== "");
  if (pieces.some(({ isHeading }) => !isHeading)) return pieces;
  return changes.length > 0 ? changes : [{ text: title, isHeading: false }];
}

const joined = (pieces: readonly Piece[]): string => pieces.map(({ text }) => text).join("\n");

/**
 * The names by which a store knows the builds of a release: the build numbers of the platform's versions (`145`,
 * `2.4.0 (145)`, `2.4.0+145`). For iOS the version itself, if it has none. Empty without any.
 */
export function buildsOf({ version, versions }: Release, platform: Platform): readonly string[] {
  const own = versions.filter((one) => one.platform.toLowerCase() === platform).map((one) => one.version);
  const texts = (own.length > 0 ? own : [version]).map((text) => text.trim());
  const numbers = texts.flatMap(
    (text) => /^(\d+)$|\((\d+)\)$|\+(\d+)$/.exec(text)?.slice(1).find(Boolean) ?? [],
  );
  if (numbers.length > 0 || platform === "android") return [...new Set(numbers)];
  return texts.filter((text) => /^\d[\w.+-]*$/.test(text)).slice(0, 1);
}
