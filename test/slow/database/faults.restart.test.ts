import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Database } from "../../../server/database/database.ts";
import { isUnavailable } from "../../../server/database/errors.ts";
import { createPostgresDatabase, type TestDatabase } from "../../support/database/databases.ts";
import { loadTables } from "../../support/database/write-load-tables.ts";
import { eventually } from "../../support/eventually.ts";
import { quickFolder } from "../../support/files/quick-folder.ts";
import { type PostgresCluster, startPostgresCluster } from "../../support/postgres/postgres-cluster.ts";

describe("a server whose PostgreSQL database restarts", () => {
  let cluster: PostgresCluster;
  let place: TestDatabase;
  let database: Database;

  beforeAll(async () => {
    cluster = await startPostgresCluster({ parent: quickFolder });
  });
  afterAll(() => cluster.remove());
  beforeEach(async () => {
    place = await createPostgresDatabase(cluster.url);
    database = await place.open({ migrations: [loadTables] });
  });
  afterEach(() => place.remove());

  const restart = async () => {
    await cluster.crash();
    await cluster.start();
  };

  it("continues if it was idle, and its next requests succeed", async () => {
    await Promise.all([1, 2, 3].map(() => database.all("SELECT 1 AS one")));
    await restart();
    await database.insert("singles", { id: "after" });
    expect(await database.get("SELECT id FROM singles")).toEqual({ id: "after" });
  });

  it("reports the database as unavailable during the restart", async () => {
    await cluster.crash();
    await expect(database.get("SELECT 1 AS one")).rejects.toSatisfy(isUnavailable);
    await expect(database.write((tx) => tx.insert("singles", { id: "lost" }))).rejects.toSatisfy(
      isUnavailable,
    );
    await cluster.start();
    expect(await database.all("SELECT id FROM singles")).toEqual([]);
  });

  it("reports an error to a transaction during the restart, and stores nothing of it", async () => {
    const write = database.write(async (tx) => {
      await tx.insert("singles", { id: "half" });
      await restart();
      await tx.insert("singles", { id: "other half" });
    });
    await expect(write).rejects.toSatisfy(isUnavailable);
    expect(await database.all("SELECT id FROM singles")).toEqual([]);
  });

  it('receives "*", because signals may have been missed, and then signals again', async () => {
    const heard: string[] = [];
    database.onSignal((topic) => heard.push(topic));
    await restart();
    await eventually(() => expect(heard).toEqual(["*"]));
    const other = await place.open({ migrations: [loadTables] });
    await other.write(async (tx) => tx.signal("again"));
    await eventually(() => expect(heard).toEqual(["*", "again"]));
  });
});
