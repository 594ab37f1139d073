import { limits } from "../../../src/contract/limits.ts";
import { otherVersions } from "../../../src/contract/statistics.ts";
import type { Engine } from "../database.ts";
import { apps } from "./access.ts";
import { feedback } from "./feedback.ts";
import {
  type AnyTable,
  index,
  instant,
  integer,
  ref,
  statementsFor,
  statementsOf,
  table,
  text,
} from "./table.ts";

const since = 123;

/** A quarter of an hour in seconds. In every time zone, a day begins when a quarter begins. */
export const quarterSeconds = 900;

/** How many quarters a day in UTC has. */
export const quartersOfDay = 96;

const counted = "Contains only numbers.";

const loadedLast = "triggers also write rows while other tables are loaded";

/** Counts of reports and actions. `quarter` is the number of quarters of an hour since 1970. (rule F60) */
export const reportCounts = table(
  "report_counts",
  {
    app_id: ref(apps, "cascade"),
    quarter: integer(),
    /**
     * On PostgreSQL, each connection has its own counts, so that transactions do not wait. A job adds them up.
     */
    slot: integer(),
    bug: integer(),
    feature: integer(),
    question: integer(),
    general: integer(),
    repeats: integer(),
    resolved: integer(),
    replies: integer(),
  },
  {
    of: "app",
    erase: counted,
    primary: ["app_id", "quarter", "slot"],
    indexes: [index("report_counts_to_add_up", "quarter", { where: "slot <> 0", only: "postgres" })],
    since,
    loadedLast,
  },
);

/**
 * The count of each measure, such as `reply:3`. `span` is in quarters of an hour. `at` counts spans since 1970.
 * (rule F60)
 */
export const measureCounts = table(
  "measure_counts",
  {
    app_id: ref(apps, "cascade"),
    span: integer(),
    at: integer(),
    measure: text("plain"),
    slot: integer(),
    count: integer(),
  },
  {
    of: "app",
    erase: counted,
    primary: ["app_id", "span", "at", "measure", "slot"],
    indexes: [index("measure_counts_to_add_up", "span, at", { where: "slot <> 0", only: "postgres" })],
    since,
    loadedLast,
  },
);

/** The repeated reports of a thread, counted in each quarter of an hour and in each day in UTC. */
export const repeatCounts = table(
  "repeat_counts",
  {
    feedback_id: ref(feedback, "cascade"),
    span: integer(),
    at: integer(),
    app_id: ref(apps, "cascade"),
    count: integer(),
  },
  {
    of: "app",
    erase: "Deleted together with the thread.",
    primary: ["feedback_id", "span", "at"],
    indexes: [index("repeat_counts_by_app", "app_id, span, at, feedback_id", { includes: "count" })],
    since,
    loadedLast,
  },
);

/**
 * The times of a thread's first reply and of its last resolution. `resolved_at` is null while the thread is
 * open.
 */
export const threadTimes = table(
  "thread_times",
  {
    feedback_id: ref(feedback, "cascade").primary(),
    first_reply_at: instant().null(),
    resolved_at: instant().null(),
  },
  {
    of: "app",
    erase: "Deleted together with the thread.",
    since,
    loadedLast,
  },
);

/** Returns the SQL expression for the number of the quarter of an hour that contains the time `at`. */
const quarterOf: Record<Engine, (at: string) => string> = {
  sqlite: (at) => `CAST(strftime('%s', ${at}) AS INTEGER) / ${quarterSeconds}`,
  postgres: (at) =>
    `CAST(floor(extract(epoch FROM CAST(${at} AS timestamptz)) / ${quarterSeconds}) AS bigint)`,
};

const millisecondsOf: Record<Engine, (at: string) => string> = {
  sqlite: (at) => `(CAST(strftime('%s', ${at}) AS INTEGER) * 1000 + CAST(substr(${at}, 21, 3) AS INTEGER))`,
  postgres: (at) => `CAST(extract(epoch FROM CAST(${at} AS timestamptz)) * 1000 AS bigint)`,
};

/** Returns SQL for the index of the first element of `limits.waits` that is at least `to` minus `from`. */
const rangeOf = (engine: Engine, from: string, to: string): string => {
  const waited = `${millisecondsOf[engine](to)} - ${millisecondsOf[engine](from)}`;
  const cases = limits.waits.map((minutes, range) => `WHEN ${waited} <= ${minutes * 60_000} THEN ${range}`);
  return `(CASE ${cases.join(" ")} ELSE ${limits.waits.length} END)`;
};

const slotOf: Record<Engine, string> = { sqlite: "0", postgres: "pg_backend_pid()" };

/** The kinds of counts in `report_counts`. */
const kinds = ["bug", "feature", "question", "general", "repeats", "resolved", "replies"] as const;
type Kind = (typeof kinds)[number];

const isOne = (condition: string): string => `CASE WHEN ${condition} THEN 1 ELSE 0 END`;

const types = ["bug", "feature", "question", "general"] as const;

/** Returns SQL for the counts of a new report: 1 for its type, 0 for all other types. */
const ofType = (category: string) =>
  Object.fromEntries(types.map((type) => [type, isOne(`${category} = '${type}'`)]));

/** The clauses that select the rows of an INSERT. Without `from`, the INSERT adds one row. */
interface Source {
  readonly from?: string;
  readonly where?: string;
}

/** Returns a statement that increases the counts of an app in the quarter `at`. */
function addToReports(
  engine: Engine,
  {
    app,
    at,
    counts,
    from,
    where = "true",
  }: Source & {
    readonly app: string;
    readonly at: string;
    readonly counts: Readonly<Partial<Record<Kind, string>>>;
  },
): string {
  const values = kinds.map((kind) => counts[kind] ?? "0");
  const changed = kinds.filter((kind) => counts[kind] !== undefined);
  return `INSERT INTO report_counts (app_id, quarter, slot, ${kinds.join(", ")})
    SELECT ${app}, ${quarterOf[engine](at)}, ${slotOf[engine]}, ${values.join(", ")}
    ${from ? `FROM ${from}` : ""} WHERE ${where}
    ON CONFLICT (app_id, quarter, slot) DO UPDATE SET
      ${changed.map((kind) => `${kind} = report_counts.${kind} + excluded.${kind}`).join(", ")}`;
}

const spans = `(SELECT 1 AS span UNION ALL SELECT ${quartersOfDay}) AS s`;

/** Returns a statement that increases a measure in the quarter and the day of `at`. */
function addToMeasure(
  engine: Engine,
  {
    app,
    at,
    measure,
    by = "1",
    from,
    where = "true",
  }: Source & {
    readonly app: string;
    readonly at: string;
    readonly measure: string;
    readonly by?: string;
  },
): string {
  return `INSERT INTO measure_counts (app_id, span, at, measure, slot, count)
    SELECT ${app}, s.span, ${quarterOf[engine](at)} / s.span, ${measure}, ${slotOf[engine]}, ${by}
    FROM ${spans}${from ? ` CROSS JOIN ${from}` : ""} WHERE ${where}
    ON CONFLICT (app_id, span, at, measure, slot) DO UPDATE SET count = measure_counts.count + excluded.count`;
}

/** Returns a statement that counts a repeat of a thread `f`. */
const addToRepeats = (engine: Engine, at: string, where: string): string =>
  `INSERT INTO repeat_counts (feedback_id, span, at, app_id, count)
    SELECT f.id, s.span, ${quarterOf[engine](at)} / s.span, f.app_id, 1
    FROM ${spans} CROSS JOIN feedback f WHERE ${where}
    ON CONFLICT (feedback_id, span, at) DO UPDATE SET count = repeat_counts.count + excluded.count`;

/** SQL condition: no import of the app is running. The counts of imported rows are already in the export. */
const isOver = (app: string): string => `NOT EXISTS (SELECT 1 FROM imports i WHERE i.app_id = ${app})`;

/** SQL for the version in the metadata, without a leading "v" and without text after the numbers. */
const versionText: Record<Engine, (metadata: string) => string> = {
  sqlite: (metadata) => {
    const given = ["appVersion", "app_version", "version"].map(
      (name) => `json_extract(${metadata}, '$.${name}')`,
    );
    const spaced = `(${plainPart(`CAST(coalesce(${given.join(", ")}) AS TEXT)`)} || ' ')`;
    return `ltrim(substr(${spaced}, 1, instr(${spaced}, ' ') - 1), 'vV')`;
  },
  postgres: (metadata) => {
    const given = ["appVersion", "app_version", "version"].map(
      // PostgreSQL cannot read JSON if one of its texts contains the character NUL.
      (name) =>
        `CAST(CASE WHEN strpos(${metadata}, chr(92) || 'u0000') > 0 THEN '{}' ELSE ${metadata} END AS json) ->> '${name}'`,
    );
    return `ltrim(split_part(${plainPart(`coalesce(${given.join(", ")})`)}, ' ', 1), 'vV')`;
  },
};

const plainPart = (given: string): string =>
  `replace(replace(replace(trim(${given}), '-', ' '), '+', ' '), '(', ' ')`;

/** SQL condition for a short version of digits and points. No other text that a sender writes is counted. */
const isVersion: Record<Engine, (version: string) => string> = {
  sqlite: (version) =>
    `length(${version}) <= 20 AND ${version} GLOB '[0-9]*.[0-9]*' AND ${version} NOT GLOB '*[^0-9.]*'`,
  postgres: (version) => `length(${version}) <= 20 AND ${version} ~ '^[0-9][0-9.]*[.][0-9][0-9.]*$'`,
};

const versionMeasure = (category: string, version: string): string =>
  `'version:' || ${`CASE WHEN ${category} = 'bug' THEN 'bug:' ELSE 'other:' END`} || ${version}`;

/** The maximum number of counted versions of an app in a day. Senders can write any version. (rule F60) */
const mostVersions = limits.statistics.versionsOfDay;

type NamedVersion = (row: string) => string;

/**
 * Returns SQL for a report's version. If the day already has `mostVersions` measures, a new version counts as
 * `otherVersions`.
 */
const cappedVersion =
  (engine: Engine): NamedVersion =>
  (row) => {
    const ofDay = `k.app_id = ${row}.app_id AND k.span = ${quartersOfDay}
      AND k.at = ${quarterOf[engine](`${row}.created_at`)} / ${quartersOfDay}`;
    return `(CASE WHEN EXISTS (SELECT 1 FROM measure_counts k WHERE ${ofDay}
        AND k.measure IN ('version:bug:' || v.version, 'version:other:' || v.version))
      OR (SELECT count(*) FROM (SELECT DISTINCT k.measure FROM measure_counts k
        WHERE ${ofDay} AND k.measure LIKE 'version:%' LIMIT ${mostVersions}) AS many) < ${mostVersions}
      THEN v.version ELSE '${otherVersions}' END)`;
  };

/** Returns a statement that counts a report of a version of the app. `row` is `NEW` or `OLD`. */
const addToVersion = (engine: Engine, named: NamedVersion, row: string, by = "1"): string =>
  addToMeasure(engine, {
    app: `${row}.app_id`,
    at: `${row}.created_at`,
    measure: versionMeasure(`${row}.category`, named(row)),
    by,
    from: `(SELECT ${versionText[engine](`${row}.metadata`)} AS version) AS v`,
    where: isVersion[engine]("v.version"),
  });

const addToResolved = (engine: Engine, by: "1" | "-1"): string =>
  addToReports(engine, {
    app: "NEW.app_id",
    at: "t.resolved_at",
    counts: { resolved: by },
    from: "thread_times t",
    where: "t.feedback_id = NEW.id AND t.resolved_at IS NOT NULL",
  });

const addToAgents = (engine: Engine, measure: string, run: string, where: string): string =>
  addToMeasure(engine, {
    app: "r.app_id",
    at: "r.created_at",
    measure: `'agents:' || ${measure}`,
    from: "runs r",
    where: `r.id = ${run} AND r.app_id IS NOT NULL AND ${where}`,
  });

/** The SQL expression for the measure of a decision. It is null for decisions that are not counted. */
const decisionMeasure = `CASE NEW.decision WHEN 'approve' THEN 'approved' WHEN 'reject' THEN 'rejected'
  WHEN 'request_changes' THEN 'changed' WHEN 'expired' THEN 'expired' END`;

const byPerson = (decision: string): string => `${decision} IN ('approve', 'reject', 'request_changes')`;

interface Trigger {
  readonly name: string;
  readonly when: string;
  /**
   * A condition that depends only on the row. PostgreSQL does not call the trigger function if the condition is false.
   */
  readonly if: string;
  /** SQL for the id of the app. If set, rows of a running import do not count. */
  readonly app?: string;
  readonly does: (engine: Engine) => readonly string[];
}

const countNewReport = (engine: Engine): string =>
  addToReports(engine, { app: "NEW.app_id", at: "NEW.created_at", counts: ofType("NEW.category") });

const isRepeat = "NEW.direction = 'inbound' AND NEW.category IS NOT NULL";

const countRepeat = (engine: Engine): string[] => {
  const where = `f.id = NEW.feedback_id AND ${isOver("f.app_id")}`;
  return [
    addToReports(engine, {
      app: "f.app_id",
      at: "NEW.created_at",
      counts: { repeats: "1" },
      from: "feedback f",
      where,
    }),
    addToRepeats(engine, "NEW.created_at", where),
  ];
};

const countReport: Trigger = {
  name: "count_report",
  when: "AFTER INSERT ON feedback",
  if: "NEW.status <> 'blocked'",
  app: "NEW.app_id",
  does: (engine) => [countNewReport(engine)],
};

/** Returns the triggers that count versions. `named` returns the SQL expression for the version of a report. */
const versionTriggers = (named: (engine: Engine) => NamedVersion): readonly Trigger[] => [
  {
    name: "count_version",
    when: "AFTER INSERT ON feedback",
    if: "NEW.metadata <> '{}' AND NEW.status <> 'blocked'",
    app: "NEW.app_id",
    does: (engine) => [addToVersion(engine, named(engine), "NEW")],
  },
  {
    name: "count_released_report",
    when: "AFTER UPDATE OF status ON feedback",
    if: "OLD.status = 'blocked' AND NEW.status <> 'blocked'",
    does: (engine) => [countNewReport(engine), addToVersion(engine, named(engine), "NEW")],
  },
  {
    name: "count_other_type",
    when: "AFTER UPDATE OF category ON feedback",
    if: "OLD.category <> NEW.category AND NEW.status <> 'blocked'",
    does: (engine) => [
      addToReports(engine, {
        app: "NEW.app_id",
        at: "NEW.created_at",
        counts: Object.fromEntries(
          types.map((type) => [
            type,
            `${isOne(`NEW.category = '${type}'`)} - ${isOne(`OLD.category = '${type}'`)}`,
          ]),
        ),
      }),
      addToVersion(engine, named(engine), "OLD", "-1"),
      addToVersion(engine, named(engine), "NEW"),
    ],
  },
];

/**
 * Returns SQL for the version of a report, without a limit of versions. The migration `limitedVersions` adds
 * the limit later.
 */
const anyVersion = (): NamedVersion => () => "v.version";

const triggers: readonly Trigger[] = [
  countReport,
  ...versionTriggers(anyVersion),
  {
    name: "count_resolved",
    when: "AFTER UPDATE OF status ON feedback",
    if: "NEW.status = 'resolved' AND OLD.status <> 'resolved'",
    does: (engine) => [
      addToResolved(engine, "-1"),
      `INSERT INTO thread_times (feedback_id, resolved_at) VALUES (NEW.id, coalesce(NEW.active_at, NEW.created_at))
       ON CONFLICT (feedback_id) DO UPDATE SET resolved_at = excluded.resolved_at`,
      addToResolved(engine, "1"),
    ],
  },
  {
    name: "count_reopened",
    when: "AFTER UPDATE OF status ON feedback",
    if: "NEW.status IN ('open', 'in_progress') AND OLD.status IN ('resolved', 'archived')",
    does: (engine) => [
      addToResolved(engine, "-1"),
      "UPDATE thread_times SET resolved_at = NULL WHERE feedback_id = NEW.id",
    ],
  },
  {
    name: "count_reply",
    when: "AFTER INSERT ON messages",
    if: "NEW.direction = 'outbound'",
    does: (engine) => {
      const ofThread = `f.id = NEW.feedback_id AND ${isOver("f.app_id")}`;
      const isFirst =
        "NOT EXISTS (SELECT 1 FROM thread_times t WHERE t.feedback_id = f.id AND t.first_reply_at IS NOT NULL)";
      return [
        addToReports(engine, {
          app: "f.app_id",
          at: "NEW.created_at",
          counts: { replies: "1" },
          from: "feedback f",
          where: ofThread,
        }),
        addToMeasure(engine, {
          app: "f.app_id",
          at: "f.created_at",
          measure: `'reply:' || CAST(${rangeOf(engine, "f.created_at", "NEW.created_at")} AS TEXT)`,
          from: "feedback f",
          where: `${ofThread} AND ${isFirst}`,
        }),
        `INSERT INTO thread_times (feedback_id, first_reply_at)
         SELECT f.id, NEW.created_at FROM feedback f WHERE ${ofThread}
         ON CONFLICT (feedback_id) DO UPDATE SET first_reply_at = excluded.first_reply_at
           WHERE thread_times.first_reply_at IS NULL`,
      ];
    },
  },
  { name: "count_repeat", when: "AFTER INSERT ON messages", if: isRepeat, does: countRepeat },
  {
    name: "count_released_repeat",
    when: "AFTER UPDATE OF direction ON messages",
    if: `OLD.direction = 'blocked' AND ${isRepeat}`,
    does: countRepeat,
  },
  {
    name: "count_proposal",
    when: "AFTER INSERT ON runs",
    if: "true",
    app: "NEW.app_id",
    does: (engine) => [addToAgents(engine, "'proposed'", "NEW.id", "true")],
  },
  {
    name: "count_decision",
    when: "AFTER UPDATE OF decision ON runs",
    if: "NEW.decision IS NOT NULL AND (OLD.decision IS NULL OR OLD.decision <> NEW.decision)",
    app: "NEW.app_id",
    does: (engine) => [
      addToAgents(engine, decisionMeasure, "NEW.id", `(${decisionMeasure}) IS NOT NULL`),
      addToMeasure(engine, {
        app: "r.app_id",
        at: "r.created_at",
        measure: `'decision:' || CAST(${rangeOf(engine, "r.created_at", "NEW.decided_at")} AS TEXT)`,
        from: "runs r",
        where: `r.id = NEW.id AND r.app_id IS NOT NULL AND OLD.decision IS NULL AND ${byPerson("NEW.decision")}`,
      }),
    ],
  },
  {
    name: "count_claim",
    when: "AFTER INSERT ON run_claims",
    if: "true",
    does: (engine) => [
      addToAgents(
        engine,
        "'claimed'",
        "NEW.run_id",
        `${isOver("r.app_id")} AND NOT EXISTS (SELECT 1 FROM run_claims c WHERE c.run_id = NEW.run_id AND c.id <> NEW.id)`,
      ),
    ],
  },
  {
    name: "count_outcome",
    when: "AFTER UPDATE OF outcome_status ON run_claims",
    if: "OLD.outcome_status IS NULL AND NEW.outcome_status IS NOT NULL",
    does: (engine) => [addToAgents(engine, "NEW.outcome_status", "NEW.run_id", isOver("r.app_id"))],
  },
];

const triggerOf: Record<Engine, (trigger: Trigger) => string[]> = {
  sqlite: ({ name, when, if: condition, app, does }) => [
    `CREATE TRIGGER ${name} ${when} WHEN ${condition} ${app ? `AND ${isOver(app)}` : ""}
     BEGIN ${does("sqlite").join(";\n")}; END`,
  ],
  postgres: ({ name, when, if: condition, app, does }) => {
    const counts = `${does("postgres").join(";\n")};`;
    const body = `BEGIN ${app ? `IF ${isOver(app)} THEN ${counts} END IF;` : counts} RETURN NULL; END`;
    return [
      `CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS '${body.replaceAll("'", "''")}'`,
      `CREATE TRIGGER ${name} ${when} FOR EACH ROW WHEN (${condition}) EXECUTE FUNCTION ${name}()`,
    ];
  },
};

/** The statements of the migration that limits how many versions are counted in a day. */
export const limitedVersions: Readonly<Record<Engine, readonly string[]>> = {
  sqlite: versionTriggers(cappedVersion).flatMap((trigger) => [
    `DROP TRIGGER ${trigger.name}`,
    ...triggerOf.sqlite(trigger),
  ]),
  postgres: versionTriggers(cappedVersion).flatMap((trigger) =>
    triggerOf
      .postgres(trigger)
      .filter((statement) => statement.startsWith("CREATE FUNCTION"))
      .map((statement) => statement.replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION")),
  ),
};

/** Returns statements that add the first reply of a thread and its resolution to the counts, or subtract them. */
const countTimes = (engine: Engine, row: "NEW" | "OLD", by: "1" | "-1"): string[] => [
  addToMeasure(engine, {
    app: `${row}.app_id`,
    at: `${row}.created_at`,
    measure: `'reply:' || CAST(${rangeOf(engine, `${row}.created_at`, "t.first_reply_at")} AS TEXT)`,
    by,
    from: "thread_times t",
    where: `t.feedback_id = ${row}.id AND t.first_reply_at IS NOT NULL`,
  }),
  addToReports(engine, {
    app: `${row}.app_id`,
    at: "t.resolved_at",
    counts: { resolved: by },
    from: "thread_times t",
    where: `t.feedback_id = ${row}.id AND t.resolved_at IS NOT NULL`,
  }),
];

/** The triggers for merges. A merged report counts as a repeat. An unmerge restores the counts. (rule F60) */
const mergeTriggers: readonly Trigger[] = [
  {
    name: "count_merged",
    when: "AFTER UPDATE OF merged_into ON feedback",
    if: "OLD.merged_into IS NULL AND NEW.merged_into IS NOT NULL",
    does: (engine) => [
      addToReports(engine, {
        app: "OLD.app_id",
        at: "OLD.created_at",
        counts: Object.fromEntries(types.map((type) => [type, `-(${isOne(`OLD.category = '${type}'`)})`])),
      }),
      addToVersion(engine, cappedVersion(engine), "OLD", "-1"),
      ...countTimes(engine, "OLD", "-1"),
    ],
  },
  {
    name: "count_unmerged",
    when: "AFTER UPDATE OF merged_into ON feedback",
    if: "OLD.merged_into IS NOT NULL AND NEW.merged_into IS NULL",
    does: (engine) => [
      addToReports(engine, { app: "NEW.app_id", at: "NEW.created_at", counts: { repeats: "-1" } }),
      // The sender of this thread may have got the first reply in the other thread, before the unmerge.
      `INSERT INTO thread_times (feedback_id, first_reply_at)
       SELECT m.feedback_id, min(m.created_at) FROM messages m
       WHERE m.feedback_id = NEW.id AND m.direction = 'outbound' GROUP BY m.feedback_id
       ON CONFLICT (feedback_id) DO UPDATE SET first_reply_at = excluded.first_reply_at
         WHERE thread_times.first_reply_at IS NULL`,
      ...countTimes(engine, "NEW", "1"),
    ],
  },
];

type Sign = "1" | "-1";

/**
 * Returns a statement that counts a thread's first reply, or subtracts it. The only parameter is the thread's
 * id.
 */
const countFirstReply = (engine: Engine, by: Sign): string =>
  addToMeasure(engine, {
    app: "f.app_id",
    at: "f.created_at",
    measure: `'reply:' || CAST(${rangeOf(engine, "f.created_at", "t.first_reply_at")} AS TEXT)`,
    by,
    from: "feedback f JOIN thread_times t ON t.feedback_id = f.id",
    where: "f.id = ? AND t.first_reply_at IS NOT NULL",
  });

/**
 * Returns a statement that counts a thread's resolution, or subtracts it. The only parameter is the thread's
 * id.
 */
const countResolution = (engine: Engine, by: Sign): string =>
  addToReports(engine, {
    app: "f.app_id",
    at: "t.resolved_at",
    counts: { resolved: by },
    from: "feedback f JOIN thread_times t ON t.feedback_id = f.id",
    where: "f.id = ? AND t.resolved_at IS NOT NULL",
  });

/**
 * The statements with which an unmerge corrects what triggers have counted. The only parameter of each statement is an
 * id.
 */
export const corrections = {
  firstReply: countFirstReply,
  resolution: countResolution,
  /**
   * Returns a statement that subtracts the copy of a reply. An unmerge made the copy, and the original still
   * counts.
   */
  copiedReply: (engine: Engine): string =>
    addToReports(engine, {
      app: "f.app_id",
      at: "m.created_at",
      counts: { replies: "-1" },
      from: "messages m JOIN feedback f ON f.id = m.feedback_id",
      where: "m.id = ?",
    }),
} as const;

/** The statements of the migration that adds merges to the counts. */
export const mergeStatistics: Readonly<Record<Engine, readonly string[]>> = {
  sqlite: [...resolvedBefore("sqlite"), ...mergeTriggers.flatMap(triggerOf.sqlite)],
  postgres: [...resolvedBefore("postgres"), ...mergeTriggers.flatMap(triggerOf.postgres)],
};

/** Replaces the trigger `count_resolved`. The new trigger does not count a resolution that an unmerge restores. */
function resolvedBefore(engine: Engine): string[] {
  return triggers
    .filter(({ name }) => name === "count_resolved")
    .flatMap((trigger) => {
      const later = { ...trigger, if: `${trigger.if} AND OLD.merged_into IS NULL` };
      const [first = "", second = ""] = triggerOf[engine](later);
      return engine === "sqlite"
        ? [`DROP TRIGGER ${trigger.name}`, first]
        : [`DROP TRIGGER ${trigger.name} ON feedback`, second];
    });
}

/** Returns SQL that counts the repeats `m` that match `where`, for each quarter and each day in UTC. */
export const repeatsOf = (engine: Engine, where: string): string =>
  `SELECT s.span, ${quarterOf[engine]("m.created_at")} / s.span AS at, count(*) AS count
   FROM messages m CROSS JOIN ${spans}
   WHERE m.direction = 'inbound' AND m.category IS NOT NULL AND ${where}
   GROUP BY s.span, ${quarterOf[engine]("m.created_at")} / s.span`;

/**
 * Returns statements that count the stored data of the apps that `wanted` selects. These apps must not have
 * counts yet.
 */
export function countStored(
  engine: Engine,
  wanted: string,
  versions: "limited" | "all" = "limited",
): string[] {
  const ofThreads = `FROM feedback f WHERE f.status <> 'blocked' AND f.app_id IN (SELECT id FROM wanted)`;
  const ofMessages = `FROM messages m JOIN feedback f ON f.id = m.feedback_id
    WHERE f.status <> 'blocked' AND f.app_id IN (SELECT id FROM wanted)`;
  const ofTimes = `FROM thread_times t JOIN feedback f ON f.id = t.feedback_id
    WHERE f.status <> 'blocked' AND f.app_id IN (SELECT id FROM wanted)`;
  const ofRuns = "FROM runs r WHERE r.app_id IN (SELECT id FROM wanted)";
  const ofClaims =
    "FROM run_claims c JOIN runs r ON r.id = c.run_id WHERE r.app_id IN (SELECT id FROM wanted)";
  const repeated = "m.direction = 'inbound' AND m.category IS NOT NULL";
  const rowsOf = (at: string, counts: Readonly<Partial<Record<Kind, string>>>, from: string) =>
    `SELECT f.app_id, ${quarterOf[engine](at)} AS quarter, ${kinds.map((kind) => `${counts[kind] ?? "0"} AS ${kind}`).join(", ")} ${from}`;
  const measured = (at: string, measure: string, from: string, app = "f.app_id") =>
    `SELECT ${app} AS app_id, ${quarterOf[engine](at)} AS quarter, ${measure} AS measure ${from}`;
  const range = (name: string, from: string, to: string) =>
    `'${name}:' || CAST(${rangeOf(engine, from, to)} AS TEXT)`;
  const ofRun = (measure: string, from: string) => measured("r.created_at", measure, from, "r.app_id");
  const version = `(SELECT f.app_id, f.created_at, f.category, ${versionText[engine]("f.metadata")} AS version
    ${ofThreads} AND f.metadata <> '{}') AS f`;
  const place = `dense_rank() OVER (
    PARTITION BY f.app_id, ${quarterOf[engine]("f.created_at")} / ${quartersOfDay} ORDER BY f.version)`;
  const limited = `(CASE WHEN ${place} <= ${mostVersions} THEN f.version ELSE '${otherVersions}' END)`;
  const measures = [
    measured(
      "f.created_at",
      range("reply", "f.created_at", "t.first_reply_at"),
      `${ofTimes} AND t.first_reply_at IS NOT NULL`,
    ),
    measured(
      "f.created_at",
      versionMeasure("f.category", versions === "all" ? "f.version" : limited),
      `FROM ${version} WHERE ${isVersion[engine]("f.version")}`,
    ),
    ofRun("'agents:proposed'", ofRuns),
    ofRun("'agents:approved'", `${ofRuns} AND r.approved_at IS NOT NULL`),
    ...[
      ["rejected", "reject"],
      ["changed", "request_changes"],
      ["expired", "expired"],
    ].map(([measure, decision]) => ofRun(`'agents:${measure}'`, `${ofRuns} AND r.decision = '${decision}'`)),
    ofRun(
      range("decision", "r.created_at", "coalesce(r.approved_at, r.decided_at)"),
      `${ofRuns} AND coalesce(r.approved_at, r.decided_at) IS NOT NULL
        AND (r.approved_at IS NOT NULL OR ${byPerson("r.decision")})`,
    ),
    ofRun("'agents:claimed'", `${ofRuns} AND EXISTS (SELECT 1 FROM run_claims c WHERE c.run_id = r.id)`),
    ofRun("'agents:' || c.outcome_status", `${ofClaims} AND c.outcome_status IS NOT NULL`),
  ];
  return [
    `INSERT INTO report_counts (app_id, quarter, slot, ${kinds.join(", ")})
     WITH wanted AS (${wanted})
     SELECT app_id, quarter, 0, ${kinds.map((kind) => `sum(${kind})`).join(", ")} FROM (
       ${[
         rowsOf("f.created_at", ofType("f.category"), ofThreads),
         rowsOf("m.created_at", { repeats: "1" }, `${ofMessages} AND ${repeated}`),
         rowsOf("m.created_at", { replies: "1" }, `${ofMessages} AND m.direction = 'outbound'`),
         rowsOf("t.resolved_at", { resolved: "1" }, `${ofTimes} AND t.resolved_at IS NOT NULL`),
       ].join("\nUNION ALL ")}) AS counted
     GROUP BY app_id, quarter`,
    `INSERT INTO measure_counts (app_id, span, at, measure, slot, count)
     WITH wanted AS (${wanted})
     SELECT c.app_id, s.span, c.quarter / s.span, c.measure, 0, count(*)
     FROM (${measures.join("\nUNION ALL ")}) AS c CROSS JOIN ${spans}
     GROUP BY c.app_id, s.span, c.quarter / s.span, c.measure`,
    `INSERT INTO repeat_counts (feedback_id, span, at, app_id, count)
     WITH wanted AS (${wanted})
     SELECT c.id, s.span, c.quarter / s.span, c.app_id, count(*)
     FROM (SELECT f.id, f.app_id, ${quarterOf[engine]("m.created_at")} AS quarter ${ofMessages} AND ${repeated}) AS c
       CROSS JOIN ${spans}
     GROUP BY c.id, s.span, c.quarter / s.span, c.app_id`,
  ];
}

/**
 * Returns a statement that adds rows to `thread_times`. The times come from the messages and from the audit.
 */
export const findTimes = (wanted: string): string => `
  INSERT INTO thread_times (feedback_id, first_reply_at, resolved_at)
  WITH wanted AS (${wanted}),
    replied AS (SELECT m.feedback_id, min(m.created_at) AS at FROM messages m WHERE m.direction = 'outbound' GROUP BY m.feedback_id),
    changed AS (SELECT a.target,
        max(CASE WHEN a.changes LIKE '%"field":"status"%"to":"resolved"%' THEN a.at END) AS at,
        max(CASE WHEN a.changes LIKE '%"field":"status"%"to":"open"%'
          OR a.changes LIKE '%"field":"status"%"to":"in_progress"%' THEN a.at END) AS opened_at
      FROM audit a WHERE a.action IN ('thread.update', 'thread.resolve') AND a.changes IS NOT NULL GROUP BY a.target)
  SELECT f.id, replied.at, CASE WHEN f.status = 'resolved' THEN coalesce(changed.at, f.active_at, f.created_at)
    WHEN f.status = 'archived' AND changed.at > coalesce(changed.opened_at, '') THEN changed.at END
  FROM feedback f LEFT JOIN replied ON replied.feedback_id = f.id LEFT JOIN changed ON changed.target = f.id
  WHERE f.app_id IN (SELECT id FROM wanted) AND f.status <> 'blocked'
    AND (replied.at IS NOT NULL OR f.status IN ('resolved', 'archived'))`;

const statisticsTables: readonly AnyTable[] = [reportCounts, measureCounts, repeatCounts, threadTimes];

const statements = (engine: Engine): readonly string[] => [
  ...statementsFor(statisticsTables.flatMap(statementsOf), engine),
  findTimes("SELECT id FROM apps"),
  ...countStored(engine, "SELECT id FROM apps", "all"),
  ...triggers.flatMap(triggerOf[engine]),
];

/**
 * The statements of the migration that creates the tables and triggers of the statistics, and counts the stored data.
 */
export const statisticsStatements: Readonly<Record<Engine, readonly string[]>> = {
  sqlite: statements("sqlite"),
  postgres: statements("postgres"),
};

export const statisticsSchema: readonly AnyTable[] = statisticsTables;
