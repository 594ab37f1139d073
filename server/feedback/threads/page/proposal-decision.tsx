import type { Proposal } from "../../../../src/contract/agent.ts";
import { limits } from "../../../../src/contract/limits.ts";
import { type Filled, HiddenFields, TextArea } from "../../../console/forms.tsx";
import type { ProposalClaim, ProposalLife } from "../../../console/page-reads.ts";
import { Notice, Refused } from "../../../console/parts.tsx";
import type { BadgeProps } from "../badges.tsx";
import { claimedName, recallNoteName, type ThreadForms } from "./fields.tsx";

interface ProposalOrdersProps {
  readonly proposal: Proposal;
  readonly life: ProposalLife | undefined;
  readonly forms: ThreadForms;
  /** The address of the thread. */
  readonly address: string;
}

/** The form to recall an approval that no worker has claimed, or to release a claim that has no outcome. */
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

const Recall = ({
  proposal: { id },
  life,
  forms,
  address,
}: ProposalOrdersProps & { readonly life: ProposalLife }) => (
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

const Release = ({
  proposal: { id },
  claim,
  address,
}: Pick<ProposalOrdersProps, "proposal" | "address"> & { readonly claim: ProposalClaim }) => (
  <details class="reveal danger">
    <summary>Release the claim</summary>
    <div class="stack">
      <p>
        After the release, this worker can report nothing more, and another worker can claim the approved
        plan. If this worker is still running, it notices the release only at its next report.
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

export const DecisionForm = ({
  runId,
  form,
  action,
}: {
  /** The id of the proposal on this page. The form decides only on this proposal. */
  readonly runId: string;
  readonly form: Filled;
  readonly action: string;
}) => (
  <>
    <input type="hidden" name="runId" value={runId} />
    <div class="decide">
      <TextArea
        form={form}
        name="note"
        label="Note to the agent"
        size="short"
        hint={`If you ask for changes, describe them here. Otherwise the note is optional. If your note differs from the plan, the agent follows the note. At most ${limits.decisionNote.toLocaleString("en")} characters.`}
      />
    </div>
    <div class="decision-bar actions">
      <Decide decision="approve" kind="primary" action={action}>
        Approve this plan
      </Decide>
      <Decide decision="request_changes" action={action}>
        Ask for changes
      </Decide>
      <Decide decision="reject" kind="danger" action={action}>
        Reject
      </Decide>
    </div>
  </>
);

const Decide = ({
  decision,
  kind,
  action,
  children,
}: {
  readonly decision: string;
  readonly kind?: string;
  readonly action: string;
  readonly children: string;
}) => (
  <button class={kind} type="submit" name="decision" value={decision} formaction={action} formnovalidate>
    {children}
  </button>
);

/** The typed note for a step that is no longer possible. It stays on the page, so that the person can copy it. */
export const UnsentNote = ({ form, name = "note" }: { readonly form: Filled; readonly name?: string }) =>
  form.value(name).trim() === "" ? null : (
    <div class="decide">
      <TextArea
        form={form}
        name={name}
        label="Your note to the agent, not sent"
        size="short"
        hint="Nobody has read it. Copy it, or add it to the thread as an internal note."
      />
    </div>
  );

/**
 * Shows why a decision was refused: a newer proposal has replaced the one that the person read, or somebody has already
 * decided.
 */
export const DecisionRefused = ({
  forms,
  proposals,
}: {
  readonly forms: ThreadForms;
  readonly proposals: readonly Proposal[];
}) => {
  const { refusal } = forms.decision;
  const proposal = proposals.find(({ id }) => id === forms.readProposalId);
  if (!refusal || !proposal || proposal.status === "awaiting_approval") return <Refused refusal={refusal} />;
  if (proposal.replacedBy !== null) {
    return (
      <Notice kind="alert">
        <b>A newer proposal replaced the one you read.</b> Your decision was not recorded. Read the newer one,
        shown here, and decide again.
      </Notice>
    );
  }
  return (
    <Notice kind="alert">
      <b>{settled[proposal.decision ?? "reject"]}</b> Your decision was not recorded, and nothing has changed.
    </Notice>
  );
};

const settled: Readonly<Record<NonNullable<Proposal["decision"]>, string>> = {
  approve: "This proposal was already approved.",
  reject: "This proposal was already rejected.",
  request_changes: "Changes to this proposal were already asked for.",
  replaced: "This proposal was already replaced.",
  recalled: "The approval of this proposal was already recalled.",
  expired: "The approval of this proposal has already expired.",
};

/** Returns the claim that is not released; undefined if there is none. */
export const heldClaim = (life: ProposalLife | undefined): ProposalClaim | undefined =>
  life?.claims.find(({ releasedAt }) => releasedAt === null);

/** Whether an agent is working on the proposal or may still claim it. */
export const isOpenWork = ({ status }: Proposal, life: ProposalLife | undefined): boolean =>
  status === "approved" && !heldClaim(life)?.outcome;

/** Returns the badge for the state of a proposal. */
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
