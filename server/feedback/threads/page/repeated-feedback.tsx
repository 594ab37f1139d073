import type { OwnedMessage, OwnedThread } from "../../../../src/contract/threads.ts";
import { differenceOf, foldedWords, runsOf } from "../../../../src/words/repeats.ts";
import { Files } from "../../../console/files.tsx";
import { Line } from "../../../console/text.tsx";
import { Timestamp } from "../../../console/timestamp.tsx";
import { nameIn, typeNames } from "../badges.tsx";
import { MetadataPairs, Pair } from "./metadata-pairs.tsx";
import { senderName } from "./reply-delivery.tsx";
import { FoldedText } from "./texts.tsx";

/** The first report of a thread, and its sender. */
export type FirstReport = Pick<OwnedThread, "feedback" | "sender">;

interface RepeatProps {
  readonly message: OwnedMessage;
  readonly report: FirstReport;
}

/** A later report of the same failure: what it says that the first report does not, with its own files. */
export const RepeatedFeedback = ({ message, report }: RepeatProps) => {
  const { sender, createdAt } = message;
  return (
    <article class="message inbound" aria-label="Repeat of the report">
      <header>
        <b>
          <Line text={senderName(sender)} />
        </b>
        <span>reported it again</span>
        <Timestamp at={createdAt} />
      </header>
      <div class="inside">
        <Difference {...{ message, report }} />
      </div>
    </article>
  );
};

const Difference = ({ message, report }: RepeatProps) => {
  const { sender, category, subject, source } = message;
  const { images = [], videos = [], attachments = [] } = message;
  const { text, isPartOfText, facts } = differenceOf(report, message);
  const unlike = (value: string | null | undefined, first: string | null) =>
    value === first || value === undefined ? null : value;
  return (
    <>
      {text === undefined && <p class="muted">The same text as the report.</p>}
      {isPartOfText && <p class="muted">The same text as the report, but for these lines:</p>}
      {text !== undefined && <FoldedText text={text} />}
      <Files of={{ images, videos, attachments }} />
      <dl class="pairs">
        <Pair name="Contact" value={unlike(sender?.email, report.sender.email)} />
        <Pair name="Type" value={typeOf(unlike(category, report.feedback.category))} />
        <Pair name="Subject" value={unlike(subject, report.feedback.subject)} />
        <Pair name="Source" value={unlike(source, report.feedback.source)} />
      </dl>
      <MetadataPairs
        metadata={Object.fromEntries(facts.map(([name, value]) => [name, value ?? "not in this report"]))}
      />
    </>
  );
};

const typeOf = (category: string | null): string | null =>
  category === null ? null : nameIn(typeNames, category);

interface FoldedRepeatsProps {
  readonly repeats: readonly OwnedMessage[];
  readonly report: FirstReport;
}

/** Many repeats in one line, which opens without a script. */
export const FoldedRepeats = ({ repeats, report }: FoldedRepeatsProps) => {
  const [first, last, runs] = [repeats.at(0), repeats.at(-1), runsOf(repeats)];
  if (first === undefined || last === undefined) return null;
  return (
    <details class="reveal repeats">
      <summary>
        {foldedWords(report, repeats)}, from <Timestamp at={first.createdAt} /> to{" "}
        <Timestamp at={last.createdAt} />
        {runs !== undefined && (
          <>
            , <Line text={runs} />
          </>
        )}
      </summary>
      <ol class="stack">
        {repeats.map((message) => (
          <li key={message.id} class="timeline-at" id={`message-${message.id}`} tabIndex={-1}>
            <RepeatedFeedback {...{ message, report }} />
          </li>
        ))}
      </ol>
    </details>
  );
};
