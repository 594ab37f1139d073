import { LRUCache } from "lru-cache";
import type { Database } from "../database/database.ts";
import { everyTopic } from "../database/signals.ts";

/**
 * What a process remembers of its database. Only the one process that writes a SQLite file remembers anything: it hears of every change in time. All parts share one
 * limit in bytes; what was not used for the longest time is dropped first. (decision 097)
 */
export interface Memory {
  /** Whether this process remembers anything. */
  readonly isOn: boolean;
  /** A part of the memory. Values of other parts may have the same names. `onDropped` hears of each value that leaves it. */
  createPart<Value>(onDropped?: (name: string, value: Value) => void): MemoryPart<Value>;
  /** Calls `listener` with the topic of each change: `everyTopic` if anything may have changed. */
  onChange(listener: (topic: string) => void): void;
}

export interface MemoryPart<Value> {
  /** The value of a name, which was used now; undefined if it is not in memory. */
  get(name: string): Value | undefined;
  /** Remembers the value instead of the one before. `bytes`: about how much memory it takes, with its name. Returns whether it is in memory. */
  keep(name: string, value: Value, bytes: number): boolean;
  forget(name: string): void;
  clear(): void;
}

/** A value in memory. The cache finds it by this object: joined names would be hashed at each look. */
interface Kept {
  /** Takes the value out of its part. */
  readonly drop: () => void;
}

/** Makes the memory of a process: at most `mostBytes` for all of its parts together. */
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
