import type { ComponentChildren } from "preact";
import type { OwnedMessage, OwnedThread, ReplyMail } from "../../../../src/contract/threads.ts";
import {
  deliveryWords,
  isMailFailing,
  missedWords,
  pageWords,
  senderName,
} from "../../../../src/words/thread.ts";
import { Can, Line, Notice } from "../../../console/parts.tsx";
import { messageKind } from "../../messages/rules.ts";

type Sender = OwnedThread["sender"];

/** Returns the senders of all reports that the page shows, by the id of the report. */
export const sendersOf = ({ feedback, sender, messages }: OwnedThread): ReadonlyMap<string, Sender> =>
  new Map([
    [feedback.id, sender],
    ...messages.flatMap((message) => (message.sender ? [[message.id, message.sender] as const] : [])),
  ]);

/** Returns the words that name the author of a message. */
export function writerOf(
  message: OwnedMessage,
  thread: OwnedThread,
  wordsOf: (email: string) => string,
): string {
  const { direction, author, sender, writtenBy, reportId = "" } = message;
  if (direction === "inbound") return senderName(sender ?? sendersOf(thread).get(reportId));
  if (writtenBy !== undefined) return wordsOf(writtenBy);
  return author === "agent" ? "An agent" : "Somebody else";
}

/** Returns the kind of a message that readers see, such as `plan` for a note with an agent's plan. */
export const kindOf = ({ sender, ...message }: OwnedMessage) =>
  messageKind({ ...message, isRepeat: sender !== undefined });

interface TurnPagesOnProps {
  /** The address of the settings in which an owner turns sender pages on. */
  readonly settings: string;
}

/** Says how an owner turns on sender pages. Shown where a reply does not reach its receiver. */
export const TurnPagesOn = ({ settings }: TurnPagesOnProps) => (
  <Can needs="owner" otherwise={<>An owner of the app can turn on sender pages.</>}>
    <a href={settings}>Turn on sender pages</a>, and give the sender the link to their page.
  </Can>
);

/** The name of the notice after a reply that also resolved the thread. */
export const resolvedWord = "replied-resolved";

/** The names of the notices that follow a reply. */
const replied = ["replied", "replied-changed", resolvedWord];

/** The notice about the reply that this person has just sent. */
export const RepliedNotice = ({
  done,
  thread: { feedback, latestProposal, messages },
  reader,
  settings,
  href,
  reopen,
}: TurnPagesOnProps & {
  readonly done: string;
  /** The button that opens the thread again. It is shown if the reply resolved the thread. */
  readonly reopen: ComponentChildren;
  /** The address of the thread; undefined if the page shows this thread. */
  readonly href?: string;
  readonly thread: OwnedThread;
  /** The e-mail address of the signed-in person. */
  readonly reader: string;
}) => {
  if (!replied.includes(done)) return null;
  const reply = messages.findLast(
    ({ direction, writtenBy }) => direction === "outbound" && writtenBy === reader,
  );
  if (reply?.delivery === undefined) return null;
  const { mails = [] } = reply;
  const isMissed = reply.delivery.missed > 0;
  return (
    <Notice done={done} {...(isMissed || mails.some(isMailFailing) ? { kind: "attention" } : {})}>
      {href === undefined ? (
        "The reply was added to the thread."
      ) : (
        <>
          The thread{" "}
          <a href={href}>
            <Line text={feedback.subject} />
          </a>{" "}
          is resolved, and the reply was added to it.
          {latestProposal?.status === "awaiting_approval" && " A plan still waits for a decision on it."}
        </>
      )}{" "}
      <Line text={deliveryWords(reply.delivery, mails).join(" ")} />
      {done === resolvedWord && href === undefined && " The thread is resolved."}
      {done === "replied-changed" && " Your changes in the other fields are saved, too."}
      {isMissed && (
        <>
          {" "}
          <TurnPagesOn settings={settings} />
        </>
      )}
      {done === resolvedWord && feedback.status === "resolved" && <> {reopen}</>}
    </Notice>
  );
};

/** The receivers of a reply, and how each of them gets it. */
export const ReplyDelivery = ({
  message: { everyone, mails = [], delivery },
  sender,
  settings,
}: TurnPagesOnProps & {
  readonly message: OwnedMessage;
  /** The sender who gets the reply; undefined if several senders get it. */
  readonly sender: Sender | undefined;
}) => (
  <div class="small muted">
    {everyone && <p>To everyone who reported it before.</p>}
    {sender && (
      <p>
        To <Line text={senderName(sender)} />
      </p>
    )}
    {mails.length > 0 && (
      <ul aria-label="Mails">
        {mails.map((mail) => (
          <li key={mail.to}>
            <MailState mail={mail} />
          </li>
        ))}
      </ul>
    )}
    {delivery?.onPage && <p>{pageWords(delivery)}</p>}
    {delivery !== undefined && delivery.missed > 0 && (
      <p class="notice attention">
        {missedWords(delivery)} <TurnPagesOn settings={settings} />
      </p>
    )}
  </div>
);

const states: Readonly<Record<string, string>> = {
  waiting: "waits to be mailed",
  sent: "mailed",
  bounced: "bounced: the address does not exist",
  failed: "could not be mailed",
};

const MailState = ({ mail: { to, status, reason } }: { readonly mail: ReplyMail }) => (
  <>
    <Line text={to} />: {states[status] ?? status}
    {reason !== null && (
      <>
        {" "}
        (<Line text={reason} />)
      </>
    )}
  </>
);
