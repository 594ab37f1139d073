import type { OwnedMessage } from "../../../../../src/contract/console/feedback.ts";
import { Files } from "../../../kit/display/files.tsx";
import { Timestamp } from "../../../kit/display/timestamp.tsx";
import { Line } from "../../../kit/display/user-text.tsx";
import { nameIn, typeNames } from "../feedback-badges.tsx";
import { FoldedText } from "./folded-text.tsx";
import { MetadataPairs, Pair } from "./metadata-pairs.tsx";

/** A later report of the same failure, with its own sender, facts and files. */
export const RepeatedFeedback = ({ message }: { readonly message: OwnedMessage }) => {
  const { sender, category = "", body, createdAt, subject, source, metadata = {} } = message;
  const { images = [], videos = [], attachments = [] } = message;
  return (
    <article class="message inbound" aria-label="Repeat of the report">
      <header>
        <b>
          <Line text={sender?.name ?? sender?.email ?? "Anonymous"} />
        </b>
        <span>reported it again</span>
        <Timestamp at={createdAt} />
      </header>
      <div class="inside">
        <FoldedText text={body} />
        <Files of={{ images, videos, attachments }} />
        <dl class="pairs">
          <Pair name="Contact" value={sender?.email ?? null} />
          <Pair name="Type" value={nameIn(typeNames, category)} />
          <Pair name="Subject" value={subject ?? null} />
          <Pair name="Source" value={source ?? null} />
        </dl>
        <MetadataPairs metadata={metadata} />
      </div>
    </article>
  );
};
