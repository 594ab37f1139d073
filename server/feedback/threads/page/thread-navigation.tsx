import { HiddenFields } from "../../../console/hidden-fields.tsx";
import { IdempotencyField } from "../../../console/idempotency-field.tsx";
import type { Links } from "../../../console/links.ts";
import {
  type InboxPosition,
  inboxPositionQuery,
  type Neighbour,
  type Neighbours,
} from "../../inbox/filters.tsx";

export interface ThreadNavigationProps {
  readonly links: Links;
  readonly appId: string;
  /** The thread. */
  readonly id: string;
  readonly position: InboxPosition;
  readonly neighbours: Neighbours;
}

/** Links back to the list, and to the previous and next thread in it. */
export const ThreadNavigation = ({ links, appId, id, position, neighbours }: ThreadNavigationProps) => {
  const { previous, next } = neighbours;
  return (
    <nav class="walk" aria-label="Threads">
      <a
        class="back"
        href={links.inbox(appId) + (position.list === "" ? "" : `?${new URLSearchParams(position.list)}`)}
      >
        <span aria-hidden="true">←</span> Inbox
      </a>
      <span class="row">
        <form method="post" action={links.thread(appId, id, "unread")}>
          <IdempotencyField />
          <HiddenFields
            values={[
              ["list", position.list],
              ["at", String(position.at)],
            ]}
          />
          <button class="small" type="submit">
            Mark as unread
          </button>
        </form>
        <Step to={previous} words="Previous" {...{ links, appId }} />
        <Step to={next} words="Next" {...{ links, appId }} />
      </span>
    </nav>
  );
};

interface StepProps {
  readonly to: Neighbour | undefined;
  readonly words: string;
  readonly links: Links;
  readonly appId: string;
}

const Step = ({ to, words, links, appId }: StepProps) =>
  to === undefined ? null : (
    <a class="button small" href={links.thread(appId, to.id) + inboxPositionQuery(to.position)}>
      {words}
      <span class="unseen"> thread</span>
    </a>
  );
