import type { Clock } from "../../clock.ts";
import { createUseLog, type RateLimit, type UseLog, type UseVerdict } from "../../domain/limits/use-log.ts";
import type { Database, Reader } from "../../store/engine/database.ts";
import { keptUses } from "../../store/requests/kept-uses.ts";

/** The limits of a server that alone writes to its database: they are counted in memory, and stored each second. */
export interface LimitsInMemory {
  /** Counts one use. Waits only for a key that is not in memory. `reader`: where its uses are read. */
  take(key: string, rule: RateLimit, reader?: Reader): UseVerdict | Promise<UseVerdict>;
  /** Counts one use, if the key is in memory and the rule allows it. Gives whether it did. */
  takeAtOnce(key: string, rule: RateLimit): boolean;
  look(key: string, rule: RateLimit): Promise<UseVerdict>;
  /** Takes back the use that was counted at `at`. */
  giveBack(key: string, at: number): void;
  /** Stores the keys that have changed. Rejects if the database fails; then the next call tries it again. */
  settle(): Promise<void>;
  /** Forgets all uses, because the database has forgotten them. */
  forget(): void;
}

interface Entry {
  readonly log: UseLog;
  /** The longest window by which the key was limited. */
  windowSeconds: number;
  isStored: boolean;
  /** Whether it was needed since the last time that uses were stored. */
  isRecent: boolean;
}

/** About how many different times are kept in memory. Each needs about 60 bytes. */
const mostTimes = 500_000;
/** An entry without a use counts as so many times. */
const entryTimes = 4;
const rowsAtOnce = 1_000;

export function createLimitsInMemory(database: Database, clock: Clock): LimitsInMemory {
  let entries = new Map<string, Entry>();

  async function load(key: string, reader: Reader): Promise<Entry> {
    const loadedInto = entries;
    const log = createUseLog(await keptUses.find(reader, key));
    // Another request may have loaded it meanwhile, and counted a use.
    const found = entries.get(key);
    if (found) return found;
    const entry = { log, windowSeconds: 0, isStored: true, isRecent: true };
    if (loadedInto === entries) entries.set(key, entry);
    return entry;
  }

  const now = () => clock.now().getTime();

  function takeFrom(entry: Entry, rule: RateLimit): UseVerdict {
    entry.isRecent = true;
    entry.windowSeconds = Math.max(entry.windowSeconds, rule.windowSeconds);
    const verdict = entry.log.take(now(), rule);
    if (verdict.allowed) entry.isStored = false;
    return verdict;
  }

  return {
    take(key, rule, reader = database) {
      const entry = entries.get(key);
      return entry ? takeFrom(entry, rule) : load(key, reader).then((loaded) => takeFrom(loaded, rule));
    },

    takeAtOnce(key, rule) {
      const entry = entries.get(key);
      return entry !== undefined && takeFrom(entry, rule).allowed;
    },

    async look(key, rule) {
      const entry = entries.get(key) ?? (await load(key, database));
      return entry.log.look(now(), rule);
    },

    giveBack(key, at) {
      const entry = entries.get(key);
      if (!entry) return;
      entry.log.giveBack(at);
      entry.isStored = false;
    },

    async settle() {
      const changed = [...entries].filter(([, { isStored }]) => !isStored);
      for (let first = 0; first < changed.length; first += rowsAtOnce)
        await store(database, changed.slice(first, first + rowsAtOnce), now());
      makeRoom(entries);
    },

    forget() {
      entries = new Map();
    },
  };
}

async function store(database: Database, changed: readonly [string, Entry][], now: number): Promise<void> {
  const rows = changed.map(([key, entry]) => {
    entry.isStored = true;
    return {
      key,
      uses: entry.log.text(),
      staleHour: Math.floor((now + entry.windowSeconds * 1_000) / 3_600_000) + 1,
    };
  });
  try {
    await database.write((tx) => keptUses.store(tx, rows));
  } catch (error) {
    for (const [, entry] of changed) entry.isStored = false;
    throw error;
  }
}

/** Removes stored entries until memory is within its bound: first those that were not needed since the last time. */
function makeRoom(entries: Map<string, Entry>): void {
  let times = 0;
  for (const { log } of entries.values()) times += log.size() + entryTimes;
  for (const mayGo of [({ isRecent }: Entry) => !isRecent, () => true]) {
    for (const [key, entry] of entries) {
      if (times <= mostTimes) break;
      if (!entry.isStored || !mayGo(entry)) continue;
      entries.delete(key);
      times -= entry.log.size() + entryTimes;
    }
  }
  for (const entry of entries.values()) entry.isRecent = false;
}
