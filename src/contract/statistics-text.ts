import type { Statistics } from "./statistics.ts";

/** The columns of the table of days: a name, and a function that returns the value for a day. */
export const dayColumns = [
  ["day", ({ day }) => day],
  ["bug", (day) => day.new.bug],
  ["feature", (day) => day.new.feature],
  ["question", (day) => day.new.question],
  ["general", (day) => day.new.general],
  ["repeats", ({ repeats }) => repeats],
  ["resolved", ({ resolved }) => resolved],
  ["replies", ({ replies }) => replies],
] as const satisfies readonly (readonly [string, (day: Statistics["perDay"][number]) => string | number])[];

/** Returns the days as CSV, with a header line. Cells are only days and numbers, never formulas. */
export const csvOf = ({ perDay }: Pick<Statistics, "perDay">): string =>
  [
    dayColumns.map(([name]) => name).join(","),
    ...perDay.map((day) => dayColumns.map(([, read]) => read(day)).join(",")),
    "",
  ].join("\r\n");

/** Returns the sums of all days. */
export function totalsOf({ perDay }: Pick<Statistics, "perDay">) {
  const sum = (read: (day: Statistics["perDay"][number]) => number) =>
    perDay.reduce((total, day) => total + read(day), 0);
  const types = {
    bug: sum((day) => day.new.bug),
    feature: sum((day) => day.new.feature),
    question: sum((day) => day.new.question),
    general: sum((day) => day.new.general),
  };
  return {
    ...types,
    reports: types.bug + types.feature + types.question + types.general,
    repeats: sum(({ repeats }) => repeats),
    resolved: sum(({ resolved }) => resolved),
    replies: sum(({ replies }) => replies),
  };
}

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** The longest wait that statistics measure, in milliseconds. */
const longest = 30 * day;

/** Returns a wait in words, such as `3 h 10 min`. */
export function waitText(milliseconds: number): string {
  if (milliseconds >= longest) return "over 30 days";
  const minutes = Math.max(1, Math.round(milliseconds / minute));
  if (minutes < 60) return `${minutes} min`;
  if (minutes < 48 * 60) return withRest(Math.floor(minutes / 60), "h", minutes % 60, "min");
  const hours = Math.round(minutes / 60);
  return withRest(Math.floor(hours / 24), "days", hours % 24, "h");
}

const withRest = (whole: number, unit: string, rest: number, smaller: string): string =>
  rest === 0 ? `${whole} ${unit}` : `${whole} ${unit} ${rest} ${smaller}`;

/**
 * The minimum number of first replies for a 90th percentile. With fewer replies, the slowest reply would be the
 * percentile.
 */
export const leastOfPercentile = 10;

/**
 * Returns the `count` of first replies, and the 90th percentile (`p90`) of their waiting times in milliseconds.
 * `p90` is undefined for few replies. (rule F64)
 */
export function slowReplies(statistics: Statistics): {
  readonly count: number;
  readonly p90: number | undefined;
} {
  const { p90, none } = statistics.firstReply;
  const count = Math.max(0, totalsOf(statistics).reports - none);
  return { count, p90: p90 === null || count < leastOfPercentile ? undefined : p90 };
}

/** The minimum total for a share. The share of a smaller total would reveal data about single reports. */
const leastOfShare = 5;

/** Returns a share in percent; undefined if `all` is less than five. (rule F64) */
export const shareOf = (part: number, all: number): number | undefined =>
  all < leastOfShare ? undefined : Math.round((100 * part) / all);
