import type { AuditActionName } from "../../../src/contract/audit.ts";
import type { OwnedSlot } from "../../../src/contract/cycles.ts";
import { ApiError } from "../../../src/contract/errors.ts";
import type { slots as contract } from "../../../src/contract/slots.ts";
import { createAuditWriter } from "../../access/audit/record.ts";
import type { Transaction } from "../../database/database.ts";
import { isConflict } from "../../database/errors.ts";
import { cyclesTopic, cycleTopic, userTopic } from "../../database/signals.ts";
import type { Deps } from "../../deps.ts";
import type { Handlers, Request } from "../../http/handler.ts";
import { slotAnswer } from "../cycles/answer.ts";
import {
  acceptSlot,
  assignSlot,
  lockedSlot,
  removeSlot,
  rotateKey,
  type SlotInCycle,
} from "./slot-changes.ts";
import { slots as rows } from "./store.ts";

export function slots(
  deps: Pick<Deps, "clock" | "newId" | "sealer" | "settings">,
): Handlers<typeof contract> {
  const change = createChange(deps);
  const now = () => deps.clock.now().toISOString();
  return {
    accept: change("slot.accept", (tx, slot) => acceptSlot(deps, tx, slot)),
    decline: change("slot.decline", (tx, { id }) => rows.decline(tx, id, now())),
    remove: change("slot.remove", (tx, slot) => removeSlot(deps, tx, slot)),
    rotateKey: change("slot.rotate_key", (tx, slot) => rotateKey(deps, tx, slot)),
    confirmJoin: change("slot.confirm_join", (tx, { id }) => rows.confirmJoin(tx, id)),

    async assign(request) {
      const chosen = { email: request.body.email };
      const assign = change("slot.assign", (tx, slot) => assignSlot(deps, tx, { slot, ...chosen }));
      try {
        return await assign(request);
      } catch (error) {
        // The tester has got another slot of this cycle at the same moment.
        throw isConflict(error) ? new ApiError("already_in_cycle", {}, { cause: error }) : error;
      }
    },
  };
}

/** Changes a slot. False if the state of the slot does not allow it. */
type Work = (tx: Transaction, slot: SlotInCycle) => Promise<boolean>;

/** A request to change a slot, with any body. */
type SlotChangeRequest = Pick<Request<typeof contract.accept>, "caller" | "address" | "params"> & {
  save(work: (tx: Transaction) => Promise<OwnedSlot>): Promise<OwnedSlot>;
};

/** Makes handlers that change one slot. A change is audited. A change that is not possible is `wrong_state`. */
function createChange(deps: Pick<Deps, "clock" | "newId">) {
  const record = createAuditWriter(deps);
  return (action: AuditActionName, work: Work) =>
    async ({ caller, address, params, save }: SlotChangeRequest): Promise<OwnedSlot> => {
      return save(async (tx) => {
        const slot = await lockedSlot(tx, params.slotId, caller);
        if (!(await work(tx, slot))) throw new ApiError("wrong_state");
        const { appId } = slot.cycle;
        await record(tx, { caller, address }, { action, appId, target: slot.id });
        const changed = await rows.find(tx, slot.id);
        if (!changed) throw new ApiError("not_found");
        for (const topic of [cyclesTopic, cycleTopic(slot.cycle.id)]) tx.signal(topic);
        if (changed.testerId !== null) tx.signal(userTopic(changed.testerId));
        return slotAnswer(changed);
      });
    };
}
