import { monthNames } from "./month-names.ts";

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const month = "(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\\.?";
const day = "(\\d{1,2})(?:st|nd|rd|th)?";

/** A date in a text: where it stands, and the day as `2026-11-22`; null if no such day exists or two are meant. */
export interface FoundDate {
  readonly text: string;
  readonly day: string | null;
}

type Reading = readonly [RegExp, (parts: readonly string[]) => string | null];

/** The usual forms of a date. */
const readings: readonly Reading[] = [
  [/(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?:[T ]\d\d:\d\d\S*)?(?![\d.])/, ([y, , m, d]) => dayOf(y, m, d)],
  [new RegExp(`${month}\\s+${day},?\\s+(\\d{4})`, "i"), ([m, d, y]) => dayOf(y, monthOf(m), d)],
  [
    new RegExp(`${day}\\.?\\s+(?:of\\s+)?${month},?\\s+(\\d{4})`, "i"),
    ([d, m, y]) => dayOf(y, monthOf(m), d),
  ],
  [/(?<![\d.])(\d{1,2})\.(\d{1,2})\.(\d{4})(?![\d.])/, ([d, m, y]) => dayOf(y, m, d)],
  [/(?<![\d/])(\d{1,2})\/(\d{1,2})\/(\d{4})(?![\d/])/, ([one, two, y]) => ofSlashes(one, two, y)],
];

/** Days with the names of months of other languages: `5. März 2026`, `1er août 2025`, `7 de septiembre de 2026`. */
const named =
  /(?<!\d)(\d{1,2})(?:er|\.?[ºª°]|\.)?\s+(?:(?:de|di)\s+|d['’]\s*)?(\p{L}+)\.?,?\s+(?:del?\s+)?(\d{4})(?!\d)/giu;
const ideographic = /(\d{4})\s?[年년]\s?(\d{1,2})\s?[月월]\s?(\d{1,2})\s?[日일]/u;

/** The first date in a text, in any usual form. */
export function dateIn(text: string): FoundDate | undefined {
  for (const [pattern, read] of readings) {
    const found = pattern.exec(text);
    if (found) return { text: found[0], day: read(found.slice(1)) };
  }
  const [written, y, m, d] = ideographic.exec(text) ?? [];
  if (written !== undefined) return { text: written, day: dayOf(y, m, d) };
  for (const [words, dd, name = "", yyyy] of text.matchAll(named)) {
    const number = monthNames().get(name.normalize("NFC").toLowerCase());
    if (number !== undefined) return { text: words, day: dayOf(yyyy, String(number), dd) };
  }
  return undefined;
}

/** `13/02/2026` has one meaning, `01/02/2026` has two. */
function ofSlashes(one = "", two = "", year = ""): string | null {
  if (Number(one) > 12) return dayOf(year, two, one);
  return Number(two) > 12 ? dayOf(year, one, two) : null;
}

const monthOf = (name = ""): string => String(months.indexOf(name.slice(0, 3).toLowerCase()) + 1);

/** The day, if the calendar has it. */
function dayOf(year = "", monthNumber = "", dayNumber = ""): string | null {
  const text = `${year}-${monthNumber.padStart(2, "0")}-${dayNumber.padStart(2, "0")}`;
  const at = new Date(`${text}T00:00:00Z`);
  return Number.isNaN(at.getTime()) || at.toISOString().slice(0, 10) !== text ? null : text;
}
