import { type OwnedThread, type ThreadEvent, threads } from "../../../../src/contract/threads.ts";
import { type Definitions, definePage, type SignedInVisit } from "../../../console/definitions.ts";
import { appNavigationOf, ConsolePage } from "../../../console/layout.tsx";
import { goTo, type Reply, show } from "../../../console/respond.tsx";
import { type InboxPosition, inboxPositionOf, inboxPositionQuery } from "../../inbox/neighbours.tsx";
import { olderAddress, olderPartIn, repeatsAddress, repeatsName } from "./addresses.ts";
import { OtherPageHead } from "./other-threads.tsx";
import { readThread, threadTitle } from "./thread.tsx";
import { OriginalFeedback, Timeline } from "./timeline.tsx";

/** Shows older messages of a thread. Does not mark it as read, because the newest messages are missing. */
async function showOlder(visit: SignedInVisit): Promise<Reply> {
  const { ask, links, param, query, reads } = visit;
  const position = inboxPositionOf(visit);
  const { before, message } = olderPartIn(query);
  if (before === "") return goTo(await pageWith(visit, message, position));
  const thread = await readThread(visit, param("id"), { before });
  const { id } = thread.feedback;
  const navigation = await appNavigationOf(visit, "inbox");
  const [events, lives] = await Promise.all([
    ask(threads.events, { params: { id } }),
    reads.proposalLives(id),
  ]);
  const address = links.thread(thread.app.id, id, "older");
  const newest = newestAddress(links.thread(thread.app.id, id), position);
  const title = "Older messages";
  return show(
    <ConsolePage navigation={navigation} title={`${title} of ${threadTitle(thread)}`}>
      <OtherPageHead {...{ title, thread, links }} back={newest} />
      <div class="stack">
        <OriginalFeedback thread={thread} />
        <Timeline
          {...{ thread, links, lives }}
          events={eventsAmong(thread, events.items)}
          newest={undefined}
          fresh={undefined}
          settings={links.app(thread.app.id)}
          repeats={{
            until: query(repeatsName),
            address: (until) => repeatsAddress(address, position, { until, before }),
          }}
          other={{ older: olderAddress(links, thread, position), newest }}
        />
      </div>
    </ConsolePage>,
  );
}

/**
 * Returns the address of the page that shows a message. For an unknown message, returns the page with the
 * newest messages.
 */
async function pageWith(visit: SignedInVisit, messageId: string, position: InboxPosition): Promise<string> {
  const { links, reads } = visit;
  const { app, feedback, messages } = await readThread(visit);
  const newest = newestAddress(links.thread(app.id, feedback.id), position);
  if (messages.some(({ id }) => id === messageId))
    return newest.replace("#timeline", `#message-${messageId}`);
  const nextBefore = await reads.messageAfter(feedback.id, messageId);
  const address = olderAddress(links, { app, feedback, nextBefore }, position);
  return address?.replace("#timeline", `#message-${messageId}`) ?? newest;
}

const newestAddress = (thread: string, position: InboxPosition): string =>
  `${thread}${inboxPositionQuery(position)}#timeline`;

/**
 * Returns the events between the messages of an older page. The page with the newest messages shows all events.
 */
function eventsAmong(
  { messages, omittedMessages }: OwnedThread,
  events: readonly ThreadEvent[],
): ThreadEvent[] {
  const [first, last] = [messages.at(0), messages.at(-1)];
  if (first === undefined || last === undefined) return [];
  const isAfterStart = (at: string) => omittedMessages === 0 || at >= first.createdAt;
  return events.filter(({ at }) => isAfterStart(at) && at <= last.createdAt);
}

export const definitions: Definitions = [
  definePage({
    at: (links) => links.thread(":appId", ":id", "older"),
    needs: "viewer",
    show: showOlder,
  }),
];
