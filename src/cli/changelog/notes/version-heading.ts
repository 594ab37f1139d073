import { plainVersion } from "../../../contract/version.ts";
import { dateIn, isLikeDate } from "./dates.ts";

/** What the heading of a version says. */
export interface VersionHeading {
  /** Without `v`; null for `Unreleased`. */
  readonly version: string | null;
  /** The day, such as `2026-11-22`; null if none is given or it cannot be read. */
  readonly day: string | null;
  /** A date that no calendar has, or of a form that is not read. */
  readonly unclearDate: string | null;
  readonly isYanked: boolean;
  readonly isUnreleased: boolean;
  /** What else the heading says; "" for nothing. */
  readonly name: string;
}

const opening = /^\[?(?:(?:version|release) )?\[?v?(\d+(?:\.\d+)+(?:[0-9A-Za-z.+-]*[0-9A-Za-z])?)\]?(.*)$/i;
/** The number of a build is no part of the version. */
const build = /^\s*[,|–—-]?\s*(?:\((?:build )?\d+\)|build \d+)(?![\d.])/i;

/** A longer text is no heading of a version, and would take long to search. */
const longest = 1_000;

/** Reads `[1.0.0] - 2026-11-22`, `v1.0.0 (2026-11-22): Harvest`, `Unreleased` and the like; undefined for any other heading. */
export function readVersionHeading(heading: string): VersionHeading | undefined {
  if (heading.length > longest) return undefined;
  const text = heading.replace(/\s+/g, " ").trim();
  if (/^\[?unreleased\]?$/i.test(text)) return { ...ofRest(""), version: null, isUnreleased: true };
  const [, version, rest = ""] = opening.exec(text) ?? [];
  if (version === undefined) return undefined;
  return { ...ofRest(rest.replace(build, "")), version: plainVersion(version) };
}

/** Whether a heading seems to be of a version that is written in another way: `🎉 1.2.0`, `Larder 2.4.0`, `Build 145`, `2026-11-22`. */
export const isLikeVersion = (heading: string): boolean =>
  heading.length <= longest && /^(?:\S+\s+)?\S*\d/.test(heading);

/** What stands behind the version: `- 2026-11-22 [YANKED]`. */
function ofRest(rest: string): Omit<VersionHeading, "version"> {
  const isYanked = /\byanked\b/i.test(rest);
  const isUnreleased = /[([–—-]\s*(?:unreleased|tbd)\b/i.test(rest);
  const plain = rest.replace(/[([]?\b(?:yanked|unreleased|tbd)\b[)\]]?/gi, "");
  const date = dateIn(plain);
  const name = withoutSigns(date ? plain.replace(date.text, "") : plain);
  const unread = isLikeDate(name) ? name : null;
  return {
    day: date?.day ?? null,
    unclearDate: date && date.day === null ? date.text : unread,
    isYanked,
    isUnreleased,
    name,
  };
}

/** The text without separators, quotes and empty brackets at its ends. */
const withoutSigns = (text: string): string =>
  text
    .replace(/\(\s*\)|\[\s*\]/g, "")
    .replace(/^[\s:,/|–—"“”'-]+|[\s:,/|–—"“”'-]+$/gu, "")
    .replace(/^\(([^()]*)\)$/, "$1")
    .trim();
