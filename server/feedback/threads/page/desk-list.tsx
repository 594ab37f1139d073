import type { ThreadSummary } from "../../../../src/contract/threads.ts";
import { visibleLine } from "../../../../src/words/visible.ts";
import type { InboxProposal } from "../../../console/page-reads.ts";
import { Line } from "../../../console/parts.tsx";
import { Avatar, usePersonWords } from "../../../console/people.tsx";
import { Age, Remaining } from "../../../console/times.tsx";
import { FoundSubject, FoundText } from "../../search/parts.tsx";
import { Badge, type BadgeProps, nameIn, statusNames, typeNames } from "../badges.tsx";

export interface ThreadRowProps {
  readonly thread: ThreadSummary;
  /** The state of the thread's newest proposal. */
  readonly proposal: InboxProposal | undefined;
  /** The address that opens the thread. */
  readonly href: string;
  readonly isOpened: boolean;
  /** The box with which a person chooses the thread. It is undefined if the row has no box. */
  readonly choice: { readonly isChosen: boolean; readonly value: string } | undefined;
  /** The app of the thread, in a list of all apps. */
  readonly app?: { readonly name: string; readonly colour: number } | undefined;
  /** The status that all threads of the list have. It is empty if the list has no filter for a status. */
  readonly status: string;
  /** The e-mail address of the signed-in person. */
  readonly person: string;
  readonly now: Date;
}

/** One thread of the list, in two lines: its subject and its age, then the sender and the last message. */
export const ThreadRow = ({ thread, proposal, href, isOpened, choice, ...more }: ThreadRowProps) => {
  const { app, status, person, now } = more;
  const classes = [thread.unread ? "unread" : "", isOpened ? "opened" : ""].filter((name) => name !== "");
  return (
    <li class={classes.length === 0 ? undefined : classes.join(" ")}>
      {choice !== undefined && (
        <label class="tick">
          <span class="unseen">Select {visibleLine(thread.subject)}</span>
          <input
            type="checkbox"
            name="id"
            value={choice.value}
            id={`tick-${thread.id}`}
            checked={choice.isChosen}
          />
        </label>
      )}
      <div class="line">
        <a class="to" href={href} id={`thread-${thread.id}`} aria-current={isOpened ? "true" : undefined}>
          {thread.unread && <span class="unseen">Unread: </span>}
          <FoundSubject subject={thread.subject} found={thread.found} />
        </a>
        <span class="age">
          <Age at={thread.activeAt} now={now} />
        </span>
      </div>
      <div class="line second">
        <div class="about">
          <TypeIcon type={thread.category} />
          {app !== undefined && <AppDot {...app} />}
          <Line text={thread.senderName ?? thread.senderEmail ?? "Anonymous"} />
          {thread.source !== null && (
            <>
              {" · "}
              <Line text={thread.source} />
            </>
          )}
          {thread.found ? <FoundText found={thread.found} /> : <Last thread={thread} person={person} />}
        </div>
        <span class="marks">
          <Marks thread={thread} proposal={proposal} status={status} now={now} />
        </span>
      </div>
    </li>
  );
};

/** The maximum number of tags that a row shows. The page of the thread shows all tags. */
const mostTags = 2;

const Marks = ({
  thread,
  proposal,
  status,
  now,
}: Pick<ThreadRowProps, "thread" | "proposal" | "status" | "now">) => (
  <>
    {thread.tags.slice(0, mostTags).map(({ id, name, colour }) => (
      <span key={id} class={`badge tag ${colour ?? "grey"}`} title={visibleLine(name)}>
        <Line text={name} />
      </span>
    ))}
    {thread.tags.length > mostTags && <span class="badge">{`+${thread.tags.length - mostTags}`}</span>}
    {thread.snoozedUntil !== null && (
      <span class="badge">
        <span class="unseen">Snoozed. </span>
        Back <Remaining at={thread.snoozedUntil} now={now} />
      </span>
    )}
    {thread.status !== status && thread.status !== "open" && (
      <span class={thread.status === "resolved" ? "badge good" : "badge"}>
        {nameIn(statusNames, thread.status)}
      </span>
    )}
    {thread.occurrences > 1 && (
      <span class="badge">
        <span aria-hidden="true">{`×${thread.occurrences}`}</span>
        <span class="unseen">{`reported ${thread.occurrences} times`}</span>
      </span>
    )}
    {proposal !== undefined && <Badge {...badges[proposal]} />}
    {thread.assignee !== null && (
      <Avatar userId={thread.assignee.userId} email={thread.assignee.email} before="assigned to" />
    )}
  </>
);

const badges: Readonly<Record<InboxProposal, BadgeProps>> = {
  waiting: { name: "Plan waits", kind: "attention" },
  approved: { name: "Plan approved", kind: "good" },
  in_work: { name: "Plan in work", kind: "attention" },
  succeeded: { name: "Work succeeded", kind: "good" },
  failed: { name: "Work failed", kind: "bad" },
  request_changes: { name: "Changes asked for" },
  recalled: { name: "Approval recalled" },
  expired: { name: "Approval expired" },
  rejected: { name: "Plan rejected" },
};

/**
 * The author and the beginning of the last message. Shows nothing if a sender's message is the same as the subject of
 * the thread.
 */
const Last = ({ thread, person }: Pick<ThreadRowProps, "thread" | "person">) => {
  const wordsOf = usePersonWords();
  const { subject, lastMessage } = thread;
  const firstSender = thread.senderName ?? thread.senderEmail ?? "Anonymous";
  const { direction, author, sender, writtenBy, text } = lastMessage;
  if (direction === "inbound" && text === subject) return null;
  const own = writtenBy === person ? "You" : writtenBy === null ? "The team" : wordsOf(writtenBy);
  const name = author === "team" ? own : (sender?.name ?? sender?.email ?? "Anonymous");
  // The author is not shown again if the row already names the sender.
  const isNamed = author === "agent" || (author === "sender" && name === firstSender);
  return (
    <span class="last">
      {" · "}
      {/* The author is not shown for a note about an agent's step, because that note names the agent. */}
      {!isNamed && (
        <>
          <Line text={name} />
          {direction === "note" ? ", in a note: " : ": "}
        </>
      )}
      <Line text={text} />
    </span>
  );
};

/** The app of a thread, as a dot in one of eight colours and its name. */
const AppDot = ({ name, colour }: { readonly name: string; readonly colour: number }) => (
  <>
    <span class={`app-dot colour-${colour}`} aria-hidden="true" />
    <b>
      <Line text={name} />
    </b>
    {" · "}
  </>
);

const typePaths: Readonly<Record<string, string>> = {
  bug: "M8 4.5a3 3 0 0 1 3 3v2.5a3 3 0 0 1-6 0V7.5a3 3 0 0 1 3-3zM6.3 4.7 5 3M9.7 4.7 11 3M5 8.5H2.5M13.5 8.5H11M5.3 11.3 3.5 13M10.7 11.3l1.8 1.7",
  feature: "M8 2.5v11M2.5 8h11",
  question: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM6.3 6.4a1.8 1.8 0 1 1 2.6 1.6c-.6.3-.9.6-.9 1.2M8 11.2v.1",
  general: "M2.5 3.5h11v7.5h-6l-3 2.5V11h-2z",
};

const TypeIcon = ({ type }: { readonly type: string }) => {
  const name = nameIn(typeNames, type);
  return (
    <span class="type" title={name}>
      <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true" fill="none" stroke="currentColor">
        <path
          d={typePaths[type] ?? typePaths.general}
          stroke-width="1.3"
          stroke-linecap="round"
          stroke-linejoin="round"
        />
      </svg>
      <span class="unseen">{`${name}, `}</span>
    </span>
  );
};
