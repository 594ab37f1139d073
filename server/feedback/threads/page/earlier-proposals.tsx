import { Line } from "../../../console/text.tsx";
import { Timestamp } from "../../../console/timestamp.tsx";
import { AfterDecision, ProposalState } from "./after-decision.tsx";
import type { ProposalsProps } from "./proposal.tsx";
import { isOpenWork } from "./proposal-state.ts";
import { ProposalText } from "./proposal-text.tsx";

/** The earlier proposals, newest first. All are folded, except those that are still approved. */
export const EarlierProposals = (props: ProposalsProps) => {
  const { thread, lives, forms } = props;
  const earlier = thread.proposals.filter(({ id }) => id !== thread.latestProposal?.id).reverse();
  if (earlier.length === 0) return null;
  return (
    <section class="stack" aria-labelledby="earlier">
      <h2 id="earlier">Earlier proposals</h2>
      {earlier.map((proposal) => {
        const life = lives.get(proposal.id);
        const open = isOpenWork(proposal, life) || forms.orderedRunId === proposal.id;
        return (
          <details class="proposal earlier" key={proposal.id} id={`run-${proposal.id}`} open={open}>
            <summary>
              <ProposalState proposal={proposal} life={life} />
              <Line text={firstLine(proposal.summary)} />
              <span class="when">
                <Timestamp at={proposal.createdAt} />
              </span>
            </summary>
            <div class="inside">
              <AfterDecision {...props} proposal={proposal} life={life} />
              <ProposalText proposal={proposal} />
            </div>
          </details>
        );
      })}
    </section>
  );
};

const firstLine = (text: string): string => text.split("\n", 1)[0]?.slice(0, 160) ?? "";
