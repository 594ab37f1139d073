import type { TestEngine } from "./databases.ts";
import { atCluster } from "./migrated-templates.ts";

/**
 * An engine whose own clock does not move, for servers with a test clock. Innkeep does not read the clock of SQLite. On
 * PostgreSQL, the search path contains a function with the name of the system function before it.
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
