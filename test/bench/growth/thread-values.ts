import type { Sql } from "./sql.ts";

/** The person who owns the data, and the time of the newest data. */
export interface Asked {
  readonly personId: string;
  readonly now: number;
}

const twoYears = 2 * 365 * 86_400_000;

/** The instant of a thread, plus `later` milliseconds. */
export type At = (n: string, more?: number) => string;

/** Threads of two years. The last one is from now. */
export function timesOf(sql: Sql, threads: number, now: number): At {
  const every = Math.floor(twoYears / threads);
  return (n, more = 0) => sql.instant(`${now - twoYears} + (${n}) * ${every} + ${more}`);
}

/** The threads of the last month begin after this number. */
const lastMonth = (threads: number): number => threads - Math.floor(threads / 24);

/** The status of a thread. In the last month, one of twenty is from a blocked sender. */
export const statusOf = ({ random, share }: Sql, n: string, threads: number): string =>
  `CASE WHEN ${n} > ${lastMonth(threads)} AND ${n} % 20 = 11 THEN 'blocked' ELSE ${share(
    random(n, "status", 100),
    { open: 15, in_progress: 1, resolved: 60, archived: 24 },
  )} END`;

/** When something happened on a thread after its report: on four of ten, a day later. */
export const activeOf = ({ random }: Sql, n: string, at: At): string =>
  `CASE WHEN ${random(n, "activity", 100)} < 40 THEN ${at(n, 86_400_000)} END`;
