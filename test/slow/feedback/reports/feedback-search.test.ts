import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Database } from "../../../../server/database/database.ts";
import { listThreads } from "../../../../server/feedback/inbox/store.ts";
import { feedbackThreads } from "../../../../server/feedback/threads/store/threads.ts";
import { postgres, sqlite, type TestDatabase } from "../../../support/database/databases.ts";
import { tracedDatabase } from "../../../support/database/traced-database.ts";

const appId = "01a1fd94-fc70-758b-94ab-a4e978aef61f";

describe("the search for threads", () => {
  const traced = tracedDatabase(sqlite);
  let places: TestDatabase[];
  let onSqlite: Database;
  let onPostgres: Database;
  beforeAll(async () => {
    places = [await traced.engine.create(), await postgres.create()];
    [onSqlite, onPostgres] = await Promise.all(
      // One connection, because each has its own list of planned statements.
      places.map((place) => place.open({ poolSize: 1 })),
    ).then(([first = expect.fail(), second = expect.fail()]) => [first, second]);
  });
  afterAll(() => Promise.all(places.map((place) => place.remove())));

  const page = { position: ["9007199254740991"], limit: 51 };
  const zebras = { appId, userId: "owner", q: "zebra" };

  it("reads the index of SQLite from the newest thread, without sorting", async () => {
    const ran = await traced.statementsOf(() => listThreads(onSqlite, zebras, page));
    const searches = ran.filter(({ sql }) => sql.includes("MATCH"));
    expect(searches.length).toBeGreaterThan(0);
    for (const { sql, values } of searches) {
      const plan = await onSqlite.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, ...values);
      const details = plan.map(({ detail }) => detail).join("\n");
      expect(details).toContain("feedback_search VIRTUAL TABLE");
      expect(details).not.toContain("TEMP B-TREE");
    }
  });

  it("is planned for its words each time on PostgreSQL, and other statements are planned once", async () => {
    for (let time = 0; time < 6; time++) {
      await listThreads(onPostgres, zebras, page);
      await feedbackThreads.findThread(onPostgres, appId, {
        userId: appId,
        appId: null,
        needs: "owner",
        kind: "session",
      });
    }
    const rows = await onPostgres.all<{ statement: string }>("SELECT statement FROM pg_prepared_statements");
    const prepared = rows
      .map(({ statement }) => statement)
      .filter((sql) => !/^(EXPLAIN|CREATE)/.test(sql))
      .join("\n");
    expect(prepared).toContain("FROM feedback f JOIN apps a");
    expect(prepared).not.toContain("to_tsquery");
  });
});
