import type { Transaction } from "../../database/database.ts";
import { afterDay, countedDaysOf, hasMissedTooMany } from "../slots/rules.ts";
import { graceEndOf } from "./days.ts";
import { type ClosingSlot, type DueCycle, dueChanges } from "./due-changes.ts";

interface NewIds {
  readonly newId: () => string;
}

/** Applies all due changes of a cycle, day by day, even if many days have passed since the last change. */
export async function advanceCycle(
  deps: NewIds,
  tx: Transaction,
  { id, now }: { readonly id: string; readonly now: string },
): Promise<void> {
  await tx.lock(`cycle:${id}`);
  for (;;) {
    const cycle = await dueChanges.findCycle(tx, id);
    if (!cycle || cycle.nextAt === null || cycle.nextAt > now) return;
    if (cycle.status === "recruiting") await start(tx, cycle);
    else if (cycle.closedDays < cycle.durationDays)
      await closeDay(deps, tx, { cycle, endedAt: cycle.nextAt });
    else await complete(tx, cycle, cycle.nextAt);
  }
}

const start = (tx: Transaction, cycle: DueCycle) =>
  dueChanges.progress(tx, cycle.id, { status: "running", closedDays: 0, nextAt: startsOf(cycle)[1] ?? null });

/** Closes a day. The test ends with the last day, but the cycle goes on for as long as late test sessions count. */
async function closeDay(
  deps: NewIds,
  tx: Transaction,
  { cycle, endedAt }: { readonly cycle: DueCycle; readonly endedAt: string },
): Promise<void> {
  const dayIndex = cycle.closedDays + 1;
  const isLast = dayIndex >= cycle.durationDays;
  const outcomes = (await dueChanges.activeSlots(tx, cycle.id)).map((slot) => ({
    slot,
    outcome: afterDay(closingSlot(slot), dayIndex, cycle.maxMissedDays),
  }));
  const slotsThat = (wanted: "removed" | "missed") =>
    outcomes.flatMap(({ slot, outcome }) => (outcome === wanted ? [slot] : []));
  if (slotsThat("missed").length > 0) await dueChanges.miss(tx, slotsThat("missed").map(idOf));
  await remove(tx, slotsThat("removed"), endedAt);
  if (isLast) await dueChanges.dropRequests(tx, cycle.id);
  else
    for (const { seat } of slotsThat("removed"))
      await dueChanges.openSlot(tx, { id: deps.newId(), cycleId: cycle.id, seat, createdAt: endedAt });
  const nextAt = isLast ? graceEndOf(cycle) : (startsOf(cycle)[dayIndex + 1] ?? null);
  await dueChanges.progress(tx, cycle.id, { status: "running", closedDays: dayIndex, nextAt });
}

/** Ends a cycle after its last day, once late test sessions no longer count. */
async function complete(tx: Transaction, cycle: DueCycle, endedAt: string): Promise<void> {
  const slots = await dueChanges.activeSlots(tx, cycle.id);
  await remove(
    tx,
    slots.filter((slot) => hasMissedTooMany(slot, cycle.maxMissedDays)),
    endedAt,
  );
  await dueChanges.completeSlots(tx, cycle.id, endedAt);
  await dueChanges.progress(tx, cycle.id, {
    status: "completed",
    closedDays: cycle.durationDays,
    nextAt: null,
  });
}

async function remove(tx: Transaction, slots: readonly ClosingSlot[], endedAt: string): Promise<void> {
  if (slots.length > 0) await dueChanges.removeSlots(tx, slots.map(idOf), endedAt);
}

const idOf = ({ id }: ClosingSlot): string => id;

const closingSlot = ({ missedDays, activeFromDay, counted }: ClosingSlot) => ({
  missedDays,
  activeFromDay,
  countedDays: countedDaysOf(counted),
});

function startsOf({ dayStarts }: DueCycle): string[] {
  const starts: unknown = JSON.parse(dayStarts);
  return Array.isArray(starts) ? starts.map(String) : [];
}
