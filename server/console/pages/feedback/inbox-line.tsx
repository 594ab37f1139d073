import type { ThreadSummary } from "../../../../src/contract/console/feedback.ts";
import { Ago } from "../../kit/display/timestamp.tsx";
import { Line } from "../../kit/display/user-text.tsx";
import { nameIn, StatusBadge, typeNames } from "./feedback-badges.tsx";

export interface ThreadLineProps {
  readonly thread: ThreadSummary;
  /** The thread's address, with its position in this list. */
  readonly href: string;
  readonly now: Date;
}

/** One thread of the inbox: what it is about, from whom, and whether it needs a decision. */
export const ThreadLine = ({ thread, href, now }: ThreadLineProps) => (
  <li>
    <div class="row spread">
      <a class="to" href={href}>
        <Line text={thread.subject} />
      </a>
      <span class="row">
        {thread.occurrences > 1 && <span class="badge">{`reported ${thread.occurrences} times`}</span>}
        <ProposalState status={thread.proposalStatus} />
        {thread.status !== "open" && <StatusBadge status={thread.status} />}
      </span>
    </div>
    <p class="under">
      <span>{nameIn(typeNames, thread.category)}</span>
      <span>
        <Line text={thread.senderName ?? thread.senderEmail ?? "Anonymous"} />
      </span>
      {thread.source !== null && (
        <span>
          <Line text={thread.source} />
        </span>
      )}
      <Ago at={thread.createdAt} now={now} />
    </p>
  </li>
);

const ProposalState = ({ status }: { readonly status: string | null }) => {
  if (status === "awaiting_approval") return <span class="badge attention">Proposal waiting</span>;
  if (status === "approved") return <span class="badge good">Plan approved</span>;
  return null;
};
