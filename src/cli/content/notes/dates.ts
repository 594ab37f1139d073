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

/** The first date in a text, in any usual form. */
export function dateIn(text: string): FoundDate | undefined {
  for (const [pattern, read] of readings) {
    const found = pattern.exec(text);
    if (found) return { text: found[0], day: read(found.slice(1)) };
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
