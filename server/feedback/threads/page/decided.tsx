import type { Proposal } from "../../../../src/contract/agent.ts";
import type { ProposalLife } from "../../../console/page-reads.ts";
import { Line, UserText } from "../../../console/text.tsx";
import { Timestamp } from "../../../console/timestamp.tsx";

export interface DecidedProps {
  readonly proposal: Proposal;
  readonly life: ProposalLife | undefined;
}

/** Who decided what and when, with the note. */
export const Decided = ({ proposal, life }: DecidedProps) => {
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
            <Line text={life.decidedBy} />
          </>
        )}{" "}
        <Timestamp at={decidedAt} />
      </h3>
      {decision === "expired" && <p>No agent had claimed it by then.</p>}
      {decision !== "expired" && decisionNote && <UserText text={decisionNote} />}
      {byPerson && !decisionNote && <p class="muted">Without a note.</p>}
      <Approval proposal={proposal} life={life} />
    </div>
  );
};

/** Who had approved what was recalled, or has expired. */
const Approval = ({ proposal: { decision }, life }: DecidedProps) => {
  if ((decision !== "recalled" && decision !== "expired") || !life?.approvedBy) return null;
  const { approvedBy, approvedAt, approvalNote } = life;
  return (
    <>
      <h3>
        {"Had been approved by "}
        <Line text={approvedBy} /> {approvedAt !== null && <Timestamp at={approvedAt} />}
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
