import { Fragment } from "preact";
import type { Message, Proposal } from "../../../../src/contract/agent.ts";
import { reportTexts } from "../../../../src/contract/report-texts.ts";
import type { OwnedMessage, OwnedThread, ThreadEvent } from "../../../../src/contract/threads.ts";
import {
  differenceOf,
  foldedWords,
  foldRepeats,
  hasOtherText,
  replyInWords,
  runsOf,
  senderName,
} from "../../../../src/words/thread.ts";
import { Files } from "../../../console/files.tsx";
import { versionOf } from "../../../console/forms.tsx";
import type { Links } from "../../../console/links.ts";
import type { ProposalLife } from "../../../console/page-reads.ts";
import { Can, counted, ExternalLink, Line, Person, usePersonWords } from "../../../console/parts.tsx";
import { InTurns } from "../../../console/respond.tsx";
import { Timestamp } from "../../../console/times.tsx";
import { outcomeNote } from "../../agent-work/rules.ts";
import { messageVerbs } from "../../messages/rules.ts";
import { proposalNote } from "../../proposals/rules.ts";
import type { ThreadNews } from "../../unread/rules.ts";
import { nameIn, statusNames, typeNames } from "../badges.tsx";
import { kindOf, ReplyDelivery, sendersOf, writerOf } from "./delivery.tsx";
import { Dropped, FoldedText, Metadata, Pair } from "./texts.tsx";

interface TimelineProps {
  readonly thread: OwnedThread;
  /** The events of the thread that are not messages, oldest first. */
  readonly events: readonly ThreadEvent[];
  readonly links: Links;
  readonly lives: ReadonlyMap<string, ProposalLife>;
  /** The id of the message that this person has just added. The page scrolls to this message. */
  readonly newest: string | undefined;
  readonly fresh: NewSince | undefined;
  /** The address of the app's settings. */
  readonly settings: string;
  readonly repeats: ShownRepeats;
  /** The addresses of pages with other messages of the thread. */
  readonly other: OtherMessages;
}

/** The addresses of pages with other messages of a thread. */
export interface OtherMessages {
  /** The page of the next older messages; undefined if there are none. */
  readonly older: string | undefined;
  /** The page of the newest messages; undefined if this page shows them. */
  readonly newest: string | undefined;
}

/** Which repeated reports of a large group are on the page. */
interface ShownRepeats {
  /** The id of the repeated report at which its group ends. All other groups end with their newest reports. */
  readonly until: string;
  /**
   * Returns the address of the page on which a group ends at the report `until`. Without `until`, no group
   * ends early.
   */
  readonly address: (until?: string) => string;
}

/** A conversation with more messages than this has a link to its end. */
const manyMessages = 6;

/** The messages after the report and the changes between them, oldest first. A script updates this part. */
export const Timeline = (props: TimelineProps) => {
  const wordsOf = usePersonWords();
  const { thread, other } = props;
  const { messages, omittedMessages } = thread;
  const newest = messages.at(-1);
  const live = {
    "data-live": versionOf([messages.map(({ id, mails }) => [id, mails]), props.events]),
    "data-newest": newest?.id ?? "",
    "data-news": newest === undefined ? undefined : newestWords(newest, thread, wordsOf),
  };
  return (
    <section
      id="timeline"
      class="stack"
      aria-labelledby="conversation"
      {...(other.newest === undefined ? live : {})}
    >
      <div class="row">
        <h2 id="conversation">Conversation</h2>
        {messages.length > manyMessages && (
          <a class="small" href={`#message-${newest?.id}`}>
            Jump to the end
          </a>
        )}
      </div>
      {omittedMessages > 0 && (
        <p class="row">
          <span class="muted">{counted(omittedMessages, "older message")} not shown.</span>
          {other.older !== undefined && <a href={other.older}>Show older messages</a>}
        </p>
      )}
      <ConversationList {...props} />
      {other.newest !== undefined && (
        <p class="row">
          <span class="muted">Newer messages are not shown here.</span>
          <a href={other.newest}>Show the newest messages</a>
        </p>
      )}
    </section>
  );
};

/** Returns a sentence that says who wrote the newest message, for people who have the page open. */
function newestWords(message: OwnedMessage, thread: OwnedThread, wordsOf: (email: string) => string): string {
  return `${writerOf(message, thread, wordsOf)} ${messageVerbs[kindOf(message)]}.`;
}

const ConversationList = ({
  thread,
  events: happened,
  links,
  lives,
  newest,
  fresh,
  settings,
  repeats,
  other,
}: TimelineProps) => {
  const { messages, proposals } = thread;
  if (messages.length + happened.length === 0)
    return (
      <p class="muted">
        {other.newest === undefined ? "Nobody has answered yet." : "There are no older messages."}
      </p>
    );
  const senders = sendersOf(thread);
  const entryAddress = (entryId: string) => links.entry(thread.app.id, entryId);
  const events = new Map([
    ...proposals.map((proposal) => [noteKey(proposal), "An agent proposed a plan"] as const),
    ...outcomeEvents(lives),
  ]);
  return (
    <ol class="stack timeline">
      <InTurns>
        {inOrderOfTime(foldRepeats(messages), happened).map((shown) =>
          "kind" in shown ? (
            <li key={`${shown.at} ${shown.kind} ${shown.runId ?? shown.entryId}`}>
              <EventLine event={shown} entryAddress={entryAddress} />
            </li>
          ) : "folded" in shown ? (
            <Fragment key={shown.folded[0]?.id}>
              {fresh && shown.folded.some(({ id }) => id === fresh.news.first) && (
                <NewMark since={fresh.since} />
              )}
              <li>
                <FoldedRepeats repeats={shown.folded} report={thread} {...repeats} />
              </li>
            </Fragment>
          ) : (
            <Fragment key={shown.id}>
              {fresh?.news.first === shown.id && <NewMark since={fresh.since} />}
              <li
                class="timeline-at"
                id={`message-${shown.id}`}
                tabIndex={-1}
                autofocus={shown.id === newest}
              >
                {entry(shown, {
                  event: events.get(messageKey(shown)),
                  senders,
                  links,
                  settings,
                  report: thread,
                })}
              </li>
            </Fragment>
          ),
        )}
      </InTurns>
    </ol>
  );
};

type Shown = OwnedMessage | { readonly folded: readonly OwnedMessage[] };

/** Puts the events between the messages. An event is placed before the first newer message. */
function inOrderOfTime(messages: readonly Shown[], events: readonly ThreadEvent[]): (Shown | ThreadEvent)[] {
  const waiting = [...events];
  const before = (at: string) => {
    const later = waiting.findIndex((event) => event.at > at);
    return waiting.splice(0, later === -1 ? waiting.length : later);
  };
  const merged = messages.flatMap((shown) => [...before(timeOf(shown)), shown]);
  return [...merged, ...waiting];
}

const timeOf = (shown: Shown): string =>
  "folded" in shown ? (shown.folded[0]?.createdAt ?? "") : shown.createdAt;

const entry = (
  message: OwnedMessage,
  {
    event,
    report,
    ...facts
  }: Pick<PlainMessageProps, "senders" | "links" | "settings"> & {
    readonly event: string | undefined;
    readonly report: FirstReport;
  },
) => {
  if (event !== undefined) return <Event name={event} at={message.createdAt} />;
  if (message.sender) return <RepeatedFeedback {...{ message, report }} />;
  return <PlainMessage message={message} {...facts} />;
};

const directions: Readonly<Record<string, string>> = {
  note: "Internal note",
  outbound: "Reply",
  inbound: "From the sender",
};

interface PlainMessageProps {
  readonly message: OwnedMessage;
  readonly links: Links;
  readonly senders: ReadonlyMap<string, OwnedThread["sender"]>;
  readonly settings: string;
}

const PlainMessage = ({ message, senders, links, settings }: PlainMessageProps) => {
  const { direction, body, createdAt, writtenBy, reportId = "", foreignFrom, originalUntil } = message;
  const { images = [], videos = [], attachments = [] } = message;
  const sender = senders.get(reportId);
  return (
    <article class={`message ${direction in directions ? direction : "note"}`}>
      <header>
        <b>{directions[direction] ?? direction}</b>
        {direction === "inbound" && sender && (
          <span>
            <Line text={senderName(sender)} />
          </span>
        )}
        {writtenBy !== undefined && (
          <span>
            by <Person email={writtenBy} />
          </span>
        )}
        <Timestamp at={createdAt} />
        {originalUntil !== undefined && (
          <Can needs="maintainer">
            <a href={links.original(message.id)} download title="The original mail, kept for 30 days">
              original
            </a>
          </Can>
        )}
      </header>
      <div class="inside">
        {foreignFrom !== undefined && (
          <p class="notice attention">
            It is not proved that the sender mailed this answer. The mail says that it comes from{" "}
            <Line text={foreignFrom} />
          </p>
        )}
        <FoldedText text={direction === "outbound" ? replyInWords(body) : body} />
        <Files of={{ images, videos, attachments }} />
        {direction === "outbound" && <ReplyDelivery {...{ message, sender, settings }} />}
      </div>
    </article>
  );
};

/**
 * A line for an agent's step. It replaces the note about the step, because the proposal shows the full text.
 */
const Event = ({ name, at }: { readonly name: string; readonly at: string }) => (
  <p class="event">
    <span>{name}</span>
    <Timestamp at={at} />
  </p>
);

const outcomeEvents = (lives: TimelineProps["lives"]) =>
  [...lives.values()]
    .flatMap(({ claims }) => claims.flatMap(({ outcome }) => outcome ?? []))
    .map((outcome) => {
      const key = messageKey({ body: outcomeNote(outcome), createdAt: outcome.reportedAt });
      return [key, `An agent reported that its work ${outcome.status}`] as const;
    });

const messageKey = ({ body, createdAt }: Pick<Message, "body" | "createdAt">): string =>
  `${createdAt} ${body}`;

const noteKey = (proposal: Proposal): string =>
  messageKey({ body: proposalNote(proposal), createdAt: proposal.createdAt });

/** The news of the thread since the last visit of the person. */
export interface NewSince {
  readonly since: string;
  readonly news: ThreadNews;
  /** Whether others changed fields of the thread. */
  readonly edited: boolean;
}

/** Says what has changed since the last visit, with a link to the first new message. */
export const NewSinceNotice = ({ fresh }: { readonly fresh: NewSince | undefined }) => {
  if (!fresh) return null;
  const { since, news, edited } = fresh;
  const words = [
    ...(news.messages > 0 ? [counted(news.messages, "new message")] : []),
    ...(news.decided ? ["a decision"] : []),
    ...(edited ? ["changed fields"] : []),
  ];
  if (words.length === 0) return null;
  const target = news.first === undefined ? "#proposal" : "#new";
  return (
    <p class="changes">
      <span>
        Since your last visit on <Timestamp at={since} />: {words.join(", ")}.
      </span>
      {(news.first !== undefined || news.decided) && <a href={target}>Go to the new messages</a>}
    </p>
  );
};

/** The line before the first new message. */
const NewMark = ({ since }: { readonly since: string }) => (
  <li class="new-mark" id="new" tabIndex={-1}>
    <span>
      New since your last visit on <Timestamp at={since} />
    </span>
  </li>
);

export const OriginalFeedback = ({ thread: { feedback, sender } }: { readonly thread: OwnedThread }) => (
  <article class="message" aria-label="Report">
    <header>
      <b>
        <Line text={sender.name ?? sender.email ?? "Anonymous"} />
      </b>
      <Timestamp at={feedback.createdAt} />
    </header>
    <div class="inside">
      <FoldedText text={feedback.message} rest="more lines of the report" />
      <Files of={feedback} />
    </div>
  </article>
);

type FirstReport = Pick<OwnedThread, "feedback" | "sender">;

interface RepeatProps {
  readonly message: OwnedMessage;
  readonly report: FirstReport;
}

/** A later report of the same failure. Shows only its files and the differences from the first report. */
const RepeatedFeedback = ({ message, report }: RepeatProps) => {
  const { sender, createdAt } = message;
  const isMerged = message.mergedFrom === message.id;
  return (
    <article
      class="message inbound"
      aria-label={isMerged ? "Report of a merged thread" : "Repeat of the report"}
    >
      <header>
        <b>
          <Line text={senderName(sender)} />
        </b>
        <span>{isMerged ? "reported it in a thread that was merged" : "reported it again"}</span>
        <Timestamp at={createdAt} />
      </header>
      <div class="inside">
        <Difference {...{ message, report }} />
      </div>
    </article>
  );
};

const Difference = ({ message, report }: RepeatProps) => {
  const { sender, category, subject, metadataDropped } = message;
  const { images = [], videos = [], attachments = [] } = message;
  const { text, isPartOfText, facts } = differenceOf(report, message);
  const unlike = (value: string | null | undefined, first: string | null) =>
    value === first || value === undefined ? null : value;
  return (
    <>
      {text === undefined && <p class="muted">The same text as the report.</p>}
      {isPartOfText && <p class="muted">The same text as the report, except these lines:</p>}
      {text !== undefined && <FoldedText text={text} />}
      <Files of={{ images, videos, attachments }} />
      <dl class="pairs">
        <Pair name="Contact" value={unlike(sender?.email, report.sender.email)} />
        <Pair name="Type" value={typeOf(unlike(category, report.feedback.category))} />
        <Pair name="Subject" value={unlike(subject, report.feedback.subject)} />
        {reportTexts.map(({ name, label }) => (
          <Pair key={name} name={label} value={unlike(message[name], report.feedback[name])} />
        ))}
      </dl>
      <Metadata entries={facts} />
      <Dropped entries={metadataDropped} />
    </>
  );
};

const typeOf = (category: string | null): string | null =>
  category === null ? null : nameIn(typeNames, category);

/** Many repeated reports, folded into one line. A person can open this line without scripts. */
const FoldedRepeats = ({
  repeats,
  report,
  until,
  address,
}: ShownRepeats & {
  readonly repeats: readonly OwnedMessage[];
  readonly report: FirstReport;
}) => {
  const [first, last, runs] = [repeats.at(0), repeats.at(-1), runsOf(repeats)];
  if (first === undefined || last === undefined) return null;
  const asked = repeats.findIndex(({ id }) => id === until);
  const end = asked === -1 ? repeats.length : asked + 1;
  const start = firstShown(repeats.slice(0, end), report);
  return (
    <details class="reveal repeats" open={asked !== -1}>
      <summary>
        {foldedWords(report, repeats)}, from <Timestamp at={first.createdAt} /> to{" "}
        <Timestamp at={last.createdAt} />
        {runs !== undefined && (
          <>
            , <Line text={runs} />
          </>
        )}
      </summary>
      {end - start < repeats.length && (
        <RestOfRepeats
          {...{ start, end, count: repeats.length }}
          earlier={start > 0 ? address(repeats[start - 1]?.id) : undefined}
          newest={end < repeats.length ? address(repeats.at(-1)?.id) : undefined}
        />
      )}
      <ol class="stack">
        <InTurns>
          {repeats.slice(start, end).map((message) => (
            <li key={message.id} class="timeline-at" id={`message-${message.id}`} tabIndex={-1}>
              <RepeatedFeedback {...{ message, report }} />
            </li>
          ))}
        </InTurns>
      </ol>
    </details>
  );
};

/**
 * The maximum number of characters of a page's repeated reports. Texts equal to the first report's text do not
 * count.
 */
const mostOfRepeats = 300_000;

/**
 * Returns the position of the oldest repeated report that still fits on the page. The newest report is always
 * shown.
 */
function firstShown(repeats: readonly OwnedMessage[], report: FirstReport): number {
  let left = mostOfRepeats;
  const before = repeats.findLastIndex((repeat, at) => {
    left -= sizeOf(repeat, report);
    return left < 0 && at < repeats.length - 1;
  });
  return before + 1;
}

/** Returns about how many characters of a repeated report a page shows. */
const sizeOf = (repeat: OwnedMessage, report: FirstReport): number =>
  JSON.stringify(hasOtherText(report, repeat) ? repeat : { ...repeat, body: "" }).length;

/** Says which repeated reports of a very large group are shown, with links to the others. */
const RestOfRepeats = ({
  start,
  end,
  count,
  earlier,
  newest,
}: {
  readonly start: number;
  readonly end: number;
  readonly count: number;
  readonly earlier: string | undefined;
  readonly newest: string | undefined;
}) => (
  <p class="row">
    <span class="muted">
      {start + 1 === end
        ? `Report ${end} of ${count} is shown here.`
        : `Reports ${start + 1} to ${end} of ${count} are shown here.`}
    </span>
    {earlier !== undefined && <a href={earlier}>Show earlier reports</a>}
    {newest !== undefined && <a href={newest}>Show the newest reports</a>}
  </p>
);

/** One line of the timeline: who did what to the thread, and when. */
const EventLine = ({
  event,
  entryAddress,
}: {
  readonly event: ThreadEvent;
  /** Returns the address of a release note. */
  readonly entryAddress: (entryId: string) => string;
}) => (
  <p class="event">
    <span>
      {event.kind === "release_note" ? null : (
        <>
          <b>
            <EventAuthor event={event} />
          </b>{" "}
        </>
      )}
      <Deed event={event} entryAddress={entryAddress} />
      {event.tokenId !== undefined && " with a token"}
    </span>
    <Timestamp at={event.at} />
  </p>
);

const EventAuthor = ({ event: { by, bySender } }: { readonly event: ThreadEvent }) => {
  if (bySender) return <>An answer of the sender</>;
  return by === null ? <>Innkeep</> : <Person email={by} />;
};

const Deed = ({
  event: { kind, by, field, from = null, to = null, entryId },
  entryAddress,
}: {
  readonly event: ThreadEvent;
  readonly entryAddress: (entryId: string) => string;
}) => {
  switch (kind) {
    case "status":
      return (
        <Change what="status" from={nameIn(statusNames, from ?? "")} to={nameIn(statusNames, to ?? "")} />
      );
    case "type":
      return <Change what="type" from={nameIn(typeNames, from ?? "")} to={nameIn(typeNames, to ?? "")} />;
    case "subject":
      return <Change what="subject" from={from ?? ""} to={to ?? ""} />;
    case "assignee":
      return <Assignment by={by} from={from} to={to} />;
    case "tags":
      return <Tags from={from} to={to} />;
    case "issue":
      return to === null ? (
        <>removed the link to the issue</>
      ) : (
        <>
          linked the issue <ExternalLink to={to}>{to}</ExternalLink>
        </>
      );
    case "snooze":
      return to === null ? (
        <>ended the snooze</>
      ) : (
        <>
          snoozed the thread until <Timestamp at={to} />
        </>
      );
    case "merge":
      return <Merge field={field} from={from} to={to} />;
    case "decision":
      return <>{decisions[to ?? ""] ?? "decided on the plan"}</>;
    case "release_note":
      return (
        <>
          Release note{" "}
          <a href={entryAddress(entryId ?? "")}>
            <Line text={to ?? ""} />
          </a>{" "}
          refers to this thread
        </>
      );
    default:
      return <Change what={kind} from={from ?? ""} to={to ?? ""} />;
  }
};

/** A merge or an unmerge. The field `mergedInto` means that this thread was merged into another one. */
const Merge = ({ field, from, to }: Pick<ThreadEvent, "field" | "from" | "to">) => {
  const name = <Line text={to ?? from ?? ""} />;
  if (field === "mergedInto")
    return to == null ? <>undid the merge of this thread into {name}</> : <>merged this thread into {name}</>;
  return to == null ? <>undid the merge of {name} into this thread</> : <>merged {name} into this thread</>;
};

const decisions: Readonly<Record<string, string>> = {
  approve: "approved the plan",
  reject: "rejected the plan",
  request_changes: "requested changes to the plan",
  recalled: "recalled the approval",
  expired: "ended the approval, because nobody used it in time",
  replaced: "replaced the plan with a newer one",
};

const Change = ({
  what,
  from,
  to,
}: {
  readonly what: string;
  readonly from: string;
  readonly to: string;
}) => (
  <>
    changed the {what}: <Line text={from === "" ? "none" : from} /> <span aria-hidden="true">→</span>
    <span class="unseen">to</span> <Line text={to === "" ? "none" : to} />
  </>
);

const Assignment = ({ by, from, to }: Pick<Required<ThreadEvent>, "by" | "from" | "to">) => {
  if (to === null)
    return (
      <>
        removed the assignee <Person email={from ?? ""} />
      </>
    );
  if (to === by) return <>assigned the thread to themselves</>;
  return (
    <>
      assigned the thread to <Person email={to} />
    </>
  );
};

/** The tags that were added and removed. In the audit log, a list of tags is one text. */
const Tags = ({ from, to }: Pick<Required<ThreadEvent>, "from" | "to">) => {
  const [before, after] = [namesIn(from), namesIn(to)];
  const added = after.filter((name) => !before.includes(name));
  const removed = before.filter((name) => !after.includes(name));
  const parts = [
    ...(added.length > 0
      ? [{ words: added.length === 1 ? "added the tag" : "added the tags", of: added }]
      : []),
    ...(removed.length > 0
      ? [{ words: removed.length === 1 ? "removed the tag" : "removed the tags", of: removed }]
      : []),
  ];
  return (
    <>
      {parts.map(({ words, of }, at) => (
        <span key={words}>
          {at > 0 && " and "}
          {words} <Line text={of.join(", ")} />
        </span>
      ))}
    </>
  );
};

const namesIn = (list: string | null): string[] => (list === null ? [] : list.split(", "));
