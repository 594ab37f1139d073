import type { Client } from "../client/call.ts";
import type { OwnedSlot } from "../contract/cycles.ts";
import { confirm } from "./core/confirm.ts";
import type { Invocation } from "./core/context.ts";
import { details } from "./core/details.ts";
import { note, printOne } from "./core/output.ts";
import { slotIdOf } from "./ids.ts";

type Slots = Client["slots"];
type Verb = Exclude<keyof Slots, "assign">;

interface Change {
  readonly call: (slots: Slots, slotId: string) => Promise<OwnedSlot>;
  /** The question before an action that takes something from a tester. */
  readonly question?: string;
  readonly done: string;
}

const changes: Readonly<Record<Verb, Change>> = {
  accept: {
    call: (slots, slotId) => slots.accept({ params: { slotId }, body: {} }),
    done: "The tester has the slot.",
  },
  decline: {
    call: (slots, slotId) => slots.decline({ params: { slotId }, body: {} }),
    question: "Decline the request for this slot?",
    done: "Declined. The slot is open again.",
  },
  remove: {
    call: (slots, slotId) => slots.remove({ params: { slotId }, body: {} }),
    question: "Remove the tester from this slot permanently?",
    done: "Removed. Another slot is open in its place.",
  },
  rotateKey: {
    call: (slots, slotId) => slots.rotateKey({ params: { slotId }, body: {} }),
    question: "Replace the test key? The old one stops working at once.",
    done: "The tester reads the new test key from now on.",
  },
  confirmJoin: {
    call: (slots, slotId) => slots.confirmJoin({ params: { slotId }, body: {} }),
    done: "Confirmed that the tester has joined the store's test.",
  },
};

/** An action on one slot. */
export const changeSlot =
  (verb: Verb) =>
  async (invocation: Invocation, _: object, given: string): Promise<undefined> => {
    const slotId = await slotIdOf(invocation, given);
    const { call, question, done } = changes[verb];
    if (question) await confirm(invocation, question);
    print(invocation, await call(invocation.client().slots, slotId), done);
  };

export async function assignSlot(
  invocation: Invocation,
  { email }: { readonly email: string },
  given: string,
): Promise<undefined> {
  const slotId = await slotIdOf(invocation, given);
  const slot = await invocation.client().slots.assign({ params: { slotId }, body: { email } });
  print(invocation, slot, `The slot is ${email}'s.`);
}

function print(invocation: Invocation, slot: OwnedSlot, done: string): void {
  note(invocation, done);
  printOne(invocation, slot, () =>
    details({ slot: slot.slotId, number: slot.seat, status: slot.status, tester: slot.tester?.email }),
  );
}
