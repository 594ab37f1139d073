import { type Exit, usageError } from "../core/cli-error.ts";
import type { Invocation } from "../core/context.ts";
import { type Column, printList } from "../core/output.ts";
import { onOneLine } from "../core/plain-text.ts";
import type { Proof } from "./proof.ts";
import {
  discardFrom,
  itemsForHere,
  noteIncomplete,
  refuseOtherServer,
  resendEach,
  type Sent,
} from "./resend.ts";
import { noteInterruption, preview, printReceipt, sendProof, undelivered } from "./send-proof.ts";
import { keptItem, type Spool } from "./spool.ts";
import { openProofSpool } from "./spools.ts";

export interface ResendFlags {
  readonly all?: boolean;
  readonly list?: boolean;
}

/**
 * Sends kept proofs again, each with its first key, so that a proof that arrived gets its answer and no refusal.
 */
export async function resend(invocation: Invocation, { all, list }: ResendFlags, id?: string): Promise<Exit> {
  const spool = openProofSpool(invocation);
  if (list) return listKept(invocation, spool);
  if (id && !all) return resendOne(invocation, spool, await keptItem(spool, id));
  if (all && !id) return resendAll(invocation, spool);
  throw usageError("Name one proof, or give --all alone.", "innkeep proof resend --list");
}

async function listKept(invocation: Invocation, spool: Spool<Proof>): Promise<Exit> {
  const { items, damaged } = await spool.list();
  noteIncomplete(invocation, spool.kind, damaged);
  return printKept(invocation, items);
}

function printKept(invocation: Invocation, proofs: readonly Proof[]): Exit {
  const rows = proofs.map(({ id, baseUrl, fields, images, lastTry, wantedSlot }) => ({
    id,
    ...fields,
    slotId: wantedSlot === undefined ? fields.slotId : wantedSlot || null,
    images: images.map(({ name }) => name),
    outcome: lastTry?.outcome ?? null,
    why: lastTry?.why ?? null,
    baseUrl,
  }));
  const columns: readonly Column<(typeof rows)[number]>[] = [
    { heading: "id", of: (row) => row.id },
    { heading: "slot", of: ({ slotId }) => slotId ?? "the only one" },
    { heading: "taken", of: ({ capturedAt }) => capturedAt },
    { heading: "images", of: ({ images }) => images.length },
    { heading: "state", of: ({ outcome }) => outcome },
    { heading: "why", of: ({ why }) => why },
    { heading: "server", of: ({ baseUrl }) => baseUrl },
  ];
  printList(invocation, { items: rows, columns });
  return "ok";
}

async function resendOne(invocation: Invocation, spool: Spool<Proof>, stored: Proof): Promise<Exit> {
  refuseOtherServer(invocation, spool.kind, stored);
  const item = { ...stored, idempotencyKey: invocation.flags.idempotencyKey ?? stored.idempotencyKey };
  if (invocation.flags.dryRun) await preview(invocation, item);
  const kept = { item, spool };
  const delivery = await sendProof(invocation, kept);
  if (!delivery.delivered) throw noteInterruption(invocation, undelivered(kept, delivery));
  printReceipt(invocation, delivery.answer);
  return "ok";
}

interface Resent {
  readonly proof: string;
  readonly sent: boolean;
  readonly dayIndex: number | null;
  readonly why: string | null;
}

async function resendAll(invocation: Invocation, spool: Spool<Proof>): Promise<Exit> {
  const proofs = await itemsForHere(invocation, spool);
  if (invocation.flags.dryRun) return printKept(invocation, proofs);
  const { rows, left, failure } = await resendEach(proofs, (item) => resendNext(invocation, item, spool));
  printList(invocation, { items: rows, columns: resentColumns, extra: { left } });
  return failure?.exit ?? "ok";
}

const resentColumns: readonly Column<Resent>[] = [
  { heading: "proof", of: ({ proof }) => proof },
  { heading: "sent", of: ({ sent }) => (sent ? "yes" : "no") },
  { heading: "day", of: ({ dayIndex }) => dayIndex },
  { heading: "why", of: ({ why }) => why },
];

async function resendNext(invocation: Invocation, item: Proof, spool: Spool<Proof>): Promise<Sent<Resent>> {
  const kept = { item, spool };
  const delivery = await sendProof(invocation, kept);
  if (delivery.delivered) {
    const { dayIndex = null } = delivery.answer;
    return { row: { proof: item.id, sent: true, dayIndex, why: null } };
  }
  const failure = undelivered(kept, delivery);
  const { dayIndex = null } = failure.details;
  return { row: { proof: item.id, sent: false, dayIndex, why: onOneLine(delivery.error.message) }, failure };
}

/** Deletes a kept proof. */
export const discard = (invocation: Invocation, _: object, id: string): Promise<undefined> =>
  discardFrom(invocation, openProofSpool(invocation), id);
