import type { Client } from "../../../client/calls/call.ts";
import { ServerError } from "../../../client/errors.ts";
import type { Invocation } from "../../core/program/context.ts";
import { attempt, type Kept } from "../../delivery/attempt.ts";
import { type Delivery, deliverContent } from "../../delivery/deliver.ts";
import { bodyOf, type Proof } from "./proof.ts";

/** What the server answered. One of the specification alone may tell less. */
export type Receipt = Partial<Awaited<ReturnType<Client["tester"]["submitProof"]>>>;

/**
 * Sends a kept proof. It is dropped once the server has it, and once the server has refused it for good: sent again it
 * would be refused again.
 */
export async function sendProof(invocation: Invocation, kept: Kept<Proof>): Promise<Delivery<Receipt>> {
  const delivery = await attempt(invocation, kept, deliver);
  if (!delivery.delivered && isFinal(delivery.error)) await kept.spool?.drop(kept.item.id);
  return delivery;
}

/** Every server of closed testing knows the Idempotency-Key: a repeat is answered, not taken twice. (rule H10) */
const deliver = (invocation: Invocation, proof: Proof): Promise<Delivery<Receipt>> =>
  deliverContent<Receipt>(invocation, bodyOf(proof), {
    send: (given) =>
      invocation.client().tester.submitProof({ ...given, idempotencyKey: proof.idempotencyKey }),
  });

/** Whether the server has judged the proof itself, not who sends it or when. */
export const isFinal = (error: Error): boolean =>
  error instanceof ServerError &&
  error.status >= 400 &&
  error.status < 500 &&
  !mayPass.statuses.includes(error.status) &&
  !mayPass.codes.includes(error.code);

const mayPass = {
  statuses: [401, 408, 421, 425, 429],
  codes: ["insufficient_scope", "forbidden", "idempotency_in_progress"],
};
