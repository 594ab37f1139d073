import type { TestEngine } from "./databases.ts";
import { atCluster } from "./migrated-templates.ts";

/**
 * An engine whose own clock stands still, for servers with a clock of the test. SQLite has no clock that the product reads.
 * On PostgreSQL the search path puts a function of the same name before the one of the system.
 */
export const withStoppedTime = (engine: TestEngine): TestEngine => ({
  ...engine,
  async create() {
    const database = await engine.create();
    if ("url" in database.address) await stopTime(database.address.url);
    return database;
  },
});

async function stopTime(url: string): Promise<void> {
  const name = new URL(url).pathname.slice(1);
  await atCluster(
    url,
    `CREATE SCHEMA stopped;
     CREATE FUNCTION stopped.clock_timestamp() RETURNS timestamptz IMMUTABLE
       RETURN timestamptz '${new Date().toISOString()}';
     ALTER DATABASE ${name} SET search_path = public, stopped, pg_catalog`,
  );
}
