/** Entries in memory, of which those that nobody needs go. Each has a weight, and the weights are bounded. */
export interface RecentEntries<Entry extends Weighed> {
  /** The entry of a key, which is needed. */
  find(key: string): Entry | undefined;
  add(entry: Entry): void;
  /** Says that an entry may have become heavier. */
  weigh(entry: Entry): void;
  /**
   * Forgets entries if there are too many: those that were not needed since the last time. Those in `kept` stay.
   */
  makeRoom(kept: () => Iterable<Entry>): void;
}

export interface Weighed {
  readonly key: string;
  /** What it weighed when it was last weighed. */
  weight: number;
}

/**
 * Two generations of entries: what is needed moves to the young one. When the young one is full, it becomes the old one,
 * and the old one is forgotten. So nobody looks through all entries, which would hold up the event loop.
 */
export function createRecentEntries<Entry extends Weighed>(
  weightOf: (entry: Entry) => number,
  most: number,
): RecentEntries<Entry> {
  let young = new Map<string, Entry>();
  let old = new Map<string, Entry>();
  /** Of the young ones. */
  let weight = 0;

  function add(entry: Entry): void {
    young.set(entry.key, entry);
    entry.weight = weightOf(entry);
    weight += entry.weight;
  }

  return {
    add,

    find(key) {
      const entry = young.get(key);
      if (entry) return entry;
      const found = old.get(key);
      if (found) add(found);
      return found;
    },

    weigh(entry) {
      const now = weightOf(entry);
      weight += now - entry.weight;
      entry.weight = now;
    },

    makeRoom(kept) {
      if (weight <= most / 2) return;
      const forgotten = old;
      old = young;
      young = new Map();
      weight = 0;
      for (const entry of kept()) if (forgotten.get(entry.key) === entry && !old.has(entry.key)) add(entry);
    },
  };
}
