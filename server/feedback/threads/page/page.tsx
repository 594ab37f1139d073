import type { OwnedThread } from "../../../../src/contract/threads.ts";
import { definePage, type SignedInVisit } from "../../../console/definitions.ts";
import { HiddenFields, IdempotencyField } from "../../../console/forms.tsx";
import { appNavigationOf, ConsolePage } from "../../../console/layout.tsx";
import type { Links } from "../../../console/links.ts";
import { keyed, Line, Notice } from "../../../console/parts.tsx";
import { goTo, type Reply, show } from "../../../console/respond.tsx";
import {
  type Decided,
  DecidedNotice,
  decidedBefore,
  type InboxPosition,
  inboxPositionOf,
  inboxPositionQuery,
  isFromDecisions,
  listAddress,
  type Neighbour,
  type Neighbours,
  neighboursInQueue,
  neighboursOf,
  type QueueNeighbours,
  withNeighbours,
} from "../../inbox/neighbours.tsx";
import {
  openThread,
  type ShownAgain,
  ThreadBody,
  type ThreadProps,
  ThreadReplied,
  threadParts,
  threadTitle,
} from "./thread.tsx";

export async function showThread(visit: SignedInVisit, shownAgain: ShownAgain = {}): Promise<Reply> {
  const { done, sent } = shownAgain;
  const opened = await openThread(visit, visit.param("id"));
  const { app, feedback } = opened.thread;
  // A merged thread redirects to the other thread. A sent form is not redirected, because its text would be
  // lost.
  if (feedback.mergedInto !== undefined && sent === undefined)
    return goTo(visit.links.thread(app.id, feedback.mergedInto));
  const known = await appNavigationOf(visit, "inbox");
  const navigation = done === undefined ? known : { ...known, done };
  const given = inboxPositionOf(visit);
  const place = { appId: navigation.app.id, id: opened.thread.feedback.id };
  const neighbours = isFromDecisions(given)
    ? await neighboursInQueue(visit, place.id, given)
    : await neighboursOf(visit.ask, place, given);
  const { at, next } = neighbours;
  const position = at === undefined ? given : withNeighbours(given, { at, next });
  const decided = await decidedBefore(visit);
  const parts = await threadParts(visit, { ...opened, navigation, position, ...shownAgain });
  return show(<Thread {...parts} neighbours={neighbours} decided={decided} />, sent?.refusal?.status);
}

interface ThreadPageProps extends ThreadProps {
  readonly neighbours: Neighbours & Partial<QueueNeighbours>;
  /** The decision that the person has just made on another thread. */
  readonly decided: Decided | undefined;
}

const Thread = (props: ThreadPageProps) => {
  const { navigation, thread, position, neighbours } = props;
  const address = navigation.links.thread(navigation.app.id, thread.feedback.id);
  return (
    <ConsolePage
      navigation={navigation}
      title={threadTitle(thread)}
      address={address + inboxPositionQuery(position)}
    >
      <DecidedNotice done={navigation.done} decided={props.decided} links={navigation.links} />
      <ThreadReplied {...props} />
      <MergedSince address={address} />
      <ThreadNavigation
        links={navigation.links}
        appId={navigation.app.id}
        id={thread.feedback.id}
        position={position}
        neighbours={neighbours}
        thread={thread}
      />
      <ThreadBody {...props} />
    </ConsolePage>
  );
};

/** A script shows this notice after a merge. After the merge, `address` redirects to the other thread. */
const MergedSince = ({ address }: { readonly address: string }) => (
  <div id="merged-since" hidden>
    <Notice kind="attention">
      This thread was merged into another one since you opened this page.{" "}
      <a href={address}>Open the other thread</a>
    </Notice>
  </div>
);

/** Links to the list, and to the previous and the next thread of the list. */
const ThreadNavigation = ({
  links,
  appId,
  id,
  position,
  neighbours,
  thread: { feedback },
}: {
  readonly links: Links;
  readonly appId: string;
  /** The id of the thread. */
  readonly id: string;
  readonly position: InboxPosition;
  readonly neighbours: Neighbours & Partial<QueueNeighbours>;
  readonly thread: OwnedThread;
}) => {
  const { previous, next, place } = neighbours;
  return (
    <nav class="neighbours" aria-label="Threads">
      <a
        class="back"
        {...keyed("u", "Back to the list", "Thread")}
        href={listAddress(links, appId, position)}
      >
        <span aria-hidden="true">←</span> {isFromDecisions(position) ? "Decisions" : "Inbox"}
      </a>
      {isFromDecisions(position) && (
        <a class="about" href="#thread-head">
          <Line text={feedback.subject} />
          {feedback.number !== null && <span class="number">{`#${feedback.number}`}</span>}
        </a>
      )}
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
        <span class="steps">
          <Step to={previous} words="Previous" sign={place && "‹"} {...{ links, appId }} />
          {place !== undefined && <span class="muted small">{place}</span>}
          <Step to={next} words="Next" sign={place && "›"} {...{ links, appId }} />
        </span>
      </span>
    </nav>
  );
};

const Step = ({
  to,
  words,
  sign,
  links,
  appId,
}: {
  readonly to: Neighbour | undefined;
  readonly words: string;
  /** A sign such as `›`, which is shown in place of `words`. */
  readonly sign: string | undefined;
  readonly links: Links;
  readonly appId: string;
}) =>
  to === undefined ? null : (
    <a
      class="button small"
      href={links.thread(to.appId ?? appId, to.id) + inboxPositionQuery(to.position)}
      {...(words === "Next" ? keyed("]", "Next thread", "Thread") : keyed("[", "Previous thread", "Thread"))}
    >
      {sign === undefined ? words : <span aria-hidden="true">{sign}</span>}
      <span class="unseen">{sign === undefined ? " thread" : `${words} thread`}</span>
    </a>
  );

export const threadPage = definePage({
  at: (links) => links.thread(":appId", ":id"),
  needs: "viewer",
  show: showThread,
});
