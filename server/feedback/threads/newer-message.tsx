import type { OwnedMessage, OwnedThread } from "../../../src/contract/threads.ts";
import type { Filled } from "../../console/forms.tsx";
import { Notice } from "../../console/parts.tsx";
import { Line } from "../../console/text.tsx";
import { Ago } from "../../console/timestamp.tsx";
import { senderName, sendersOf } from "./page/reply-delivery.tsx";
import { aFewLines, FoldedText } from "./page/texts.tsx";

/** Who reads the page, and when. */
export interface PageReader {
  readonly email: string;
  readonly now: Date;
}

/** The hidden field with the newest message that the page showed. */
export const seenMessageName = "seenMessage";

interface NewerMessageProps {
  readonly form: Filled;
  readonly thread: OwnedThread;
  readonly reader: PageReader;
}

/** Shows what somebody else wrote while the reply was typed. The next send goes through. (rule F35) */
export const NewerMessage = ({ form, thread, reader: { email, now } }: NewerMessageProps) => {
  if (form.refusal?.code !== "answered") return null;
  const { messages } = thread;
  const seen = messages.findIndex(({ id }) => id === form.value(seenMessageName));
  const newest = messages.slice(seen + 1).findLast(({ writtenBy }) => writtenBy !== email);
  if (newest === undefined) return null;
  return (
    <Notice kind="alert">
      <p>
        <b>Nothing was sent.</b> <Line text={writerOf(newest, thread)} /> {verbOf(newest)}{" "}
        <Ago at={newest.createdAt} now={now} />. <a href={`#message-${newest.id}`}>Read it first.</a> Send
        again to send your reply anyway.
      </p>
      <blockquote>
        <FoldedText text={newest.body} most={aFewLines} />
      </blockquote>
    </Notice>
  );
};

function writerOf(message: OwnedMessage, thread: OwnedThread): string {
  const { direction, author, sender, writtenBy, reportId = "" } = message;
  if (direction === "inbound") return senderName(sender ?? sendersOf(thread).get(reportId));
  return writtenBy ?? (author === "agent" ? "An agent" : "Somebody else");
}

function verbOf({ direction, sender }: OwnedMessage): string {
  if (direction === "inbound") return sender ? "reported it again" : "answered";
  return direction === "outbound" ? "replied" : "added a note";
}

/** The newest message that the page shows; empty if nobody has written since the report. */
export const newestMessageId = ({ messages }: OwnedThread): string => messages.at(-1)?.id ?? "";
