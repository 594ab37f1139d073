import type { Database } from "../store/engine/database.ts";
import { everyTopic } from "../store/engine/topics.ts";

/** Finds a row by a name. A row in memory is used only if it is current. */
export interface Lookup<Row> {
  (name: string): Row | Promise<Row | undefined>;
  /** The row in memory; undefined if there is none. Loads nothing. */
  readonly peek: (name: string) => Row | undefined;
  /** Loads the row, whatever is in memory, and keeps it. */
  readonly fresh: (name: string) => Promise<Row | undefined>;
}

export interface LookupCacheOptions<Row> {
  readonly database: Pick<Database, "memoryPeriod" | "onSignal" | "onForeignChange">;
  readonly load: (name: string) => Promise<Row | undefined>;
  /** The topics that drop all rows. */
  readonly dropAll: readonly string[];
  /** The topics that drop just this row. */
  readonly topicsOf?: (row: Row) => readonly string[];
  /** The name and the row that a transaction of this process has stored, if its commit is announced by this topic. */
  readonly storedWith?: (topic: string) => readonly [name: string, row: Row] | undefined;
  /** About how much memory a row takes, without its name and its topics. The default is 1,000. */
  readonly bytesOf?: (row: Row) => number;
  /** How much memory all rows may take. The default is 24 MB, which some 7,000 credentials need. */
  readonly mostBytes?: number;
}

/**
 * Keeps what `load` found until one of its topics is signalled or another process writes. Beyond `mostBytes` the oldest rows
 * are dropped. While changes of other servers may be missed, the database is asked each time and nothing is kept.
 */
export function cachedLookup<Row>(options: LookupCacheOptions<Row>): Lookup<Row> {
  const { database, load, dropAll, topicsOf = () => [], storedWith } = options;
  const rows = createRows(options);
  /** For each row that is being loaded, what was signalled meanwhile. */
  const loading = new Set<Set<string>>();
  const all = new Set([everyTopic, ...dropAll]);
  /** The period in which the rows were read. */
  let period: number | undefined;

  function drop(topic: string): void {
    const dropped = all.has(topic) ? everyTopic : topic;
    for (const signalled of loading) signalled.add(dropped);
    if (dropped === everyTopic) rows.clear();
    else rows.drop(topic);
  }

  async function loadAndKeep(name: string): Promise<Row | undefined> {
    const signalled = new Set<string>();
    loading.add(signalled);
    try {
      const began = period;
      const row = await load(name);
      if (row === undefined || signalled.has(everyTopic) || database.memoryPeriod() !== began) return row;
      const topics = topicsOf(row);
      if (!topics.some((topic) => signalled.has(topic))) rows.keep(name, row, topics);
      return row;
    } finally {
      loading.delete(signalled);
    }
  }

  /** Whether rows in memory may be used now. Drops those of an earlier period. */
  function isOn(): boolean {
    const present = database.memoryPeriod();
    if (present !== undefined && present !== period) rows.clear();
    period = present ?? period;
    return present !== undefined;
  }

  database.onSignal((topic) => {
    drop(topic);
    const stored = storedWith?.(topic);
    if (stored) rows.keep(...stored, topicsOf(stored[1]));
  });
  database.onForeignChange(() => drop(everyTopic));
  const find = (name: string) => (isOn() ? (rows.get(name) ?? loadAndKeep(name)) : load(name));
  return Object.assign(find, {
    peek: (name: string) => (isOn() ? rows.get(name) : undefined),
    fresh: (name: string) => (isOn() ? loadAndKeep(name) : load(name)),
  });
}

interface Kept<Row> {
  readonly row: Row;
  readonly topics: readonly string[];
  readonly bytes: number;
}

const defaultBytes = 1_000;
const defaultMost = 24_000_000;
/** How much memory a place in a map takes beside its text. */
const placeBytes = 600;

/** About how much memory it takes to find a row: many rows are smaller than their names and topics. */
const findingBytes = (name: string, topics: readonly string[]): number =>
  [name, ...topics].reduce((sum, text) => sum + placeBytes + 2 * text.length, 0);

function createRows<Row>({
  bytesOf = () => defaultBytes,
  mostBytes = defaultMost,
}: Pick<LookupCacheOptions<Row>, "bytesOf" | "mostBytes">) {
  const kept = new Map<string, Kept<Row>>();
  const namesOf = new Map<string, Set<string>>();
  let bytes = 0;

  function forget(name: string): void {
    const known = kept.get(name);
    if (!known) return;
    kept.delete(name);
    bytes -= known.bytes;
    for (const topic of known.topics) {
      const names = namesOf.get(topic);
      names?.delete(name);
      if (names?.size === 0) namesOf.delete(topic);
    }
  }

  return {
    get: (name: string): Row | undefined => kept.get(name)?.row,
    keep(name: string, row: Row, topics: readonly string[]): void {
      forget(name);
      const known = { row, topics, bytes: bytesOf(row) + findingBytes(name, topics) };
      if (known.bytes > mostBytes) return;
      kept.set(name, known);
      bytes += known.bytes;
      for (const topic of topics) namesOf.set(topic, (namesOf.get(topic) ?? new Set()).add(name));
      for (const oldest of kept.keys()) {
        if (bytes <= mostBytes) return;
        forget(oldest);
      }
    },
    drop(topic: string): void {
      for (const name of [...(namesOf.get(topic) ?? [])]) forget(name);
    },
    clear(): void {
      kept.clear();
      namesOf.clear();
      bytes = 0;
    },
  };
}
