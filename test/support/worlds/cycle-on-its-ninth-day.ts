import type { OwnedSlot } from "../../../src/contract/cycles.ts";
import type { Service } from "../service/service.ts";
import { recordProof, recordSession, requestSlotAs } from "./listing-and-slot-activity.ts";
import type { OwnerWithOneOfEach } from "./owner-with-one-of-each.ts";

/** One tester's time in a slot. */
interface Life {
  readonly seat: number;
  /** The day on which the tester got the slot; 0 before the first day. */
  readonly from: number;
  /**
   * One letter for each day from then on, or from the first day: `s` a session that counts, `p` a proof, `b` a session
   * that is too short.
   */
  readonly days: string;
}

const lives: readonly Life[] = [
  { seat: 1, from: 0, days: "sssssssss" },
  { seat: 2, from: 0, days: "sssspssss" },
  { seat: 3, from: 0, days: "ssssssss-" },
  { seat: 4, from: 0, days: "ss-sssspb" },
  { seat: 5, from: 0, days: "sssssbss-" },
  { seat: 6, from: 0, days: "sss---" },
  { seat: 6, from: 8, days: "-s" },
  { seat: 7, from: 0, days: "psppspsps" },
  { seat: 8, from: 0, days: "sssssss--" },
  { seat: 9, from: 3, days: "-ssssss" },
];

const lastDay = 9;
const hour = 3_600_000;

/** A cycle with its history, and the slots by their testers' e-mail addresses. */
export type CycleOnNinthDay = Awaited<ReturnType<typeof makeCycleOnNinthDay>>;

/** A cycle of twelve slots and fourteen days in Berlin, at noon of its ninth day, with every kind of day. */
export async function makeCycleOnNinthDay(
  service: Service,
  world: OwnerWithOneOfEach,
  images: readonly string[] = [],
) {
  const { clock } = service;
  const startsOn = new Date(clock.now().getTime() + 48 * hour).toISOString().slice(0, 10);
  const plan = { startsOn, timezone: "Europe/Berlin" };
  const planned = await world.call("POST", `/listings/${world.listingId}/cycles`, plan);
  const cycleId = planned.field("cycle.id");
  const toFirstNoon = Date.parse(planned.field("cycle.startsAt")) + 12 * hour - clock.now().getTime();
  const slotIds = new Map<Life, string>();
  for (let day = 0; day <= lastDay; day += 1) {
    clock.advance(day === 0 ? toFirstNoon - 24 * hour : 24 * hour);
    await service.deps.passingTime.catchUp();
    for (const life of lives.filter(({ from }) => from === day))
      slotIds.set(life, await giveSlot(service, world, cycleId, life.seat));
    for (const [life, slotId] of slotIds) await liveDay(service, { ...life, slotId, day, images, world });
  }
  for (const number of [10, 11])
    await requestSlotAs(service, await openSlot(world, cycleId, number), await service.makeUser());
  const slotOf = (number: number, nth = 0) =>
    [...slotIds].filter(([life]) => life.seat === number)[nth]?.[1] ?? "";
  return { cycleId, slotOf, path: `/console/cycles/${world.app.id}/${cycleId}` };
}

interface LivedDay extends Life {
  readonly slotId: string;
  readonly day: number;
  readonly images: readonly string[];
  readonly world: OwnerWithOneOfEach;
}

async function liveDay(
  service: Service,
  { from, days, day: dayIndex, slotId, images, world }: LivedDay,
): Promise<void> {
  const what = days[dayIndex - Math.max(1, from)];
  if (what === "s") await recordSession(service, slotId, { dayIndex, reason: null, seconds: 130 + dayIndex });
  if (what === "b")
    await recordSession(service, slotId, {
      dayIndex,
      reason: "session_below_bar",
      seconds: 20,
      screens: ["Home"],
    });
  if (what === "p")
    await recordProof(service, slotId, { dayIndex, appId: world.app.id, images: names(images) });
}

/** Every upload has a different name. */
const names = (images: readonly string[]) => images.map((image) => image.replace("*", crypto.randomUUID()));

async function giveSlot(
  service: Service,
  world: OwnerWithOneOfEach,
  cycleId: string,
  number: number,
): Promise<string> {
  const slotId = await openSlot(world, cycleId, number);
  const { email } = await service.makeUser();
  const answer = await world.call("POST", `/slots/${slotId}/assign`, { email });
  if (answer.status !== 200) throw new Error(answer.text);
  return slotId;
}

async function openSlot({ call }: OwnerWithOneOfEach, cycleId: string, number: number): Promise<string> {
  const { slots } = JSON.parse((await call("GET", `/cycles/${cycleId}`)).text);
  const open = slots.find((slot: OwnedSlot) => slot.seat === number && slot.status === "open");
  return open?.slotId ?? "";
}
