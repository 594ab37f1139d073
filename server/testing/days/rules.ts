import { Temporal } from "temporal-polyfill";

/** The plan of a cycle: its first day (YYYY-MM-DD), its IANA time zone and its number of days. */
interface TestPlan {
  readonly startsOn: string;
  readonly timezone: string;
  readonly durationDays: number;
}

/**
 * The days of a test. `dayStarts` has the instant at which each day begins, and as the last item the end of the last
 * day. Instants are ISO 8601 UTC with milliseconds.
 */
export interface TestDays extends TestPlan {
  readonly dayStarts: readonly string[];
}

/**
 * Returns the instant at which each day of a test begins, and as the last item the end of the last day. A calendar day
 * has 23 or 25 hours when clocks change. (rule D1)
 */
export function dayStartsOf({ startsOn, timezone, durationDays }: TestPlan): string[] {
  const first = Temporal.PlainDate.from(startsOn);
  return Array.from({ length: durationDays + 1 }, (_, days) =>
    instantText(first.add({ days }).toZonedDateTime(timezone).epochMilliseconds),
  );
}

/** Returns the starts of the days from the JSON in a row. */
export const dayStartsOfRow = ({ dayStarts }: { readonly dayStarts: string }): string[] =>
  JSON.parse(dayStarts);

/**
 * Returns the instant after which late test sessions of the last day do not count: the end of the next calendar day.
 * (rule D7)
 */
export function graceEndOf({ startsOn, timezone, durationDays }: TestPlan): string {
  const after = Temporal.PlainDate.from(startsOn).add({ days: durationDays + 1 });
  return instantText(after.toZonedDateTime(timezone).epochMilliseconds);
}

/** Whether the last day of the test is over. */
export const isOver = ({ dayStarts }: Pick<TestDays, "dayStarts">, now: string): boolean =>
  now >= (dayStarts.at(-1) ?? "");

/**
 * Returns the day of the test that contains an instant. The first day is 1. A number below 1 means before the test, and
 * a number above `durationDays` means after the test.
 */
export function dayIndexAt(days: TestDays, instant: string): number {
  const stored = days.dayStarts.findLastIndex((start) => start <= instant);
  if (stored >= 0 && stored < days.durationDays) return stored + 1;
  const date = Temporal.Instant.from(instant).toZonedDateTimeISO(days.timezone).toPlainDate();
  const index = Temporal.PlainDate.from(days.startsOn).until(date, { largestUnit: "day" }).days + 1;
  // The stored days are used, because the rules of the time zone may have changed after the days were stored. (rule D2)
  return stored < 0 ? Math.min(index, 0) : Math.max(index, days.durationDays + 1);
}

/**
 * Returns the number of the current day: 0 before the first day, and the number of the last day after the test.
 * (rule D3)
 */
export const todayOf = (days: TestDays, now: Date): number =>
  Math.min(Math.max(dayIndexAt(days, now.toISOString()), 0), days.durationDays);

/**
 * Returns the start and the end of today in epoch milliseconds. Before the test the start is `-Infinity`, and after the
 * test the end is `Infinity`.
 */
export function spanOfToday({ dayStarts }: Pick<TestDays, "dayStarts">, now: Date) {
  const next = dayStarts.findIndex((start) => start > now.toISOString());
  const today = next < 0 ? dayStarts.length : next;
  const start = dayStarts[today - 1];
  const end = dayStarts[today];
  return {
    from: start === undefined ? Number.NEGATIVE_INFINITY : Date.parse(start),
    until: end === undefined ? Number.POSITIVE_INFINITY : Date.parse(end),
  };
}

/** Returns the end of a day. For day 0 it returns the end of the first day. */
export function dueByOf({ dayStarts }: TestDays, dayIndex: number): string {
  return dayStarts[Math.max(dayIndex, 1)] ?? dayStarts.at(-1) ?? "";
}

const instantText = (milliseconds: number): string => new Date(milliseconds).toISOString();

/**
 * Returns the screen that a slot is asked to visit on a day. The same slot and day always give the same screen. All
 * screens are used about equally often. If there are at least two screens, the screen of a day differs from the screen
 * of the day before. (rule T27)
 */
export function targetScreen(screens: readonly string[], slotId: string, dayIndex: number): string {
  if (screens.length === 0) return "";
  const seed = hash(slotId);
  let at = mixed(seed) % screens.length;
  for (let day = 2; day <= dayIndex; day += 1) {
    // The step is at least 1 and less than the number of screens, so the next screen always differs from the present
    // one.
    at = (at + 1 + (mixed(seed + day) % Math.max(1, screens.length - 1))) % screens.length;
  }
  return screens[at] ?? "";
}

/** Returns the FNV-1a hash of a text, 32 bits long. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  return value;
}

/** Mixes the bits of a number: each bit of the result depends on all bits of the given number. */
function mixed(number: number): number {
  let value = Math.imul(number ^ (number >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}
