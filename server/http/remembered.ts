import type { Database } from "../store/database.ts";

const mostRows = 10_000;

/** Looks a row up by a hash, from memory where that is certainly current. */
export type Lookup<Row> = (hash: string) => Promise<Row | undefined>;

/**
 * Keeps what `load` found until `topic` is signalled or another process writes. Only on SQLite, where every
 * write is seen at once; a PostgreSQL shared with other servers is asked each time.
 */
export function remembered<Row>(database: Database, topic: string, load: Lookup<Row>): Lookup<Row> {
  if (database.engine === "postgres") return load;
  const rows = new Map<string, Row>();
  let generation = 0;
  const forget = () => {
    generation += 1;
    rows.clear();
  };
  database.onSignal((signalled) => {
    if (signalled === topic || signalled === "*") forget();
  });
  database.onForeignChange(forget);
  return async (hash) => {
    const known = rows.get(hash);
    if (known) return known;
    const loadedIn = generation;
    const row = await load(hash);
    if (row && loadedIn === generation && rows.size < mostRows) rows.set(hash, row);
    return row;
  };
}
