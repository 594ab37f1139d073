import type { Proposal } from "../../../../src/contract/agent.ts";
import { limits } from "../../../../src/contract/limits.ts";
import { TextArea } from "../../../console/forms.tsx";
import { HiddenFields } from "../../../console/hidden-fields.tsx";
import type { ProposalClaim, ProposalLife } from "../../../console/page-reads.ts";
import { Refused } from "../../../console/parts.tsx";
import { claimedName, recallNoteName, type ThreadForms } from "../fields.tsx";
import { UnsentNote } from "./proposal-decision.tsx";
import { heldClaim } from "./proposal-state.ts";

export interface ProposalOrdersProps {
  readonly proposal: Proposal;
  readonly life: ProposalLife | undefined;
  readonly forms: ThreadForms;
  /** The address of the thread. */
  readonly address: string;
}

/** What a person can still do about an approval: recall it until it is claimed, release the claim until its outcome. */
export const ProposalOrders = ({ proposal, life, forms, address }: ProposalOrdersProps) => {
  const held = heldClaim(life);
  const approved = proposal.status === "approved" && life !== undefined;
  const refusal =
    forms.orderedRunId === proposal.id ? (forms.recall.refusal ?? forms.release.refusal) : undefined;
  return (
    <>
      <Refused refusal={refusal} />
      {approved && !held ? (
        <Recall {...{ proposal, life, forms, address }} />
      ) : (
        <UnsentNote form={forms.recall} name={recallNoteName(proposal.id)} />
      )}
      {approved && held && held.outcome === null && <Release {...{ proposal, address }} claim={held} />}
    </>
  );
};

interface RecallProps extends ProposalOrdersProps {
  readonly life: ProposalLife;
}

const Recall = ({ proposal: { id }, life, forms, address }: RecallProps) => (
  <details class="reveal danger" open={forms.recall.value(recallNoteName(id)).trim() !== ""}>
    <summary>Recall the approval</summary>
    <div class="stack">
      <p>
        {life.firstReadAt === null
          ? "No agent has read the approval, so none will act on it after the recall."
          : "An agent has read the approval. An agent that works without a claim may already have begun, and a recall does not stop it."}{" "}
        The proposal then counts as rejected.
      </p>
      <TextArea
        form={forms.recall}
        name={recallNoteName(id)}
        label="Why you recall it"
        size="short"
        hint={`Optional. The agent reads it. At most ${limits.decisionNote.toLocaleString("en")} characters.`}
      />
      <div class="actions">
        <button
          class="danger"
          type="submit"
          name="recall"
          value={id}
          formaction={`${address}/recall`}
          formnovalidate
        >
          Recall
        </button>
      </div>
    </div>
  </details>
);

interface ReleaseProps extends Pick<ProposalOrdersProps, "proposal" | "address"> {
  readonly claim: ProposalClaim;
}

const Release = ({ proposal: { id }, claim, address }: ReleaseProps) => (
  <details class="reveal danger">
    <summary>Release the claim</summary>
    <div class="stack">
      <p>
        The worker can report nothing more, and another worker can claim the approved plan. A worker that is
        still running learns of it only at its next report.
      </p>
      <HiddenFields values={[[claimedName(id), claim.claimedAt]]} />
      <div class="actions">
        <button
          class="danger"
          type="submit"
          name="release"
          value={id}
          formaction={`${address}/release`}
          formnovalidate
        >
          Release
        </button>
      </div>
    </div>
  </details>
);
