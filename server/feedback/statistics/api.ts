import { badRequest } from "../../../src/contract/errors.ts";
import { limits } from "../../../src/contract/limits.ts";
import {
  type statistics as contract,
  otherVersions,
  type Statistics,
} from "../../../src/contract/statistics.ts";
import { ownedApp } from "../../access/apps/store.ts";
import type { Deps } from "../../deps.ts";
import type { Handlers } from "../../http/handler.ts";
import { numberThreads } from "../threads/store/threads.ts";
import {
  type CountedDay,
  daysOf,
  instantOf,
  lengthOf,
  type Period,
  periodOf,
  waitOf,
  waitsWithin,
} from "./rules.ts";
import { type CountedRows, type DayRow, statistics as rows } from "./store.ts";

/** The handler for the statistics of an app. It first assigns numbers to new threads. (rules F60 to F64) */
export const statistics = ({
  clock,
  database,
}: Pick<Deps, "clock" | "database">): Handlers<typeof contract> => ({
  async read({ caller, params: { appId }, query }) {
    await ownedApp(database, appId, caller);
    const now = clock.now();
    const period = periodOf(query, now);
    const length = lengthOf(period);
    if (length < 1) throw badRequest("to", "must not be before the first day");
    if (length > limits.statistics.days)
      throw badRequest("to", `must end a period of at most ${limits.statistics.days} days`);
    await numberThreads(database, appId);
    const days = daysOf(period);
    return statisticsAnswer(period, days, await rows.read(database, appId, { days, now }));
  },
});

/** Returns the statistics of an app in a period. (rules F60 to F64) */
function statisticsAnswer(
  period: Period,
  days: readonly CountedDay[],
  { byDay, measures, open, ...repeated }: CountedRows,
): Statistics {
  const perDay = perDayOf(days, byDay);
  const of = (measure: string): number => measures.get(measure) ?? 0;
  const began = perDay.reduce((sum, { new: by }) => sum + by.bug + by.feature + by.question + by.general, 0);
  const [day = 0, week = 0, month = 0, older = 0] = open;
  return {
    ...period,
    perDay,
    firstReply: firstReplyOf(waitsOf(measures, "reply"), began),
    openByAge: { "1d": day, "7d": week, "30d": month, older },
    top: topOf(days, repeated),
    agents: {
      ...{
        proposed: of("agents:proposed"),
        approved: of("agents:approved"),
        rejected: of("agents:rejected"),
      },
      ...{ changed: of("agents:changed"), expired: of("agents:expired"), claimed: of("agents:claimed") },
      ...{ succeeded: of("agents:succeeded"), failed: of("agents:failed") },
      medianDecisionMs: waitOf(waitsOf(measures, "decision"), 0.5),
    },
    versions: versionsOf(measures),
  };
}

const nothing: Omit<DayRow, "at"> = {
  ...{ bug: 0, feature: 0, question: 0, general: 0 },
  ...{ repeats: 0, resolved: 0, replies: 0 },
};

function perDayOf(days: readonly CountedDay[], found: readonly DayRow[]): Statistics["perDay"] {
  const rows = new Map(found.map((row) => [row.at, row]));
  return days.map(({ day }, at) => {
    const { bug, feature, question, general, repeats, resolved, replies } = rows.get(at) ?? nothing;
    return { day, new: { bug, feature, question, general }, repeats, resolved, replies };
  });
}

/**
 * Returns, for each range of waiting times, the number of waits. `name` is the measure, such as `reply` or
 * `decision`.
 */
const waitsOf = (measures: ReadonlyMap<string, number>, name: string): number[] =>
  Array.from({ length: limits.waits.length + 1 }, (_, range) => measures.get(`${name}:${range}`) ?? 0);

function firstReplyOf(counts: readonly number[], began: number): Statistics["firstReply"] {
  const within = (hours: number) => waitsWithin(counts, hours * 60);
  return {
    median: waitOf(counts, 0.5),
    p90: waitOf(counts, 0.9),
    within: { "1h": within(1), "8h": within(8), "24h": within(24), "3d": within(72) },
    none: began - counts.reduce((sum, count) => sum + count, 0),
  };
}

function topOf(
  days: readonly CountedDay[],
  { repeated, repeats }: Pick<CountedRows, "repeated" | "repeats">,
): Statistics["top"] {
  return repeated
    .map(({ id, number, subject, createdAt }) => {
      const counts = days.map<number>(({ from, to }) =>
        instantOf(from) <= createdAt && createdAt < instantOf(to) ? 1 : 0,
      );
      for (const { at, count } of repeats.filter((one) => one.id === id))
        counts[at] = (counts[at] ?? 0) + count;
      const count = counts.reduce((sum, one) => sum + one, 0);
      return { id, number, subject, count, days: counts };
    })
    .sort((one, other) => other.count - one.count);
}

/**
 * Returns the most reported app versions. If a day has too many versions, the last row (`other`) counts the
 * rest.
 */
function versionsOf(measures: ReadonlyMap<string, number>): Statistics["versions"] {
  const found = new Map<string, { reports: number; bugs: number }>();
  for (const [measure, count] of measures) {
    const [kind, type, version = ""] = measure.split(":");
    if (kind !== "version") continue;
    const { reports, bugs } = found.get(version) ?? { reports: 0, bugs: 0 };
    found.set(version, { reports: reports + count, bugs: bugs + (type === "bug" ? count : 0) });
  }
  const all = [...found]
    .map(([version, counts]) => ({ version, ...counts }))
    .filter(({ reports }) => reports > 0)
    .sort((one, other) => other.reports - one.reports || (one.version < other.version ? 1 : -1));
  const others = all.filter(({ version }) => version === otherVersions);
  const named = all.filter(({ version }) => version !== otherVersions);
  return [...named.slice(0, limits.statistics.versions - others.length), ...others];
}
