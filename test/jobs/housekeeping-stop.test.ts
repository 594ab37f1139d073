import { afterAll, beforeAll, expect, it } from "vitest";
import type { Database } from "../../server/database/database.ts";
import { cleanUp, tidy } from "../../server/jobs/housekeeping.ts";
import { type Service, startService } from "../support/service/service.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

/** Stores so many unused OAuth clients that housekeeping needs several transactions to delete the oldest ones. */
const registerManyPrograms = () =>
  service.deps.database.write(async (tx) => {
    await tx.run("DELETE FROM oauth_clients");
    await tx.run(
      `WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 12500)
       INSERT INTO oauth_clients (id, name, redirects, created_at) SELECT 'client ' || n, 'Probe', '[]', ? FROM numbers`,
      service.clock.now().toISOString(),
    );
  });

/** Runs the work. The server stops during the write with this number. Returns the number of writes. */
async function writesIfStoppedIn(last: number, work: typeof cleanUp): Promise<number> {
  const stopping = new AbortController();
  const { database } = service.deps;
  let writes = 0;
  const counted: Database = {
    ...database,
    write: (...given) => {
      writes += 1;
      if (writes === last) stopping.abort();
      return database.write(...given);
    },
  };
  await registerManyPrograms();
  await work({ ...service.deps, database: counted }, stopping.signal);
  return writes;
}

it.each([
  ["housekeeping", tidy],
  ["the daily cleanup", cleanUp],
])("%s begins no transaction after the server has begun to stop", async (_, work) => {
  const all = await writesIfStoppedIn(0, work);
  for (let last = 1; last <= all; last += 1) expect(await writesIfStoppedIn(last, work)).toBe(last);
});
