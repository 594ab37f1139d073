import { withoutFeedbackLines } from "../../contract/feedback-lines.ts";
import type { Release } from "./find.ts";
import { type Piece, piecesOf } from "./notes/pieces.lazy.ts";

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

/** The versions of a release on a platform. */
const versionsOn = (platform: Platform, { versions }: Release): readonly string[] =>
  versions.filter((one) => one.platform.toLowerCase() === platform).map((one) => one.version);

/** Whether a release is one of the platform: it names it, or none at all. */
export const isOn = (platform: Platform, release: Release): boolean =>
  release.versions.length === 0 || versionsOn(platform, release).length > 0;

/**
 * The version codes of the builds of a release for Android: `145`, `2.4.0 (145)`, `2.4.0+145`. Empty without any.
 */
export function buildsOf(release: Release): readonly string[] {
  const own = versionsOn("android", release);
  const texts = (own.length > 0 ? own : [release.version]).map((text) => text.trim());
  const numbers = texts.flatMap(
    (text) => /^(\d+)$|\((\d+)\)$|\+(\d+)$/.exec(text)?.slice(1).find(Boolean) ?? [],
  );
  return [...new Set(numbers)];
}
