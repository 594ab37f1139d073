import type { Proposal } from "../../../../src/contract/agent.ts";
import { Can } from "../../../console/can.tsx";
import { versionOf } from "../../../console/filled-form.ts";
import type { ProposalDelivery, ProposalLife } from "../../../console/page-reads.ts";
import { Badge } from "../badges.tsx";
import type { ThreadForms } from "../fields.tsx";
import { Decided } from "./decided.tsx";
import { DeliveryState } from "./proposal-delivery.tsx";
import { ProposalOrders } from "./proposal-orders.tsx";
import { stateOf } from "./proposal-state.ts";
import { ProposalWork } from "./proposal-work.tsx";

export interface ProposalStateProps {
  readonly proposal: Proposal;
  readonly life: ProposalLife | undefined;
}

/** How far a proposal is. The script keeps it up to date. */
export const ProposalState = ({ proposal, life }: ProposalStateProps) => {
  const state = stateOf(proposal, life);
  return (
    <span id={`state-${proposal.id}`} data-live={versionOf(state)}>
      <Badge {...state} />
    </span>
  );
};

export interface AfterDecisionProps extends ProposalStateProps {
  readonly deliveries: readonly ProposalDelivery[];
  readonly forms: ThreadForms;
  readonly address: string;
  readonly now: Date;
}

/** The decision on a proposal, the work that followed, and what a person can still do about it. */
export const AfterDecision = ({ proposal, life, deliveries, forms, address, now }: AfterDecisionProps) => (
  <>
    <Decided proposal={proposal} life={life} />
    <ProposalWork proposal={proposal} life={life} now={now} />
    <Can needs="maintainer">
      <ProposalOrders proposal={proposal} life={life} forms={forms} address={address} />
    </Can>
    <DeliveryState deliveries={deliveries} runId={proposal.id} />
  </>
);
