import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isTargetKind } from "../../../server/access/audit/store.ts";
import type { Engine } from "../../../server/database/database.ts";
import { type AnyTable, columnsHolding } from "../../../server/database/schema/table.ts";
import { allTables } from "../../../server/database/schema/tables.ts";
import { type SearchedTable, searchedTables } from "../../../server/erasure/store/find.ts";
import { threadChanges } from "../../../server/feedback/agent-work/store/changes.ts";
import { auditActions } from "../../../src/contract/audit.ts";
import { postgres, sqlite } from "../../support/database/databases.ts";
import { removableFolder } from "../../support/files/temporary-folder.ts";
import { readTree } from "../../support/sources/tree.ts";
import { type ByHand, type Checked, checkStatements } from "../../support/statements/check.ts";
import { prepareOnPostgres, prepareOnSqlite } from "../../support/statements/prepare.ts";

/** A table in the form in which `tablesOf` of the backup reads it. */
const tableInBackup = ({ name, columns }: AnyTable) => ({
  name,
  columns: Object.entries(columns).map(([column, { facts }]) => {
    const type = typeof facts.type === "string" ? facts.type : facts.type.postgres;
    return { name: column, type: type.split(" ")[0] ?? "" };
  }),
  toString: () => name,
});

const searchOf = (table: SearchedTable) => ({
  table,
  columns: {
    texts: columnsHolding(table.table, "address", "name", "text", "json"),
    names: columnsHolding(table.table, "key"),
    accounts: columnsHolding(table.table, "author"),
  },
  scope: { ownerId: "" },
});

const id = "00000000-0000-4000-8000-000000000000";

/** The first words of actions in the audit: each is a kind of target, or none. */
const targetKinds = [...new Set(auditActions.map((name) => name.split(".")[0] ?? ""))].filter(isTargetKind);

const inTimes = { from: "a", to: "a" };

const active = { order: "activity" };

const oldest = { order: "oldest_activity" };

/** Each value causes another query or another condition. */
const inboxFilters = [
  ...[{}, { status: "open" }, { type: "bug" }, { status: "open", type: "bug" }, inTimes],
  ...[{ assignee: "a" }, { assignee: null }, { tags: ["a", "b"] }, { q: "word", ...inTimes, assignee: null }],
  ...[active, { ...active, ...inTimes }, { ...active, assignee: "a" }],
  { ...active, unread: "true", status: "open" },
  ...[
    oldest,
    { ...oldest, unread: "true", status: "open" },
    { ...oldest, tags: ["a"] },
    { ...oldest, waitingOn: "us" },
  ],
  ...[{ snoozed: "true" }, { ...active, snoozed: "true" }, { snoozed: "false" }],
  ...[{ ...active, waitingOn: "us" }, { waitingOn: "sender" }, { ...active, unfinished: "true" }],
  { ...active, unfinished: "true", assignee: null },
  ...[
    { ...active, sender: "a" },
    { number: "1" },
    { tags: ["a", "b"], snoozed: "true" },
    { tags: ["a"], waitingOn: "us" },
  ],
  ...[{ sender: "a" }, { tags: ["a", "b"], assignee: "a", ...inTimes }],
];

/** The conditions after a cursor, from a database with one change. */
const changed: Record<Engine, unknown[]> = { sqlite: [], postgres: [] };

for (const [engine, present, mark] of [
  ["sqlite", 1, "a 0"],
  ["postgres", "2:2:", "a 1:1: 2:2: 1 1"],
] as const) {
  const answer: string = JSON.stringify({ count: "a", mark: present });
  const reader = { engine, get: async () => JSON.parse(answer), all: async () => [] };
  const after = await threadChanges.after(reader, mark);
  if (typeof after === "object") changed[engine].push(after.conditions);
}

const byHand: ByHand = {
  notPrepared: {
    "server/database/sqlite.ts": "the drivers, which get texts",
    "server/database/postgres.lazy.ts": "a driver, with statements of its own for transactions and signals",
    "server/database/transaction.ts":
      "it makes statements for tables that are described, and passes texts on",
    "server/database/migrate.ts": "each new database runs it, and the migrations",
    "server/database/migrations.ts": "each new database runs them",
    "server/database/schema/tables.ts": "each new database makes its triggers",
    "server/database/schema/search.ts": "each new database makes it",
    "server/database/schema/statistics.ts": "each new database makes its triggers",
    "server/access/members/visibility.ts oneForViewer": "the places that call it are prepared",
    "server/access/members/visibility.ts eachForViewer": "the places that call it are prepared",
    "server/erasure/store/erase.ts update": "its columns come from the descriptions of tables",
  },
  onlyOn: {
    "server/backup/store.ts dumpSqlite": "sqlite",
    "server/backup/store.ts dumpPostgres": "postgres",
    "server/backup/store.ts truncateAll": "postgres",
    "server/database/statistics.ts cancelMaking": "postgres",
    "server/feedback/search/store/postgres.ts": "postgres",
    "server/feedback/search/store/search.ts": "sqlite",
    "server/feedback/search/store/spelling.ts inLexemes": "postgres",
    "server/feedback/search/store/indexing.ts addInSqlite": "sqlite",
    "server/feedback/search/store/indexing.ts addInPostgres": "postgres",
    "server/feedback/search/store/indexing.ts hasMarks": "sqlite",
    "server/feedback/search/store/indexing.ts merge": "sqlite",
    "server/feedback/search/store/indexing.ts changesOf": "sqlite",
    "server/feedback/threads/store/threads.ts threadsForAgents": "sqlite",
    "server/notices/waiting/store.ts lockInPostgres": "postgres",
  },
  withoutColumns: {
    "server/backup/store.ts dumpPostgres": "the columns are those of a cursor",
    "server/backup/store.ts integrityFaults": "SQLite describes no PRAGMA",
    "server/feedback/inbox/store.ts read": "the caller names the columns and the type of the row",
  },
  choices: new Map([["needs", ["viewer", "maintainer", "owner"]]]),
  examples: new Map<string, (engine: Engine) => readonly unknown[]>([
    [
      "server/access/audit/store.ts filters",
      () => [{}, ...[{ action: "a", from: "a", to: "a" }, { actor: "a" }, { actor: id }]],
    ],
    ["server/access/audit/store.ts kind", () => targetKinds],
    ["server/access/audit/store.ts viewer", () => [{ userId: "a", needs: "viewer", appId: "a" }]],
    ["server/backup/store.ts table", () => allTables.map(tableInBackup)],
    ["server/backup/store.ts name", () => allTables.map(({ name }) => name)],
    // Each table has other columns and a key of another length.
    ["server/erasure/store/erase.ts columns", () => [[]]],
    ["server/erasure/store/erase.ts after", () => [undefined]],
    ["server/erasure/store/find.ts search", () => searchedTables.map(searchOf)],
    ["server/feedback/agent-work/store/work.ts changed", (engine) => changed[engine]],
    ["server/feedback/live/store.ts changed", (engine) => changed[engine]],
    ["server/feedback/blocked-senders/store.ts addresses", () => [["a"]]],
    ["server/feedback/blocked-senders/store.ts domains", () => [["a"], []]],
    ["server/feedback/inbox/store.ts filters", () => inboxFilters],
    [
      "server/feedback/inbox/store.ts scopes",
      () => inboxFilters.map((filters) => [{ appId: "a", userId: "a", ...filters }]),
    ],
    ["server/feedback/inbox/store.ts ids", () => [["a"]]],
    ["server/feedback/merge/store.ts inside", () => [["a"]]],
    ["server/feedback/search/store/postgres.ts words", () => [undefined, ["a"]]],
    ["server/feedback/search/store/postgres.ts conditions", () => [[["f.app_id = ?", "a"]]]],
    ["server/testing/cycles/store.ts ids", () => [["a"]]],
  ]),
};

describe("the SQL statements of the server", () => {
  let checked: Checked;
  const ends: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    const folder = await removableFolder();
    const places = [await sqlite.create(), await postgres.create()] as const;
    const [inFile, inCluster] = places;
    const client = new pg.Client({
      connectionString: "url" in inCluster.address ? inCluster.address.url : "",
    });
    ends.push(folder.remove, inFile.remove, inCluster.remove, () => client.end());
    await client.connect();
    const prepare = { sqlite: prepareOnSqlite(await inFile.open()), postgres: prepareOnPostgres(client) };
    checked = await checkStatements(prepare, byHand, folder.path);
  });
  afterAll(async () => {
    for (const end of ends.reverse()) await end();
  });

  it("can be prepared by both engines", () => {
    expect(checked.refused).toEqual([]);
  });

  it("are all found by this test if their rows have a type", () => {
    const written = [...readTree(["server"], [".ts", ".tsx"]).values()].join("\n").match(/\.(get|all)</g);
    expect(checked.withRowType).toBe(written?.length);
  });

  it("return exactly the columns that the types of their rows name", () => {
    expect(checked.differing).toEqual([]);
  });

  it("include all SQL texts of the sources", () => {
    expect(checked.unused).toEqual([]);
  });

  it("still include the statements that the lists of this test name", () => {
    expect(checked.outdated).toEqual([]);
  });
});
