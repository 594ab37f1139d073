import { hashOf, mintCredential } from "../secrets/secrets.ts";
import { requestMilliseconds } from "../testing/slots/rules.ts";
import { slots } from "../testing/slots/store.ts";
import { testerSlots } from "../testing/tester/store.ts";
import { type CycleSeeding, later } from "./demo-cycle.ts";
import type { DemoTester } from "./demo-testing-content.ts";

/** A slot that a tester has. */
export interface DemoSlot {
  readonly slotId: string;
  readonly tester: DemoTester;
}

interface AcceptedRequest {
  readonly tester: DemoTester;
  readonly testerId: string;
  readonly at: string;
  /** The test key; a new one unless given. */
  readonly key?: string | undefined;
}

/** Requests a slot for a tester and accepts the request. */
export async function giveSlot(
  seeding: CycleSeeding,
  { tester, testerId, at, key = mintCredential("stk_") }: AcceptedRequest,
): Promise<DemoSlot> {
  const { deps, tx } = seeding;
  const expiresAt = later(at, requestMilliseconds);
  const slotId = await requestDemoSlot(seeding, { seat: tester.seat, testerId, expiresAt });
  const active = { at, fromDay: tester.from, keyHash: hashOf(key), keySealed: deps.sealer.seal(key) };
  await slots.accept(tx, slotId, active);
  return { slotId, tester };
}

interface SlotRequest {
  readonly seat: number;
  readonly testerId: string;
  readonly expiresAt: string;
}

/** Requests the slot with this number for a tester. Gives the id of the slot. */
export async function requestDemoSlot(
  { tx, cycle }: Pick<CycleSeeding, "tx" | "cycle">,
  { seat, testerId, expiresAt }: SlotRequest,
): Promise<string> {
  const rows = await slots.list(tx, cycle.id);
  const open = rows.find((row) => row.seat === seat && row.status === "open");
  if (!open) throw new Error(`Slot ${seat} of the demo is not open`);
  await testerSlots.request(tx, open.id, { testerId, expiresAt });
  return open.id;
}
