import type { Engine, Reader, Transaction, Value } from "../../database/database.ts";
import { type Clause, type ErasureScope, inScope, type Person } from "./person.ts";

const ofItself = <Name extends string>(name: Name, ...keys: string[]) => ({ name, keys, app: "t.app_id" });

const byId = <Name extends string>(name: Name) => ofItself(name, "id");

const appOfSlot = `(SELECT l.app_id FROM slots s JOIN cycles c ON c.id = s.cycle_id JOIN listings l ON l.id = c.listing_id
  WHERE s.id = t.slot_id)`;

/** How the rows of a table are found that belong to apps: each table of apps that holds texts of people. */
export const searchedTables = {
  apps: { name: "apps", keys: ["id"], app: "t.id" },
  app_keys: byId("app_keys"),
  imported_people: byId("imported_people"),
  invitations: byId("invitations"),
  tags: ofItself("tags", "app_id", "name_key"),
  blocked_senders: byId("blocked_senders"),
  saved_replies: byId("saved_replies"),
  feedback: byId("feedback"),
  messages: {
    name: "messages",
    keys: ["id"],
    app: "(SELECT f.app_id FROM feedback f WHERE f.id = t.feedback_id)",
  },
  uploads: ofItself("uploads", "name"),
  failure_runs: ofItself("failure_runs", "feedback_id", "scope", "run"),
  runs: byId("runs"),
  run_claims: {
    name: "run_claims",
    keys: ["id"],
    app: "(SELECT r.app_id FROM runs r WHERE r.id = t.run_id)",
  },
  run_progress: {
    name: "run_progress",
    keys: ["id"],
    app: "(SELECT r.app_id FROM run_claims c JOIN runs r ON r.id = c.run_id WHERE c.id = t.claim_id)",
  },
  faqs: byId("faqs"),
  changelog_entries: byId("changelog_entries"),
  outbox: byId("outbox"),
  mails: byId("mails"),
  mail_addresses: ofItself("mail_addresses", "app_id", "recipient"),
  mail_originals: byId("mail_originals"),
  audit: {
    name: "audit",
    keys: ["id"],
    app: "t.app_id",
    own: `(t.app_id IS NULL AND t.owner_id = ?)
      OR t.app_id IN (SELECT former.app_id FROM former_apps former WHERE former.user_id = ?)`,
  },
  idempotency: ofItself("idempotency", "scope", "key"),
  listings: byId("listings"),
  test_sessions: { name: "test_sessions", keys: ["id"], app: appOfSlot },
  proofs: { name: "proofs", keys: ["id"], app: appOfSlot },
  tokens: { name: "tokens", keys: ["id"], app: "t.app_id", own: "t.user_id = ?" },
} as const satisfies Readonly<Record<string, SearchedTable>>;

export type SearchedTableName = keyof typeof searchedTables;

/** The columns that name the account of the person who acted. An erasure empties them. */
export const authorColumns: Readonly<Partial<Record<SearchedTableName, readonly string[]>>> = {
  apps: ["updated_by"],
  messages: ["author_id"],
  faqs: ["updated_by"],
  saved_replies: ["updated_by"],
  blocked_senders: ["created_by"],
  changelog_entries: ["updated_by"],
  runs: ["decided_by", "approved_by"],
  run_claims: ["released_by", "user_id"],
};

/** The rows of a table that belong to apps, and those of its columns that are searched. */
export interface SearchedTable {
  readonly name: string;
  /** The columns of its key, all of texts. */
  readonly keys: readonly string[];
  /** The expression for the id of the app of a row `t`. */
  readonly app: string;
  /** The condition for rows that are an owner's without an app, with `?` for the owner. */
  readonly own?: string;
}

/** Which columns are searched: for the address, for the address as a part of a name, and for the id of the account. */
interface SearchedColumns {
  readonly texts: readonly string[];
  readonly names?: readonly string[];
  readonly accounts?: readonly string[];
}

export interface Search {
  readonly table: SearchedTable;
  readonly columns: SearchedColumns;
  readonly scope: ErasureScope;
}

/** The values of the columns of a row. */
export type Cells = Readonly<Record<string, string | null>>;

export type Key = readonly string[];

interface Found {
  readonly keys: readonly Key[];
  /** The place after which the search goes on; undefined at the end of the table. */
  readonly next: Key | undefined;
}

/** Few enough that the server answers requests in between. */
const rowsAtOnce = 1_000;

const hitsAtOnce = 50;

/** With a limit the database reads the rows by their keys first. Else it may read all rows of the apps to find these. */
const noLimit = 1_000_000_000;

/**
 * Searches the next rows of a table for a person, in the order of their keys. It reads at most a thousand rows and gives at
 * most fifty keys.
 */
export async function findMentions(
  reader: Reader,
  search: Search,
  { person, after }: { readonly person: Person; readonly after: Key | undefined },
): Promise<Found> {
  const { keys, name } = search.table;
  const begin = after === undefined ? always : beyond(keys, ">", after);
  const end = await reader.get<Cells>(
    `SELECT ${listed(keys)} FROM ${name} t WHERE ${begin.sql} ORDER BY ${listed(keys)} LIMIT 1 OFFSET ${rowsAtOnce}`,
    ...begin.values,
  );
  const last = end && keyOf(search.table, end);
  const until = last === undefined ? always : beyond(keys, "<=", last);
  const conditions = [scopeOf(search), mentioned(reader.engine, search.columns, person)];
  const rows = await reader.all<Cells>(
    `SELECT ${listed(readColumns(search))}
     FROM (SELECT * FROM ${name} t WHERE ${begin.sql} AND ${until.sql} LIMIT ${noLimit}) AS t
     WHERE ${conditions.map(({ sql }) => sql).join(" AND ")} ORDER BY ${listed(keys)} LIMIT ${hitsAtOnce}`,
    ...[begin, until, ...conditions].flatMap(({ values }) => values),
  );
  const hits = rows.filter((row) => isMentioned(row, search.columns, person));
  const next = rows.length === hitsAtOnce ? rows.at(-1) : end;
  return {
    keys: hits.map((row) => keyOf(search.table, row)),
    next: next && keyOf(search.table, next),
  };
}

/** Reads a row that was found, and keeps it from being changed until the transaction ends; undefined if it is gone or changed. */
export async function takeMention(
  tx: Transaction,
  search: Search,
  { person, key }: { readonly person: Person; readonly key: Key },
): Promise<Cells | undefined> {
  const locking = tx.engine === "postgres" ? "FOR UPDATE" : "";
  const row = await tx.get<Cells>(
    `SELECT ${listed(readColumns(search))} FROM ${search.table.name} t WHERE ${whereKey(search.table)} ${locking}`,
    ...key,
  );
  return row && isMentioned(row, search.columns, person) ? row : undefined;
}

/** The condition that finds a row by its key. */
export const whereKey = ({ keys }: SearchedTable): string => keys.map((key) => `${key} = ?`).join(" AND ");

export const keyOf = ({ keys }: SearchedTable, row: Cells): Key => keys.map((key) => row[key] ?? "");

const readColumns = ({ table, columns }: Search): string[] => [
  ...new Set([...table.keys, ...columns.texts, ...(columns.names ?? []), ...(columns.accounts ?? [])]),
];

function isMentioned(row: Cells, columns: SearchedColumns, { finder, accountId }: Person): boolean {
  const isAccount = (column: string) => accountId !== null && row[column] === accountId;
  return (
    columns.texts.some((column) => finder.isIn(row[column] ?? null)) ||
    (columns.names ?? []).some((column) => finder.isInName(row[column] ?? null)) ||
    (columns.accounts ?? []).some(isAccount)
  );
}

const always: Clause = { sql: "1 = 1", values: [] };

const beyond = (keys: readonly string[], sign: ">" | "<=", key: Key): Clause => ({
  sql: `(${listed(keys)}) ${sign} (${keys.map(() => "?").join(", ")})`,
  values: key,
});

const scopeOf = ({ table, scope }: Search): Clause => inScope(scope, table.app, table.own);

/** Whether a column has all parts of the address. The caller looks more closely at these rows. */
function mentioned(
  engine: Engine,
  { texts: plain, names = [], accounts = [] }: SearchedColumns,
  { finder, accountId }: Person,
): Clause {
  const texts = [...plain, ...names];
  const inText = texts.map(
    (column) => `(${finder.parts.map(() => `${position[engine](column)} > 0`).join(" AND ")})`,
  );
  const inAccount = accounts.map((column) => `t.${column} = ?`);
  const values: Value[] = [...texts.flatMap(() => finder.parts), ...accounts.map(() => accountId)];
  return { sql: `(${[...inText, ...inAccount].join(" OR ")})`, values };
}

const position: Record<Engine, (column: string) => string> = {
  sqlite: (column) => `instr(lower(t.${column}), ?)`,
  postgres: (column) => `strpos(lower(t.${column} COLLATE "C"), ?)`,
};

const listed = (columns: readonly string[]): string => columns.map((column) => `t.${column}`).join(", ");
