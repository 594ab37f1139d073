import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createPostgresDatabase, databases, type TestDatabase } from "../../support/database/databases.ts";
import { expectNothingLost, expectSoundFile, loadTables } from "../../support/database/write-load-tables.ts";
import { quickFolder } from "../../support/files/quick-folder.ts";
import { type PostgresCluster, startPostgresCluster } from "../../support/postgres/postgres-cluster.ts";
import { type ChildProgram, childProgram } from "../../support/programs/child-program.ts";
import { quietGoal, rounds } from "../../support/torture.ts";

const kills = rounds(20, 200);

let writeLoad: ChildProgram;
beforeAll(async () => {
  writeLoad = await childProgram(join(import.meta.dirname, "../../support/database/write-load.ts"));
});
afterAll(() => writeLoad.remove());

const startLoad = (place: TestDatabase, name: string) =>
  writeLoad.start({ LOAD: JSON.stringify({ address: place.address, migrations: [loadTables], name }) });

describe.each(databases)("a server on $name that is killed while it writes", ({ createEmpty }) => {
  let place: TestDatabase;
  beforeEach(async () => {
    place = await createEmpty();
  });
  afterEach(() => place.remove());

  it(`has lost no acknowledged write after ${kills} kills`, { timeout: 1_200_000 }, async () => {
    const acknowledged: string[] = [];
    for (let round = 0; round < kills; round++) {
      const server = startLoad(place, `round ${round}`);
      await server.printed(1 + (round % 20) * 23);
      await server.kill();
      acknowledged.push(...server.lines);
    }
    const database = await place.open({ migrations: [loadTables] });
    expect(acknowledged.length).toBeGreaterThan(kills * 100);
    await expectNothingLost(database, acknowledged);
    await expectSoundFile(database);
  });
});

describe("a PostgreSQL database that crashes during a load of requests", () => {
  let cluster: PostgresCluster;
  beforeAll(async () => {
    cluster = await startPostgresCluster({ parent: quickFolder });
  });
  afterAll(() => cluster.remove());

  it("loses no acknowledged write, and its servers recover automatically", {
    timeout: 300_000,
  }, async () => {
    const place = await createPostgresDatabase(cluster.url);
    const server = startLoad(place, "load");
    let slowest = 0;
    for (let crash = 0; crash < rounds(4, 20); crash++) {
      await server.printed(server.lines.length + 300);
      await cluster.crash();
      await cluster.start();
      const seen = server.lines.length;
      const started = performance.now();
      await server.printed(seen + 1);
      slowest = Math.max(slowest, performance.now() - started);
    }
    process.stdout.write(`First write after a restart of PostgreSQL: at most ${slowest.toFixed(0)} ms\n`);
    expect(slowest).toBeLessThan(quietGoal(2_000));
    await server.printed(server.lines.length + 300);
    await server.kill();
    await expectNothingLost(await place.open({ migrations: [loadTables] }), server.lines);
    await place.remove();
  });
});
