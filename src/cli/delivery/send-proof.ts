import { routes } from "../../client/routes.ts";
import type { Invocation } from "../core/context.ts";
import { isStart } from "../core/ids.ts";
import { note, printOne } from "../core/output.ts";
import { type DraftFlags, draftOf } from "./draft.ts";
import { bodyOf, noSlot, type Proof } from "./proof.ts";
import { type Receipt, sendProof, withSlot } from "./proof-deliver.ts";
import { openProofSpool } from "./proof-spool.ts";
import { undelivered } from "./proof-undelivered.ts";
import { keep, remind } from "./send.ts";

export type SubmitFlags = DraftFlags;

/** Checks, keeps and sends one proof. */
export async function submit(
  invocation: Invocation,
  flags: SubmitFlags,
  given: string | undefined,
): Promise<undefined> {
  // Whatever needs the server comes after the proof is kept.
  const isWhole = given !== undefined && !isStart(given);
  const draft = await draftOf(invocation, flags, isWhole ? given : noSlot);
  const proof = proofOf(invocation, { ...draft, ...(!isWhole && { wantedSlot: given ?? "" }) });
  if (invocation.flags.dryRun) await preview(invocation, proof);

  const spool = openProofSpool(invocation);
  const kept = await keep(invocation, proof, spool);
  const delivery = await sendProof(invocation, kept);
  if (!delivery.delivered) throw noteInterruption(invocation, undelivered(kept, delivery));
  printReceipt(invocation, delivery.answer);
  await remind(invocation, spool);
}

type Draft = Pick<Proof, "fields" | "images" | "wantedSlot">;

function proofOf({ context, flags, baseUrl }: Invocation, draft: Draft): Proof {
  const id = context.newId();
  return {
    ...draft,
    id,
    createdAt: context.clock.now().toISOString(),
    baseUrl: baseUrl(),
    idempotencyKey: flags.idempotencyKey ?? id,
    lastTry: null,
  };
}

/** For `--dry-run`: ends the command at the request that it would send, with files only named. */
export async function preview(invocation: Invocation, proof: Proof): Promise<void> {
  const content = bodyOf(await withSlot(invocation, proof));
  await invocation.sender()(routes.tester.submitProof, { content });
}

/** Reports an interruption: an interrupted program prints nothing else. */
export function noteInterruption(invocation: Invocation, failure: Error): Error {
  if (invocation.context.signal.aborted) note(invocation, failure.message);
  return failure;
}

export function printReceipt(invocation: Invocation, receipt: Receipt): void {
  const { dayIndex, proofId } = receipt;
  const day = dayIndex === undefined ? "The proof was taken." : `Day ${dayIndex} is counted.`;
  if (!invocation.flags.json && proofId) note(invocation, day);
  printOne(invocation, receipt, () => proofId ?? day);
}
