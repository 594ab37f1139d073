import { LRUCache } from "lru-cache";
import type { Database } from "../database/database.ts";
import { everyTopic } from "../database/transaction.ts";

/** Finds a row by a name. It looks in memory first, then in the database. */
interface Lookup<Row> {
  (name: string): Row | Promise<Row | undefined>;
  /** Returns the row if it is in memory, otherwise undefined. Does not read the database. */
  readonly peek: (name: string) => Row | undefined;
}

interface LookupCacheOptions<Row> {
  readonly memory: Memory;
  readonly load: (name: string) => Promise<Row | undefined>;
  /** The topics whose signals drop all rows from memory. */
  readonly dropAll: readonly string[];
  /** Returns the topics whose signals drop only `row` from memory. */
  readonly topicsOf?: (row: Row) => readonly string[];
  /** With this option, a signal that a row was stored puts the row into memory. The database is not read. */
  readonly stored?: {
    /** The beginning of a topic that signals that a row was stored. The name of the row follows. */
    readonly topic: string;
    /** Returns the stored row with this name; undefined if this process does not have it. */
    readonly find: (name: string) => Row | undefined;
  };
  /** Returns about how many bytes of memory a row takes without its name and its topics. The default is 1,000. */
  readonly bytesOf?: (row: Row) => number;
}

/** Creates a cache of the rows of `load`. A row is dropped at a signal of one of its topics. */
export function cachedLookup<Row>(options: LookupCacheOptions<Row>): Lookup<Row> {
  const { memory, load, dropAll, topicsOf = () => [], stored } = options;
  const rows = createRows(options);
  /**
   * One set for each row that is being loaded. It contains the topics that were signalled during the load.
   */
  const loading = new Set<Set<string>>();
  const all = new Set([everyTopic, ...dropAll]);

  async function loadAndKeep(name: string): Promise<Row | undefined> {
    const signalled = new Set<string>();
    loading.add(signalled);
    try {
      const row = await load(name);
      if (row === undefined || signalled.has(everyTopic)) return row;
      const topics = topicsOf(row);
      if (!topics.some((topic) => signalled.has(topic))) rows.keep(name, row, topics);
      return row;
    } finally {
      loading.delete(signalled);
    }
  }

  function keepStored(name: string): void {
    const row = stored?.find(name);
    if (row !== undefined) rows.keep(name, row, topicsOf(row));
  }

  memory.onChange((topic) => {
    const dropped = all.has(topic) ? everyTopic : topic;
    for (const signalled of loading) signalled.add(dropped);
    if (dropped === everyTopic) rows.clear();
    else rows.drop(topic);
    if (stored && topic.startsWith(stored.topic)) keepStored(topic.slice(stored.topic.length));
  });
  const find = (name: string) => (memory.isOn ? (rows.get(name) ?? loadAndKeep(name)) : load(name));
  return Object.assign(find, { peek: rows.get });
}

const defaultBytes = 1_000;

/** The memory in bytes that a map entry uses in addition to its text. */
const placeBytes = 600;

/** Returns about how many bytes the name and the topics of a row take. */
const findingBytes = (name: string, topics: readonly string[]): number =>
  [name, ...topics].reduce((sum, text) => sum + placeBytes + 2 * text.length, 0);

/** Creates the store of the cached rows. The store also finds rows by their topics. */
function createRows<Row>({
  memory,
  bytesOf = () => defaultBytes,
}: Pick<LookupCacheOptions<Row>, "bytesOf" | "memory">) {
  const namesOf = new Map<string, Set<string>>();
  const part = memory.createPart<KeptRow<Row>>((name, { topics }) => {
    for (const topic of topics) {
      const names = namesOf.get(topic);
      names?.delete(name);
      if (names?.size === 0) namesOf.delete(topic);
    }
  });
  return {
    get: (name: string): Row | undefined => part.get(name)?.row,
    keep(name: string, row: Row, topics: readonly string[]): void {
      if (!part.keep(name, { row, topics }, bytesOf(row) + findingBytes(name, topics))) return;
      for (const topic of topics) namesOf.set(topic, (namesOf.get(topic) ?? new Set()).add(name));
    },
    drop(topic: string): void {
      for (const name of [...(namesOf.get(topic) ?? [])]) part.forget(name);
    },
    clear: part.clear,
  };
}

interface KeptRow<Row> {
  readonly row: Row;
  readonly topics: readonly string[];
}

/**
 * Caches data that a process has read from SQLite. PostgreSQL data is not cached. All values share one limit.
 * (decision 04) (rule H32)
 */
export interface Memory {
  /** Whether this process caches anything. */
  readonly isOn: boolean;
  /** Creates a part of the cache, with its own names. `onDropped` is called for each dropped value. */
  createPart<Value>(onDropped?: (name: string, value: Value) => void): MemoryPart<Value>;
  /** Calls `listener` with the topic of each change. The topic is `everyTopic` if anything may have changed. */
  onChange(listener: (topic: string) => void): void;
}

interface MemoryPart<Value> {
  /** Returns the value of a name and marks the value as just used. */
  get(name: string): Value | undefined;
  /** Stores or replaces a value. `bytes` includes the name. Returns whether the value was stored. */
  keep(name: string, value: Value, bytes: number): boolean;
  forget(name: string): void;
  clear(): void;
}

/** A cached value. The LRU cache uses this object as its key, because a text as key would need hashing. */
interface Kept {
  /** Removes the value from its part. */
  readonly drop: () => void;
}

/** Creates the cache of a process. All its parts together use at most `mostBytes`. */
export function createMemory(
  { caches, onSignal, onForeignChange }: Pick<Database, "caches" | "onSignal" | "onForeignChange">,
  mostBytes: number,
): Memory {
  const used = new LRUCache<Kept, true>({ maxSize: mostBytes, dispose: (_, { drop }) => drop() });
  return {
    isOn: caches,
    onChange(listener) {
      if (!caches) return;
      onSignal(listener);
      onForeignChange(() => listener(everyTopic));
    },
    createPart<Value>(onDropped?: (name: string, value: Value) => void): MemoryPart<Value> {
      const values = new Map<string, Kept & { readonly value: Value }>();
      function forget(name: string): void {
        const kept = values.get(name);
        if (kept) used.delete(kept);
      }
      return {
        get(name) {
          const kept = values.get(name);
          if (kept) used.get(kept);
          return kept?.value;
        },
        keep(name, value, bytes) {
          forget(name);
          if (!caches || bytes > mostBytes) return false;
          function drop(): void {
            values.delete(name);
            onDropped?.(name, value);
          }
          const kept = { value, drop };
          values.set(name, kept);
          used.set(kept, true, { size: Math.ceil(bytes) });
          return true;
        },
        forget,
        clear() {
          for (const name of [...values.keys()]) forget(name);
        },
      };
    },
  };
}
