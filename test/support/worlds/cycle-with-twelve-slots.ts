import type { OwnedSlot } from "../../../src/contract/cycles.ts";
import type { Service } from "../service/service.ts";
import { makeOwnerWithOneOfEach, type OwnerWithOneOfEach } from "./owner-with-one-of-each.ts";

/** An owner with a cycle of twelve slots on its first day, and functions that assign slots to testers. */
export async function makeCycleWithTwelveSlots(service: Service) {
  const world = await makeOwnerWithOneOfEach(service);
  const path = `/console/cycles/${world.app.id}/${world.cycleId}`;
  const slots = (): Promise<OwnedSlot[]> => slotsOf(world);
  return {
    world,
    path,
    slots,
    slotWith: async (slotId: string) => (await slots()).find((slot) => slot.slotId === slotId),
    /** Assigns an open slot to a new tester. */
    async giveSlot(email?: string) {
      const open = (await slots()).find(({ status }) => status === "open");
      if (!open) throw new Error("Every slot is taken");
      const { slotId } = open;
      const tester = await service.makeUser(email);
      await world.call("POST", `/slots/${slotId}/assign`, { email: tester.email });
      return { slotId, seat: open.seat, tester, evidence: `${path}?slot=${slotId}&day=1` };
    },
  };
}

async function slotsOf({ call, cycleId }: OwnerWithOneOfEach): Promise<OwnedSlot[]> {
  return JSON.parse((await call("GET", `/cycles/${cycleId}`)).text).slots;
}
