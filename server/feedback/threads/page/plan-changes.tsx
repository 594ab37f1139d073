import type { Proposal } from "../../../../src/contract/agent.ts";
import { InTurns } from "../../../console/in-turns.tsx";
import { UserText } from "../../../console/text.tsx";
import { Timestamp } from "../../../console/timestamp.tsx";
import { type DifferenceLine, type PlanDifference, planDifference } from "./plan-difference.ts";

export interface PlanChangesProps {
  /** The earlier proposal that the reader knows. */
  readonly earlier: Proposal;
  readonly proposal: Proposal;
}

/** What a new plan changes in an earlier one, and what a person had asked for. The whole plan stands below. */
export const PlanChanges = ({ earlier, proposal }: PlanChangesProps) => {
  const difference = planDifference(earlier.plan, proposal.plan);
  return (
    <div>
      <h3>
        What changed since the plan of <Timestamp at={earlier.createdAt} />
      </h3>
      <AskedFor earlier={earlier} />
      <p class="small">{sentenceOf(difference)}</p>
      {difference.kind === "lines" && <Lines lines={difference.lines} />}
    </div>
  );
};

const AskedFor = ({ earlier: { decision, decisionNote } }: Pick<PlanChangesProps, "earlier">) =>
  decision !== "request_changes" || decisionNote === null ? null : (
    <div class="quote asked-for">
      <p class="muted small">The changes that were asked for:</p>
      <UserText text={decisionNote} />
    </div>
  );

function sentenceOf(difference: PlanDifference): string {
  switch (difference.kind) {
    case "same":
      return "The plan is the same, word for word.";
    case "line-ends":
      return "Only the ends of lines differ, which you cannot see.";
    case "too-different":
      return "The two plans differ too much to compare them line by line. Read the whole plan below.";
    case "lines":
      return `${counted(difference.added)} added, ${counted(difference.removed)} removed.`;
  }
}

const counted = (count: number): string => `${count} ${count === 1 ? "line" : "lines"}`;

const Lines = ({ lines }: { readonly lines: readonly DifferenceLine[] }) => (
  <ul class="difference" aria-label="Changed lines of the plan">
    <InTurns>
      {lines.map((line) => (
        <li key={line.at} class={line.kind}>
          {line.kind === "left-out" ? (
            `${counted(line.count)} not changed`
          ) : (
            <>
              <span class="sign" aria-hidden="true">
                {signs[line.kind]}
              </span>
              {line.kind !== "same" && <span class="unseen">{`${names[line.kind]}: `}</span>}
              <UserText text={line.text} exact />
            </>
          )}
        </li>
      ))}
    </InTurns>
  </ul>
);

const signs = { same: " ", added: "+", removed: "−" } as const;
const names = { added: "Added", removed: "Removed" } as const;
