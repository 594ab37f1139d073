import type { Links } from "../../../links.ts";
import {
  type InboxPosition,
  inboxPositionQuery,
  type Neighbour,
  type Neighbours,
} from "../inbox-position.ts";

export interface ThreadNavigationProps {
  readonly links: Links;
  readonly appId: string;
  readonly place: InboxPosition;
  readonly neighbours: Neighbours;
}

/** Back to the list as it was, and on to the threads beside this one in it. */
export const ThreadNavigation = ({ links, appId, place, neighbours }: ThreadNavigationProps) => {
  const { previous, next } = neighbours;
  return (
    <nav class="walk" aria-label="Threads">
      <a
        class="back"
        href={links.inbox(appId) + (place.list === "" ? "" : `?${new URLSearchParams(place.list)}`)}
      >
        <span aria-hidden="true">←</span> Inbox
      </a>
      {(previous || next) && (
        <span class="row">
          <Step to={previous} words="Previous" {...{ links, appId }} />
          <Step to={next} words="Next" {...{ links, appId }} />
        </span>
      )}
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
    <a class="button small" href={links.thread(appId, to.id) + inboxPositionQuery(to.place)}>
      {words}
      <span class="unseen"> thread</span>
    </a>
  );
