/**
 * The same instant in UTC with milliseconds. Undefined if the text is not an instant, or if its year in UTC does not
 * have four digits: only four digits sort as text.
 */
export function utcOf(value: string): string | undefined {
  if (utcForm.test(value)) return Number.isNaN(Date.parse(value)) || !isDay(value) ? undefined : value;
  const parts = instantForm.exec(value)?.groups;
  if (!parts || !isDay(value)) return undefined;
  const { date, time, seconds = "00", fraction = "0", hours, minutes = "00" } = parts;
  const offset = hours === undefined ? "Z" : `${hours}:${minutes}`;
  const milliseconds = Date.parse(`${date}T${time}:${seconds}.${fraction}${offset}`);
  if (Number.isNaN(milliseconds)) return undefined;
  const utc = new Date(milliseconds).toISOString();
  return utcForm.test(utc) ? utc : undefined;
}

/** The form of `toISOString`, which has no 24:00: that is midnight of the next day. */
const utcForm = /^\d{4}-\d\d-\d\dT(?!24)\d\d:\d\d:\d\d\.\d{3}Z$/;

/**
 * ISO 8601 and its variants: small letters (RFC 3339), an offset without a colon or minutes (strftime, PHP), a comma
 * before the fraction, a zone in brackets after the offset (Java).
 */
const instantForm =
  /^(?<date>\d{4}-\d\d-\d\d)[Tt](?<time>\d\d:\d\d)(?::(?<seconds>\d\d)(?:[.,](?<fraction>\d{1,9}))?)?(?:[Zz]|(?<hours>[+-]\d\d)(?::?(?<minutes>\d\d))?)(?:\[[\w+\-/]{1,60}\])?$/;

/** Whether a month has the day. `Date` reads 30 February as 2 March. */
function isDay(value: string): boolean {
  const date = value.slice(0, 10);
  if (Number(date.slice(8)) <= 28) return true;
  const at = new Date(`${date}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(date);
}
