import type { Answer } from "../service/request.ts";
import type { Service } from "../service/service.ts";
import { newListing, requestSlotAs } from "./listing-and-slot-activity.ts";
import type { OwnerWithOneOfEach } from "./owner-with-one-of-each.ts";

export const dayMilliseconds = 86_400_000;

export interface Plan {
  readonly seats?: number;
  readonly durationDays?: number;
  readonly maxMissedDays?: number;
  /** The number of days until the first day, in UTC; by default today. */
  readonly startsIn?: number;
}

export type PlannedCycle = Awaited<ReturnType<typeof makePlannedCycle>>;

/** A cycle that an owner has planned in the console, and the owner's actions on it. */
export async function makePlannedCycle(service: Service, world: OwnerWithOneOfEach, plan: Plan = {}) {
  const { startsIn = 0, ...traits } = plan;
  const { call, app } = world;
  const listing = await call("POST", `/apps/${app.id}/listings`, { ...newListing, seats: 3, ...traits });
  const first = new Date(service.clock.now().getTime() + startsIn * dayMilliseconds);
  const startsOn = first.toISOString().slice(0, 10);
  const planned = await call("POST", `/listings/${listing.field("id")}/cycles`, {
    startsOn,
    timezone: "UTC",
  });
  const cycleId = planned.field("cycle.id");
  const change = (slotId: string, verb: string, body: object = {}): Promise<Answer> =>
    call("POST", `/slots/${slotId}/${verb}`, body);
  const slots = async () => Object((await call("GET", `/cycles/${cycleId}`)).body).slots;
  return {
    cycleId,
    startsOn,
    slotIds: [0, 1, 2].map((at) => Object(planned.body).slots[at]?.slotId),
    change,
    cancel: () => call("POST", `/cycles/${cycleId}/cancel`, {}),
    /** The slots as the owner reads them. */
    slots,
    slot: async (slotId: string) =>
      (await slots()).find((slot: { slotId: string }) => slot.slotId === slotId),
    /** A new tester requests a slot. */
    async ask(slotId: string, tester?: { id: string; email: string }) {
      const who = tester ?? (await service.makeUser());
      await requestSlotAs(service, slotId, who);
      return who;
    },
    /** Moves the clock to a time on a day of the cycle, in hours after midnight. */
    toDay(dayIndex: number, hours = 9) {
      const at = Date.parse(startsOn) + (dayIndex - 1) * dayMilliseconds + hours * 3_600_000;
      service.clock.advance(at - service.clock.now().getTime());
    },
  };
}

/** A cycle and one of its slots. */
export interface SlotOfCycle {
  readonly test: PlannedCycle;
  readonly slotId: string;
}

export const slotStates = [
  "open",
  "requested",
  "expired",
  "active",
  "at risk",
  "removed",
  "completed",
  "open in a cycle that is over",
  "cancelled",
] as const;
export type SlotState = (typeof slotStates)[number];

/** The first slot of a new cycle in a certain state, which the owner, the tester and time have caused. */
export async function slotIn(
  service: Service,
  world: OwnerWithOneOfEach,
  state: SlotState,
): Promise<SlotOfCycle> {
  const isOver = state === "completed" || state === "open in a cycle that is over";
  const test = await makePlannedCycle(service, world, isOver ? { durationDays: 1 } : {});
  const slotId: string = test.slotIds[0];
  if (state !== "open") await test.ask(slotId);
  if (accepted.has(state)) await test.change(slotId, "accept");
  if (state === "expired") service.clock.advance(48 * 3_600_000);
  if (state === "at risk") test.toDay(3);
  if (state === "removed") await test.change(slotId, "remove");
  if (isOver) test.toDay(3, 0);
  if (state === "cancelled") await test.cancel();
  return { test, slotId };
}

const accepted: ReadonlySet<SlotState> = new Set(["active", "at risk", "removed", "completed", "cancelled"]);

/** Moves the clock back to the real time: signed-in people stay signed in. */
export const resetClock = ({ clock }: Service): void => clock.advance(-(clock.offsetMs ?? 0));

/** The fields of a slot that its owner never sees. */
export const secretsOf = ({ deps }: Service, slotId: string) =>
  deps.database.get<{ keyHash: string | null; keySealed: string | null; fromDay: number | null }>(
    `SELECT key_hash AS "keyHash", key_sealed AS "keySealed", active_from_day AS "fromDay"
     FROM slots WHERE id = ?`,
    slotId,
  );
