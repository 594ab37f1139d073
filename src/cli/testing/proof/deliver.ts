import type { Client } from "../../../client/calls/call.ts";
import { ServerError } from "../../../client/errors.ts";
import type { Invocation } from "../../core/program/context.ts";
import { attempt, type Kept } from "../../delivery/attempt.ts";
import type { Delivery, Way } from "../../delivery/deliver.ts";
import { bodyOf, type Proof } from "./proof.ts";

/** The server's answer. Other servers may leave fields out. */
export type Receipt = Partial<Awaited<ReturnType<Client["tester"]["submitProof"]>>>;

/** Sends a kept proof. Removes it when the server has it, or has refused it permanently. */
export async function sendProof(invocation: Invocation, kept: Kept<Proof>): Promise<Delivery<Receipt>> {
  const delivery = await attempt(invocation, kept, asProof);
  if (!delivery.delivered && isFinal(delivery.error)) await kept.spool?.drop(kept.item.id);
  return delivery;
}

/** All servers with closed testing support the Idempotency-Key: a repeat gets the first answer. (rule H10) */
const asProof: Way<Proof, Receipt> = {
  bodyOf,
  send: (client, given) => client.tester.submitProof(given),
};

/** Whether the server refused the proof itself, and not its sender or its time. */
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
