import type { Proposal } from "../../../../src/contract/agent.ts";
import { limits } from "../../../../src/contract/limits.ts";
import { visibleLine } from "../../../../src/words/visible.ts";
import { type Filled, faultAt, HiddenFields, TextArea, versionOf } from "../../../console/forms.tsx";
import type { ProposalClaim, ProposalDelivery, ProposalLife } from "../../../console/page-reads.ts";
import {
  Can,
  ExternalLink,
  HiddenCount,
  Line,
  Notice,
  Person,
  Refused,
  UserText,
  usePersonWords,
} from "../../../console/parts.tsx";
import { Ago, duration, Remaining, Timestamp } from "../../../console/times.tsx";
import { Badge, type BadgeProps } from "../badges.tsx";
import { claimedName, recallNoteName, type ThreadForms } from "./fields.tsx";

interface ProposalStateProps {
  readonly proposal: Proposal;
  readonly life: ProposalLife | undefined;
}

/** The badge with the state of a proposal. A script updates the badge on an open page. */
export const ProposalState = ({ proposal, life }: ProposalStateProps) => {
  const state = stateOf(proposal, life);
  return (
    <span id={`state-${proposal.id}`} data-live={versionOf(state)}>
      <Badge {...state} />
    </span>
  );
};

/**
 * The decision on a proposal, the work that followed, and the forms for a recall and a release. (rule A53)
 */
export const AfterDecision = ({
  proposal,
  life,
  deliveries,
  forms,
  address,
  now,
}: ProposalStateProps & {
  readonly deliveries: readonly ProposalDelivery[];
  readonly forms: ThreadForms;
  readonly address: string;
  readonly now: Date;
}) => (
  <>
    <DecisionPart proposal={proposal} life={life} />
    {proposal.status !== "awaiting_approval" && <div {...barTraits(proposal)} hidden />}
    <ProposalWork proposal={proposal} life={life} now={now} />
    <Can needs="maintainer">
      <ProposalOrders proposal={proposal} life={life} forms={forms} address={address} />
    </Can>
    <DeliveryState deliveries={deliveries} runId={proposal.id} />
  </>
);

interface ProposalWorkProps {
  readonly proposal: Proposal;
  readonly life: ProposalLife | undefined;
  readonly now: Date;
}

/** The work of agents on an approved proposal. A script updates this part. */
const ProposalWork = ({ proposal, life, now }: ProposalWorkProps) => {
  if (!life || (proposal.status !== "approved" && life.claims.length === 0)) return null;
  const [newest, ...earlier] = life.claims;
  return (
    <div
      class="work stack"
      id={`work-${proposal.id}`}
      data-live={versionOf([proposal.status, life])}
      data-news="The work on a proposal has changed."
    >
      {proposal.status === "approved" && <Approval proposal={proposal} life={life} now={now} />}
      {newest && <ClaimFacts claim={newest} now={now} />}
      {earlier.length > 0 && (
        <div>
          <h3>Earlier claims</h3>
          <ul>
            {earlier.map((claim) => (
              <li key={claim.claimedAt} class="small">
                <Line text={claim.worker} />, from <Timestamp at={claim.claimedAt} />
                {claim.releasedAt !== null && (
                  <>
                    {" to "}
                    <Timestamp at={claim.releasedAt} />
                  </>
                )}
                {claim.resumedAs !== null && ", continued by the same account"}
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  );
};

/** Says whether an agent has read the approval, and when the approval expires. */
const Approval = ({ life, now }: ProposalWorkProps & { readonly life: ProposalLife }) => (
  <p>
    {life.firstReadAt === null ? (
      "No agent has read the approval yet."
    ) : (
      <>
        An agent first read the approval <Timestamp at={life.firstReadAt} />.
      </>
    )}
    {life.expiresAt !== null && !heldClaim(life) && (
      <>
        {" "}
        It expires <Remaining at={life.expiresAt} now={now} />, unless an agent claims the proposal before
        then.
      </>
    )}
  </p>
);

interface DecidedProps {
  readonly proposal: Proposal;
  readonly life: ProposalLife | undefined;
}

/** The decision on a proposal. A script updates this part, and screen readers read it. */
const DecisionPart = ({ proposal, life }: DecidedProps) => {
  const wordsOf = usePersonWords();
  const { id, decidedAt, decision } = proposal;
  const by = isByPerson(proposal) && life?.decidedBy ? ` by ${wordsOf(life.decidedBy)}` : "";
  return (
    <div
      id={`decided-${id}`}
      data-live={versionOf([decidedAt, decision])}
      data-news={decidedAt === null ? undefined : visibleLine(`${words[decision ?? "reject"]}${by}.`)}
      hidden={decidedAt === null}
      tabIndex={-1}
    >
      <Decided proposal={proposal} life={life} />
    </div>
  );
};

const isByPerson = ({ decision }: Proposal): boolean => decision !== "replaced" && decision !== "expired";

/**
 * Attributes of the bar with the decision buttons. After a decision, a script hides this bar, even if a button
 * has the focus.
 */
const barTraits = ({ id, status }: Proposal) => ({
  id: `decide-${id}`,
  "data-live": versionOf(status === "awaiting_approval"),
  "data-decides": `decided-${id}`,
});

const Decided = ({ proposal, life }: DecidedProps) => {
  const { decidedAt, decisionNote, decision } = proposal;
  if (decidedAt === null) return null;
  const byPerson = isByPerson(proposal);
  const isRejected = decision === null || decision === "reject";
  return (
    <>
      <h3>
        {words[decision ?? "reject"]}
        {byPerson && life?.decidedBy && (
          <>
            {" by "}
            <Person email={life.decidedBy} />
          </>
        )}{" "}
        <Timestamp at={decidedAt} />
      </h3>
      {decision === "expired" && <p>No agent had claimed it by then.</p>}
      {decision !== "expired" && decisionNote && <UserText text={decisionNote} />}
      {byPerson && !decisionNote && <p class="muted">Without a note.</p>}
      {isRejected && (
        <p>
          A rejection is final. If the agent must do the work after all, write a note in the thread, and ask
          the agent to propose a new plan.
        </p>
      )}
      <EarlierApproval proposal={proposal} life={life} />
    </>
  );
};

/** The person who approved the plan, if the approval was later recalled or has expired. */
const EarlierApproval = ({ proposal: { decision }, life }: DecidedProps) => {
  if ((decision !== "recalled" && decision !== "expired") || !life?.approvedBy) return null;
  const { approvedBy, approvedAt, approvalNote } = life;
  return (
    <>
      <h3>
        {"Had been approved by "}
        <Person email={approvedBy} /> {approvedAt !== null && <Timestamp at={approvedAt} />}
      </h3>
      {approvalNote ? <UserText text={approvalNote} /> : <p class="muted">Without a note.</p>}
    </>
  );
};

const words: Readonly<Record<NonNullable<Proposal["decision"]>, string>> = {
  approve: "Approved",
  reject: "Rejected",
  request_changes: "Changes asked for",
  replaced: "Replaced",
  recalled: "Approval recalled",
  expired: "The approval expired",
};

/** Says whether the message about a proposal has reached the app's chat channel. */
const DeliveryState = ({
  deliveries,
  runId,
}: {
  readonly deliveries: readonly ProposalDelivery[];
  readonly runId: string;
}) => {
  const delivery = deliveries.find((row) => row.proposalId === runId);
  return delivery ? (
    <p class="muted small">
      Chat channel: <State delivery={delivery} />
    </p>
  ) : null;
};

const State = ({
  delivery: { status, sentAt, attempts, lastError },
}: {
  readonly delivery: ProposalDelivery;
}) => {
  if (status === "sent" && sentAt !== null) {
    return (
      <>
        sent <Timestamp at={sentAt} />
      </>
    );
  }
  const reason = lastError === null ? null : <Reason error={lastError} />;
  if (status === "failed")
    return (
      <>
        not sent; gave up after {attempts} attempts.{reason}
      </>
    );
  return attempts === 0 ? <>waiting to be sent</> : <>not sent yet, trying again.{reason}</>;
};

const Reason = ({ error }: { readonly error: string }) => (
  <>
    {" "}
    <Line text={error} />
  </>
);

interface ClaimFactsProps {
  readonly claim: ProposalClaim;
  readonly now: Date;
}

const ClaimFacts = ({ claim, now }: ClaimFactsProps) => (
  <>
    <div>
      <h3>{headingOf(claim)}</h3>
      <p>
        <b>
          <Line text={claim.worker} />
        </b>
        {claim.tokenLabel !== null && (
          <>
            {" (token "}
            <Line text={claim.tokenLabel} />)
          </>
        )}{" "}
        claimed it <Timestamp at={claim.claimedAt} />.
        <Released claim={claim} />
        <LastSign claim={claim} now={now} />
      </p>
    </div>
    <Progress claim={claim} />
    <Outcome claim={claim} />
  </>
);

const headingOf = ({ outcome, releasedAt }: ProposalClaim): string => {
  if (outcome) return "Work ended";
  return releasedAt === null ? "In work" : "Claim released";
};

const Released = ({ claim: { releasedAt, releasedBy } }: Pick<ClaimFactsProps, "claim">) =>
  releasedAt === null ? null : (
    <>
      {" The claim was released "}
      {releasedBy !== null && (
        <>
          by <Person email={releasedBy} />{" "}
        </>
      )}
      <Timestamp at={releasedAt} />.
    </>
  );

const hourMilliseconds = 3_600_000;

/** The time of the last progress report about a claim. A long silence does not end the claim. (rule A53) */
const LastSign = ({ claim: { claimedAt, progress, releasedAt, outcome }, now }: ClaimFactsProps) => {
  if (outcome || releasedAt !== null) return null;
  const at = progress[0]?.createdAt ?? claimedAt;
  const silent = now.getTime() - Date.parse(at);
  if (silent < hourMilliseconds)
    return (
      <>
        {" Last message: "}
        <Ago at={at} now={now} />.
      </>
    );
  return (
    <>
      {" "}
      <b>Silent for {duration(silent)}.</b> Innkeep does not end a claim because of silence. If the worker has
      stopped, release its claim.
    </>
  );
};

const shownLines = 5;

/** The progress reports, oldest first. The older reports are folded. */
const Progress = ({ claim: { progress, progressCount } }: Pick<ClaimFactsProps, "claim">) => {
  if (progress.length === 0) return null;
  const [newest, older] = [progress.slice(0, shownLines), progress.slice(shownLines)];
  const missing = progressCount - progress.length;
  return (
    <div>
      <h3>Progress, in the agent’s words</h3>
      {older.length > 0 && (
        <details class="reveal">
          <summary>{`Show ${older.length} earlier ${older.length === 1 ? "step" : "steps"}`}</summary>
          {missing > 0 && <p class="muted small">{`${missing} more are not shown.`}</p>}
          <Steps steps={older} />
        </details>
      )}
      <Steps steps={newest} />
    </div>
  );
};

const Steps = ({ steps }: { readonly steps: ProposalClaim["progress"] }) => (
  <ol class="steps quote">
    {[...steps].reverse().map(({ id, text, createdAt }) => (
      <li key={id}>
        <UserText text={text} />
        <span class="muted small">
          <Timestamp at={createdAt} />
        </span>
      </li>
    ))}
  </ol>
);

const Outcome = ({ claim: { outcome } }: Pick<ClaimFactsProps, "claim">) =>
  outcome === null ? null : (
    <div>
      <h3>
        {outcome.status === "succeeded" ? "Succeeded" : "Failed"} <Timestamp at={outcome.reportedAt} />, in
        the agent’s words
      </h3>
      <HiddenCount texts={[outcome.summary]} />
      <div class="quote stack tight">
        <UserText text={outcome.summary} />
        {outcome.links.length > 0 && (
          <ul aria-label="Links from the agent">
            {outcome.links.map((link) => (
              <li key={link}>
                <ExternalLink to={link}>
                  <Line text={link} />
                </ExternalLink>
              </li>
            ))}
          </ul>
        )}
      </div>
    </div>
  );

interface ProposalOrdersProps {
  readonly proposal: Proposal;
  readonly life: ProposalLife | undefined;
  readonly forms: ThreadForms;
  /** The address of the thread. */
  readonly address: string;
}

/** The form to recall an unclaimed approval, or to release a claim without an outcome. */
const ProposalOrders = ({ proposal, life, forms, address }: ProposalOrdersProps) => {
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
        plan. If this worker is still running, it finds out about the release only at its next report.
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
  proposal,
  form,
  action,
}: {
  /** The proposal on this page. The form decides only on this proposal. */
  readonly proposal: Proposal;
  readonly form: Filled;
  readonly action: string;
}) => (
  <>
    <input type="hidden" name="runId" value={proposal.id} />
    <div class="decide">
      {faultAt(form, "note") !== undefined && (
        <Notice kind="alert" unfocused>
          <b>Your decision was not recorded.</b> Please correct the note.
        </Notice>
      )}
      <TextArea
        form={form}
        name="note"
        label="Note to the agent"
        size="short"
        focusesFault
        hint={`If you ask for changes, describe them here. Otherwise the note is optional. If your note differs from the plan, the agent follows the note. At most ${limits.decisionNote.toLocaleString("en")} characters.`}
      />
      <p class="muted small">
        An approval can be recalled until an agent claims the plan. A rejection is final: the agent stops, and
        can only propose a new plan.
      </p>
    </div>
    <div class="decision-bar actions" {...barTraits(proposal)}>
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

/** The typed note for a decision or recall that is no longer possible. The person can copy it. */
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

/** Why a decision was refused: a newer proposal replaced the one that was read, or somebody else has decided. */
export const DecisionRefused = ({
  forms,
  proposals,
}: {
  readonly forms: ThreadForms;
  readonly proposals: readonly Proposal[];
}) => {
  const { refusal } = forms.decision;
  const proposal = proposals.find(({ id }) => id === forms.readProposalId);
  if (!refusal || !proposal || proposal.status === "awaiting_approval")
    return faultAt(forms.decision, "note") === undefined ? <Refused refusal={refusal} /> : null;
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

/** Returns the claim that is not released, or undefined if there is none. */
export const heldClaim = (life: ProposalLife | undefined): ProposalClaim | undefined =>
  life?.claims.find(({ releasedAt }) => releasedAt === null);

/** Returns the badge for the state of a proposal. */
function stateOf(proposal: Proposal, life: ProposalLife | undefined): BadgeProps {
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
