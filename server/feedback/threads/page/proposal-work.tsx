import type { Proposal } from "../../../../src/contract/agent.ts";
import { versionOf } from "../../../console/forms.tsx";
import type { ProposalClaim, ProposalDelivery, ProposalLife } from "../../../console/page-reads.ts";
import { Can, ExternalLink, HiddenCount, Line, UserText } from "../../../console/parts.tsx";
import { Person } from "../../../console/people.tsx";
import { Ago, duration, Remaining, Timestamp } from "../../../console/times.tsx";
import { Badge } from "../badges.tsx";
import type { ThreadForms } from "./fields.tsx";
import { heldClaim, ProposalOrders, stateOf } from "./proposal-decision.tsx";

interface ProposalStateProps {
  readonly proposal: Proposal;
  readonly life: ProposalLife | undefined;
}

/** The badge with the state of a proposal. The script updates it. */
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
    <Decided proposal={proposal} life={life} />
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

/** What agents did with a proposal after its approval. The script updates it. */
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

/** The decision, who made it, its time and its note. */
const Decided = ({ proposal, life }: DecidedProps) => {
  const { decidedAt, decisionNote, decision } = proposal;
  if (decidedAt === null) return null;
  const byPerson = decision !== "replaced" && decision !== "expired";
  return (
    <div>
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
      <EarlierApproval proposal={proposal} life={life} />
    </div>
  );
};

/** The person who approved, if the approval was later recalled or has expired. */
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

/** The work under one claim: the worker, the beginning, the progress and the outcome. */
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

/**
 * The time of the worker's last report. The page also says if the worker has been silent for a long time. The silence
 * does not end the claim. (rule A53)
 */
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
      <b>Silent for {duration(silent)}.</b> Innkeep ends no claim by itself. If the worker has stopped,
      release its claim.
    </>
  );
};

const shownLines = 5;

/** The newest progress reports, oldest first. Only the last ones are not folded. */
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
