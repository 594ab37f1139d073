import { cycles, type SlotWithDays } from "../../../../src/contract/console/cycles.ts";
import { slots } from "../../../../src/contract/console/slots.ts";
import { ApiError, badRequest } from "../../../../src/contract/errors.ts";
import { filledAgain } from "../../kit/form/filled-form.ts";
import { goTo, type Reply, reshowForm } from "../../reply.ts";
import type { Answer, SignedInVisit } from "../../visit.ts";
import { readCycle, showCycle } from "./page.tsx";

export const acceptRequest = seatAction("accept", "seat-accepted");
export const declineRequest = seatAction("decline", "seat-declined");
export const removeTester = seatAction("remove", "seat-removed");
export const rotateKey = seatAction("rotateKey", "key-rotated");
export const confirmJoin = seatAction("confirmJoin", "join-confirmed");

/** Does one thing to a seat of the cycle that the path names, and shows the cycle with that seat chosen. */
function seatAction(verb: Exclude<keyof typeof slots, "assign">, done: string): Answer<SignedInVisit> {
  return (visit) => {
    const { ask, fields, param } = visit;
    return reshowForm(
      async () => {
        const { slotId } = await readSeat(visit, param("slotId"));
        await ask(slots[verb], { params: { slotId }, body: {}, once: fields.once });
        return goTo(addressOf(visit), done);
      },
      (refusal) => showCycle(visit, { seat: filledAgain(fields, refusal) }),
    );
  };
}

/** Gives an open seat to an account that is known by its e-mail address. */
export function assignSeat(visit: SignedInVisit): Promise<Reply> {
  const { ask, fields } = visit;
  return reshowForm(
    async () => {
      const { slotId } = await readSeat(visit, fields.text("slotId"));
      const body = { email: fields.text("email") };
      await ask(slots.assign, { params: { slotId }, body, once: fields.once }).catch(toFaultOfAddress);
      return goTo(addressOf(visit), "seat-assigned");
    },
    (refusal) => showCycle(visit, { assign: filledAgain(fields, refusal) }),
  );
}

export function cancelCycle(visit: SignedInVisit): Promise<Reply> {
  const { ask, fields } = visit;
  return reshowForm(
    async () => {
      const { cycle } = await readCycle(visit);
      await ask(cycles.cancel, { params: { cycleId: cycle.id }, body: {}, once: fields.once });
      return goTo(addressOf(visit), "cycle-cancelled");
    },
    (refusal) => showCycle(visit, { cancel: filledAgain(fields, refusal) }),
  );
}

/** The seat, within the cycle of the path only. Throws `not_found`. */
async function readSeat(visit: SignedInVisit, slotId: string): Promise<SlotWithDays> {
  const { slots: seats } = await readCycle(visit);
  const seat = seats.find((known) => known.slotId === slotId.toLowerCase());
  if (!seat) throw new ApiError("not_found");
  return seat;
}

/** The seat was there a moment ago: what is not found is the account. */
function toFaultOfAddress(error: unknown): never {
  const unknown = error instanceof ApiError && error.code === "not_found";
  throw unknown ? badRequest("email", "belongs to no account here") : error;
}

const addressOf = ({ links, param }: SignedInVisit): string => links.cycle(param("appId"), param("cycleId"));
