import type { OwnedThread } from "../../../../src/contract/threads.ts";
import type { Links } from "../../../console/links.ts";
import { Line } from "../../../console/parts.tsx";

/** Returns the number of a thread before its subject; empty if it has none yet. */
export const numberOf = ({ number }: { readonly number: number | null }): string =>
  number === null ? "" : `#${number} `;

/** The head of a page about a thread that is not the thread's own page: a link back, a title, and its subject. */
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
