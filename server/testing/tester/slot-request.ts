import { ApiError } from "../../../src/contract/errors.ts";
import type { Transaction } from "../../database/database.ts";
import { cyclesTopic } from "../../database/signals.ts";
import type { Deps } from "../../deps.ts";
import { acceptsTesters, requestMilliseconds } from "../slots/rules.ts";
import { slots } from "../slots/store.ts";
import { testerSlots } from "./store.ts";

/**
 * Requests a slot for a tester. The request expires after 48 hours. Throws `not_found`, `own_listing`, `cycle_not_open`,
 * `already_in_cycle` and `slot_taken`. (rule T5)
 */
export async function requestSlot(
  { clock }: Pick<Deps, "clock">,
  tx: Transaction,
  { slotId, testerId }: { readonly slotId: string; readonly testerId: string },
): Promise<void> {
  const { cycleId } = await wanted(tx, slotId, testerId);
  await tx.lock(`cycle:${cycleId}`);
  const { cycleStatus, dayStarts, isMember } = await wanted(tx, slotId, testerId);
  const now = clock.now();
  if (isMember) throw new ApiError("own_listing");
  if (!acceptsTesters({ status: cycleStatus, dayStarts: JSON.parse(dayStarts) }, now.toISOString()))
    throw new ApiError("cycle_not_open");
  if (await slots.isIn(tx, cycleId, testerId)) throw new ApiError("already_in_cycle");
  const expiresAt = new Date(now.getTime() + requestMilliseconds).toISOString();
  if (!(await testerSlots.request(tx, slotId, { testerId, expiresAt }))) throw new ApiError("slot_taken");
  tx.signal(cyclesTopic);
}

async function wanted(tx: Transaction, slotId: string, testerId: string) {
  const found = await testerSlots.findWanted(tx, slotId, testerId);
  if (!found) throw new ApiError("not_found");
  return found;
}
