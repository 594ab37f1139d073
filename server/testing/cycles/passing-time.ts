import type { Clock } from "../../clock.ts";
import type { Database } from "../../database/database.ts";
import { concernsCycles } from "../../database/signals.ts";
import type { TimeWatch } from "../../time-watch.ts";
import { advanceCycle } from "./advance-cycle.ts";
import { type CycleScope, dueChanges } from "./due-changes.ts";

/**
 * The changes that the passing of time causes in closed testing: requests expire, cycles start and end, days close. Each
 * change is applied once, by the first server that reaches it. No change is applied while the clock's time is in doubt.
 */
export interface PassingTime {
  /** Applies all due changes. Asks the database nothing if it is known that no change is due. */
  catchUp(): Promise<void>;
  /** Applies the due changes of only those cycles that a request is about. */
  catchUpOf(scope: CycleScope, id: string): Promise<void>;
  /** Whether a change with this time is due now. Null means that there is no change. */
  isDue(at: string | null): boolean;
  /** When the next change is due; null if there is none, or if it is not known. */
  next(): string | null;
}

// Not picked from Deps: Deps names PassingTime, and the two files would import each other.
interface Needed {
  readonly database: Database;
  readonly clock: Clock;
  readonly newId: () => string;
}

const atOnce = 50;
/** How many cycles are advanced at the same time. On SQLite they share a commit. */
const sideBySide = 10;

/** Creates the passing of time, which asks the database only if it does not know when the next change is due. */
export function createPassingTime(deps: Needed & { readonly time: TimeWatch }): PassingTime {
  const { database, clock, time } = deps;
  const due = createDueTime(database);
  let running: Promise<void> | undefined;

  const isLater = (at: number) => at > clock.now().getTime();
  const isCaughtUp = () => {
    const known = due.known();
    return known !== undefined && isLater(known.at);
  };
  const advance = async () => {
    while (!isLater(momentOf(await due.next())) && !time.isDoubtful()) {
      await applyDueChanges(deps);
      due.forget();
    }
  };
  const run = () => {
    running ??= advance().finally(() => {
      running = undefined;
    });
    return running;
  };
  return {
    async catchUp() {
      if (isCaughtUp()) return;
      await run();
      // That run may have begun before this caller's write, so it may have missed the write. Run again.
      if (!isCaughtUp()) await run();
    },
    async catchUpOf(scope, id) {
      if (time.isDoubtful()) return;
      const now = clock.now().toISOString();
      const cycles = await dueChanges.dueIn(database, { scope, id, now });
      if (cycles.length === 0) return;
      for (const cycle of cycles)
        await database.write(async (tx) => {
          await advanceCycle(deps, tx, { id: cycle.id, now });
          await dueChanges.expireRequestsOf(tx, cycle.id, now);
        });
      due.forget();
    },
    isDue: (at) => at !== null && !isLater(Date.parse(at)) && !time.isDoubtful(),
    next: () => due.known()?.next ?? null,
  };
}

interface DueAt {
  readonly next: string | null;
  /** The same in milliseconds since 1970; infinity if no change is due. */
  readonly at: number;
}

/** Knows when the next change is due, until a signal says that this may have changed. */
function createDueTime(database: Database) {
  let known: DueAt | undefined;
  let generation = 0;
  const forget = () => {
    known = undefined;
    generation += 1;
  };
  database.onSignal((topic) => {
    if (concernsCycles(topic)) forget();
  });
  database.onForeignChange(forget);

  const next = async () => {
    if (known) return known.next;
    const generationBefore = generation;
    const found = await dueChanges.next(database);
    if (generationBefore === generation) known = { next: found, at: momentOf(found) };
    return found;
  };
  return { forget, next, known: () => known };
}

/** Milliseconds since 1970; infinity if no change is due. */
const momentOf = (next: string | null): number =>
  next === null ? Number.POSITIVE_INFINITY : Date.parse(next);

async function applyDueChanges(deps: Needed): Promise<void> {
  const { database, clock } = deps;
  const now = clock.now().toISOString();
  await database.write((tx) => dueChanges.expireRequests(tx, now));
  const cycles = await dueChanges.cycleIds(database, now, atOnce);
  for (let from = 0; from < cycles.length; from += sideBySide)
    await Promise.all(
      cycles
        .slice(from, from + sideBySide)
        .map(({ id }) => database.write((tx) => advanceCycle(deps, tx, { id, now }))),
    );
}
