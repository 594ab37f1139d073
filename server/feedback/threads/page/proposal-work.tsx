import type { Proposal } from "../../../../src/contract/agent.ts";
import { versionOf } from "../../../console/filled-form.ts";
import type { ProposalLife } from "../../../console/page-reads.ts";
import { Line } from "../../../console/text.tsx";
import { Remaining, Timestamp } from "../../../console/timestamp.tsx";
import { ClaimFacts } from "./claim-facts.tsx";
import { heldClaim } from "./proposal-state.ts";

export interface ProposalWorkProps {
  readonly proposal: Proposal;
  readonly life: ProposalLife | undefined;
  readonly now: Date;
}

/** What agents did with a proposal after its approval. The script keeps it up to date. */
export const ProposalWork = ({ proposal, life, now }: ProposalWorkProps) => {
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
                {claim.resumedAs !== null && ", taken up again by the same account"}
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  );
};

interface ApprovalProps extends ProposalWorkProps {
  readonly life: ProposalLife;
}

/** Whether an agent knows of the approval, and how long it is good. */
const Approval = ({ life, now }: ApprovalProps) => (
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
        It expires <Remaining at={life.expiresAt} now={now} />, unless an agent claims it before.
      </>
    )}
  </p>
);
