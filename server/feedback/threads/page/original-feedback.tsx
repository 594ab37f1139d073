import type { OwnedThread } from "../../../../src/contract/threads.ts";
import { Files } from "../../../console/files.tsx";
import { Line } from "../../../console/text.tsx";
import { Timestamp } from "../../../console/timestamp.tsx";
import { FoldedText } from "./texts.tsx";

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
