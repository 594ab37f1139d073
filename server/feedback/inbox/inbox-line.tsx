import type { ThreadSummary } from "../../../src/contract/threads.ts";
import type { InboxProposal } from "../../console/page-reads.ts";
import { Line } from "../../console/text.tsx";
import { Ago } from "../../console/timestamp.tsx";
import { TagBadge } from "../tags/badge.tsx";
import { Badge, type BadgeProps, nameIn, StatusBadge, typeNames } from "../threads/badges.tsx";

export interface ThreadLineProps {
  readonly thread: ThreadSummary;
  /** How far its newest proposal is. */
  readonly proposal: InboxProposal | undefined;
  /** The thread's address, with its position in this list. */
  readonly href: string;
  /** The e-mail address of the person who reads. */
  readonly person: string;
  readonly now: Date;
}

/** One thread of the inbox: what it is about, from whom, and whether it needs a decision. */
export const ThreadLine = ({ thread, proposal, href, person, now }: ThreadLineProps) => (
  <li class={thread.unread ? "unread" : undefined}>
    <div class="row spread">
      <a class="to" href={href} id={`thread-${thread.id}`}>
        {thread.unread && <span class="unseen">Unread: </span>}
        <Line text={thread.subject} />
      </a>
      <span class="row">
        {thread.tags.map((tag) => (
          <TagBadge key={tag.id} tag={tag} />
        ))}
        {thread.occurrences > 1 && <span class="badge">{`reported ${thread.occurrences} times`}</span>}
        {proposal !== undefined && <ProposalBadge proposal={proposal} />}
        {thread.status !== "open" && <StatusBadge status={thread.status} />}
      </span>
    </div>
    <Last thread={thread} person={person} />
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
      {thread.assignee !== null && (
        <span>
          assigned to <Line text={thread.assignee.email} />
        </span>
      )}
      <span>
        {thread.activeAt === thread.createdAt ? "reported" : "last activity"}{" "}
        <Ago at={thread.activeAt} now={now} />
      </span>
    </p>
  </li>
);

/** Who wrote last, and how it begins. A report whose beginning is its subject is not shown twice. */
const Last = ({ thread: { subject, lastMessage }, person }: Pick<ThreadLineProps, "thread" | "person">) => {
  const { direction, author, sender, writtenBy, text } = lastMessage;
  if (direction === "inbound" && text === subject) return null;
  const own = writtenBy === person ? "You" : (writtenBy ?? "The team");
  const name = author === "team" ? own : (sender?.name ?? sender?.email ?? "Anonymous");
  return (
    <p class="last">
      {/* What an agent's step adds says by itself that an agent wrote it. */}
      {author !== "agent" && (
        <b>
          <Line text={name} />
          {direction === "note" ? ", in a note: " : ": "}
        </b>
      )}
      <Line text={text} />
    </p>
  );
};

const ProposalBadge = ({ proposal }: { readonly proposal: InboxProposal }) => <Badge {...badges[proposal]} />;

const badges: Readonly<Record<InboxProposal, BadgeProps>> = {
  waiting: { name: "Proposal waiting", kind: "attention" },
  approved: { name: "Plan approved", kind: "good" },
  in_work: { name: "Plan in work", kind: "attention" },
  succeeded: { name: "Work succeeded", kind: "good" },
  failed: { name: "Work failed", kind: "bad" },
  request_changes: { name: "Changes asked for" },
  recalled: { name: "Approval recalled" },
  expired: { name: "Approval expired" },
  rejected: { name: "Plan rejected" },
};
