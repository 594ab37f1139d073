import type { Database } from "../store/engine/database.ts";

/** Looks a row up by a name, from memory where that is certainly current. */
export type Lookup<Row> = (name: string) => Row | Promise<Row | undefined>;

/**
 * Keeps what `load` found until one of its topics is signalled or another process writes. Only on SQLite, where every
 * write is seen at once; a PostgreSQL shared with other servers is asked each time.
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

/** The same for so many rows, where one may be large. */
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
