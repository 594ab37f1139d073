import { limits } from "../../../src/contract/limits.ts";
import type { Statistics } from "../../../src/contract/statistics.ts";
import { dayStartsOf } from "../../testing/days/rules.ts";

const quarterMilliseconds = 900_000;
const quartersOfDay = 96;
const minuteMilliseconds = 60_000;

/**
 * Consecutive quarters of an hour. `from` is the first one, and `to` is the first one after them. Both are counted in
 * quarters since 1970.
 */
export interface Quarters {
  readonly from: number;
  readonly to: number;
}

/** A calendar day in a time zone, with its quarters of an hour. */
export interface CountedDay extends Quarters {
  readonly day: string;
}

/** The first and the last day of a period, and the time zone of its days. */
export interface Period {
  readonly from: string;
  readonly to: string;
  readonly zone: string;
}

const lastDays = 30;

const dayMilliseconds = 86_400_000;

/**
 * Returns the period that a request selects. If the request names no days, the period ends today and has 30 days. (rule
 * F62)
 */
export function periodOf(
  { from, to, zone = "UTC" }: { readonly [Name in keyof Period]?: string | undefined },
  now: Date,
): Period {
  // The Swedish format of a date is the format of ISO 8601.
  const last = to ?? new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short" }).format(now);
  return { from: from ?? dayAfter(last, 1 - lastDays), to: last, zone };
}

const dayAfter = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * dayMilliseconds).toISOString().slice(0, 10);

/** Returns the period that is earlier by this number of days. The default is the period directly before. */
export function periodBefore(period: Period, days = lengthOf(period)): Period {
  const { from, to, zone } = period;
  return { from: dayAfter(from, -days), to: dayAfter(to, -days), zone };
}

/** Returns how many days a period has. It is not positive if the last day is before the first one. */
export const lengthOf = ({ from, to }: Period): number =>
  (Date.parse(to) - Date.parse(from)) / dayMilliseconds + 1;

/**
 * Returns the days of a period. A day begins at midnight of the time zone, and has 23 or 25 hours when clocks change.
 * (rule F62)
 */
export function daysOf(period: Period): CountedDay[] {
  const { from: startsOn, zone: timezone } = period;
  const durationDays = lengthOf(period);
  const starts = dayStartsOf({ startsOn, timezone, durationDays }).map((start) => quarterAt(new Date(start)));
  return Array.from({ length: durationDays }, (_, days) => ({
    day: dayAfter(startsOn, days),
    from: starts[days] ?? 0,
    to: starts[days + 1] ?? 0,
  }));
}

/** Whether all new reports of a period arrived on days that began within the last 24 hours. */
export function areOfLastDay(
  { perDay, ...period }: Pick<Statistics, "perDay" | "from" | "to" | "zone">,
  now: Date,
): boolean {
  const yesterday = quarterAt(new Date(now.getTime() - dayMilliseconds));
  const earlier = daysOf(period).filter(({ from }) => from < yesterday);
  return perDay
    .slice(0, earlier.length)
    .every(({ new: { bug, feature, question, general } }) => bug + feature + question + general === 0);
}

/** Returns the quarters of all these days. */
export const quartersOf = (days: readonly CountedDay[]): Quarters => ({
  from: days.at(0)?.from ?? 0,
  to: days.at(-1)?.to ?? 0,
});

/** The parts of a period: whole days in UTC, and the quarters of an hour before and after these days. */
export interface Parts {
  readonly days: Quarters;
  readonly before: Quarters;
  readonly after: Quarters;
}

/** Returns the parts of a period. Each part has separate counts. Together the parts contain each quarter once. */
export function partsOf({ from, to }: Quarters): Parts {
  const days = { from: Math.ceil(from / quartersOfDay), to: Math.floor(to / quartersOfDay) };
  if (days.from >= days.to)
    return { days: { from: 0, to: 0 }, before: { from, to }, after: { from: 0, to: 0 } };
  return {
    days,
    before: { from, to: days.from * quartersOfDay },
    after: { from: days.to * quartersOfDay, to },
  };
}

/** Returns the quarter that contains an instant. */
export const quarterAt = (at: Date): number => Math.floor(at.getTime() / quarterMilliseconds);

const weekMilliseconds = 7 * 86_400_000;

/** Returns the quarters of the last seven days. */
export const lastWeek = (now: Date): Quarters => ({
  from: quarterAt(new Date(now.getTime() - weekMilliseconds)),
  to: quarterAt(now) + 1,
});

/** Returns the instant at which a quarter begins. */
export const instantOf = (quarter: number): string => new Date(quarter * quarterMilliseconds).toISOString();

/**
 * Returns the time within which a share of the waits ended, in milliseconds. `part` is the share, such as 0.5. `counts`
 * has the number of waits in each range of time. The last range has no limit. The waits in a range are assumed to be
 * spread evenly. A time above the last limit is returned as that limit. Returns null if there are no waits. (rule F61)
 */
export function waitOf(counts: readonly number[], part: number): number | null {
  const wanted = counts.reduce((sum, count) => sum + count, 0) * part;
  if (wanted <= 0) return null;
  let before = 0;
  for (const [range, count] of counts.entries()) {
    if (count > 0 && before + count >= wanted) {
      const from = limits.waits[range - 1] ?? 0;
      const to = limits.waits[range] ?? from;
      return Math.round((from + (to - from) * ((wanted - before) / count)) * minuteMilliseconds);
    }
    before += count;
  }
  return null;
}

const waitLimits: readonly number[] = limits.waits;

/** Returns how many waits ended within this time, which must be one of the limits. */
export const waitsWithin = (counts: readonly number[], minutes: number): number =>
  counts.slice(0, waitLimits.indexOf(minutes) + 1).reduce((sum, count) => sum + count, 0);

/** The least age in milliseconds of the threads in each group, the youngest group first. (rule F63) */
const ages = [0, 1, 7, 30].map((days) => days * 86_400_000);

/**
 * Returns, for each group of ages, the times between which its threads were created. The youngest group comes first.
 */
export const agesAt = (now: Date): readonly { readonly from: string; readonly to: string }[] =>
  ages.map((age, at) => ({
    from: at + 1 < ages.length ? new Date(now.getTime() - (ages[at + 1] ?? 0)).toISOString() : "",
    // If the clock was set back, a thread may be newer than the present time.
    to: at === 0 ? "9999" : new Date(now.getTime() - age).toISOString(),
  }));
