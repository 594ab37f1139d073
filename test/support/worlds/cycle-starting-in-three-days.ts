import { v7 } from "uuid";
import { cyclesTopic } from "../../../server/database/transaction.ts";
import { countedDays, cycles, slots } from "../../../server/testing/cycles/store.ts";
import type { Service } from "../service/service.ts";

export interface SlotRow {
  readonly id: string;
  readonly seat: number;
  readonly status: string;
  readonly missedDays: number;
  readonly tester: string | null;
  readonly expiresAt: string | null;
  readonly endedAt: string | null;
}

export interface CycleState {
  readonly status: string;
  readonly closedDays: number;
  readonly nextAt: string | null;
}

export type UpcomingCycle = Awaited<ReturnType<typeof makeUpcomingCycle>>;

interface Traits {
  readonly seats: number;
  readonly durationDays: number;
  readonly maxMissedDays?: number;
}

const dayMilliseconds = 86_400_000;

/** The start of a day of a cycle in UTC, also for days after its last. */
const startOf = (dayStarts: readonly string[], day: number): string =>
  new Date(Date.parse(dayStarts[0] ?? "") + (day - 1) * dayMilliseconds).toISOString();

/** A cycle in UTC that begins in three days, with functions that move the service's clock. */
export async function makeUpcomingCycle(service: Service, traits: Traits) {
  const { deps, clock } = service;
  const { database } = deps;
  const startsOn = new Date(clock.now().getTime() + 3 * dayMilliseconds).toISOString().slice(0, 10);
  const listing = await service.makeListing(await service.makeApp(), traits);
  const { id, slotIds, dayStarts, ...plan } = await service.makeCycle(listing, { startsOn });
  const at = () => clock.now().toISOString();
  const slotAt = (index: number) => slotIds[index] ?? "";
  const pass = async (milliseconds: number) => {
    clock.advance(milliseconds);
    await deps.passingTime.catchUp();
  };

  return {
    id,
    dayStarts,
    /** The time after which late sessions of the last day no longer count. */
    dayAfter: startOf(dayStarts, dayStarts.length + 1),
    pass,
    /** Moves the clock to the start of a day, or the given milliseconds after it, and makes all due changes. */
    async goTo(day: number, milliseconds = 0) {
      clock.setOffset(Date.parse(startOf(dayStarts, day)) + milliseconds - Date.now());
      await deps.passingTime.catchUp();
    },
    cycle: () =>
      database.get<CycleState>(
        `SELECT status, closed_days AS "closedDays", next_at AS "nextAt" FROM cycles WHERE id = ?`,
        id,
      ),
    /** The slots by their number, each successor after its predecessor. */
    slots: () =>
      database.all<SlotRow>(
        `SELECT id, seat, status, missed_days AS "missedDays", tester_id AS tester,
           request_expires_at AS "expiresAt", ended_at AS "endedAt"
         FROM slots WHERE cycle_id = ? ORDER BY seat, created_at, id`,
        id,
      ),
    /** Assigns a slot to a new tester. */
    giveSlot: async (index: number) =>
      service.giveSlot({ id, dayStarts, ...plan }, slotAt(index), await service.makeUser()),
    count: (index: number, dayIndex: number) =>
      database.write((tx) =>
        countedDays.count(tx, {
          ...{ slotId: slotAt(index), cycleId: id, dayIndex, kind: "session", evidenceId: v7(), at: at() },
        }),
      ),
    /** Lets a new tester request a slot for the given hours. */
    async ask(index: number, hours: number) {
      const tester = await service.makeUser();
      const expiresAt = new Date(clock.now().getTime() + hours * 3_600_000).toISOString();
      await database.write(async (tx) => {
        const ask =
          "UPDATE slots SET status = 'requested', tester_id = ?, request_expires_at = ? WHERE id = ?";
        await tx.run(ask, tester.id, expiresAt, slotAt(index));
        tx.signal(cyclesTopic);
      });
    },
    /** Accepts the request for a slot; false if no request is left. */
    accept: (index: number) =>
      database.write((tx) => {
        const active = { at: at(), fromDay: 0, keyHash: v7(), keySealed: "" };
        return slots.accept(tx, slotAt(index), active);
      }),
    callOff: () =>
      database.write(async (tx) => {
        await cycles.cancel(tx, id, at());
        tx.signal(cyclesTopic);
      }),
  };
}
