import { plainVersion } from "../../../contract/content-text.ts";
import {
  type Block,
  insideOf,
  type Notes,
  notesOf,
  plainLines,
  plainText,
  readMarkdown,
  typeOfHeading,
} from "./release-notes.ts";

/** One version in a changelog file. `line` is the line of its heading. */
export interface FileRelease extends VersionHeading {
  readonly line: number;
  readonly notes: Notes;
}

export interface ChangelogFile {
  /** The versions, in the order of the file. */
  readonly releases: readonly FileRelease[];
  /** Descriptions of the parts of the file that are ignored, because they belong to no version. */
  readonly ignored: readonly string[];
  /** The faults in the file. If there is at least one, the file cannot be used. */
  readonly faults: readonly Fault[];
}

export interface Fault {
  readonly line: number;
  readonly message: string;
}

/**
 * Reads a changelog in the format of Keep a Changelog, conventional-changelog, auto-changelog or changesets.
 */
export function readChangelogFile(source: string): ChangelogFile {
  const text = readMarkdown(source);
  const { parts, ignored, faults } = partsOf(text.blocks);
  const releases = parts.map(({ heading, line, blocks }) => ({
    ...heading,
    line,
    notes: notesOf(text, blocks),
  }));
  const all = [...faults, ...faultsOf(releases)].sort((a, b) => a.line - b.line);
  return { releases, ignored, faults: all };
}

/** Reads a text that contains the notes of one version and no heading of a version. */
export function readNotes(source: string): Notes {
  const text = readMarkdown(source);
  return notesOf(text, text.blocks);
}

/** The heading of a version and the content below it. */
interface Part {
  readonly heading: VersionHeading;
  readonly depth: number;
  readonly line: number;
  readonly blocks: readonly Block[];
}

interface Parts {
  readonly parts: readonly Part[];
  readonly ignored: readonly string[];
  readonly faults: readonly Fault[];
}

function partsOf(blocks: readonly Block[]): Parts {
  const parts: (Part & { readonly blocks: Block[] })[] = [];
  const ignored: string[] = [];
  const faults: Fault[] = [];
  const lost = lostBefore(blocks);
  /** Whether the following blocks belong to no version. */
  let isOutside = true;
  for (const block of blocks) {
    const last = parts.at(-1);
    const line = block.from + 1;
    const heading = versionHeadingIn(block, last);
    const day = isOutside ? null : dayBelow(block, last);
    if (isVersionLine(block)) faults.push({ line, message: `has a version outside of a heading: ${write}` });
    else if (last && day !== null) parts[parts.length - 1] = { ...last, heading: { ...last.heading, day } };
    else if (heading) {
      parts.push({ heading, depth: depthOf(block), line, blocks: [] });
      isOutside = false;
    } else if (lost.has(block) || endsPart(block, last)) {
      const text = plainText(block);
      if (isLikeVersion(text))
        faults.push({ line, message: `has “${text}”, which seems to be a version: ${write}` });
      else ignored.push(`line ${line}: the text under “${text}”`);
      isOutside = true;
    } else if (!isOutside) last?.blocks.push(block);
  }
  return { parts, ignored, faults };
}

const write = "write ## 1.2.0 - 2026-11-22";

/**
 * Returns the headings, except the file's title, that precede the first version heading and have its level. The
 * text below these headings belongs to no version.
 */
function lostBefore(blocks: readonly Block[]): ReadonlySet<Block> {
  const at = blocks.findIndex((block) => versionHeadingIn(block, undefined));
  const [before, first] = [blocks.slice(0, Math.max(at, 0)), blocks[at]];
  const [title, ...others] = before.filter(({ type }) => type === "heading");
  // If a list comes before the first version, this heading is not the file's title.
  const isTitle =
    title !== undefined &&
    depthOf(title) === 1 &&
    !isLikeVersion(plainText(title)) &&
    !before.some(({ type }) => type.endsWith("_list"));
  const headings = title && !isTitle ? [title, ...others] : others;
  return new Set(headings.filter((block) => first && depthOf(block) === depthOf(first)));
}

/** Returns the date from a quotation directly below a heading without a date, as auto-changelog writes it. */
function dayBelow(block: Block, last: Part | undefined): string | null {
  if (block.type !== "blockquote" || last?.blocks.length !== 0 || last.heading.day !== null) return null;
  const [paragraph, ...others] = insideOf(block);
  const text = paragraph && others.length === 0 ? plainText(paragraph) : "";
  const date = dateIn(text);
  return date?.text === text ? date.day : null;
}

/** Returns the level of a heading, such as 1 for `#`. */
const depthOf = ({ tokens }: Block): number => Number(tokens[0]?.tag.slice(1));

/** Returns the version in a heading. A heading inside notes may contain only a version and a date. */
function versionHeadingIn(block: Block, last: Part | undefined): VersionHeading | undefined {
  const heading = block.type === "heading" ? readVersionHeading(plainText(block)) : undefined;
  const isDeeper = last !== undefined && depthOf(block) > last.depth;
  if (!heading || !isDeeper || heading.unclearDate !== null) return heading;
  return heading.name !== "" || heading.version === null ? undefined : heading;
}

/**
 * Whether the first line of a paragraph contains only a version and perhaps a date, such as `**1.2.0** (2026-11-22)`.
 */
function isVersionLine(block: Block): boolean {
  if (block.type !== "paragraph") return false;
  const { version = null, name = "" } = readVersionHeading(plainLines(block)[0] ?? "") ?? {};
  return version !== null && name === "";
}

/** Whether a heading begins a part that belongs to no version, such as a licence. */
const endsPart = (block: Block, last: Part | undefined): boolean =>
  block.type === "heading" &&
  last !== undefined &&
  depthOf(block) <= last.depth &&
  typeOfHeading(plainText(block)) === undefined;

/** Returns a fault for each version that occurs twice, and for each date that cannot be read. (rule L33) */
function faultsOf(releases: readonly FileRelease[]): Fault[] {
  const first = new Map<string | null, number>();
  const repeated = releases.flatMap(({ version, line }) => {
    const key = version === null ? null : plainVersion(version);
    const before = first.get(key);
    if (before === undefined) {
      first.set(key, line);
      return [];
    }
    const name = version ?? "Unreleased";
    return [{ line, message: `is a second heading of ${name}; the first is in line ${before}` }];
  });
  const unclear = releases.flatMap(({ unclearDate, line }) =>
    unclearDate === null
      ? []
      : [{ line, message: `has “${unclearDate}”, which is not a clear date: write it as 2026-11-22` }],
  );
  return [...repeated, ...unclear];
}

interface VersionHeading {
  /** The version without `v`. Null for `Unreleased`. */
  readonly version: string | null;
  /** The day, such as `2026-11-22`. Null if the heading has no date or the date cannot be read. */
  readonly day: string | null;
  /** The text of a date that cannot be read. Null if there is none. */
  readonly unclearDate: string | null;
  readonly isYanked: boolean;
  readonly isUnreleased: boolean;
  /** The rest of the heading, such as a name of the release. May be empty. */
  readonly name: string;
}

const opening = /^\[?(?:(?:version|release) )?\[?v?(\d+(?:\.\d+)+(?:[0-9A-Za-z.+-]*[0-9A-Za-z])?)\]?(.*)$/i;

/** Matches the build number after a version, which is not part of the version. */
const build = /^\s*[,|–—-]?\s*(?:\((?:build )?\d+\)|build \d+)(?![\d.])/i;

/** The maximum length of a version heading. For longer texts, the patterns would need too much time. */
const longest = 1_000;

/**
 * Reads headings such as `[1.0.0] - 2026-11-22`, `v1.0.0 (2026-11-22): Harvest` and `Unreleased`. Undefined for other
 * headings.
 */
function readVersionHeading(heading: string): VersionHeading | undefined {
  if (heading.length > longest) return undefined;
  const text = heading.replace(/\s+/g, " ").trim();
  if (/^\[?unreleased\]?$/i.test(text)) return { ...ofRest(""), version: null, isUnreleased: true };
  const [, version, rest = ""] = opening.exec(text) ?? [];
  if (version === undefined) return undefined;
  return { ...ofRest(rest.replace(build, "")), version: plainVersion(version) };
}

/**
 * Whether a heading seems to contain a version in an unsupported form, such as `🎉 1.2.0`, `Build 145` or `2026-11-22`.
 */
const isLikeVersion = (heading: string): boolean =>
  heading.length <= longest && /^(?:\S+\s+)?\S*\d/.test(heading);

/** Reads the part of a heading after the version, such as `- 2026-11-22 [YANKED]`. */
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

/** Returns the text without separators, quotes and empty brackets at its start and end. */
const withoutSigns = (text: string): string =>
  text
    .replace(/\(\s*\)|\[\s*\]/g, "")
    .replace(/^[\s:,/|–—"“”'-]+|[\s:,/|–—"“”'-]+$/gu, "")
    .replace(/^\(([^()]*)\)$/, "$1")
    .trim();

/** A date in a text. `day` has the form `2026-11-22`. Null if the date does not exist. */
interface FoundDate {
  readonly text: string;
  readonly day: string | null;
}

const months = [
  ...["January", "February", "March", "April", "May", "June"],
  ...["July", "August", "September", "October", "November", "December"],
];

const iso = /(?<!\d)(\d{4})-(\d\d)-(\d\d)(?![\dT]| \d)/;

/** Matches a date in the format of auto-changelog, such as `22 November 2026`. */
const written = new RegExp(`(?<!\\d)(\\d{1,2}) (${months.join("|")}) (\\d{4})(?!\\d)`);

/** Returns the first date in a text that has the form `2026-11-22` or `22 November 2026`. */
function dateIn(text: string): FoundDate | undefined {
  const [ofNumbers, year, month, day] = iso.exec(text) ?? [];
  if (ofNumbers !== undefined) return { text: ofNumbers, day: dayOf(year, month, day) };
  const [ofWords, date, name = "", inYear] = written.exec(text) ?? [];
  if (ofWords === undefined) return undefined;
  return { text: ofWords, day: dayOf(inYear, String(months.indexOf(name) + 1), date) };
}

/** Whether a text seems to contain a date that `dateIn` cannot read, such as `5 mars 2026` or `24.12.25`. */
const isLikeDate = (text: string): boolean =>
  (/(?<!\d)(?:19|20)\d\d(?!\d)/.test(text) && /(?<!\d)\d{1,2}(?!\d)/.test(text)) ||
  /(?<!\d)\d{1,2}([./-])\d{1,2}\1\d\d(?!\d)/.test(text);

/** Returns the date as `2026-11-22`. Returns null if the calendar does not contain the date. */
function dayOf(year = "", month = "", day = ""): string | null {
  const text = `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
  const at = new Date(`${text}T00:00:00Z`);
  return Number.isNaN(at.getTime()) || at.toISOString().slice(0, 10) !== text ? null : text;
}
