import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Database } from "../../../../server/store/engine/database.ts";
import { migrations } from "../../../../server/store/engine/migrations/all-migrations.ts";
import { databases, type TestDatabase } from "../../../support/database/databases.ts";

const at = "2026-05-01T00:00:00.000Z";
const user = { id: "u", email: "ada@example.org", password_hash: "", created_at: at };
const app = {
  id: "a",
  owner_id: user.id,
  name: "Lantern",
  feedback_enabled: 1,
  changelog_enabled: 0,
  created_at: at,
};

const thread = {
  app_id: app.id,
  subject: "Login fails",
  message: "Login fails",
  category: "bug",
  metadata: "{}",
  files: "{}",
  occurrences: 1,
  indexed: 0,
  created_at: at,
};

/** Every column of every table. */
const columnsOf = (database: Database) =>
  database.all(
    database.engine === "sqlite"
      ? "SELECT t.name AS of, c.name FROM sqlite_master t, pragma_table_info(t.name) c WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite%' ORDER BY 1, 2"
      : `SELECT table_name AS "of", column_name AS name FROM information_schema.columns WHERE table_schema = 'public' ORDER BY 1, 2`,
  );

describe.each(databases)("a database on $name", ({ createEmpty }) => {
  let fresh: TestDatabase;
  let freshColumns: unknown;
  beforeAll(async () => {
    fresh = await createEmpty();
    freshColumns = await columnsOf(await fresh.open());
  });
  afterAll(() => fresh.remove());

  let old: TestDatabase;
  beforeEach(async () => {
    old = await createEmpty();
  });
  afterEach(() => old.remove());

  it.each(migrations.slice(0, -1).map(({ name }, index) => [name, index + 1] as const))(
    "as it was after %s gets the schema of this release and keeps all data, even if two servers start",
    async (_, count) => {
      const before = await old.open({ migrations: migrations.slice(0, count) });
      await before.insert("users", user);
      await before.insert("apps", app);
      await before.close();
      const [upgraded] = await Promise.all([old.open(), old.open()]);
      expect(await columnsOf(upgraded)).toEqual(freshColumns);
      expect(await upgraded.get("SELECT * FROM users")).toMatchObject(user);
      expect(await upgraded.get("SELECT * FROM apps")).toMatchObject(app);
    },
  );

  it("counts open failures from before runs were stored as reported without scope and run", async () => {
    const before = await old.open({ migrations: migrations.filter(({ number }) => number < 22) });
    await before.insert("users", user);
    await before.insert("apps", app);
    for (const [id, more] of Object.entries({
      failing: { dedupe_key: "login", status: "open" },
      closed: { dedupe_key: "login", status: "resolved" },
      other: { dedupe_key: null, status: "open" },
    }))
      await before.insert("feedback", { ...thread, id, ...more });
    await before.close();
    const upgraded = await old.open();
    expect(await upgraded.all("SELECT * FROM failure_runs")).toEqual([
      {
        feedback_id: "failing",
        app_id: "a",
        scope: "",
        run: "",
        reported_at: at,
        passed_at: null,
        parts: null,
      },
    ]);
  });
});
