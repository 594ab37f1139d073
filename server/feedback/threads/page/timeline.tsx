import { Fragment } from "preact";
import type { Message, Proposal } from "../../../../src/contract/agent.ts";
import type { OwnedMessage, OwnedThread } from "../../../../src/contract/threads.ts";
import { foldRepeats } from "../../../../src/words/repeats.ts";
import { Can } from "../../../console/can.tsx";
import { Files } from "../../../console/files.tsx";
import { InTurns } from "../../../console/in-turns.tsx";
import type { Links } from "../../../console/links.ts";
import type { ProposalLife } from "../../../console/page-reads.ts";
import { Line } from "../../../console/text.tsx";
import { Timestamp } from "../../../console/timestamp.tsx";
import { proposalNote } from "../../proposals/proposal.ts";
import { outcomeNote } from "../../proposals/rules.ts";
import { withStatusUrl } from "../../saved-replies/rules.ts";
import { NewMark, type NewSince } from "./new-since.tsx";
import { type FirstReport, FoldedRepeats, RepeatedFeedback } from "./repeated-feedback.tsx";
import { ReplyDelivery, senderName, sendersOf } from "./reply-delivery.tsx";
import { FoldedText } from "./texts.tsx";

export interface TimelineProps {
  readonly thread: OwnedThread;
  readonly links: Links;
  readonly lives: ReadonlyMap<string, ProposalLife>;
  /** The message that the reader has just added: the page opens at it. */
  readonly newest: string | undefined;
  readonly fresh: NewSince | undefined;
  /** The page with the settings of the app. */
  readonly settings: string;
}

/** A longer conversation has a link to its end. */
const manyMessages = 6;

/** The messages on a thread after the report, oldest first. */
export const Timeline = ({ thread, links, lives, newest, fresh, settings }: TimelineProps) => {
  const { messages, proposals } = thread;
  if (messages.length === 0) return null;
  const senders = sendersOf(thread);
  const events = new Map([
    ...proposals.map((proposal) => [noteKey(proposal), "An agent proposed a plan"] as const),
    ...outcomeEvents(lives),
  ]);
  return (
    <section class="stack" aria-labelledby="conversation">
      <div class="row">
        <h2 id="conversation">Conversation</h2>
        {messages.length > manyMessages && (
          <a class="small" href={`#message-${messages.at(-1)?.id}`}>
            Jump to the end
          </a>
        )}
      </div>
      <ol class="stack">
        <InTurns>
          {foldRepeats(messages).map((shown) =>
            "folded" in shown ? (
              <Fragment key={shown.folded[0]?.id}>
                {fresh && shown.folded.some(({ id }) => id === fresh.news.first) && (
                  <NewMark since={fresh.since} />
                )}
                <li>
                  <FoldedRepeats repeats={shown.folded} report={thread} />
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
    </section>
  );
};

interface EntryFacts extends Pick<PlainMessageProps, "senders" | "links" | "settings"> {
  readonly event: string | undefined;
  readonly report: FirstReport;
}

const entry = (message: OwnedMessage, { event, report, ...facts }: EntryFacts) => {
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

/** Only the sender may read the link itself. */
const linkInWords = "(link to the sender's page)";

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
            by <Line text={writtenBy} />
          </span>
        )}
        <Timestamp at={createdAt} />
        {originalUntil !== undefined && (
          <Can needs="maintainer">
            <a href={links.original(message.id)} download title="The mail as it came, kept for 30 days">
              original
            </a>
          </Can>
        )}
      </header>
      <div class="inside">
        {foreignFrom !== undefined && (
          <p class="notice attention">
            Nothing shows that the sender mailed this answer. It says that it comes from{" "}
            <Line text={foreignFrom} />
          </p>
        )}
        <FoldedText text={direction === "outbound" ? withStatusUrl(body, linkInWords) : body} />
        <Files of={{ images, videos, attachments }} />
        {direction === "outbound" && <ReplyDelivery {...{ message, sender, settings }} />}
      </div>
    </article>
  );
};

/** One line in place of a note that an agent's step adds: the page shows the full text above. */
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
