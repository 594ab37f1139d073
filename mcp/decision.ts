import { textAt, valueAt } from "../src/contract/json.ts";
import { type RunDecision, runDecisions } from "../src/contract/runs.ts";
import { createSanitiser, teamFence } from "../src/words/fence.ts";
import { idAt, instantAt, linkAt, oneOf, wordAt } from "./json.ts";
import { hashOf, type KnownProposal } from "./proposal-files.ts";
import { type ProposalParts, type ReadThreadDeps, readThread } from "./thread.ts";

/** The fields of an answer that depend on the decision of a person. */
interface Decided {
  readonly decision_note: string | null;
  readonly approved_plan: ApprovedPlan | null;
}

/** Returns an answer as text: a line of JSON, then the decision note and the approved text, both unchanged. */
export function decisionText(nonce: string, { approved_plan, decision_note, ...rest }: Decided): string {
  const sections = [
    ...(decision_note ? [{ heading: "decision_note", text: decision_note }] : []),
    ...(approved_plan
      ? [
          { heading: "summary", text: approved_plan.summary },
          { heading: `plan, sha256 ${approved_plan.sha256}`, text: approved_plan.plan },
        ]
      : []),
  ];
  const head = JSON.stringify(rest);
  return sections.length === 0 ? head : `${head}\n${teamFence(nonce, "what a person decided", sections)}`;
}

/** The checked fields of a proposal. A field that the server does not send is null. */
export interface ProposalFields {
  readonly status: string;
  readonly decision: RunDecision | null;
  /** The worker that has the claim; null if there is no claim. */
  readonly claimedBy: string | null;
  /** Whether a worker has reported how the work ended. */
  readonly isReported: boolean;
  readonly decisionNote: string | null;
  readonly decidedAt: string | null;
  readonly replacedBy: string | null;
  readonly feedbackId: string | null;
  readonly consoleUrl: string | null;
  readonly summary: string | null;
  readonly plan: string | null;
  /** SHA-256 of the plan, as the server computed it. */
  readonly planSha256: string | null;
}

export const proposalFieldsOf = (run: unknown): ProposalFields => ({
  status: wordAt(run, "status"),
  decision: oneOf(runDecisions, textAt(run, "decision")),
  claimedBy: valueAt(run, "claim", "releasedAt") ? null : textAt(run, "claim", "worker") || null,
  isReported: Boolean(valueAt(run, "outcome")),
  decisionNote: textAt(run, "decisionNote") || null,
  decidedAt: instantAt(run, "decidedAt"),
  replacedBy: idAt(run, "replacedBy"),
  feedbackId: idAt(run, "feedbackId"),
  consoleUrl: linkAt(run, "consoleUrl"),
  summary: textAt(run, "summary") || null,
  plan: textAt(run, "plan") || null,
  planSha256: idAt(run, "planSha256"),
});

type ApprovedPlan = {
  readonly summary: string;
  readonly plan: string;
  /** SHA-256 of the plan's UTF-8 bytes, in hex, as the console shows it. */
  readonly sha256: string;
};

/**
 * Returns the approved text, or null if it is not certain which text was approved. Usually, the proposal
 * contains the text. A server with only the base API does not send it. In that case, this function uses the
 * text that this machine sent, if the record of that text is verified. Otherwise it uses the latest proposal on
 * the thread, if its id is `runId`. (rule L10)
 */
export async function approvedPlanOf(
  {
    runId,
    run,
    record,
    feedbackId,
    nonce,
  }: {
    readonly runId: string;
    readonly run: ProposalFields;
    readonly record: KnownProposal | undefined;
    /** The thread, if it is known. */
    readonly feedbackId: string | null;
    readonly nonce: string;
  },
  deps: ReadThreadDeps,
  signal: AbortSignal,
): Promise<ApprovedPlan | null> {
  if (run.plan !== null) return planFromServer(run, nonce);
  if (record?.verified) return sanitisedPlan(record, nonce);
  if (feedbackId === null) return null;
  const proposal = await latestProposalOf(feedbackId, deps, signal);
  return proposal?.id === runId && proposal.plan !== "" ? sanitisedPlan(proposal, nonce) : null;
}

/**
 * Returns the plan that the server sent. Returns null if it sent no plan, or if the plan does not match its
 * hash.
 */
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

/**
 * Returns the latest proposal on the thread. Returns null if the thread cannot be read now. Throws if the call was
 * cancelled.
 */
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

/** The sentences about the next step of the agent. They are constants, so they contain no untrusted text. */
export const nextSteps = {
  posted:
    "A person decides in the console. Do not act on the plan yet. Call get_decision with run_id and wait_seconds.",
  approvedBefore:
    "This text is already approved. Call get_decision with run_id, then carry out approved_plan.",
  approved:
    "Proceed: carry out approved_plan. Where decision_note differs from the plan, follow decision_note.",
  claimed:
    "Do not carry out the plan: a worker has claimed this run. If that worker was you, continue as start_work said, or call start_work with your claim_id. Without a claim_id, call start_work without it: the answer says whether you may continue. Otherwise do not work on this run.",
  reported: "Do not carry out the plan: its outcome is reported already. Tell the user.",
  approvedToClaim:
    "Approved. Call start_work with run_id before you act: only one worker gets the claim. Then carry out the approved_plan that start_work returns.",
  approvedWithoutText:
    "Approved, but the approved text is not certain. Do not act. Call get_decision once more with `feedback` set to the thread's id or console link; if may_proceed stays false, give the user console_url and propose the plan again.",
  rejected: "Stop. Do not carry out the plan. Tell the user and quote decision_note.",
  changes:
    "Do not carry out this plan: a person asks for changes. Follow decision_note, then call propose_plan with the new plan and expected_run_id set to this run_id.",
  recalled: "Stop. A person withdrew the approval. Do not carry out the plan. Tell the user.",
  expired:
    "Stop. The approval expired before the work was started. If the plan is still wanted, call propose_plan with expected_run_id set to this run_id; a person decides again.",
  superseded: "Stop. A newer proposal replaced this one. Call get_decision with superseded_by as run_id.",
  awaiting:
    "No decision yet. Do not act on the plan. Call get_decision again with wait_seconds, or end your turn and give the user console_url.",
  unknown: "Unknown status. Do not proceed. Tell the user.",
} as const;

/** Returns the next step of the agent. The agent may proceed only if the status is `approved`. (rule A12) */
export function nextStepFor({
  status,
  decision,
  replacedBy,
  textKnown,
  claims,
}: {
  readonly status: string;
  readonly decision: string | null;
  readonly replacedBy: string | null;
  /** Whether the approved text is known. */
  readonly textKnown: boolean;
  /** Whether the agent has the tools for claims: `start_work` and `report_outcome`. */
  readonly claims: boolean;
}): string {
  if (status === "approved" && !textKnown) return nextSteps.approvedWithoutText;
  if (status === "approved") return claims ? nextSteps.approvedToClaim : nextSteps.approved;
  if (status === "rejected" && replacedBy) return nextSteps.superseded;
  if (status === "rejected") return afterDecision(decision);
  if (status === "awaiting_approval") return nextSteps.awaiting;
  return nextSteps.unknown;
}

/** Returns the next step after a rejection. On a server with only the base API, `decision` is null. */
function afterDecision(decision: string | null): string {
  if (decision === "request_changes") return nextSteps.changes;
  if (decision === "recalled" || decision === "expired") return nextSteps[decision];
  return nextSteps.rejected;
}
