import type { Proposal } from "../../../../src/contract/agent.ts";
import type { ProposalClaim, ProposalLife } from "../../../console/page-reads.ts";
import type { BadgeProps } from "../badges.tsx";

/** The claim that is held, or undefined if nobody holds one. */
export const heldClaim = (life: ProposalLife | undefined): ProposalClaim | undefined =>
  life?.claims.find(({ releasedAt }) => releasedAt === null);

/** Whether an agent may still act on the proposal, or already does. */
export const isOpenWork = ({ status }: Proposal, life: ProposalLife | undefined): boolean =>
  status === "approved" && !heldClaim(life)?.outcome;

/** How far a proposal is, in plain words. */
export function stateOf(proposal: Proposal, life: ProposalLife | undefined): BadgeProps {
  if (proposal.status === "approved") return workOf(heldClaim(life));
  return proposal.status === "awaiting_approval" ? waiting : (ends[proposal.decision ?? ""] ?? rejected);
}

function workOf(claim: ProposalClaim | undefined): BadgeProps {
  if (!claim) return { name: "Approved", kind: "good" };
  if (!claim.outcome) return { name: "In work", kind: "attention" };
  return claim.outcome.status === "succeeded"
    ? { name: "Succeeded", kind: "good" }
    : { name: "Failed", kind: "bad" };
}

const waiting: BadgeProps = { name: "Waiting for your decision", kind: "attention" };
const rejected: BadgeProps = { name: "Rejected", kind: "bad" };
const ends: Readonly<Record<string, BadgeProps>> = {
  replaced: { name: "Replaced by a newer one" },
  request_changes: { name: "Changes asked for" },
  recalled: { name: "Recalled" },
  expired: { name: "Expired" },
};
