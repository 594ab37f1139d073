import { limits } from "../../../src/contract/limits.ts";
import { membershipOf } from "../../access/members/visibility.ts";
import type { Engine, Reader, Transaction } from "../../database/database.ts";
import { countStored, findTimes, quartersOfDay } from "../../database/schema/statistics.ts";
import { agesAt, type CountedDay, type Parts, partsOf, type Quarters, quartersOf } from "./rules.ts";

/** The counts of one day of a period. `at` is the index of the day in the period, from 0. */
export interface DayRow {
  readonly at: number;
  readonly bug: number;
  readonly feature: number;
  readonly question: number;
  readonly general: number;
  readonly repeats: number;
  readonly resolved: number;
  readonly replies: number;
}

/** The counts of all apps of a person together. */
export interface AllAppsRow {
  readonly reports: number;
  readonly resolved: number;
  readonly replies: number;
}

/** A thread to which further reports were added. `repeats` is their number. */
export interface RepeatedRow {
  readonly id: string;
  /** The number of the thread; null if the threads of the app are not numbered yet. */
  readonly number: number | null;
  readonly subject: string;
  readonly createdAt: string;
  readonly repeats: number;
}

const kinds = ["bug", "feature", "question", "general", "repeats", "resolved", "replies"];

const sums = kinds.map((kind) => `coalesce(sum(c.${kind}), 0)`).join(", ");

/** Returns JSON with `from` and `to` of each day. Both are quarters of an hour, counted since 1970. */
const listOf = (days: readonly CountedDay[]): string =>
  JSON.stringify(days.map(({ from, to }) => [from, to]));

/** SQL that converts the JSON of `listOf` to a table. */
const daysFrom: Record<Engine, string> = {
  sqlite: `(SELECT key AS at, json_extract(value, '$[0]') AS first, json_extract(value, '$[1]') AS beyond FROM json_each(?))`,
  postgres: `(SELECT at - 1 AS at, CAST(value ->> 0 AS bigint) AS first, CAST(value ->> 1 AS bigint) AS beyond
    FROM json_array_elements(CAST(? AS json)) WITH ORDINALITY AS listed (value, at))`,
};

/** SQL for one JSON list with all sums of a day. With one row for each sum, SQLite would sort all rows. */
const sumsOfDay: Record<Engine, string> = {
  sqlite: `json_array(${sums})`,
  postgres: `CAST(json_build_array(${sums}) AS text)`,
};

const sumsByDay = (engine: Engine): string =>
  `SELECT d.at, (SELECT ${sumsOfDay[engine]} FROM report_counts c
     WHERE c.app_id = ? AND c.quarter >= d.first AND c.quarter < d.beyond) AS sums
   FROM ${daysFrom[engine]} AS d ORDER BY d.at`;

/** Returns SQL for the counts in the `parts` of a period, and the values for this SQL. */
function inParts(
  table: "measure_counts" | "repeat_counts",
  column: string,
  { appId, parts }: { readonly appId: string; readonly parts: Parts },
): { readonly sql: string; readonly values: (string | number)[] } {
  const one = (span: number) =>
    `SELECT ${column}, count FROM ${table} WHERE app_id = ? AND span = ${span} AND at >= ? AND at < ?`;
  return {
    sql: [one(quartersOfDay), one(1), one(1)].join(" UNION ALL "),
    values: [parts.days, parts.before, parts.after].flatMap(({ from, to }) => [appId, from, to]),
  };
}

interface Wanted {
  readonly appId: string;
  readonly parts: Parts;
}

/** The stored counts from which the statistics of an app are computed. */
export interface CountedRows {
  readonly byDay: readonly DayRow[];
  readonly measures: ReadonlyMap<string, number>;
  /** The number of open threads in each age group, the youngest group first. */
  readonly open: readonly number[];
  readonly repeated: readonly RepeatedRow[];
  readonly repeats: readonly RepeatsRow[];
}

/** How often a thread was reported again on one day. `at` is the index of the day, from 0. */
export interface RepeatsRow {
  readonly id: string;
  readonly at: number;
  readonly count: number;
}

/** Queries for the statistics of apps. Triggers in the database update the stored counts. (rule F60) */
export const statistics = {
  /** Returns all counts of these days, and the number of threads that are open at `now`. */
  async read(
    reader: Reader,
    appId: string,
    { days, now }: { readonly days: readonly CountedDay[]; readonly now: Date },
  ): Promise<CountedRows> {
    const wanted = { appId, parts: partsOf(quartersOf(days)) };
    const [byDay, measures, open, most] = await Promise.all([
      statistics.byDay(reader, appId, days),
      statistics.measures(reader, wanted),
      statistics.openIn(reader, appId, { times: agesAt(now), most: limits.statistics.open }),
      repeatedOf(reader, wanted, days),
    ]);
    return { byDay, measures, open, ...most };
  },

  async byDay(reader: Reader, appId: string, days: readonly CountedDay[]): Promise<DayRow[]> {
    const rows = await reader.all<{ at: number | string; sums: string }>(
      sumsByDay(reader.engine),
      appId,
      listOf(days),
    );
    return rows.map(({ at, sums }) => {
      const [
        bug = 0,
        feature = 0,
        question = 0,
        general = 0,
        repeats = 0,
        resolved = 0,
        replies = 0,
      ]: number[] = JSON.parse(sums);
      return { at: Number(at), bug, feature, question, general, repeats, resolved, replies };
    });
  },

  /** Returns the counts of all apps of a person in a period. */
  async inAllApps(reader: Reader, userId: string, { from, to }: Quarters): Promise<AllAppsRow> {
    const row = await reader.get<Record<keyof AllAppsRow, number | string>>(
      `SELECT CAST(coalesce(sum(c.bug + c.feature + c.question + c.general), 0) AS BIGINT) AS reports,
         CAST(coalesce(sum(c.resolved), 0) AS BIGINT) AS resolved,
         CAST(coalesce(sum(c.replies), 0) AS BIGINT) AS replies
       FROM app_members v CROSS JOIN report_counts c
       WHERE ${membershipOf("viewer")} AND c.app_id = v.app_id AND c.quarter >= ? AND c.quarter < ?`,
      ...[userId, from, to],
    );
    return {
      reports: Number(row?.reports ?? 0),
      resolved: Number(row?.resolved ?? 0),
      replies: Number(row?.replies ?? 0),
    };
  },

  /** Returns the counts of all measures in a period, by the name of the measure. */
  async measures(reader: Reader, wanted: Wanted): Promise<ReadonlyMap<string, number>> {
    const { sql, values } = inParts("measure_counts", "measure", wanted);
    const rows = await reader.all<{ measure: string; count: number | string }>(
      `SELECT measure, CAST(sum(count) AS BIGINT) AS count FROM (${sql}) AS counted GROUP BY measure`,
      ...values,
    );
    return new Map(rows.map(({ measure, count }) => [measure, Number(count)]));
  },

  /** Returns the threads that were reported again most often in a period. */
  async mostRepeated(reader: Reader, wanted: Wanted, most: number): Promise<RepeatedRow[]> {
    const { sql, values } = inParts("repeat_counts", "feedback_id", wanted);
    const rows = await reader.all<Omit<RepeatedRow, "repeats"> & { repeats: number | string }>(
      `SELECT f.id, f.number, f.subject, f.created_at AS "createdAt", most.repeats FROM (
         SELECT feedback_id, CAST(sum(count) AS BIGINT) AS repeats FROM (${sql}) AS counted
         GROUP BY feedback_id ORDER BY repeats DESC, feedback_id LIMIT ?) AS most
       JOIN feedback f ON f.id = most.feedback_id AND f.status <> 'blocked' ORDER BY most.repeats DESC, f.id`,
      ...[...values, most],
    );
    return rows.map((row) => ({ ...row, repeats: Number(row.repeats) }));
  },

  /** Returns how often each of these threads was reported again on each day. */
  async repeatsByDay(
    reader: Reader,
    ids: readonly string[],
    days: readonly CountedDay[],
  ): Promise<RepeatsRow[]> {
    if (ids.length === 0) return [];
    const rows = await reader.all<{ id: string; at: number | string; count: number | string }>(
      `SELECT c.feedback_id AS id, d.at, CAST(sum(c.count) AS BIGINT) AS count
       FROM ${daysFrom[reader.engine]} AS d CROSS JOIN repeat_counts c
       WHERE c.feedback_id IN (${ids.map(() => "?").join(", ")}) AND c.span = 1 AND c.at >= d.first AND c.at < d.beyond
       GROUP BY c.feedback_id, d.at`,
      ...[listOf(days), ...ids],
    );
    return rows.map(({ id, at, count }) => ({ id, at: Number(at), count: Number(count) }));
  },

  /**
   * Returns the number of unfinished threads that were created in each period of `times`, at most `most` for
   * each.
   */
  async openIn(
    reader: Reader,
    appId: string,
    {
      times,
      most,
    }: { readonly times: readonly { readonly from: string; readonly to: string }[]; readonly most: number },
  ): Promise<number[]> {
    const one = (status: string) =>
      `SELECT 1 AS one FROM feedback WHERE app_id = ? AND status = '${status}' AND created_at >= ? AND created_at < ?`;
    const rows = await Promise.all(
      times.map(({ from, to }) =>
        reader.get<{ count: number | string }>(
          `SELECT count(*) AS count FROM (${one("open")} UNION ALL ${one("in_progress")} LIMIT ?) AS found`,
          ...[appId, from, to, appId, from, to, most],
        ),
      ),
    );
    return rows.map((row) => Number(row?.count ?? 0));
  },

  /** Whether counts are stored for an app. */
  hasCounts: async (reader: Reader, appId: string): Promise<boolean> =>
    (await reader.get<{ found: number }>(
      "SELECT 1 AS found FROM report_counts WHERE app_id = ? LIMIT 1",
      appId,
    )) !== undefined,

  /** Creates the counts of an app from its stored data. Call it only for an app without counts. */
  async countStored(tx: Transaction, appId: string): Promise<void> {
    const wanted = "SELECT id FROM apps WHERE id = ?";
    await tx.run(
      "DELETE FROM thread_times WHERE feedback_id IN (SELECT id FROM feedback WHERE app_id = ?)",
      appId,
    );
    for (const statement of [findTimes(wanted), ...countStored(tx.engine, wanted)])
      await tx.run(statement, appId);
  },

  /**
   * Adds up the counts before `before.to`, at most `most` rows per table. Returns the number of written rows.
   */
  async addUp(tx: Transaction, before: Pick<Quarters, "to">, most: number): Promise<number> {
    // Only on PostgreSQL, each connection counts in separate rows, so that no connection waits for another.
    if (tx.engine === "sqlite") return 0;
    const reports = await tx.run(
      `WITH gone AS (DELETE FROM report_counts WHERE (app_id, quarter, slot) IN (
           SELECT app_id, quarter, slot FROM report_counts WHERE slot <> 0 AND quarter < ? ORDER BY quarter LIMIT ?
           FOR UPDATE) RETURNING *)
       INSERT INTO report_counts (app_id, quarter, slot, ${kinds.join(", ")})
       SELECT app_id, quarter, 0, ${kinds.map((kind) => `sum(${kind})`).join(", ")} FROM gone GROUP BY app_id, quarter
       ON CONFLICT (app_id, quarter, slot) DO UPDATE SET
         ${kinds.map((kind) => `${kind} = report_counts.${kind} + excluded.${kind}`).join(", ")}`,
      ...[before.to, most],
    );
    const measures = await tx.run(
      `WITH gone AS (DELETE FROM measure_counts WHERE (app_id, span, at, measure, slot) IN (
           SELECT app_id, span, at, measure, slot FROM measure_counts
           WHERE slot <> 0 AND at < CAST(? AS bigint) / span ORDER BY at LIMIT ? FOR UPDATE) RETURNING *)
       INSERT INTO measure_counts (app_id, span, at, measure, slot, count)
       SELECT app_id, span, at, measure, 0, sum(count) FROM gone GROUP BY app_id, span, at, measure
       ON CONFLICT (app_id, span, at, measure, slot) DO UPDATE SET count = measure_counts.count + excluded.count`,
      ...[before.to, most],
    );
    return reports + measures;
  },
};

/** Returns the threads with the most repeats in a period, and their repeats on each day. */
async function repeatedOf(
  reader: Reader,
  wanted: Wanted,
  days: readonly CountedDay[],
): Promise<Pick<CountedRows, "repeated" | "repeats">> {
  const repeated = await statistics.mostRepeated(reader, wanted, limits.statistics.top);
  const ids = repeated.map(({ id }) => id);
  return { repeated, repeats: await statistics.repeatsByDay(reader, ids, days) };
}
