import { createUseLog, sizeOf } from "../../domain/limits/use-log.ts";
import { type Use, usesIn } from "../../domain/limits/use-text.ts";
import type { Database, Reader } from "../../store/engine/database.ts";
import { keptUses } from "../../store/requests/kept-uses.ts";
import { createRecentEntries } from "./recent-entries.ts";
import { createStoring, type Due, type Entry, type Storing } from "./storing.ts";
import { usesOfBatches } from "./uses-of-batches.ts";

/** The entries in memory, and how they get into the database and out of it. */
export interface StoredEntries {
  /** The entry of a key, if it is in memory. */
  find(key: string): Entry | undefined;
  /** Reads the entry of a key that is not in memory. */
  load(key: string, reader: Reader): Promise<Entry>;
  /** Says that a use of an entry was counted at a time, or taken back, so that it is stored. */
  changed(entry: Entry, at: number, change: "counted" | "taken back"): void;
  settle(which: Due): Promise<void>;
  forget(): void;
}

/** About how many different times are kept in memory. Each needs about 20 bytes. */
const mostTimes = 1_500_000;
/** An entry without a use counts as so many times. */
const entryTimes = 20;
/** The longest window that a limit can have. */
const longestWindowSeconds = 86_400;

export function createStoredEntries(database: Database, now: () => number): StoredEntries {
  let state = createState(database, now);
  let settling = Promise.resolve();

  return {
    find: (key) => state.entries.find(key),

    async load(key, reader) {
      const { entries, storing, recover } = state;
      await recover(settling);
      const uses = entries.find(key) ? [] : usesIn((await keptUses.find(reader, key)) ?? "");
      // Another request may have loaded it meanwhile, and counted a use.
      const found = entries.find(key);
      if (found) return found;
      const entry = createEntry(storing, key, uses);
      entries.add(entry);
      return entry;
    },

    changed(entry, at, change) {
      // What was forgotten stays forgotten, even if a request still works with it.
      if (entry.storing !== state.storing) return;
      state.storing.note(entry, at, change === "taken back");
      state.entries.weigh(entry);
    },

    settle(which) {
      const { entries, storing } = state;
      // One after the other: the batches must be stored in their order.
      settling = settling
        .catch(() => undefined)
        .then(() => storing.store(which))
        .finally(() => entries.makeRoom(storing.unsaved));
      return settling;
    },

    forget() {
      state.storing.stop();
      state = createState(database, now);
    },
  };
}

/** What is in memory, until it is forgotten. */
function createState(database: Database, now: () => number) {
  const entries = createRecentEntries<Entry>(({ log }) => sizeOf(log) + entryTimes, mostTimes);
  const storing = createStoring(database, now);
  let recovery: Promise<void> | undefined;

  async function readBatches(): Promise<void> {
    const { stored, uses } = await usesOfBatches(database);
    const recovered = [...uses].map(([key, ofKey]) => createEntry(storing, key, ofKey));
    for (const entry of recovered) {
      entry.windowSeconds = longestWindowSeconds;
      entries.add(entry);
    }
    storing.goOn(stored, recovered);
  }

  return {
    entries,
    storing,

    /** Takes the uses into memory, once, that only batches hold: those of a server that was killed. `after`: what is being stored. */
    async recover(after: Promise<void>): Promise<void> {
      recovery ??= after.catch(() => undefined).then(readBatches);
      await recovery.catch((error: unknown) => {
        recovery = undefined;
        throw error;
      });
    },
  };
}

const createEntry = (storing: Storing, key: string, uses: Use[]): Entry => ({
  ...{ storing, key, log: createUseLog(uses), weight: 0, windowSeconds: 0 },
  ...{ isUnsaved: false, batch: undefined, place: 0 },
});
