import { join } from "node:path";
import type { Database, Engine, Reader, Transaction } from "../database/database.ts";
import { openDatabase } from "../database/open.ts";
import { deployment } from "../database/schema/deployment.ts";
import { allTables } from "../database/schema/tables.ts";
import { refreshStatistics } from "../database/statistics.ts";
import { bulkInsertSql, everyTopic } from "../database/transaction.ts";
import { threadChanges } from "../feedback/agent-work/store/changes.ts";
import { forgetAllIndexed } from "../feedback/search/store/indexing.ts";
import { tags } from "../feedback/tags/store.ts";
import { events } from "../webhooks/endpoints/store.ts";
import type { NightlyBackup } from "./rules.ts";

/** Returns the rows of a table in batches, in the form of `dumpRows`. */
type RowsOf = (table: Table) => AsyncIterable<readonly string[]>;

/**
 * Replaces all rows, but keeps `last_times` and the sessions of remaining accounts. Returns the SHA-256 of the
 * old files.
 */
export async function replaceRows(tx: Transaction, rowsOf: RowsOf): Promise<string[]> {
  const files = await tx.all<{ sha256: string }>("SELECT DISTINCT sha256 FROM uploads");
  const versions = await tx.get<{ most: number | null }>(
    "SELECT max(CASE WHEN faqs_version > changelog_version THEN faqs_version ELSE changelog_version END) AS most FROM apps",
  );
  const tables = await everyTable(tx);
  const sessions = await linesOf(tx, tables, "sessions");
  const lastTimes = await linesOf(tx, tables, "last_times");
  await forgetAllIndexed(tx);
  for (const { name } of [...tables].reverse()) await tx.run(`DELETE FROM ${name}`);
  for (const table of inLoadOrder(tables)) {
    await emptyBeforeLoad(tx, table);
    for await (const lines of rowsOf(table)) await loadRows(tx, table, lines);
  }
  await loadRows(tx, lastTimes.table, lastTimes.lines);
  await loadSessions(tx, sessions);
  // Lists are cached with their version number. A number that was never used before makes all cached lists invalid.
  const more = Number(versions?.most ?? 0) + 1;
  await tx.run(
    "UPDATE apps SET faqs_version = faqs_version + ?, changelog_version = changelog_version + ?",
    more,
    more,
  );
  await afterLoad(tx);
  await threadChanges.restart(tx);
  tx.signal(everyTopic);
  return files.map(({ sha256 }) => sha256);
}

interface Dumped {
  readonly table: Table;
  readonly lines: readonly string[];
}

async function linesOf(tx: Transaction, tables: readonly Table[], name: string): Promise<Dumped> {
  const table = tables.find((one) => one.name === name);
  if (!table) throw new Error(`There is no table ${name}`);
  const lines: string[] = [];
  for await (const some of dumpRows(tx, table)) lines.push(...some);
  return { table, lines };
}

async function loadSessions(tx: Transaction, { table, lines }: Dumped): Promise<void> {
  const users = new Set((await tx.all<{ id: string }>("SELECT id FROM users")).map(({ id }) => id));
  const at = table.columns.findIndex(({ name }) => name === "user_id");
  const kept = lines.filter((line) => users.has(JSON.parse(line)[at]));
  await loadRows(tx, table, kept);
}

const rowsAtOnce = 100;

/** Yields the rows in batches. Each row is a JSON array in the order of the columns. */
export const dumpRows = (reader: Reader, table: Table): AsyncGenerator<string[]> =>
  reader.engine === "sqlite" ? dumpSqlite(reader, table) : dumpPostgres(reader, table);

async function* dumpSqlite(reader: Reader, table: Table): AsyncGenerator<string[]> {
  const sql = `SELECT rowid AS "row", json_array(${namesOf(table)}) AS line FROM ${table.name}
    WHERE rowid > ? ORDER BY rowid LIMIT ${rowsAtOnce}`;
  for (let last = -1; ; ) {
    const rows = await reader.all<{ row: number; line: string }>(sql, last);
    const end = rows.at(-1);
    if (!end) return;
    yield rows.map(({ line }) => line);
    last = end.row;
  }
}

/** Reads a table of PostgreSQL with a cursor. The cursor needs a transaction. */
async function* dumpPostgres(reader: Reader, table: Table): AsyncGenerator<string[]> {
  const cursor = `dump_${table.name}`;
  await reader.all(
    `DECLARE ${cursor} NO SCROLL CURSOR FOR
     SELECT CAST(json_build_array(${namesOf(table)}) AS text) AS line FROM ${table.name}`,
  );
  for (;;) {
    const rows = await reader.all<{ line: string }>(`FETCH ${rowsAtOnce} FROM ${cursor}`);
    if (rows.length === 0) break;
    yield rows.map(({ line }) => line);
  }
  await reader.all(`CLOSE ${cursor}`);
}

/** Deletes the rows of a table, such as those that a migration wrote into a new database. */
export const emptyTable = (tx: Transaction, { name }: Table): Promise<number> =>
  tx.run(`DELETE FROM ${name}`);

/** Deletes all rows of a PostgreSQL database, except the names of the migrations. */
export async function truncateAll(tx: Transaction): Promise<void> {
  await tx.run("TRUNCATE feedback_search");
  for (const { name } of await everyTable(tx)) await tx.run(`TRUNCATE ${name} CASCADE`);
}

const loadedLast = new Set(
  allTables.flatMap(({ name, loadedLast: why }) => (why === undefined ? [] : [name])),
);

/**
 * Returns the tables in the order in which they are loaded. The tables into which triggers write come last.
 */
export const inLoadOrder = (tables: readonly Table[]): Table[] => [
  ...tables.filter(({ name }) => !loadedLast.has(name)),
  ...tables.filter(({ name }) => loadedLast.has(name)),
];

/** Deletes the rows that triggers wrote into a table while other tables were loaded. */
export async function emptyBeforeLoad(tx: Transaction, table: Table): Promise<void> {
  if (loadedLast.has(table.name)) await emptyTable(tx, table);
}

/** Adds rows that `dumpRows` returned on any engine. Returns their number. */
export async function loadRows(tx: Transaction, table: Table, lines: readonly string[]): Promise<number> {
  const sql =
    tx.engine === "sqlite"
      ? bulkInsertSql(
          table.name,
          table.columns.map(({ name }) => name),
        )
      : bulkInsertPostgres(table);
  return tx.run(sql, `[${lines.join(",")}]`);
}

const bulkInsertPostgres = (table: Table): string => {
  const values = table.columns.map(({ type }, at) => `CAST(value ->> ${at} AS ${type})`);
  return `INSERT INTO ${table.name} (${namesOf(table)})
    SELECT ${values.join(", ")} FROM json_array_elements(CAST(? AS json)) AS value`;
};

/**
 * Completes a database after its rows were loaded. The search index needs no call: triggers have queued the
 * threads.
 */
export async function afterLoad(tx: Transaction): Promise<void> {
  await dropWaiting(tx);
  if (await hasColumn(tx, "tags", "threads")) await tags.countAgain(tx);
  if (await hasColumn(tx, "events", "number")) await events.forgetNumbers(tx);
  await refreshStatistics(tx);
  if (tx.engine === "sqlite") return;
  await tx.all(
    "SELECT setval(pg_get_serial_sequence('feedback', 'seq'), max(seq)) FROM feedback HAVING max(seq) IS NOT NULL",
  );
}

/** Whether the schema has a column. A backup of an older release is first loaded into that release's tables. */
const hasColumn = async (tx: Transaction, table: string, column: string): Promise<boolean> =>
  (await everyTable(tx)).some(
    ({ name, columns }) => name === table && columns.some((one) => one.name === column),
  );

const namesOf = ({ columns }: Table): string => columns.map(({ name }) => name).join(", ");

/** The tables that `removeContent` keeps, because accounts and credentials must continue to work. */
const keptTables = new Set([
  ...["users", "identities", "second_factors", "recovery_codes", "passkeys"],
  ...["apps", "app_members", "app_keys", "tokens", "devices", "deployment"],
]);

/**
 * Deletes everything except accounts, apps, members, keys, tokens and devices. Returns the SHA-256 of all
 * files.
 */
export async function removeContent(tx: Transaction): Promise<string[]> {
  const files = await tx.all<{ sha256: string }>("SELECT DISTINCT sha256 FROM uploads");
  await forgetAllIndexed(tx);
  await tx.run("DELETE FROM sign_in_codes");
  for (const { name } of (await tablesOf(tx)).reverse())
    if (!keptTables.has(name)) await tx.run(`DELETE FROM ${name}`);
  await tx.run("UPDATE app_members SET read_until = NULL, visited_at = NULL, since_at = NULL");
  // Lists are cached with their version number. A new number makes all cached lists invalid.
  await tx.run("UPDATE apps SET faqs_version = faqs_version + 1, changelog_version = changelog_version + 1");
  return files.map(({ sha256 }) => sha256);
}

export interface Table {
  readonly name: string;
  readonly columns: readonly { readonly name: string; readonly type: string }[];
}

/**
 * Returns all tables except the migrations and the tables that are empty after a restore. Parents come before children.
 */
export const tablesOf = async (reader: Reader): Promise<Table[]> =>
  (await everyTable(reader)).filter(({ name }) => !leftOut.has(name));

/** Returns all tables except the migrations and the search index. Parents come before children. */
export async function everyTable(reader: Reader): Promise<Table[]> {
  const columns = await reader.all<Column>(columnsSql[reader.engine]);
  const links = await reader.all<{ table: string; parent: string }>(foreignKeysSql[reader.engine]);
  const parentsOf = (name: string) => links.filter(({ table }) => table === name).map(({ parent }) => parent);
  const names = [...new Set(columns.map(({ table }) => table))];
  return dependencyOrder(names, new Map(names.map((name) => [name, parentsOf(name)])))
    .filter((name) => name !== "migrations")
    .map((name) => ({ name, columns: columns.filter(({ table }) => table === name) }));
}

/** Whether a table has no rows. The name must come from `tablesOf`. */
export async function isEmpty(reader: Reader, table: string): Promise<boolean> {
  return (await reader.get(`SELECT 1 AS one FROM ${table} LIMIT 1`)) === undefined;
}

interface Column {
  readonly table: string;
  readonly name: string;
  readonly type: string;
}

const leftOut = new Set([
  "migrations",
  ...allTables.flatMap(({ name, notInBackup }) => (notInBackup === undefined ? [] : [name])),
]);

/** Empties the tables that must be empty after a restore. Call this for a complete copy of a database. */
export async function emptyLeftOut(tx: Transaction): Promise<void> {
  const present = (await everyTable(tx)).filter(({ name }) => leftOut.has(name));
  for (const { name } of [...present].reverse()) await tx.run(`DELETE FROM ${name}`);
}

/**
 * Deletes waiting notices and cancels posts to chats, because the old server may have sent them. (rules M6, O9)
 */
export async function dropWaiting(tx: Transaction): Promise<void> {
  await tx.run("DELETE FROM mails WHERE kind = 'notice' AND status = 'waiting'");
  await tx.run(
    `UPDATE outbox SET status = 'failed', last_error = 'The database was restored', payload = '{}'
     WHERE status = 'pending'`,
  );
}

const columnsSql: Record<Engine, string> = {
  sqlite: `SELECT t.name AS "table", c.name, lower(c.type) AS type
    FROM pragma_table_list t JOIN pragma_table_info(t.name) c
    WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite%' ORDER BY t.name, c.cid`,
  postgres: `SELECT c.table_name AS "table", c.column_name AS name, c.data_type AS type
    FROM information_schema.columns c JOIN information_schema.tables t
      ON t.table_schema = c.table_schema AND t.table_name = c.table_name
    WHERE c.table_schema = current_schema() AND t.table_type = 'BASE TABLE' AND t.table_name <> 'feedback_search'
    ORDER BY c.table_name, c.ordinal_position`,
};

const foreignKeysSql: Record<Engine, string> = {
  sqlite: `SELECT t.name AS "table", f."table" AS parent
    FROM pragma_table_list t JOIN pragma_foreign_key_list(t.name) f WHERE t.schema = 'main' AND t.type = 'table'`,
  postgres: `SELECT child.relname AS "table", parent.relname AS parent
    FROM pg_constraint link JOIN pg_class child ON child.oid = link.conrelid
      JOIN pg_class parent ON parent.oid = link.confrelid
    WHERE link.contype = 'f' AND link.connamespace = CAST(current_schema() AS regnamespace)`,
};

/** The beginning of the names of all files of the database copy. */
export const snapshotName = "snapshot.db";

/** Calls `use` with a view of the database at one instant. For SQLite, this is a copy in `scratch`. */
export async function withSnapshot<Result>(
  database: Database,
  scratch: string,
  use: (reader: Reader) => Promise<Result>,
): Promise<Result> {
  if (database.engine === "postgres") {
    return database.write(async (tx) => {
      await tx.run("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY");
      return use(tx);
    });
  }
  const file = join(scratch, snapshotName);
  await database.all("VACUUM INTO ?", file);
  const copy = await openDatabase({ file }, { migrations: "none" });
  return use(copy).finally(() => copy.close());
}

/** Returns the faults that SQLite finds in the database file. An empty list on PostgreSQL. */
export async function integrityFaults(reader: Reader): Promise<string[]> {
  if (reader.engine === "postgres") return [];
  const pages = await reader.all<{ integrity_check: string }>("PRAGMA integrity_check(20)");
  const links = await reader.all<{ table: string; parent: string }>("PRAGMA foreign_key_check");
  return [
    ...pages.map((row) => row.integrity_check).filter((text) => text !== "ok"),
    ...links
      .slice(0, 20)
      .map(({ table, parent }) => `A row of ${table} refers to a row of ${parent} that does not exist.`),
  ];
}

/** Returns how many connections other programs have to this PostgreSQL database. Returns 0 on SQLite. */
export async function countOtherConnections(reader: Reader): Promise<number> {
  if (reader.engine === "sqlite") return 0;
  const row = await reader.get<{ count: number }>(
    `SELECT CAST(count(*) AS integer) AS count FROM pg_stat_activity
     WHERE datname = current_database() AND backend_type = 'client backend'
       AND application_name <> current_setting('application_name')`,
  );
  return row?.count ?? 0;
}

/** The name must not change, because databases already contain it. */
const recordName = "drill";

/** Reads and writes the stored state of the last nightly backup. */
export const nightlyRecord = {
  async find(reader: Reader): Promise<NightlyBackup | undefined> {
    const row = await reader.get<{ value: string }>(
      "SELECT value FROM deployment WHERE name = ?",
      recordName,
    );
    return row && JSON.parse(row.value);
  },

  async replace(tx: Transaction, nightly: NightlyBackup | undefined): Promise<void> {
    await tx.run("DELETE FROM deployment WHERE name = ?", recordName);
    if (nightly) await tx.insert(deployment, { name: recordName, value: JSON.stringify(nightly) });
  },
};

/**
 * Returns the names, each after its dependencies, otherwise in alphabetical order. Throws an Error for a cycle.
 */
export function dependencyOrder(
  names: readonly string[],
  dependencies: ReadonlyMap<string, readonly string[]>,
): string[] {
  const ordered = new Set<string>();
  let left = [...names].sort();
  while (left.length > 0) {
    const ready = left.filter((name) => (dependencies.get(name) ?? []).every((other) => ordered.has(other)));
    if (ready.length === 0) throw new Error(`${left.join(", ")} depend on one another`);
    for (const name of ready) ordered.add(name);
    left = left.filter((name) => !ordered.has(name));
  }
  return [...ordered];
}
