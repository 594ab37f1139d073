import type { Client } from "../../client/call.ts";
import { ServerError } from "../../client/errors.ts";
import { CliError } from "../core/cli-error.ts";
import type { Invocation } from "../core/context.ts";
import { ownSlotId } from "../testing/slot-id.ts";
import type { Delivery, Way } from "./deliver.ts";
import { bodyOf, type Proof } from "./proof.ts";
import { attempt, type Kept } from "./send.ts";

/** The server's answer. Other servers may leave fields out. */
export type Receipt = Partial<Awaited<ReturnType<Client["tester"]["submitProof"]>>>;

/** Sends a kept proof. Removes it when the server has it, or has refused it permanently. */
export async function sendProof(invocation: Invocation, kept: Kept<Proof>): Promise<Delivery<Receipt>> {
  const delivery = await sendToSlot(invocation, kept);
  if (!delivery.delivered && isFinal(delivery.error)) await kept.spool?.drop(kept.item.id);
  return delivery;
}

/** Asks for the id of the slot first if only its start, or nothing, was given. */
async function sendToSlot(invocation: Invocation, { item, spool }: Kept<Proof>): Promise<Delivery<Receipt>> {
  let resolved: Proof;
  try {
    resolved = await withSlot(invocation, item);
  } catch (cause) {
    const error = cause instanceof Error ? cause : new Error(String(cause));
    const at = invocation.context.clock.now().toISOString();
    return { delivered: false, error, lastTry: { at, outcome: "unsent", why: error.message } };
  }
  return attempt(invocation, { item: resolved, spool }, asProof);
}

/** The proof with the whole id of its slot. Throws a CliError if the tester has no such slot, or several. */
export async function withSlot(invocation: Invocation, { wantedSlot, ...proof }: Proof): Promise<Proof> {
  if (wantedSlot === undefined) return proof;
  const slotId = await ownSlotId(invocation, wantedSlot === "" ? undefined : wantedSlot);
  return { ...proof, fields: { ...proof.fields, slotId } };
}

/** All servers with closed testing support the Idempotency-Key: a repeat gets the first answer. (rule H10) */
const asProof: Way<Proof, Receipt> = {
  bodyOf,
  send: (client, given) => client.tester.submitProof(given),
};

/** Whether the server refused the proof itself, and not its sender or its time, or it has no slot. */
export const isFinal = (error: Error): boolean =>
  (error instanceof CliError && (error.exit === "usage" || error.exit === "notFound")) || isRefused(error);

const isRefused = (error: Error): boolean =>
  error instanceof ServerError &&
  error.status >= 400 &&
  error.status < 500 &&
  !mayPass.statuses.includes(error.status) &&
  !mayPass.codes.includes(error.code);

const mayPass = {
  statuses: [401, 408, 421, 425, 429],
  codes: ["insufficient_scope", "forbidden", "idempotency_in_progress"],
};
