import type { Message, Proposal } from "../../../../../src/contract/agent.ts";
import type { OwnedMessage, OwnedThread } from "../../../../../src/contract/console/feedback.ts";
import { proposalNote } from "../../../../domain/feedback/proposal.ts";
import { Timestamp } from "../../../kit/display/timestamp.tsx";
import { FoldedText } from "./folded-text.tsx";
import { RepeatedFeedback } from "./repeated-feedback.tsx";

export interface TimelineProps {
  readonly thread: OwnedThread;
  /** The message that the reader has just added: the page opens at it. */
  readonly newest: string | undefined;
}

/** The messages on a thread after the report, oldest first. */
export const Timeline = ({ thread: { messages, proposals }, newest }: TimelineProps) => {
  if (messages.length === 0) return null;
  const notes = new Set(proposals.map(noteKey));
  return (
    <section class="stack" aria-labelledby="conversation">
      <h2 id="conversation">Conversation</h2>
      <ol class="stack">
        {messages.map((message) => (
          <li
            key={message.id}
            class="timeline-at"
            id={`message-${message.id}`}
            tabIndex={-1}
            autofocus={message.id === newest}
          >
            {notes.has(messageKey(message)) ? <ProposalEvent message={message} /> : entry(message)}
          </li>
        ))}
      </ol>
    </section>
  );
};

const entry = (message: OwnedMessage) =>
  message.sender ? <RepeatedFeedback message={message} /> : <PlainMessage message={message} />;

const directions: Readonly<Record<string, string>> = {
  note: "Internal note",
  outbound: "Reply, recorded and not sent",
  inbound: "From the sender",
};

const PlainMessage = ({ message: { direction, body, createdAt } }: { readonly message: Message }) => (
  <article class={`message ${direction in directions ? direction : "note"}`}>
    <header>
      <b>{directions[direction] ?? direction}</b>
      <Timestamp at={createdAt} />
    </header>
    <div class="inside">
      <FoldedText text={body} />
    </div>
  </article>
);

/** One line in place of the note that a proposal adds: the page shows the full proposal above. */
const ProposalEvent = ({ message }: { readonly message: Message }) => (
  <p class="event">
    <span>An agent proposed a plan</span>
    <Timestamp at={message.createdAt} />
  </p>
);

const messageKey = ({ body, createdAt }: Pick<Message, "body" | "createdAt">): string =>
  `${createdAt} ${body}`;

const noteKey = (proposal: Proposal): string =>
  messageKey({ body: proposalNote(proposal), createdAt: proposal.createdAt });
