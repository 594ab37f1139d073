import { Temporal } from "temporal-polyfill";

/** The first day of a cycle (YYYY-MM-DD) in an IANA time zone. */
interface TestPlan {
  readonly startsOn: string;
  readonly timezone: string;
  readonly durationDays: number;
}

/**
 * The days of a test: when each begins, and as the last item when the last day ends. Instants are ISO 8601 UTC with
 * milliseconds.
 */
export interface TestDays extends TestPlan {
  readonly dayStarts: readonly string[];
}

/**
 * When each day of a test begins, and as the last item when the last day ends. These are calendar days, of 23 or 25
 * hours when clocks change.
 */
export function dayStartsOf({ startsOn, timezone, durationDays }: TestPlan): string[] {
  const first = Temporal.PlainDate.from(startsOn);
  return Array.from({ length: durationDays + 1 }, (_, days) =>
    instantText(first.add({ days }).toZonedDateTime(timezone).epochMilliseconds),
  );
}

/** When late test sessions of the last day stop counting: the end of the calendar day after it. */
export function graceEndOf({ startsOn, timezone, durationDays }: TestPlan): string {
  const after = Temporal.PlainDate.from(startsOn).add({ days: durationDays + 1 });
  return instantText(after.toZonedDateTime(timezone).epochMilliseconds);
}

/** Whether the last day is over. */
export const isOver = ({ dayStarts }: Pick<TestDays, "dayStarts">, now: string): boolean =>
  now >= (dayStarts.at(-1) ?? "");

/**
 * The day of the test that contains an instant: 1 is the first, 0 and below are before it, above `durationDays` is after
 * the test.
 */
export function dayIndexAt(days: TestDays, instant: string): number {
  const known = days.dayStarts.findLastIndex((start) => start <= instant);
  if (known >= 0 && known < days.durationDays) return known + 1;
  const date = Temporal.Instant.from(instant).toZonedDateTimeISO(days.timezone).toPlainDate();
  const index = Temporal.PlainDate.from(days.startsOn).until(date, { largestUnit: "day" }).days + 1;
  // The stored days decide: the rules of a time zone may change after they were stored.
  return known < 0 ? Math.min(index, 0) : Math.max(index, days.durationDays + 1);
}

/** Today's day: 0 before the first, the last one after the end. */
export const todayOf = (days: TestDays, now: Date): number =>
  Math.min(Math.max(dayIndexAt(days, now.toISOString()), 0), days.durationDays);

/** From when until when today is the day that it is now, in epoch milliseconds. */
export function spanOfToday({ dayStarts }: Pick<TestDays, "dayStarts">, now: Date) {
  const next = dayStarts.findIndex((start) => start > now.toISOString());
  const known = next < 0 ? dayStarts.length : next;
  const start = dayStarts[known - 1];
  const end = dayStarts[known];
  return {
    from: start === undefined ? Number.NEGATIVE_INFINITY : Date.parse(start),
    until: end === undefined ? Number.POSITIVE_INFINITY : Date.parse(end),
  };
}

/** When a day ends. Before the first day: when the first day ends. */
export function dueByOf({ dayStarts }: TestDays, dayIndex: number): string {
  return dayStarts[Math.max(dayIndex, 1)] ?? dayStarts.at(-1) ?? "";
}

const instantText = (milliseconds: number): string => new Date(milliseconds).toISOString();

/**
 * The screen of the day for a slot. It is always the same for the same slot and day, spread evenly over the screens, and
 * differs from the day before if there are at least two screens. (rule T27)
 */
export function targetScreen(screens: readonly string[], slotId: string, dayIndex: number): string {
  if (screens.length === 0) return "";
  const seed = hash(slotId);
  let at = mixed(seed) % screens.length;
  for (let day = 2; day <= dayIndex; day += 1) {
    // A step of at least one and less than the number of screens never ends at the same screen.
    at = (at + 1 + (mixed(seed + day) % Math.max(1, screens.length - 1))) % screens.length;
  }
  return screens[at] ?? "";
}

/** FNV-1a of 32 bits. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  return value;
}

/** Every bit of the result depends on every bit of the number. */
function mixed(number: number): number {
  let value = Math.imul(number ^ (number >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}
