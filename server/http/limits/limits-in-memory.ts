import type { Clock } from "../../clock.ts";
import {
  giveUseBack,
  lookAtUses,
  type RateLimit,
  takeUse,
  type UseVerdict,
} from "../../domain/limits/use-log.ts";
import type { Database, Reader } from "../../store/engine/database.ts";
import { createStoredEntries } from "./stored-entries.ts";
import type { Due, Entry } from "./storing.ts";

/** The limits of a server that alone writes to its database: they are counted in memory, and stored within a second. */
export interface LimitsInMemory {
  /** Counts one use. Waits only for a key that is not in memory. `reader`: where its uses are read. */
  take(key: string, rule: RateLimit, reader?: Reader): UseVerdict | Promise<UseVerdict>;
  /** Counts one use, if the key is in memory and the rule allows it. Gives whether it did. */
  takeAtOnce(key: string, rule: RateLimit): boolean;
  look(key: string, rule: RateLimit): Promise<UseVerdict>;
  /** Takes back the use that was counted at `at`. */
  giveBack(key: string, at: number): void;
  /** Stores what is new. Rejects if the database fails; then a later call tries it again. */
  settle(which: Due): Promise<void>;
  /** Forgets all uses, because the database has forgotten them. */
  forget(): void;
}

export function createLimitsInMemory(database: Database, clock: Clock): LimitsInMemory {
  const now = () => clock.now().getTime();
  const { find, load, changed, settle, forget } = createStoredEntries(database, now);

  function takeFrom(entry: Entry, rule: RateLimit): UseVerdict {
    if (rule.windowSeconds > entry.windowSeconds) entry.windowSeconds = rule.windowSeconds;
    const verdict = takeUse(entry.log, now(), rule);
    if (verdict.allowed) changed(entry, verdict.at, "counted");
    return verdict;
  }

  return {
    settle,
    forget,

    take(key, rule, reader = database) {
      const entry = find(key);
      return entry ? takeFrom(entry, rule) : load(key, reader).then((loaded) => takeFrom(loaded, rule));
    },

    takeAtOnce(key, rule) {
      const entry = find(key);
      return entry !== undefined && takeFrom(entry, rule).allowed;
    },

    async look(key, rule) {
      const entry = find(key) ?? (await load(key, database));
      return lookAtUses(entry.log, now(), rule);
    },

    giveBack(key, at) {
      const entry = find(key);
      if (entry && giveUseBack(entry.log, at)) changed(entry, at, "taken back");
    },
  };
}
