import type { Deps } from "../deps.ts";
import { requestMilliseconds } from "../domain/testing/slot.ts";
import { hashOf, mintCredential } from "../secrets/secrets.ts";
import type { Transaction } from "../store/engine/database.ts";
import { slots } from "../store/testing/slots.ts";
import { testerSlots } from "../store/testing/tester-slots.ts";
import { type DemoCycle, later } from "./demo-cycle.ts";
import type { DemoLife } from "./demo-testing-content.ts";

/** A tester in a seat. */
export interface DemoSlot {
  readonly slotId: string;
  readonly life: DemoLife;
}

interface Seating {
  readonly life: DemoLife;
  readonly testerId: string;
  readonly at: string;
}

/** A tester asks for a seat and the owner accepts. */
export async function giveSlot(
  { sealer }: Deps,
  tx: Transaction,
  run: DemoCycle,
  { life, testerId, at }: Seating,
): Promise<DemoSlot> {
  const expiresAt = later(at, requestMilliseconds);
  const slotId = await requestDemoSlot(tx, run, { seat: life.seat, testerId, expiresAt });
  const key = mintCredential("stk_");
  const active = { at, fromDay: life.from, keyHash: hashOf(key), keySealed: sealer.seal(key) };
  await slots.accept(tx, slotId, active);
  return { slotId, life };
}

/** A tester asks for the seat of that number. Gives the id of the slot. */
export async function requestDemoSlot(
  tx: Transaction,
  { id }: DemoCycle,
  {
    seat,
    testerId,
    expiresAt,
  }: { readonly seat: number; readonly testerId: string; readonly expiresAt: string },
): Promise<string> {
  const rows = await slots.list(tx, id);
  const open = rows.find((row) => row.seat === seat && row.status === "open");
  if (!open) throw new Error(`Seat ${seat} of the demo is not open`);
  await testerSlots.request(tx, open.id, { testerId, expiresAt });
  return open.id;
}
