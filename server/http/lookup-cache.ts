import type { Database } from "../store/engine/database.ts";

/** Finds a row by a name. A row in memory is used only if it is current. */
export type Lookup<Row> = (name: string) => Row | Promise<Row | undefined>;

/**
 * Keeps what `load` found until one of its topics is signalled or another process writes. This works only on SQLite,
 * where a server sees every write at once. A PostgreSQL database is asked each time, because other servers may share it.
 */
export const cachedLookup = <Row>(
  database: Database,
  concerns: (topic: string) => boolean,
  load: (name: string) => Promise<Row | undefined>,
): Lookup<Row> => cachedLookupUpTo(10_000, { database, concerns, load });

export interface LookupCacheOptions<Row> {
  readonly database: Database;
  readonly concerns: (topic: string) => boolean;
  readonly load: (name: string) => Promise<Row | undefined>;
}

/** The same with a limit on the number of rows, for rows that may be large. */
export function cachedLookupUpTo<Row>(
  mostRows: number,
  { database, concerns, load }: LookupCacheOptions<Row>,
): Lookup<Row> {
  if (database.engine === "postgres") return load;
  const rows = new Map<string, Row>();
  let generation = 0;
  const forget = () => {
    generation += 1;
    rows.clear();
  };
  database.onSignal((topic) => {
    if (topic === "*" || concerns(topic)) forget();
  });
  database.onForeignChange(forget);
  const loadAndKeep = async (name: string) => {
    const loadedIn = generation;
    const row = await load(name);
    if (row && loadedIn === generation && rows.size < mostRows) rows.set(name, row);
    return row;
  };
  return (name) => rows.get(name) ?? loadAndKeep(name);
}
