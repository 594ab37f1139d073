import { createUseLog, sizeOf } from "../../domain/limits/use-log.ts";
import { storeWhole, type UseLog, usesToStore } from "../../domain/limits/use-text.ts";
import type { Database, Reader } from "../../store/engine/database.ts";
import { type KeptUses, keptUses } from "../../store/requests/kept-uses.ts";
import { createRecentEntries, type RecentEntries, type Weighed } from "./recent-entries.ts";

/** What is stored: everything, or only what was changed some calls ago. */
export type Due = "all" | "what has waited";

/** The uses of a key, in memory. */
export interface Entry extends Weighed {
  readonly log: UseLog;
  /** The longest window by which the key was limited. */
  windowSeconds: number;
  isWaiting: boolean;
}

/** The entries in memory, and how they get into the database and out of it. */
export interface StoredEntries {
  /** The entry of a key, if it is in memory. */
  find(key: string): Entry | undefined;
  /** Reads the entry of a key that is not in memory. */
  load(key: string, reader: Reader): Promise<Entry>;
  /** Says that an entry has changed, so that it is stored. */
  changed(entry: Entry): void;
  settle(which: Due): Promise<void>;
  forget(): void;
}

/** About how many different times are kept in memory. Each needs about 60 bytes. */
const mostTimes = 500_000;
/** An entry without a use counts as so many times. */
const entryTimes = 6;
/** A key that is used again and again is stored only in each fourth call. */
const waitedCalls = 3;
/** How many keys and uses are stored at once. The texts of more would hold up the event loop. */
const mostRows = 250;
const mostParts = 4_000;

interface State {
  readonly entries: RecentEntries<Entry>;
  /** The entries with uses that are not stored: a list for the time since each of the last calls, oldest first. */
  readonly waiting: Entry[][];
}

export function createStoredEntries(database: Database, now: () => number): StoredEntries {
  let state = createState();
  let settling = Promise.resolve();

  async function storeList(of: State, list: readonly Entry[]): Promise<void> {
    for (let first = 0, taken = 0; first < list.length && of === state; first += taken) {
      const next = nextRows(list, first, now());
      taken = next.taken;
      try {
        if (next.rows.length > 0) await database.write((tx) => keptUses.store(tx, next.rows));
      } catch (error) {
        for (const { log } of list.slice(first, first + taken)) storeWhole(log);
        of.waiting.unshift(list.slice(first));
        throw error;
      }
    }
  }

  async function storeDue(which: Due): Promise<void> {
    const of = state;
    const lists = which === "all" ? of.waiting.length : of.waiting.length - waitedCalls;
    // While the database fails, the lists must not become more and more.
    if (which === "all" || of.waiting.length <= waitedCalls + 1) of.waiting.push([]);
    try {
      for (let count = 0; count < lists; count += 1) await storeList(of, of.waiting.shift() ?? []);
    } finally {
      of.entries.makeRoom(() => of.waiting.flat());
    }
  }

  return {
    find: (key) => state.entries.find(key),

    async load(key, reader) {
      const loadedInto = state;
      const log = createUseLog(await keptUses.find(reader, key));
      // Another request may have loaded it meanwhile, and counted a use.
      const found = state.entries.find(key);
      if (found) return found;
      const entry = { key, log, windowSeconds: 0, weight: 0, isWaiting: false };
      if (loadedInto === state) state.entries.add(entry);
      return entry;
    },

    changed(entry) {
      state.entries.weigh(entry);
      if (entry.isWaiting) return;
      entry.isWaiting = true;
      state.waiting.at(-1)?.push(entry);
    },

    settle(which) {
      // One after the other: what is new of a key must be stored in its order.
      settling = settling.catch(() => undefined).then(() => storeDue(which));
      return settling;
    },

    forget() {
      state = createState();
    },
  };
}

const createState = (): State => ({
  entries: createRecentEntries(({ log }) => sizeOf(log) + entryTimes, mostTimes),
  waiting: [[]],
});

/** What is stored next of a list, and of how many entries it is. */
function nextRows(list: readonly Entry[], first: number, now: number) {
  const rows: KeptUses[] = [];
  let parts = 0;
  let taken = 0;
  for (const entry of list.slice(first, first + mostRows)) {
    if (parts >= mostParts) break;
    const { key, log, windowSeconds } = entry;
    entry.isWaiting = false;
    taken += 1;
    const uses = usesToStore(log);
    if (!uses) continue;
    parts += uses.parts;
    rows.push({ key, ...uses, staleHour: Math.floor((now + windowSeconds * 1_000) / 3_600_000) + 1 });
  }
  return { rows, taken };
}
