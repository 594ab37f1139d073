import type { SlotWithDays } from "../../../../src/contract/cycles.ts";
import { ApiError, badRequest } from "../../../../src/contract/errors.ts";
import { slots } from "../../../../src/contract/slots.ts";
import { filledAgain } from "../../../console/filled-form.ts";
import { goTo, type Reply, reshowForm } from "../../../console/reply.ts";
import type { PageHandler, SignedInVisit } from "../../../console/visit.ts";
import { cycleAddress, readCycle, showCycle } from "./cycle.tsx";

export const acceptRequest = slotForm("accept", "seat-accepted");
export const declineRequest = slotForm("decline", "seat-declined");
export const removeTester = slotForm("remove", "seat-removed");
export const rotateKey = slotForm("rotateKey", "key-rotated");
export const confirmJoin = slotForm("confirmJoin", "join-confirmed");

/** Handles a form that changes one slot of the cycle in the path. A refused form shows the cycle with that slot chosen. */
function slotForm(action: Exclude<keyof typeof slots, "assign">, done: string): PageHandler<SignedInVisit> {
  return (visit) => {
    const { ask, fields, param } = visit;
    return reshowForm(
      async () => {
        const { slotId } = await readSlot(visit, param("slotId"));
        await ask(slots[action], { params: { slotId }, body: {}, idempotencyKey: fields.idempotencyKey });
        return goTo(cycleAddress(visit), done);
      },
      (refusal) => showCycle(visit, { slot: filledAgain(fields, refusal) }),
    );
  };
}

/** Gives an open slot to the account with the e-mail address in the form. */
export function assignSlot(visit: SignedInVisit): Promise<Reply> {
  const { ask, fields } = visit;
  return reshowForm(
    async () => {
      const { slotId } = await readSlot(visit, fields.text("slotId"));
      const body = { email: fields.text("email") };
      await ask(slots.assign, { params: { slotId }, body, idempotencyKey: fields.idempotencyKey }).catch(
        toFaultOfAddress,
      );
      return goTo(cycleAddress(visit), "seat-assigned");
    },
    (refusal) => showCycle(visit, { assign: filledAgain(fields, refusal) }),
  );
}

/** The slot, if it belongs to the cycle in the path. Throws `not_found`. */
async function readSlot(visit: SignedInVisit, slotId: string): Promise<SlotWithDays> {
  const { slots: ofCycle } = await readCycle(visit);
  const slot = ofCycle.find((known) => known.slotId === slotId.toLowerCase());
  if (!slot) throw new ApiError("not_found");
  return slot;
}

/** The slot was found just before, so `not_found` can only mean the account. */
function toFaultOfAddress(error: unknown): never {
  const unknown = error instanceof ApiError && error.code === "not_found";
  throw unknown ? badRequest("email", "belongs to no account here") : error;
}
