import type { OwnedThread } from "../../../../src/contract/threads.ts";
import type { Links } from "../../../console/links.ts";
import { Line } from "../../../console/parts.tsx";

/** Returns the number of a thread as it is shown before the subject. Empty if the thread has no number yet. */
export const numberOf = ({ number }: { readonly number: number | null }): string =>
  number === null ? "" : `#${number} `;

/**
 * The head of an additional page about a thread, such as the page for a merge. It has a link back to the thread, a
 * title, and the subject of the thread.
 */
export const ThreadHead = ({
  title,
  thread: { app, feedback },
  links,
}: {
  readonly title: string;
  readonly thread: OwnedThread;
  readonly links: Links;
}) => (
  <>
    <nav class="neighbours" aria-label="Thread">
      <a class="back" href={links.thread(app.id, feedback.id)}>
        <span aria-hidden="true">←</span> Thread
      </a>
    </nav>
    <div class="head">
      <div class="stack tight">
        <h1>{title}</h1>
        <p>
          {numberOf(feedback)}
          <b>
            <Line text={feedback.subject} />
          </b>
        </p>
      </div>
    </div>
  </>
);
