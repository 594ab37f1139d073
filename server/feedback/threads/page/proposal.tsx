import type { Proposal } from "../../../../src/contract/agent.ts";
import type { OwnedThread } from "../../../../src/contract/threads.ts";
import { Can } from "../../../console/can.tsx";
import type { ProposalDelivery, ProposalLife } from "../../../console/page-reads.ts";
import { Notice } from "../../../console/parts.tsx";
import { Timestamp } from "../../../console/timestamp.tsx";
import { comparedProposal } from "../../proposals/compared-proposal.ts";
import type { ThreadForms } from "../fields.tsx";
import { AfterDecision, ProposalState } from "./after-decision.tsx";
import { DecisionForm, DecisionRefused, UnsentNote } from "./proposal-decision.tsx";
import { heldClaim, isOpenWork } from "./proposal-state.ts";
import { ProposalText } from "./proposal-text.tsx";

export interface ProposalsProps {
  readonly thread: OwnedThread;
  readonly deliveries: readonly ProposalDelivery[];
  /** What happened to each proposal, by its id. */
  readonly lives: ReadonlyMap<string, ProposalLife>;
  readonly forms: ThreadForms;
  /** The address of the thread. */
  readonly address: string;
  readonly now: Date;
}

/** The newest proposal, exactly as the agent wrote it, with the decision or the form to make one. */
export const CurrentProposal = (props: ProposalsProps) => {
  const { thread, forms, address, lives } = props;
  const proposal = thread.latestProposal;
  if (!proposal) return null;
  const awaiting = proposal.status === "awaiting_approval";
  const compared = { id: proposal.id, readId: forms.readProposalId };
  const after = <AfterDecision {...props} proposal={proposal} life={lives.get(proposal.id)} />;
  return (
    <section
      class={awaiting ? "proposal awaiting" : "proposal"}
      id="proposal"
      aria-labelledby="proposal-title"
    >
      <header>
        <h2 id="proposal-title">Proposal</h2>
        <ProposalState proposal={proposal} life={lives.get(proposal.id)} />
        <span class="when">
          <Timestamp at={proposal.createdAt} />
        </span>
      </header>
      <div class="inside">
        <DecisionRefused forms={forms} proposals={thread.proposals} />
        <NewerThanRead forms={forms} proposal={proposal} />
        <OpenWork {...props} />
        {!awaiting && after}
        <ProposalText
          proposal={proposal}
          earlier={awaiting ? comparedProposal(thread.proposals, compared) : undefined}
        />
        {awaiting && after}
      </div>
      <Can needs="maintainer">
        {awaiting ? (
          <DecisionForm runId={proposal.id} form={forms.decision} action={`${address}/decision`} />
        ) : (
          <UnsentNote form={forms.decision} />
        )}
      </Can>
    </section>
  );
};

/** Shown while an older plan is still approved: a decision on the newest one does not end it. */
const OpenWork = ({ thread, lives }: ProposalsProps) => {
  const open = thread.proposals.findLast(
    (proposal) => proposal.id !== thread.latestProposal?.id && isOpenWork(proposal, lives.get(proposal.id)),
  );
  if (!open) return null;
  return (
    <Notice kind="attention">
      {heldClaim(lives.get(open.id))
        ? "An agent still works on an earlier proposal of this thread."
        : "An earlier proposal of this thread is still approved."}{" "}
      A decision here does not end that. <a href={`#run-${open.id}`}>Show it</a>
    </Notice>
  );
};

interface NewerThanReadProps {
  readonly forms: ThreadForms;
  readonly proposal: Proposal;
}

/** Shown when a newer proposal arrived while another part was sent: nobody has read the plan above the note. */
const NewerThanRead = ({
  forms: { readProposalId, decisionRefused, decision },
  proposal,
}: NewerThanReadProps) =>
  decisionRefused ||
  readProposalId === "" ||
  readProposalId === proposal.id ||
  decision.value("note") === "" ? null : (
    <Notice kind="attention">
      <b>A newer proposal replaced the one you read.</b> Your note is kept. Read the newer one before you
      decide.
    </Notice>
  );
