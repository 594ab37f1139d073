const formatIn = (timeZone: string, options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat("en-GB", { timeZone, ...options });

const day = { weekday: "short", day: "numeric", month: "short", year: "numeric" } as const;
const clock = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;

/** `Tue 9 Jun 2026, 14:05`, of an ISO 8601 instant in an IANA zone. */
export const zonedTime = (at: string, timezone: string): string =>
  `${zonedDay(at, timezone)}, ${zonedClock(at, timezone)}`;

/** `Tue 9 Jun 2026`: the calendar day of an instant in a zone. */
export const zonedDay = (at: string, timezone: string): string =>
  formatIn(timezone, day).format(new Date(at)).replace(",", "");

/** `9 Jun 2026`. */
export const zonedDate = (at: string, timezone: string): string =>
  formatIn(timezone, { day: "numeric", month: "short", year: "numeric" }).format(new Date(at));

/** `14:05`. */
export const zonedClock = (at: string, timezone: string): string =>
  formatIn(timezone, clock).format(new Date(at));

/** The date of a cycle's day, as an instant to be formatted in UTC. `startsOn` is the first day, YYYY-MM-DD. */
export const dateOfDay = (startsOn: string, dayIndex: number): Date =>
  new Date(Date.parse(`${startsOn}T00:00:00Z`) + (dayIndex - 1) * 86_400_000);

const weekday = formatIn("UTC", { weekday: "short" });
const numeral = formatIn("UTC", { day: "numeric", month: "short" });

/** The instant before. The last day of something that ends at midnight is the day before. */
export const justBefore = (at: string): string => new Date(Date.parse(at) - 1).toISOString();

/** `Tue` and `9 Jun`, of a date in UTC. */
export const dateParts = (date: Date) => ({ weekday: weekday.format(date), date: numeral.format(date) });

/** `1 h 5 min`, `4 min 10 s`, `38 s`. */
export function lengthOfTime(seconds: number): string {
  const whole = Math.round(seconds);
  const [hours, minutes] = [Math.floor(whole / 3_600), Math.floor(whole / 60) % 60];
  if (hours > 0) return minutes > 0 ? `${hours} h ${minutes} min` : `${hours} h`;
  const rest = whole % 60;
  if (minutes === 0) return `${rest} s`;
  return rest > 0 ? `${minutes} min ${rest} s` : `${minutes} min`;
}

/** The IANA zones that this runtime knows, UTC first. */
export const timeZones: readonly string[] = [
  "UTC",
  ...Intl.supportedValuesOf("timeZone").filter((zone) => zone !== "UTC"),
];
