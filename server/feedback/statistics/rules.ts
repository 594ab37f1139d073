import { limits } from "../../../src/contract/limits.ts";
import type { Statistics } from "../../../src/contract/statistics.ts";
import { dayStartsOf } from "../../testing/days/rules.ts";

const quarterMilliseconds = 900_000;
const quartersOfDay = 96;
const minuteMilliseconds = 60_000;

/** A period in quarters of an hour since 1970. `to` is the first quarter after the period. */
export interface Quarters {
  readonly from: number;
  readonly to: number;
}

/** A calendar day in a time zone. */
export interface CountedDay extends Quarters {
  readonly day: string;
}

/** A period of whole days. `from` is the first day, and `to` is the last day. */
export interface Period {
  readonly from: string;
  readonly to: string;
  readonly zone: string;
}

const lastDays = 30;

const dayMilliseconds = 86_400_000;

/** Returns the period that a request selects. The default is the last 30 days, including today. (rule F62) */
export function periodOf(
  { from, to, zone = "UTC" }: { readonly [Name in keyof Period]?: string | undefined },
  now: Date,
): Period {
  // The Swedish format is used because its dates have the format of ISO 8601.
  const last = to ?? new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short" }).format(now);
  return { from: from ?? dayAfter(last, 1 - lastDays), to: last, zone };
}

const dayAfter = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * dayMilliseconds).toISOString().slice(0, 10);

/** Moves a period back by `days` days. By default, the new period ends directly before the given period. */
export function periodBefore(period: Period, days = lengthOf(period)): Period {
  const { from, to, zone } = period;
  return { from: dayAfter(from, -days), to: dayAfter(to, -days), zone };
}

/** Returns the number of days in a period; less than 1 if the last day is before the first. */
export const lengthOf = ({ from, to }: Period): number =>
  (Date.parse(to) - Date.parse(from)) / dayMilliseconds + 1;

/** Returns the days of a period. Days on which the clocks change have 23 or 25 hours. (rule F62) */
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

/** Whether `perDay` has no new threads on days that began more than 24 hours ago. */
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

/** Returns the period from the first to the last of the given `days`, in quarters of an hour. */
export const quartersOf = (days: readonly CountedDay[]): Quarters => ({
  from: days.at(0)?.from ?? 0,
  to: days.at(-1)?.to ?? 0,
});

/** A period in parts: whole UTC days since 1970, and quarters of an hour before and after these days. */
export interface Parts {
  readonly days: Quarters;
  readonly before: Quarters;
  readonly after: Quarters;
}

/** Divides a period into parts. The server also stores counts of whole UTC days, which are faster to read. */
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

/** Returns the quarter of an hour that contains a time, counted from 1970. */
export const quarterAt = (at: Date): number => Math.floor(at.getTime() / quarterMilliseconds);

const weekMilliseconds = 7 * 86_400_000;

/** Returns the quarters of the last seven days. */
export const lastWeek = (now: Date): Quarters => ({
  from: quarterAt(new Date(now.getTime() - weekMilliseconds)),
  to: quarterAt(now) + 1,
});

/** Returns the time at which a quarter of an hour begins. */
export const instantOf = (quarter: number): string => new Date(quarter * quarterMilliseconds).toISOString();

/**
 * Estimates the quantile `part` of waiting times in milliseconds. `counts` has one number for each range of
 * `limits.waits`. (rule F61)
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

/** Returns how many waiting times were at most `minutes`, which must be one of `limits.waits`. */
export const waitsWithin = (counts: readonly number[], minutes: number): number =>
  counts.slice(0, waitLimits.indexOf(minutes) + 1).reduce((sum, count) => sum + count, 0);

/** The minimum ages of the groups in which open threads are counted, in milliseconds. (rule F63) */
const ages = [0, 1, 7, 30].map((days) => days * 86_400_000);

/** Returns for each age group the period in which its threads were created. The youngest group comes first. */
export const agesAt = (now: Date): readonly { readonly from: string; readonly to: string }[] =>
  ages.map((age, at) => ({
    from: at + 1 < ages.length ? new Date(now.getTime() - (ages[at + 1] ?? 0)).toISOString() : "",
    // If the clock was set back, a thread may have been created after the current time.
    to: at === 0 ? "9999" : new Date(now.getTime() - age).toISOString(),
  }));
