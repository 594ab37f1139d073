import type { Deps } from "./deps.ts";
import { afterMissedDay, countedDaysOf, isMissed } from "./domain/seat.ts";
import type { Transaction } from "./store/database.ts";
import { type DueCycle, due } from "./store/due.ts";
import { cyclesTopic, everyTopic } from "./store/topics.ts";

/** What happens by itself in closed testing: requests expire, cycles start and end, days close. */
export interface PassingTime {
  /** Brings everything up to the clock. Costs nothing while nothing is due. Each change happens once, whoever is first. */
  catchUp(): Promise<void>;
  /** When the next change is due, as far as it is known; null where none is. */
  next(): string | null;
}

type Needed = Pick<Deps, "database" | "clock" | "newId">;

const atOnce = 50;

const concernsCycles = (topic: string): boolean => topic === cyclesTopic || topic === everyTopic;

export function createPassingTime(deps: Needed): PassingTime {
  const { database, clock } = deps;
  let known: { readonly next: string | null; readonly at: number } | undefined;
  let generation = 0;
  let running: Promise<void> | undefined;
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
    const lookedIn = generation;
    const found = await due.next(database);
    if (lookedIn === generation) known = { next: found, at: momentOf(found) };
    return found;
  };
  const isLater = (at: number) => at > clock.now().getTime();
  const isCaughtUp = () => known !== undefined && isLater(known.at);
  const advance = async () => {
    while (!isLater(momentOf(await next()))) {
      await bringAbout(deps);
      forget();
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
      // What ran already may have looked before that was written for which this caller comes. The next run has not.
      if (!isCaughtUp()) await run();
    },
    next: () => known?.next ?? null,
  };
}

/** In milliseconds since 1970; never, where nothing is due. */
const momentOf = (next: string | null): number =>
  next === null ? Number.POSITIVE_INFINITY : Date.parse(next);

async function bringAbout(deps: Needed): Promise<void> {
  const { database, clock } = deps;
  const now = clock.now().toISOString();
  await database.write((tx) => due.expireRequests(tx, now));
  for (const { id } of await due.cycleIds(database, now, atOnce)) {
    await database.write((tx) => advanceCycle(deps, tx, id, now));
  }
}

/** Takes a cycle through all that is due, day by day, however long nobody looked. */
export async function advanceCycle(deps: Needed, tx: Transaction, id: string, now: string): Promise<void> {
  await tx.lock(`cycle:${id}`);
  for (;;) {
    const cycle = await due.findCycle(tx, id);
    if (!cycle || cycle.nextAt === null || cycle.nextAt > now) return;
    const dayStarts = startsOf(cycle);
    if (cycle.status === "recruiting") await start(tx, cycle, dayStarts);
    else await closeDay(deps, tx, cycle, dayStarts);
  }
}

const start = (tx: Transaction, { id }: DueCycle, dayStarts: readonly string[]) =>
  due.progress(tx, id, { status: "running", closedDays: 0, nextAt: dayStarts[1] ?? null });

async function closeDay(
  deps: Needed,
  tx: Transaction,
  cycle: DueCycle,
  dayStarts: readonly string[],
): Promise<void> {
  const dayIndex = cycle.closedDays + 1;
  const endedAt = dayStarts[dayIndex] ?? "";
  const last = dayIndex >= cycle.durationDays;
  for (const slot of await due.activeSlots(tx, cycle.id)) {
    if (!isMissed(dayIndex, slot.activeFromDay, countedDaysOf(slot.counted))) continue;
    const after = afterMissedDay(slot, cycle.maxMissedDays);
    const removed = after.status === "removed";
    await due.miss(tx, slot.id, after.status, after.missedDays, removed ? endedAt : null);
    if (!removed || last) continue;
    const seat = { id: deps.newId(), cycleId: cycle.id, seat: slot.seat, createdAt: endedAt };
    await due.openSlot(tx, seat);
  }
  if (last) {
    await due.completeSlots(tx, cycle.id, endedAt);
    await due.dropRequests(tx, cycle.id);
  }
  await due.progress(tx, cycle.id, {
    status: last ? "completed" : "running",
    closedDays: dayIndex,
    nextAt: last ? null : (dayStarts[dayIndex + 1] ?? null),
  });
}

function startsOf({ dayStarts }: DueCycle): string[] {
  const starts: unknown = JSON.parse(dayStarts);
  return Array.isArray(starts) ? starts.map(String) : [];
}

const longestSleep = 60_000;
const shortestSleep = 50;
const pauseAfterFailure = 5_000;

/** Catches up at once and whenever something becomes due. Gives what stops it. */
export function startPassingTime({
  passingTime,
  database,
  clock,
  log,
}: Pick<Deps, "passingTime" | "database" | "clock" | "log">): () => Promise<void> {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let running = Promise.resolve();

  const untilNext = () => {
    const next = passingTime.next();
    const wait = next === null ? longestSleep : Date.parse(next) - clock.now().getTime();
    return Math.min(longestSleep, Math.max(shortestSleep, wait));
  };
  const run = async () => {
    if (stopped) return;
    clearTimeout(timer);
    const pause = await passingTime.catchUp().then(untilNext, (error) => {
      log.error({ err: error }, "days were not closed");
      return pauseAfterFailure;
    });
    if (!stopped) timer = setTimeout(wake, pause);
  };
  const wake = () => {
    running = running.then(run);
  };
  const unsubscribe = database.onSignal((topic) => {
    if (concernsCycles(topic)) wake();
  });
  wake();
  return async () => {
    stopped = true;
    clearTimeout(timer);
    unsubscribe();
    await running;
  };
}
