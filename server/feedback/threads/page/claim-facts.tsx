import { ExternalLink } from "../../../console/external-link.tsx";
import type { ProposalClaim } from "../../../console/page-reads.ts";
import { HiddenCount, Line, UserText } from "../../../console/text.tsx";
import { duration } from "../../../console/times.tsx";
import { Ago, Timestamp } from "../../../console/timestamp.tsx";

export interface ClaimFactsProps {
  readonly claim: ProposalClaim;
  readonly now: Date;
}

/** The work of one claim: who, since when, how far, and how it ended. */
export const ClaimFacts = ({ claim, now }: ClaimFactsProps) => (
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
          by <Line text={releasedBy} />{" "}
        </>
      )}
      <Timestamp at={releasedAt} />.
    </>
  );

const hourMilliseconds = 3_600_000;

/** When the worker was last heard of. A long silence is said, and ends nothing. */
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
      <b>Silent for {duration(silent)}.</b> Innkeep ends no claim by itself. If the worker is gone, release
      its claim.
    </>
  );
};

const shownLines = 5;

/** The newest steps of progress, oldest first; the older ones are folded. */
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
