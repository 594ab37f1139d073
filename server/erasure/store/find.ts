import { membershipOf } from "../../access/members/visibility.ts";
import type { Engine, Reader, Transaction, Value } from "../../database/database.ts";
import * as access from "../../database/schema/access.ts";
import * as content from "../../database/schema/content.ts";
import * as deployment from "../../database/schema/deployment.ts";
import * as feedback from "../../database/schema/feedback.ts";
import * as mail from "../../database/schema/mail.ts";
import type { AnyTable, Searched } from "../../database/schema/table.ts";
import * as testing from "../../database/schema/testing.ts";
import * as webhooks from "../../database/schema/webhooks.ts";
import type { AddressFinder } from "../rules.ts";

/**
 * The tables that an erasure searches. Add new tables at the end: running erasures store an index of this list.
 */
const inOrder = [
  ...[access.apps, access.appKeys, deployment.importedPeople, access.invitations],
  ...[
    feedback.tags,
    feedback.blockedSenders,
    feedback.savedReplies,
    feedback.savedViews,
    feedback.feedback,
    feedback.messages,
  ],
  ...[feedback.uploads, feedback.failureRuns, feedback.runs, feedback.runClaims, feedback.runProgress],
  ...[content.faqs, content.changelogEntries, feedback.outbox],
  ...[mail.mails, mail.mailAddresses, mail.mailOriginals, access.audit, deployment.idempotency],
  ...[testing.listings, testing.testSessions, testing.proofs, access.tokens],
  ...[webhooks.webhookDeliveries],
  content.contentVersions,
  feedback.threadMerges,
] as const;

export type SearchedTableName = (typeof inOrder)[number]["name"];

/** A table that an erasure searches. */
export interface SearchedTable {
  readonly name: SearchedTableName;
  readonly table: AnyTable;
  /** The columns of the key, by which the rows are sorted. All of them are text columns. */
  readonly keys: readonly string[];
  /** The SQL expression for the id of the app to which a row `t` belongs. */
  readonly app: string;
  /** The SQL condition for an owner's rows without an app. `?` is the id of the owner. */
  readonly own?: string | undefined;
}

export const searchedTables: readonly SearchedTable[] = inOrder.map((table) => {
  const { by = table.key, app = "t.app_id", own }: Searched = table.searched ?? {};
  return { name: table.name, table, keys: by, app, own };
});

const byName = new Map(searchedTables.map((one) => [one.name, one]));

/** Returns a searched table by its name. Throws an Error if the table is not searched. */
export function searchedTable(name: SearchedTableName): SearchedTable {
  const found = byName.get(name);
  if (!found) throw new Error(`The table ${name} is not searched.`);
  return found;
}

/**
 * `texts` may contain the address. `names` may contain a name with the address. `accounts` may contain the id
 * of the person's account.
 */
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
  /** The key after which the search continues. Undefined at the end of the table. */
  readonly next: Key | undefined;
}

/** The maximum number of rows that one step reads. The server answers requests between two steps. */
const rowsAtOnce = 1_000;

const hitsAtOnce = 50;

/** This limit is never reached. It makes the database read rows in the order of their keys. */
const noLimit = 1_000_000_000;

/** Searches the next thousand rows in the order of the keys. Returns the keys of at most fifty mentions. */
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

/** Reads a found row again and locks it. Returns undefined if it is deleted or does not mention the person. */
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

/** Returns the condition that finds a row by its key. */
export const whereKey = ({ keys }: Pick<SearchedTable, "keys">): string =>
  keys.map((key) => `${key} = ?`).join(" AND ");

/** Returns the key of a row. */
export const keyOf = ({ keys }: Pick<SearchedTable, "keys">, row: Cells): Key =>
  keys.map((key) => row[key] ?? "");

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

/** Returns a condition for rows that may mention the person. The caller must check each row. */
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

/** The person to erase. */
export interface Person {
  readonly finder: AddressFinder;
  /** The id of the account with the person's e-mail address. Null if there is none. */
  readonly accountId: string | null;
}

/** Whether a person is erased only in the apps that an account owns, or in the whole deployment. */
export type ErasureScope = { readonly ownerId: string } | "everywhere";

/** A part of a WHERE clause, and the values for each `?` in it. */
interface Clause {
  readonly sql: string;
  readonly values: readonly Value[];
}

const ownApps = `SELECT v.app_id FROM app_members v WHERE ${membershipOf("owner")}`;

/** Returns the condition that a row is in the scope. `app` and `own` are SQL as in `SearchedTable`. */
export function inScope(scope: ErasureScope, app: string, own = ""): Clause {
  if (scope === "everywhere") return { sql: "1 = 1", values: [] };
  const more = own === "" ? "" : ` OR ${own}`;
  const values = [scope.ownerId, ...[...own.matchAll(/\?/g)].map(() => scope.ownerId)];
  return { sql: `(${app} IN (${ownApps})${more})`, values };
}

/** The names of the counts in the receipt of an erasure. */
export const erasureCounts = [
  "threads",
  "reports",
  "messages",
  "files",
  "mails",
  "invitations",
  "seats",
  "answers",
  "audit",
  "texts",
] as const;

export type ErasureCount = (typeof erasureCounts)[number];

export type ErasureCounts = Readonly<Record<ErasureCount, number>>;

/** `counts` says how much was erased. `files` has the SHA-256 of the files of deleted rows. */
export interface Effect {
  readonly counts: Readonly<Partial<Record<ErasureCount, number>>>;
  readonly files: readonly string[];
}

export const noEffect: Effect = { counts: {}, files: [] };
