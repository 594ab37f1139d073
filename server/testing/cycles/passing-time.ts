import type { Clock, TimeWatch } from "../../clock.ts";
import type { Database, Transaction } from "../../database/database.ts";
import { concernsCycles } from "../../database/transaction.ts";
import { recordEvent } from "../../webhooks/events/record.ts";
import { afterDay, countedDaysOf, dayStartsOfRow, graceEndOf, hasMissedTooMany } from "../days/rules.ts";
import { type ClosingSlot, type CycleScope, type DueCycle, dueChanges } from "./store.ts";

/** Applies each due change of closed testing once. Applies nothing while the clock may be wrong. (rule D10) */
export interface PassingTime {
  /** Applies all due changes. Does not query the database if no change can be due. */
  catchUp(): Promise<void>;
  /** Applies only the due changes of some cycles. `scope` and `id` select the cycles. */
  catchUpOf(scope: CycleScope, id: string): Promise<void>;
  /** Whether a change that is due at `at` must be applied now. False for null (no change). */
  isDue(at: string | null): boolean;
  /** Returns when the next change is due; null if there is none, or the time is not known yet. */
  next(): string | null;
}

// This type does not use `Deps`. `Deps` contains `PassingTime`, so the two files would import each other.
interface PassingTimeDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly newId: () => string;
}

/** The maximum number of cycles that one query reads. */
const atOnce = 50;

/** The number of cycles whose changes are applied at the same time. On SQLite, these changes share one commit. */
const sideBySide = 10;

/** Creates the object that applies due changes. It caches the time of the next change. */
export function createPassingTime(deps: PassingTimeDeps & { readonly time: TimeWatch }): PassingTime {
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
      // The first run may have begun before the caller's write. The second run finds the missed changes.
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
  /** The time at which the next change is due, in milliseconds since 1970; infinity if there is no next change. */
  readonly at: number;
}

/** Caches the time at which the next change of any cycle is due, until a cycle may have changed. */
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

/** Returns the time of the next change in milliseconds since 1970; infinity if there is no next change. */
const momentOf = (next: string | null): number =>
  next === null ? Number.POSITIVE_INFINITY : Date.parse(next);

async function applyDueChanges(deps: PassingTimeDeps): Promise<void> {
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

interface NewIds {
  readonly newId: () => string;
}

/** Applies all due changes of a cycle, even if changes of several days are due. (rule T3) */
export async function advanceCycle(
  deps: NewIds,
  tx: Transaction,
  { id, now }: { readonly id: string; readonly now: string },
): Promise<void> {
  await tx.lock(`cycle:${id}`);
  for (;;) {
    const cycle = await dueChanges.findCycle(tx, id);
    if (!cycle || cycle.nextAt === null || cycle.nextAt > now) return;
    const closing = { cycle, endedAt: cycle.nextAt, now };
    if (cycle.status === "recruiting") await start(deps, tx, closing);
    else if (cycle.closedDays < cycle.durationDays) await closeDay(deps, tx, closing);
    else await complete(deps, tx, closing);
  }
}

/** A cycle, the time at which its change was due, and the current time. */
interface Closing {
  readonly cycle: DueCycle;
  readonly endedAt: string;
  readonly now: string;
}

async function start(deps: NewIds, tx: Transaction, { cycle, now }: Closing): Promise<void> {
  const nextAt = dayStartsOfRow(cycle)[1] ?? null;
  await dueChanges.progress(tx, cycle.id, { status: "running", closedDays: 0, nextAt });
  const { id: subjectId, appId } = cycle;
  await recordEvent(deps, tx, { appId, type: "cycle.started", subjectId, facts: {}, at: now });
}

/** Closes a day: counts missed days, and removes slots that missed too many days before this day. */
async function closeDay(deps: NewIds, tx: Transaction, { cycle, endedAt, now }: Closing): Promise<void> {
  const dayIndex = cycle.closedDays + 1;
  const isLast = dayIndex >= cycle.durationDays;
  const outcomes = (await dueChanges.activeSlots(tx, cycle.id)).map((slot) => ({
    slot,
    outcome: afterDay(closingSlot(slot), dayIndex, cycle.maxMissedDays),
  }));
  const slotsThat = (wanted: "removed" | "missed") =>
    outcomes.flatMap(({ slot, outcome }) => (outcome === wanted ? [slot] : []));
  if (slotsThat("missed").length > 0) await dueChanges.miss(tx, slotsThat("missed").map(idOf));
  for (const { id, seat, missedDays } of slotsThat("missed"))
    await recordEvent(deps, tx, {
      ...{ appId: cycle.appId, type: "seat.at_risk", subjectId: id, at: now },
      facts: { cycleId: cycle.id, seat, dayIndex, missedDays: missedDays + 1 },
    });
  await remove(deps, tx, { cycle, endedAt, now }, slotsThat("removed"));
  if (isLast) await dueChanges.dropRequests(tx, cycle.id);
  else
    for (const { seat } of slotsThat("removed"))
      await dueChanges.openSlot(tx, { id: deps.newId(), cycleId: cycle.id, seat, createdAt: endedAt });
  // After the last day, the cycle still runs while late sessions count.
  const nextAt = isLast ? graceEndOf(cycle) : (dayStartsOfRow(cycle)[dayIndex + 1] ?? null);
  await dueChanges.progress(tx, cycle.id, { status: "running", closedDays: dayIndex, nextAt });
}

/** Ends a cycle. Removes slots that have missed too many days, and completes the others. */
async function complete(deps: NewIds, tx: Transaction, closing: Closing): Promise<void> {
  const { cycle, endedAt, now } = closing;
  const slots = await dueChanges.activeSlots(tx, cycle.id);
  const removed = slots.filter((slot) => hasMissedTooMany(slot, cycle.maxMissedDays));
  await remove(deps, tx, closing, removed);
  await dueChanges.completeSlots(tx, cycle.id, endedAt);
  await dueChanges.progress(tx, cycle.id, {
    status: "completed",
    closedDays: cycle.durationDays,
    nextAt: null,
  });
  await recordEvent(deps, tx, {
    ...{ appId: cycle.appId, type: "cycle.completed", subjectId: cycle.id, at: now },
    facts: { testers: slots.length - removed.length },
  });
}

async function remove(
  deps: NewIds,
  tx: Transaction,
  { cycle, endedAt, now }: Closing,
  slots: readonly ClosingSlot[],
): Promise<void> {
  if (slots.length === 0) return;
  await dueChanges.removeSlots(tx, slots.map(idOf), endedAt);
  for (const { id, seat } of slots)
    await recordEvent(deps, tx, {
      ...{ appId: cycle.appId, type: "seat.removed", subjectId: id, at: now },
      facts: { cycleId: cycle.id, seat, because: "missed_days" },
    });
}

const idOf = ({ id }: ClosingSlot): string => id;

const closingSlot = ({ missedDays, activeFromDay, counted }: ClosingSlot) => ({
  missedDays,
  activeFromDay,
  countedDays: countedDaysOf(counted),
});
