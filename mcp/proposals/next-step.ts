/** What the agent does next, by the decision. The sentences are constant, so that nothing can be inserted. */
export const nextSteps = {
  posted:
    "A person decides in the console. Do not act on the plan yet. Call get_decision with run_id and wait_seconds.",
  approvedBefore:
    "This text is already approved. Call get_decision with run_id, then carry out approved_plan.",
  approved:
    "Proceed: carry out approved_plan. Where decision_note differs from the plan, follow decision_note.",
  approvedWithoutText:
    "Approved, but nobody here can vouch for the approved text. Do not act. Call get_decision once more with `feedback` set to the thread's id or console link; if may_proceed stays false, give the user console_url and propose the plan anew.",
  rejected: "Stop. Do not carry out the plan. Tell the user and quote decision_note.",
  superseded: "Stop. A newer proposal replaced this one. Call get_decision with superseded_by as run_id.",
  awaiting:
    "No decision yet. Do not act on the plan. Call get_decision again with wait_seconds, or end your turn and give the user console_url.",
  unknown: "Unknown status. Do not proceed. Tell the user.",
} as const;

export interface DecisionState {
  readonly status: string;
  readonly replacedBy: string | null;
  /** Whether the approved text is known. */
  readonly textKnown: boolean;
}

export function nextStepFor({ status, replacedBy, textKnown }: DecisionState): string {
  if (status === "approved") return textKnown ? nextSteps.approved : nextSteps.approvedWithoutText;
  if (status === "rejected") return replacedBy ? nextSteps.superseded : nextSteps.rejected;
  if (status === "awaiting_approval") return nextSteps.awaiting;
  return nextSteps.unknown;
}
