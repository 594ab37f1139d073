import type { Deps } from "./deps.ts";
import { newNonce } from "./nonce.ts";
import { hashOf, type ProposalRecord } from "./proposals.ts";
import { readThread } from "./read-thread.ts";
import { createSanitiser } from "./sanitise.ts";
import type { ProposalParts } from "./thread-parts.ts";

export type ApprovedPlan = {
  readonly summary: string;
  readonly plan: string;
  /** Of the plan's UTF-8 bytes, in hex. */
  readonly sha256: string;
};

export interface PlanQuestion {
  readonly runId: string;
  readonly record: ProposalRecord | undefined;
  /** The thread, where the caller named it. */
  readonly feedbackId: string | undefined;
}

/**
 * The text that was approved: as it was sent from here, or, where that is not remembered, as the thread shows it, if its
 * latest proposal is this run. Null where neither is to be had.
 */
export async function approvedPlanOf(
  { runId, record, feedbackId }: PlanQuestion,
  deps: Deps,
  signal: AbortSignal,
): Promise<ApprovedPlan | null> {
  if (record) return { summary: record.summary, plan: record.plan, sha256: record.sha256 };
  const id = feedbackId ?? deps.threadOfRun.get(runId);
  if (id === undefined) return null;
  const proposal = await latestProposalOf(id, deps, signal);
  if (proposal?.id !== runId || proposal.plan === "") return null;
  const { text } = createSanitiser(newNonce());
  const plan = text(proposal.plan);
  return { summary: text(proposal.summary), plan, sha256: hashOf(plan) };
}

/** A thread that cannot be read now must not hide that the plan is approved. */
async function latestProposalOf(id: string, deps: Deps, signal: AbortSignal): Promise<ProposalParts | null> {
  try {
    return (await readThread(id, deps, signal)).latestProposal;
  } catch (error) {
    if (signal.aborted) throw error;
    return null;
  }
}
