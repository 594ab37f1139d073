import { type ReadThreadDeps, readThread } from "../feedback/read-thread.ts";
import type { ProposalParts } from "../feedback/thread-parts.ts";
import { createSanitiser } from "../text/sanitise.ts";
import type { ProposalFields } from "./proposal-fields.ts";
import { hashOf, type KnownProposal } from "./proposals.ts";

export type ApprovedPlan = {
  readonly summary: string;
  readonly plan: string;
  /** SHA-256 of the plan's UTF-8 bytes, in hex, as the console shows it. */
  readonly sha256: string;
};

export interface PlanQuestion {
  readonly runId: string;
  readonly run: ProposalFields;
  readonly record: KnownProposal | undefined;
  /** The thread, if it is known. */
  readonly feedbackId: string | null;
  readonly nonce: string;
}

/**
 * The approved text, as the server gives it with the proposal. If it does not: the text on the thread, if its
 * latest proposal is this one; else the text that was sent from this machine, if it is certainly unchanged. Null if
 * no source is certain.
 */
export async function approvedPlanOf(
  { runId, run, record, feedbackId, nonce }: PlanQuestion,
  deps: ReadThreadDeps,
  signal: AbortSignal,
): Promise<ApprovedPlan | null> {
  if (run.plan !== null) return planFromServer(run, nonce);
  if (record?.verified) return sanitisedPlan(record, nonce);
  if (feedbackId === null) return null;
  const proposal = await latestProposalOf(feedbackId, deps, signal);
  return proposal?.id === runId && proposal.plan !== "" ? sanitisedPlan(proposal, nonce) : null;
}

/** A plan that does not match its hash is not used. */
function planFromServer({ summary, plan, planSha256 }: ProposalFields, nonce: string): ApprovedPlan | null {
  if (plan === null || (planSha256 !== null && planSha256 !== hashOf(plan))) return null;
  return sanitisedPlan({ summary: summary ?? "", plan }, nonce);
}

function sanitisedPlan(
  { summary, plan }: Pick<ApprovedPlan, "summary" | "plan">,
  nonce: string,
): ApprovedPlan {
  const { text } = createSanitiser(nonce);
  return { summary: text(summary), plan: text(plan), sha256: hashOf(plan) };
}

/** A thread that cannot be read now leaves the text unknown. */
async function latestProposalOf(
  id: string,
  deps: ReadThreadDeps,
  signal: AbortSignal,
): Promise<ProposalParts | null> {
  try {
    return (await readThread(id, deps, signal)).latestProposal;
  } catch (error) {
    if (signal.aborted) throw error;
    return null;
  }
}
