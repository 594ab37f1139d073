import type { Transaction } from "../../database/database.ts";
import { runClaims } from "../../feedback/agent-work/store/claims.ts";
import { expiredApprovals } from "../../feedback/proposals/expired-approvals.ts";
import { later } from "../../feedback/proposals/proposal.ts";
import { type Recording, recordServerStep } from "../../feedback/proposals/server-step.ts";
import { type ProposalRow, proposals } from "../../feedback/proposals/store.ts";
import type { Cells, Key } from "./find.ts";
import type { Person } from "./person.ts";

/** Lets no other step of the proposal's thread happen until the transaction ends. */
export async function lockThreadOf(tx: Transaction, [id = ""]: Key): Promise<void> {
  const run = await proposals.findOwned(tx, id);
  if (run) await tx.lock(run.feedbackId);
}

/** What a person reads and an agent carries out. */
const words = ["summary", "plan", "decision_note"] as const;

const note = "An address was erased from this proposal. Propose it again if it is still wanted.";

/**
 * Ends a proposal whose words have just been changed, unless its work is done: no person has read the words that are left. One that
 * waits is sent back, and an approval is recalled, also from a worker. (rule P12)
 */
export async function endChangedProposal(
  tx: Transaction,
  { person: { finder }, row }: { readonly person: Person; readonly row: Cells },
  recording: Recording,
): Promise<void> {
  if (!words.some((column) => finder.isIn(row[column] ?? null))) return;
  const run = await proposals.findOwned(tx, row.id ?? "");
  if (!run || run.status === "rejected" || run.outcomeStatus !== null) return;
  if (run.status === "approved" && (await expiredApprovals.store(tx, run, recording))) return;
  const ended = { note, at: later(recording.now, latestOf(run)).toISOString(), by: null } as const;
  if (run.status === "awaiting_approval") {
    const decision = "request_changes";
    await proposals.decide(tx, run.id, { ...ended, status: "rejected", decision, expiresAt: null });
    return recordServerStep(tx, run, { ...recording, action: "run.request_changes", decision });
  }
  if (run.claimId !== null && run.releasedAt === null) {
    await runClaims.release(tx, run.claimId, ended);
    await recordServerStep(tx, run, { ...recording, action: "run.release" });
  }
  await proposals.recall(tx, run.id, ended);
  return recordServerStep(tx, run, { ...recording, action: "run.recall", decision: "recalled" });
}

const latestOf = ({ decidedAt, claimedAt }: ProposalRow): string | null =>
  [decidedAt, claimedAt]
    .filter((at) => at !== null)
    .sort()
    .at(-1) ?? null;
