/** A date in a text, and its day as `2026-11-22`; null if no calendar has it. */
export interface FoundDate {
  readonly text: string;
  readonly day: string | null;
}

const months = [
  ...["January", "February", "March", "April", "May", "June"],
  ...["July", "August", "September", "October", "November", "December"],
];

const iso = /(?<!\d)(\d{4})-(\d\d)-(\d\d)(?![\dT]| \d)/;
/** As auto-changelog writes it: `22 November 2026`. */
const written = new RegExp(`(?<!\\d)(\\d{1,2}) (${months.join("|")}) (\\d{4})(?!\\d)`);

/** The first date in a text, in one of the two forms that the tools write. */
export function dateIn(text: string): FoundDate | undefined {
  const [ofNumbers, year, month, day] = iso.exec(text) ?? [];
  if (ofNumbers !== undefined) return { text: ofNumbers, day: dayOf(year, month, day) };
  const [ofWords, date, name = "", inYear] = written.exec(text) ?? [];
  if (ofWords === undefined) return undefined;
  return { text: ofWords, day: dayOf(inYear, String(months.indexOf(name) + 1), date) };
}

/** Whether a text seems to have a date of another form: `5 mars 2026`, `01/02/2026`, `24.12.25`. */
export const isLikeDate = (text: string): boolean =>
  (/(?<!\d)(?:19|20)\d\d(?!\d)/.test(text) && /(?<!\d)\d{1,2}(?!\d)/.test(text)) ||
  /(?<!\d)\d{1,2}([./-])\d{1,2}\1\d\d(?!\d)/.test(text);

/** The day, if the calendar has it. */
function dayOf(year = "", month = "", day = ""): string | null {
  const text = `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
  const at = new Date(`${text}T00:00:00Z`);
  return Number.isNaN(at.getTime()) || at.toISOString().slice(0, 10) !== text ? null : text;
}
