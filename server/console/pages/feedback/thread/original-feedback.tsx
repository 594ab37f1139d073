import type { OwnedThread } from "../../../../../src/contract/console/feedback.ts";
import { Files } from "../../../kit/display/files.tsx";
import { Timestamp } from "../../../kit/display/timestamp.tsx";
import { Line } from "../../../kit/display/user-text.tsx";
import { FoldedText } from "./folded-text.tsx";

/** The text and the files of the sender. */
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
