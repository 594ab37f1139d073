import { limits } from "./limits.ts";

const uuid = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";

const linkPattern = new RegExp(`/feedback/${uuid}/(${uuid})`, "gi");

const idPattern = new RegExp(uuid, "gi");

const startPattern = /^[\s>]*(?:[-*+]\s+)?[*_]{0,2}Feedback[*_]{0,2}:[*_]{0,2}\s+\S/i;

/**
 * Returns the thread ids in a release note, in lower case. They are in `Feedback:` lines and console links.
 * (rule C17)
 */
export function feedbackIdsIn(text: string): readonly string[] {
  const ids = text.split("\n").flatMap((line) => (isFeedbackLine(line) ? idsOf(line) : linkedIn(line)));
  return [...new Set(ids.map((id) => id.toLowerCase()))];
}

/** Returns the text that users of the app see. It does not contain the lines that only list threads. */
export function withoutFeedbackLines(text: string): string {
  const lines = text.split("\n");
  const shown = lines.filter((line) => !isFeedbackLine(line));
  if (shown.length === lines.length) return text;
  return shown
    .join("\n")
    .replace(/\n(?:[ \t]*\n){2,}/g, "\n\n")
    .trim();
}

/** Returns the ids in the lines that only list threads, in lower case and without duplicates. */
export const idsInFeedbackLines = (text: string): readonly string[] => [
  ...new Set(
    text
      .split("\n")
      .filter(isFeedbackLine)
      .flatMap(idsOf)
      .map((id) => id.toLowerCase()),
  ),
];

/** Replaces lines that only list threads with one line for `ids` at the end. Returns the new text. */
export function withFeedbackLine(text: string, ids: readonly string[]): string {
  const shown = withoutFeedbackLines(text);
  if (ids.length === 0) return shown;
  const line = `Feedback: ${ids.join(", ")}`;
  return shown.trim() === "" ? line : `${shown.trimEnd()}\n\n${line}`;
}

/** Whether a line contains only `Feedback:` and threads. Any other line with `Feedback:` is text for users. */
function isFeedbackLine(line: string): boolean {
  if (!startPattern.test(line) || idsOf(line).length === 0) return false;
  const [, rest = ""] = /^[^:]*:(.*)$/s.exec(line) ?? [];
  const others = rest
    .replace(/\[[^[\]]*\](?=\()/g, "")
    .replace(/https?:\/\/[^\s)>]+/gi, "")
    .replace(idPattern, "")
    .replace(/[\s,;.()<>`*_&]|\band\b/gi, "");
  return others === "";
}

const idsOf = (line: string): string[] => line.replace(linkPattern, " $1 ").match(idPattern) ?? [];

const linkedIn = (line: string): string[] => [...line.matchAll(linkPattern)].map(([, id = ""]) => id);

/**
 * Matches a language tag with an optional script, country and variants, without extensions or private parts.
 */
const languageShape =
  /^[a-z]{2,3}(?:-[A-Z][a-z]{3})?(?:-(?:[A-Z]{2}|\d{3}))?(?:-(?:[a-z0-9]{5,8}|\d[a-z0-9]{3}))*$/;

/** Returns a BCP 47 tag in its canonical form, such as `pt-BR`; undefined for any other text. (rule C34) */
export function canonicalLanguage(tag: string): string | undefined {
  if (tag.length > limits.language) return undefined;
  try {
    const [canonical = ""] = Intl.getCanonicalLocales(tag);
    return languageShape.test(canonical) ? canonical : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns the language tags to search for, best first: `zh-Hant-TW`, `zh-Hant`, `zh`. Empty if `wanted` is no
 * language tag. (rule C35)
 */
export function lookedForLanguages(wanted: string): readonly string[] {
  const tag = wanted
    .slice(0, 200)
    .replaceAll("_", "-")
    .replace(/-[a-z0-9](?:-.*)?$/i, "");
  const canonical = canonicalLanguage(tag);
  if (canonical === undefined) return [];
  const parts = canonical.split("-");
  return parts.map((_, at) => parts.slice(0, parts.length - at).join("-"));
}

/**
 * Removes empty lines at the start, white space at the end, and leading spaces without a Markdown meaning.
 * (rule C2)
 */
export function trimmedMarkdown(text: string): string {
  const trimmed = text.replace(/^(?:[ \t]*\r?\n)+/, "").trimEnd();
  return /^(?: {4}| {0,3}\t)|\n/.test(trimmed) ? trimmed : trimmed.trimStart();
}

/**
 * Returns the text whose SHA-256 in hex is `pushedHash`. NUL separates `question` and `answer`, because
 * neither can contain NUL. (rule C21)
 */
export const hashedFaqText = ({
  question,
  answer,
}: {
  readonly question: string;
  readonly answer: string;
}): string => `${question}\0${answer}`;

/** Whether two texts are names of the same version. (rule C10) */
export const isSameVersion = (a: string, b: string): boolean => comparableVersion(a) === comparableVersion(b);

/**
 * Removes leading zeros from the numbers of a plain version, such as `2025.01.15`. Keeps dates such as
 * `2025-01-15`.
 */
export function comparableVersion(version: string): string {
  const plain = plainVersion(version);
  if (!/^\d/.test(plain) || /^\d{4}-\d\d-\d\d$/.test(plain)) return plain;
  return plain.replace(
    /(^|[.+-])(\d+)(?=[.+\s(-]|$)/g,
    (_, before: string, digits: string) => before + digits.replace(/^0+(?=\d)/, ""),
  );
}

/** Removes the usual prefixes of a version: `v2.4.0` and `app@2.4.0` become `2.4.0`. Other texts are not changed. */
export function plainVersion(version: string): string {
  const text = version.trim();
  return /^(?:.*@)?v?(\d.*)$/is.exec(text)?.[1] ?? text;
}
