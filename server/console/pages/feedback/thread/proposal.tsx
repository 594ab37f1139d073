import type { Proposal } from "../../../../../src/contract/agent.ts";
import type { OwnedThread } from "../../../../../src/contract/console/feedback.ts";
import type { ProposalDelivery } from "../../../../routes/page-reads.ts";
import { hashOf } from "../../../../secrets/secrets.ts";
import { Timestamp } from "../../../kit/display/timestamp.tsx";
import { HiddenCount, Line, UserText } from "../../../kit/display/user-text.tsx";
import { Notice } from "../../../kit/layout/notice.tsx";
import { ProposalBadge } from "../feedback-badges.tsx";
import type { ThreadForms } from "./form-parts.ts";
import { DecisionForm, DecisionRefused, UnsentNote } from "./proposal-decision.tsx";
import { DeliveryState } from "./proposal-delivery.tsx";

interface EarlierProposalsProps {
  readonly thread: OwnedThread;
  readonly deliveries: readonly ProposalDelivery[];
}

interface CurrentProposalProps extends EarlierProposalsProps {
  readonly forms: ThreadForms;
  /** The address of the thread. */
  readonly address: string;
}

/** The newest proposal, exactly as the agent wrote it, with the decision or the form to make one. */
export const CurrentProposal = ({ thread, forms, deliveries, address }: CurrentProposalProps) => {
  const proposal = thread.latestProposal;
  if (!proposal) return null;
  const awaiting = proposal.status === "awaiting_approval";
  return (
    <section
      class={awaiting ? "proposal awaiting" : "proposal"}
      id="proposal"
      aria-labelledby="proposal-title"
    >
      <header>
        <h2 id="proposal-title">Proposal</h2>
        <ProposalBadge status={proposal.status} replacedBy={proposal.replacedBy} />
        <span class="when">
          <Timestamp at={proposal.createdAt} />
        </span>
      </header>
      <div class="inside">
        <DecisionRefused forms={forms} proposals={thread.proposals} />
        <NewerThanRead forms={forms} proposal={proposal} />
        <ProposalText proposal={proposal} />
        <Decision proposal={proposal} />
        <DeliveryState deliveries={deliveries} runId={proposal.id} />
      </div>
      {awaiting ? (
        <DecisionForm runId={proposal.id} form={forms.decision} action={`${address}/decision`} />
      ) : (
        <UnsentNote form={forms.decision} />
      )}
    </section>
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

/** The earlier proposals, newest first. */
export const EarlierProposals = ({ thread, deliveries }: EarlierProposalsProps) => {
  const earlier = thread.proposals.filter(({ id }) => id !== thread.latestProposal?.id).reverse();
  if (earlier.length === 0) return null;
  return (
    <section class="stack" aria-labelledby="earlier">
      <h2 id="earlier">Earlier proposals</h2>
      {earlier.map((proposal) => (
        <details class="proposal earlier" key={proposal.id} id={`run-${proposal.id}`}>
          <summary>
            <ProposalBadge status={proposal.status} replacedBy={proposal.replacedBy} />
            <Line text={firstLine(proposal.summary)} />
            <span class="when">
              <Timestamp at={proposal.createdAt} />
            </span>
          </summary>
          <div class="inside">
            <ProposalText proposal={proposal} />
            <Decision proposal={proposal} />
            <DeliveryState deliveries={deliveries} runId={proposal.id} />
          </div>
        </details>
      ))}
    </section>
  );
};

const ProposalText = ({ proposal: { summary, plan } }: { readonly proposal: Proposal }) => (
  <>
    <HiddenCount texts={[summary, plan]} />
    <div>
      <h3>Summary</h3>
      <UserText text={summary} />
    </div>
    <div>
      <h3>Plan</h3>
      <div class="plan">
        <UserText text={plan} exact />
      </div>
      <p class="fingerprint">
        SHA-256 <code>{hashOf(plan)}</code>
      </p>
    </div>
  </>
);

const Decision = ({ proposal: { decidedAt, decisionNote } }: { readonly proposal: Proposal }) => {
  if (decidedAt === null) return null;
  return (
    <div>
      <h3>
        Decided <Timestamp at={decidedAt} />
      </h3>
      {decisionNote ? <UserText text={decisionNote} /> : <p class="muted">Without a note.</p>}
    </div>
  );
};

const firstLine = (text: string): string => text.split("\n", 1)[0]?.slice(0, 160) ?? "";
