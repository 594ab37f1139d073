import type { OwnedThread } from "../../../../../src/contract/console/feedback.ts";
import { Ago } from "../../../kit/display/timestamp.tsx";
import { Line } from "../../../kit/display/user-text.tsx";
import type { Filled } from "../../../kit/form/field.tsx";
import { Notice } from "../../../kit/layout/notice.tsx";

/** Who reads the page, and when. */
export interface PageReader {
  readonly email: string;
  readonly now: Date;
}

interface NewerReplyProps {
  readonly form: Filled;
  readonly thread: OwnedThread;
  readonly reader: PageReader;
}

/** Says that somebody else replied while the reply was typed. The next send goes through. (rule F35) */
export const NewerReply = ({ form, thread: { messages }, reader: { email, now } }: NewerReplyProps) => {
  if (form.refusal?.code !== "reply_added") return null;
  const newest = messages.findLast(
    ({ direction, writtenBy }) => direction === "outbound" && writtenBy !== email,
  );
  if (newest === undefined) return null;
  return (
    <Notice kind="alert">
      <b>Nothing was sent.</b> {newest.writtenBy ? <Line text={newest.writtenBy} /> : "Somebody else"} replied{" "}
      <Ago at={newest.createdAt} now={now} />. <a href={`#message-${newest.id}`}>Read it first.</a> Send again
      to send your reply anyway.
    </Notice>
  );
};

/** The newest reply that the page shows; empty if nobody has replied. */
export const newestReplyId = ({ messages }: OwnedThread): string =>
  messages.findLast(({ direction }) => direction === "outbound")?.id ?? "";
