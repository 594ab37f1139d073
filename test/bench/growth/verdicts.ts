import type { Timing } from "./measure.ts";
import type { Measured } from "./requests/measured.ts";

/** A request that was measured with few threads and with many. */
export interface Line {
  readonly asked: Measured;
  readonly few: Timing;
  readonly many: Timing;
}

const mostOfSearch = 50;
/** A page, and an answer about all views or all apps, reads many lists. */
const mostOfMany = 50;
const mostOfTurn = 20;

/**
 * Returns the requests that miss a goal, with the reason. `boundOfList` is a time in milliseconds that is always
 * acceptable for one list.
 */
export function verdictsOf(lines: readonly Line[], boundOfList: number): string[] {
  const bases = basesOf(lines);
  const boundOf = ({ path }: Measured) => (readsMany.test(path) ? mostOfMany : boundOfList);
  const grown = lines.filter(({ asked, few, many }) => {
    const isFuller = many.length > 1.5 * few.length;
    const base = Math.max(few.p50, (isFuller && bases.get(routeOf(asked))?.p50) || 0);
    return !asked.isSearch && many.p50 > boundOf(asked) && many.p50 > 2 * base;
  });
  const slow = lines.filter(({ asked, many }) => asked.isSearch && many.p99 > mostOfSearch);
  const stalled = lines.filter(({ many }) => many.turnP99 > mostOfTurn);
  const longest = Math.max(0, ...lines.map(({ many }) => many.longestTurn));
  return [
    ...grown.map(
      ({ asked }) =>
        `MISSED: more than ${boundOf(asked)} ms, and more than twice the time with few threads: ${asked.name}`,
    ),
    ...slow.map(
      ({ asked, many }) =>
        `MISSED, a search above ${mostOfSearch} ms: ${asked.name} (99th percentile ${many.p99.toFixed(1)} ms, median ${many.p50.toFixed(1)} ms)`,
    ),
    ...stalled.map(({ asked }) => `STALLED, a turn above ${mostOfTurn} ms: ${asked.name}`),
    `${lines.length} lines, the longest turn: ${longest.toFixed(1)} ms`,
  ];
}

/** The paths of pages, of counts and statistics, and of the list over all apps. */
const readsMany = /^\/console|\/counts\?|\/statistics\?|\/console\/feedback\?/;

/**
 * The time of each endpoint or page with few threads: that of its longest answer. Among few threads a rare filter finds
 * almost nothing, and an empty answer is always faster than a full one.
 */
function basesOf(lines: readonly Line[]): ReadonlyMap<string, Timing> {
  const bases = new Map<string, Timing>();
  for (const { asked, few } of lines) {
    if (asked.isSearch) continue;
    const known = bases.get(routeOf(asked));
    if (known === undefined || few.length > known.length) bases.set(routeOf(asked), few);
  }
  return bases;
}

/** The endpoint or page of a request: its path without ids and query. */
const routeOf = ({ method = "GET", path }: Measured): string =>
  `${method} ${path.replace(/\?.*/, "").replace(/[0-9a-f-]{36}/g, ":id")}`;
