import { plainVersion } from "../../../contract/version.ts";
import { dateIn } from "./dates.ts";

/** What the heading of a version says. */
export interface VersionHeading {
  /** Without `v` and the name of a package; null for notes without a version, such as `Unreleased`. */
  readonly version: string | null;
  /** The day, such as `2026-11-22`; null if none is given or it cannot be read. */
  readonly day: string | null;
  /** A date that no calendar has, or that can be read in two ways. */
  readonly unclearDate: string | null;
  readonly isYanked: boolean;
  readonly isUnreleased: boolean;
  /** What else the heading says; "" for nothing. */
  readonly name: string;
}

const unreleased =
  /^(?:unreleased|un-released|upcoming|next|vnext|pending|head|master|trunk|wip|in progress|in development)(?:\s+(?:release|version|changes))?(?=$|[\s:,(/–—-])/i;
const unreleasedElsewhere =
  /^(?:(?:noch )?(?:un|nicht )veröffentlicht|non[ -]publiée?s?|à venir|sin publicar|no publicado|non (?:rilasciat|pubblicat)[oa]|não (?:lançad|publicad)[oa]|(?:nog )?niet (?:uitgebracht|gepubliceerd)|niewydane|nieopublikowane|ej (?:släppt|utgiven)|не (?:выпущено|опубликовано)|невыпущенное|未リリース|未公開|未发布|未發布)(?=$|[\s:,(/–—-])/iu;
const words = /^(?:version|release|rel\.?|ver\.?|build)\s+(?=(?:v|\S+@)?\d)/i;
const dotted = /^(?:@?[\w.-]+(?:\/[\w.-]+)?@)?v?\d+(?:\.(?:\d+|x))+[0-9A-Za-z.+-]*/i;
const whole = /^(?:@?[\w.-]+(?:\/[\w.-]+)?@)?v?\d+(?:-[a-z][0-9a-z.-]*)?(?=$|\s*[:([/–—-]|\s+yanked)/i;
const dayVersion = /^\d{4}-\d{2}-\d{2}(?![\d.])/;

/** A longer text is no heading of a version, and would take long to search. */
const longest = 1_000;

/** Reads the heading of a version; undefined for any other heading. */
export function readVersionHeading(heading: string): VersionHeading | undefined {
  if (heading.length > longest) return undefined;
  const text = heading.replace(/\s+/g, " ").replace(/\s#+$/, "").trim();
  const open = text.replace(/^[^\p{L}\p{N}[@]+/u, "").replace(/^\[([^\]]*)\]/, "$1");
  const next = unreleased.exec(open) ?? unreleasedElsewhere.exec(open.normalize("NFC"));
  if (next) return ofUnreleased(open.slice(next[0].length));
  return ofDateFirst(open) ?? ofVersionFirst(open) ?? ofProject(open);
}

/** `Unreleased`, `Unreleased (2.1.0)`. */
function ofUnreleased(rest: string): VersionHeading | undefined {
  const inner = withoutSigns(rest);
  const version = dotted.exec(inner.replace(words, ""))?.[0];
  const name = withoutSigns(
    withoutDate(version ? inner.slice(inner.indexOf(version) + version.length) : inner),
  );
  if (version === undefined && name !== "" && !/^(?:tbd|tba|changes)$/i.test(name)) return undefined;
  const plain = version === undefined ? null : plainVersion(version);
  return { version: plain, day: null, unclearDate: null, isYanked: false, isUnreleased: true, name: "" };
}

/** `2026-11-22, Version 23.0.0 (Current)`. */
function ofDateFirst(text: string): VersionHeading | undefined {
  const date = dayVersion.exec(text)?.[0];
  if (date === undefined) return undefined;
  const rest = withoutSigns(text.slice(date.length)).replace(words, "");
  if (dotted.test(rest)) return ofVersionFirst(`${rest} (${date})`);
  return { ...ofRest(rest), version: date, day: dateIn(date)?.day ?? null };
}

/** `v1.0.0 - 2026-11-22 [YANKED]`, `1.0.0: Harvest`. */
function ofVersionFirst(text: string): VersionHeading | undefined {
  const bare = text.replace(words, "").replace(/^\[([^\]]*)\]/, "$1");
  const isNamed = bare !== text;
  const found = (dotted.exec(bare) ?? whole.exec(bare))?.[0];
  if (found === undefined) return undefined;
  const version = found.replace(/[.+-]+$/, "");
  const rest = bare.slice(version.length);
  if (!isNamed && /^\d+$/.test(version) && /^\s*[^\s:([/–—-]/.test(rest)) return undefined;
  return {
    ...ofRest(
      rest.replace(/^(?:,?\s*(?:\((?:build\s+)?\d+\)|build\s+\d+)|\s*[,|–—-]\s*build\s+\d+(?![\d.]))/i, ""),
    ),
    version: plainVersion(version),
  };
}

/** `Larder 2.4.0 (2026-11-22)`: one word, a version and a date, and nothing else. */
function ofProject(text: string): VersionHeading | undefined {
  const [, rest] = /^[\p{L}][\p{L}\p{N}.-]* (v?\d+\..*)$/u.exec(text) ?? [];
  const heading = rest === undefined ? undefined : ofVersionFirst(rest);
  return heading?.day && heading.name === "" ? heading : undefined;
}

function ofRest(rest: string): Omit<VersionHeading, "version"> {
  const isYanked = /\byanked\b/i.test(rest);
  const isUnreleased = /[([–—-]\s*(?:unreleased|tbd|tba|not released(?: yet)?|upcoming)\b/i.test(rest);
  const plain = rest.replace(/[([]?\b(?:yanked|unreleased|tbd|tba|not released(?: yet)?)\b[)\]]?/gi, "");
  const date = dateIn(plain);
  return {
    day: date?.day ?? null,
    unclearDate: date && date.day === null ? date.text : null,
    isYanked,
    isUnreleased,
    name: withoutSigns(withoutDate(plain)),
  };
}

function withoutDate(text: string): string {
  const date = dateIn(text);
  if (!date) return text;
  const at = text.indexOf(date.text);
  const before = text
    .slice(0, at)
    .replace(/(?<!\p{L})(?:vom|am|du|le|del?|el|di|il|em|van|od|från)\s+$/iu, "");
  return `${before}${text.slice(at + date.text.length)}`.replace(/\b(?:released|on)\b/gi, "");
}

/** The text without separators, quotes and empty brackets at its ends. */
const withoutSigns = (text: string): string =>
  text
    .replace(/\(\s*\)|\[\s*\]/g, "")
    .replace(/^[\s:,/|–—#"“”'-]+|[\s:,/|–—#"“”'-]+$/gu, "")
    .replace(/^\(([^()]*)\)$/, "$1")
    .replace(/^["“]([^"“”]*)["”]$/u, "$1")
    .trim();
