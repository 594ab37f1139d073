import type { AuditActionName } from "../../../src/contract/audit.ts";
import type { slots as contract, OwnedSlot } from "../../../src/contract/cycles.ts";
import { ApiError } from "../../../src/contract/errors.ts";
import { users } from "../../access/accounts/store.ts";
import { createAuditWriter } from "../../access/audit/record.ts";
import { members } from "../../access/members/store.ts";
import type { Viewer } from "../../access/members/visibility.ts";
import type { Transaction } from "../../database/database.ts";
import { isConflict } from "../../database/errors.ts";
import { cyclesTopic, cycleTopic, userTopic } from "../../database/signals.ts";
import type { Deps } from "../../deps.ts";
import { type Handlers, type Request, withTraits } from "../../http/handler.ts";
import { sendsMail } from "../../mail/outgoing/queue.ts";
import { normaliseEmail } from "../../secrets/passwords.ts";
import { hashOf, mintCredential } from "../../secrets/secrets.ts";
import { type Happening, recordEvent } from "../../webhooks/events/record.ts";
import { slotAnswer } from "./answer.ts";
import { type CycleRow, cycles, dueChanges } from "./store.ts";
import { dayStartsOfRow, todayOf } from "../days/rules.ts";
import { acceptsTesters } from "../days/slots-rules.ts";
import { type Activation, slots as rows } from "./slots-store.ts";

export function slots(
  deps: Pick<Deps, "clock" | "newId" | "sealer" | "settings">,
): Handlers<typeof contract> {
  const change = createChange(deps);
  const now = () => deps.clock.now().toISOString();
  return {
    accept: withTraits(
      catchesUpSlot,
      change("slot.accept", (tx, slot) => acceptSlot(deps, tx, slot), filled),
    ),
    decline: withTraits(
      catchesUpSlot,
      change("slot.decline", (tx, { id }) => rows.decline(tx, id, now())),
    ),
    remove: withTraits(
      catchesUpSlot,
      change("slot.remove", (tx, slot) => removeSlot(deps, tx, slot), removed),
    ),
    rotateKey: withTraits(
      catchesUpSlot,
      change("slot.rotate_key", (tx, slot) => rotateKey(deps, tx, slot)),
    ),
    confirmJoin: withTraits(
      catchesUpSlot,
      change("slot.confirm_join", (tx, { id }) => rows.confirmJoin(tx, id)),
    ),

    assign: withTraits({ ...catchesUpSlot, keptRefusals: ["own_listing"] }, async (request) => {
      const chosen = { email: request.body.email };
      const assign = change("slot.assign", (tx, slot) => assignSlot(deps, tx, { slot, ...chosen }), filled);
      try {
        return await assign(request);
      } catch (error) {
        // The tester got another slot of this cycle at the same moment.
        throw isConflict(error) ? new ApiError("already_in_cycle", {}, { cause: error }) : error;
      }
    }),
  };
}

const filled = { type: "seat.filled", facts: {} } as const;
const removed = { type: "seat.removed", facts: { because: "owner" } } as const;

const catchesUpSlot = { catchesUp: { of: "slot", by: "params.slotId" } } as const;

/** Changes a slot. Returns false if the state of the slot does not allow the change. */
type Work = (tx: Transaction, slot: SlotInCycle) => Promise<boolean>;

/** A request that changes a slot. Its body may be of any type. */
type SlotChangeRequest = Pick<Request<typeof contract.accept>, "caller" | "address" | "params"> & {
  save(work: (tx: Transaction) => Promise<OwnedSlot>): Promise<OwnedSlot>;
};

/**
 * Creates handlers that change one slot and record the change in the audit. They throw `wrong_state` if the change is
 * not possible.
 */
function createChange(deps: Pick<Deps, "clock" | "newId">) {
  const record = createAuditWriter(deps);
  return (action: AuditActionName, work: Work, event?: Pick<Happening, "type" | "facts">) =>
    async ({ caller, address, params, save }: SlotChangeRequest): Promise<OwnedSlot> => {
      return save(async (tx) => {
        const slot = await lockedSlot(tx, params.slotId, caller);
        if (!(await work(tx, slot))) throw new ApiError("wrong_state");
        const { appId } = slot.cycle;
        await record(tx, { caller, address }, { action, appId, target: slot.id });
        const changed = await rows.find(tx, slot.id);
        if (!changed) throw new ApiError("not_found");
        if (event)
          await recordEvent(deps, tx, {
            ...{ appId, type: event.type, subjectId: slot.id, at: deps.clock.now().toISOString() },
            by: caller.userId,
            facts: { cycleId: slot.cycle.id, seat: changed.seat, ...event.facts },
          });
        for (const topic of [cyclesTopic, cycleTopic(slot.cycle.id)]) tx.signal(topic);
        if (changed.testerId !== null) tx.signal(userTopic(changed.testerId));
        return slotAnswer(changed);
      });
    };
}

type SlotsDeps = Pick<Deps, "clock" | "newId" | "sealer" | "settings">;

/** A slot and its cycle. */
interface SlotInCycle {
  readonly id: string;
  readonly cycle: CycleRow;
}

/**
 * Locks the cycle of a slot and returns the slot, if the viewer is a member of its app. Throws `not_found` otherwise.
 */
async function lockedSlot(tx: Transaction, id: string, viewer: Viewer): Promise<SlotInCycle> {
  const found = await rows.findCycle(tx, id, viewer);
  if (!found) throw new ApiError("not_found");
  await tx.lock(`cycle:${found.cycleId}`);
  const cycle = await cycles.find(tx, found.cycleId, viewer);
  if (!cycle) throw new ApiError("not_found");
  return { id, cycle };
}

/**
 * Assigns a slot to the tester who requested it. Returns false if the request no longer exists or the cycle is over.
 */
async function acceptSlot(deps: SlotsDeps, tx: Transaction, { id, cycle }: SlotInCycle): Promise<boolean> {
  const now = deps.clock.now();
  return isUnderWay(cycle, now) && rows.accept(tx, id, activation(deps, cycle, now));
}

/**
 * Removes the tester of a slot. If the last day is not over, adds an open slot that replaces the removed one. Returns
 * false if the slot has no tester. (rule T8)
 */
async function removeSlot(deps: SlotsDeps, tx: Transaction, { id, cycle }: SlotInCycle): Promise<boolean> {
  const now = deps.clock.now();
  const at = now.toISOString();
  if (!(await rows.remove(tx, id, at))) return false;
  const removed = await rows.find(tx, id);
  if (removed && isUnderWay(cycle, now))
    await dueChanges.openSlot(tx, { id: deps.newId(), cycleId: cycle.id, seat: removed.seat, createdAt: at });
  return true;
}

/** Replaces the test key of a slot. Returns false if the slot has no tester. */
function rotateKey({ sealer }: SlotsDeps, tx: Transaction, { id }: SlotInCycle): Promise<boolean> {
  const { keyHash, keySealed } = freshKey(sealer);
  return rows.rotateKey(tx, id, { keyHash, keySealed });
}

/**
 * Assigns an open slot to the account with this e-mail address. Throws `not_found` if there is no such account. Also
 * throws `email_unverified`, `own_listing`, `cycle_not_open`, `already_in_cycle` and `slot_taken`. (rule T7)
 */
async function assignSlot(
  deps: SlotsDeps,
  tx: Transaction,
  { slot, email }: { readonly slot: SlotInCycle; readonly email: string },
): Promise<true> {
  const { id, cycle } = slot;
  const now = deps.clock.now();
  const tester = await users.findByEmail(tx, normaliseEmail(email));
  if (!tester) throw new ApiError("not_found", { message: unknownAccount });
  // Anybody can create an account with any address, and only the owner of this address may get the slot.
  if (sendsMail(deps.settings) && !(await users.isVerified(tx, tester.id)))
    throw new ApiError("email_unverified", { message: unverifiedAccount });
  if (await members.roleOf(tx, cycle.appId, tester.id)) throw new ApiError("own_listing");
  if (!isUnderWay(cycle, now)) throw new ApiError("cycle_not_open");
  if (await rows.isIn(tx, cycle.id, tester.id)) throw new ApiError("already_in_cycle");
  if (!(await rows.assign(tx, id, { testerId: tester.id, ...activation(deps, cycle, now) })))
    throw new ApiError("slot_taken");
  return true;
}

const unknownAccount =
  "There is no account with this e-mail address. Ask the tester to create one, then assign the slot again.";

const unverifiedAccount =
  "The e-mail address of this account is not verified yet. Ask the tester to set a new password by mail, and then assign the slot again. Or ask the tester to request the slot.";

const isUnderWay = (cycle: CycleRow, now: Date): boolean =>
  acceptsTesters({ status: cycle.status, dayStarts: dayStartsOfRow(cycle) }, now.toISOString());

const activation = ({ sealer }: SlotsDeps, cycle: CycleRow, now: Date): Activation => ({
  at: now.toISOString(),
  fromDay: todayOf({ ...cycle, dayStarts: dayStartsOfRow(cycle) }, now),
  ...freshKey(sealer),
});

function freshKey(sealer: SlotsDeps["sealer"]) {
  const key = mintCredential("stk_");
  return { keyHash: hashOf(key), keySealed: sealer.seal(key) };
}
