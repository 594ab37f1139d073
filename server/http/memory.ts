import { LRUCache } from "lru-cache";
import type { Database } from "../database/database.ts";
import { everyTopic } from "../database/signals.ts";

/** Finds a row by a name, in memory or in the database. */
interface Lookup<Row> {
  (name: string): Row | Promise<Row | undefined>;
  /** The row in memory; undefined if there is none. Loads nothing. */
  readonly peek: (name: string) => Row | undefined;
}

interface LookupCacheOptions<Row> {
  readonly memory: Memory;
  readonly load: (name: string) => Promise<Row | undefined>;
  /** The topics that drop all rows. */
  readonly dropAll: readonly string[];
  /** The topics that drop only this row. */
  readonly topicsOf?: (row: Row) => readonly string[];
  /** The name and the row that a transaction of this process has stored, if this topic signals its commit. */
  readonly storedWith?: (topic: string) => readonly [name: string, row: Row] | undefined;
  /** About how much memory a row takes, without its name and its topics. The default is 1,000. */
  readonly bytesOf?: (row: Row) => number;
}

/** Remembers the rows of `load` until one of their topics is signalled or another process writes. */
export function cachedLookup<Row>(options: LookupCacheOptions<Row>): Lookup<Row> {
  const { memory, load, dropAll, topicsOf = () => [], storedWith } = options;
  const rows = createRows(options);
  /** For each row that is being loaded, the topics that were signalled meanwhile. */
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

  memory.onChange((topic) => {
    const dropped = all.has(topic) ? everyTopic : topic;
    for (const signalled of loading) signalled.add(dropped);
    if (dropped === everyTopic) rows.clear();
    else rows.drop(topic);
    const stored = storedWith?.(topic);
    if (stored) rows.keep(...stored, topicsOf(stored[1]));
  });
  const find = (name: string) => (memory.isOn ? (rows.get(name) ?? loadAndKeep(name)) : load(name));
  return Object.assign(find, { peek: rows.get });
}

const defaultBytes = 1_000;

/** The memory of an entry of a map without its text, in bytes. */
const placeBytes = 600;

/** The memory of the names and topics of a row, about, in bytes. Many rows are smaller than these. */
const findingBytes = (name: string, topics: readonly string[]): number =>
  [name, ...topics].reduce((sum, text) => sum + placeBytes + 2 * text.length, 0);

/** The rows, and their names by topic. A topic may name a row that is no longer in memory. */
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
 * What a process remembers of its database. Only the one process that writes a SQLite file remembers anything, because only it
 * knows every change at once. All parts share one limit in bytes. The least recently used values are dropped first.
 * (decision 04)
 */
export interface Memory {
  /** Whether this process remembers anything. */
  readonly isOn: boolean;
  /** Creates a part of the memory. Other parts may use the same names. `onDropped` is called with each value that is dropped. */
  createPart<Value>(onDropped?: (name: string, value: Value) => void): MemoryPart<Value>;
  /** Calls `listener` with the topic of each change: `everyTopic` if anything may have changed. */
  onChange(listener: (topic: string) => void): void;
}

interface MemoryPart<Value> {
  /** The value of a name, which counts as used now; undefined if it is not in memory. */
  get(name: string): Value | undefined;
  /** Remembers the value in place of the one before. `bytes`: its memory, about, with its name. Returns whether it is remembered. */
  keep(name: string, value: Value, bytes: number): boolean;
  forget(name: string): void;
  clear(): void;
}

/** A value in memory. This object is its key in the cache: a text as the key would have to be hashed at each use. */
interface Kept {
  /** Removes the value from its part. */
  readonly drop: () => void;
}

/** Creates the memory of a process. All of its parts together have at most `mostBytes`. */
export function createMemory(
  { remembers, onSignal, onForeignChange }: Pick<Database, "remembers" | "onSignal" | "onForeignChange">,
  mostBytes: number,
): Memory {
  const used = new LRUCache<Kept, true>({ maxSize: mostBytes, dispose: (_, { drop }) => drop() });
  return {
    isOn: remembers,
    onChange(listener) {
      if (!remembers) return;
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
          if (!remembers || bytes > mostBytes) return false;
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
