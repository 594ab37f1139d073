import type { ComponentChildren } from "preact";
import { type SavedReply, savedReplies } from "../../../../src/contract/correspondence.ts";
import { ApiError } from "../../../../src/contract/errors.ts";
import { type Tag, tags } from "../../../../src/contract/tags.ts";
import {
  type Assignee,
  type OwnedThread,
  type ThreadEvent,
  threads,
} from "../../../../src/contract/threads.ts";
import { titled } from "../../../../src/words/visible.ts";
import type { SignedInVisit } from "../../../console/definitions.ts";
import {
  fieldVersion,
  HiddenFields,
  IdempotencyField,
  originalVersionName,
  versionOf,
} from "../../../console/forms.tsx";
import type { AppNavigation } from "../../../console/layout.tsx";
import type { Links } from "../../../console/links.ts";
import type { ProposalDelivery, ProposalLife } from "../../../console/page-reads.ts";
import { Can, counted, Line, Notice, Person } from "../../../console/parts.tsx";
import { Ago, Timestamp } from "../../../console/times.tsx";
import { type InboxPosition, placeValues } from "../../inbox/neighbours.tsx";
import { threadNews } from "../../unread/rules.ts";
import { StatusBadge } from "../badges.tsx";
import { messageAddress, olderAddress, repeatsAddress, repeatsName } from "./addresses.ts";
import { ThreadAside, type ThreadAsideProps, type ThreadSorting } from "./aside.tsx";
import { RepliedNotice, sendersOf } from "./delivery.tsx";
import { currentThread, type SentThread, type ThreadForms, threadForms } from "./fields.tsx";
import {
  CurrentProposal,
  EarlierProposals,
  planOfFinished,
  type RenderedPlans,
  renderedPlans,
} from "./proposal.tsx";
import { Answering, MessageComposer, type ReplyWays } from "./reply.tsx";
import { numberOf } from "./texts.tsx";
import { type NewSince, NewSinceNotice, OriginalFeedback, Timeline } from "./timeline.tsx";

/** What the page shows after a form was sent: the form's values, and the notice `done`. */
export interface ShownAgain {
  readonly sent?: SentThread;
  readonly done?: string;
  /** The new link to the sender's page. */
  readonly statusUrl?: string;
}

/** An opened thread, and the time of this person's last visit or null. */
export interface Opened {
  readonly thread: OwnedThread;
  readonly since: string | null;
}

/**
 * Reads a thread. Records the view, but not for a merged thread or a background request. Throws `not_found`.
 */
export async function openThread(visit: SignedInVisit, id: string): Promise<Opened> {
  const view = await visit.views.ofThread(id);
  const thread = await readThread(visit, id);
  const isOther = thread.feedback.mergedInto !== undefined;
  if (!visit.isLive && !isOther) await view.note();
  return { thread, since: view.since };
}

/** Reads all data of a thread that the page shows. */
export async function threadParts(
  visit: SignedInVisit,
  {
    navigation,
    position,
    sent,
    statusUrl,
    known,
    ...opened
  }: Opened &
    ShownAgain & {
      readonly navigation: AppNavigation;
      readonly position: InboxPosition;
      /** Data that the page of the inbox has already read. */
      readonly known?: Known;
    },
): Promise<ThreadProps> {
  const { thread } = opened;
  const forms = afterMerge(threadForms(currentThread(thread), sent), thread, visit.param("id"));
  const ways = { mail: visit.reads.sendsMail, page: navigation.app.senderPages };
  const beside = await readBeside(visit, opened, known);
  const repeatsUntil = visit.query(repeatsName);
  return { navigation, thread, forms, position, ways, statusUrl, now: visit.now, repeatsUntil, ...beside };
}

/**
 * If the thread `asked` was merged into `thread`, the default receiver of a reply is the sender of `asked`.
 * (rule M10)
 */
function afterMerge(forms: ThreadForms, thread: OwnedThread, asked: string): ThreadForms {
  const first = asked.toLowerCase();
  if (thread.feedback.mergedInto === undefined || !sendersOf(thread).has(first)) return forms;
  const { reply } = forms;
  const value = (name: string) => reply.value(name) || (name === "replyReceiver" ? first : "");
  return { ...forms, reply: { ...reply, value } };
}

/** The tags of the app, and the members to whom threads can be assigned. */
interface Known {
  readonly tags: readonly Tag[];
  readonly people: readonly Assignee[];
}

async function readBeside(visit: SignedInVisit, { thread, since }: Opened, given?: Known) {
  const { ask, reads, links, answering, caller } = visit;
  const { id } = thread.feedback;
  const params = { appId: thread.app.id };
  const [deliveries, lives, notes, openNotes, known, replies, people, events, ofSender] = await Promise.all([
    reads.deliveries(id),
    reads.proposalLives(id),
    reads.releaseNotesOfFeedback(id),
    reads.openReleaseNotes(thread.app.id),
    given?.tags ?? ask(tags.list, { params }).then(({ items }) => items),
    ask(savedReplies.list, { params }),
    given?.people ?? reads.assignableMembers(thread.app.id),
    ask(threads.events, { params: { id } }),
    otherThreads(visit, thread),
  ]);
  return {
    deliveries,
    lives,
    plans: await renderedPlans(visit.settings, thread.proposals),
    fresh: await newSince(visit, { thread, lives, since }),
    answering: await answering.others(id, people),
    releases: notes.map((release) => ({ ...release, address: links.entry(thread.app.id, release.id) })),
    openNotes,
    sorting: { knownTags: known.map(({ name }) => name), people, me: caller.userId },
    replies: replies.items,
    events: events.items,
    ofSender,
  };
}

/** Returns the newest other threads of the sender. The list is empty if the sender left no address. */
async function otherThreads({ ask }: SignedInVisit, { app, feedback, sender }: OwnedThread) {
  if (sender.email === null) return { items: [], more: false };
  const query = { sender: sender.email, limit: String(mostOthers + 1) };
  const { items, nextCursor } = await ask(threads.list, { params: { appId: app.id }, query });
  const others = items.filter(({ id }) => id !== feedback.id);
  return { items: others.slice(0, mostOthers), more: nextCursor !== null || others.length > mostOthers };
}

/** The maximum number of threads of the same sender that are shown with a thread. */
const mostOthers = 3;

async function newSince(
  { caller, reads }: SignedInVisit,
  { thread, lives, since }: Opened & { readonly lives: ReadonlyMap<string, ProposalLife> },
): Promise<NewSince | undefined> {
  if (since === null) return undefined;
  const deciders = new Map([...lives].map(([id, { decidedBy }]) => [id, decidedBy]));
  const news = threadNews(thread, { since, email: caller.email, deciders });
  return { since, news, edited: await reads.wasEdited(thread, since) };
}

/** Returns the thread in the path. Throws `not_found` if it does not belong to the app in the path. */
export async function readThread(
  { ask, param }: SignedInVisit,
  id: string = param("id"),
  query: { readonly before?: string } = {},
): Promise<OwnedThread> {
  const thread = await ask(threads.read, { params: { id }, query });
  if (thread.app.id !== param("appId").toLowerCase()) throw new ApiError("not_found");
  return thread;
}

export interface ThreadProps {
  readonly navigation: AppNavigation;
  readonly thread: OwnedThread;
  readonly forms: ThreadForms;
  readonly deliveries: readonly ProposalDelivery[];
  readonly lives: ReadonlyMap<string, ProposalLife>;
  readonly fresh: NewSince | undefined;
  /** The other members who are writing in the thread. */
  readonly answering: readonly string[];
  readonly releases: ThreadAsideProps["releases"];
  readonly openNotes: ThreadAsideProps["openNotes"];
  readonly now: Date;
  readonly position: InboxPosition;
  readonly plans: RenderedPlans;
  readonly ways: ReplyWays;
  readonly sorting: ThreadSorting;
  readonly replies: readonly SavedReply[];
  readonly events: readonly ThreadEvent[];
  readonly ofSender: ThreadAsideProps["ofSender"];
  readonly statusUrl: string | undefined;
  /** The id of the last repeated report that its group shows. If empty, each group shows its newest reports. */
  readonly repeatsUntil: string;
}

export const threadTitle = (thread: OwnedThread): string =>
  `${numberOf(thread.feedback)}${titled(thread.feedback.subject)}`;

/** The notice about the reply that this person has just sent. */
export const ThreadReplied = ({
  navigation,
  thread,
  position,
}: Pick<ThreadProps, "navigation" | "thread" | "position">) => (
  <RepliedNotice
    reopen={
      <Reopen
        action={navigation.links.thread(navigation.app.id, thread.feedback.id, "edit")}
        position={position}
      />
    }
    done={navigation.done}
    thread={thread}
    settings={navigation.links.app(navigation.app.id)}
    reader={navigation.email}
  />
);

/** The button that opens a thread again, after a reply that resolved it. The reply is not recalled. */
export const Reopen = ({
  action,
  position,
}: {
  readonly action: string;
  readonly position: InboxPosition;
}) => (
  <Can needs="maintainer">
    <form method="post" action={action}>
      <IdempotencyField />
      <PositionFields position={position} />
      <HiddenFields
        values={[
          ["status", "open"],
          [originalVersionName("status"), fieldVersion("resolved")],
        ]}
      />
      <button class="small" type="submit">
        Open the thread again
      </button>
    </form>
  </Can>
);

/** A thread without page navigation, for its own page and for the inbox. */
export const ThreadBody = (props: ThreadProps) => {
  const { navigation, thread, forms, position } = props;
  const address = navigation.links.thread(navigation.app.id, thread.feedback.id);
  const settings = navigation.links.app(navigation.app.id);
  return (
    <>
      <ThreadHead thread={thread} links={navigation.links} />
      <MergedInto thread={thread} links={navigation.links} position={position} now={props.now} />
      <Answering id="answering" people={props.answering} isRead />
      <NewSinceNotice fresh={props.fresh} />
      <ThreadForm id={thread.feedback.id} forms={forms} address={address} position={position}>
        <div class="stack">
          <NewerNotice thread={thread} address={address} />
          <OriginalFeedback thread={thread} />
          <CurrentProposal {...props} address={address} />
          <EarlierProposals {...props} address={address} />
          <Timeline
            thread={thread}
            events={props.events}
            links={navigation.links}
            lives={props.lives}
            newest={forms.messageId}
            fresh={props.fresh}
            settings={settings}
            repeats={{
              until: props.repeatsUntil,
              address: (until) => repeatsAddress(address, position, { until }),
            }}
            other={{ older: olderAddress(navigation.links, thread, position), newest: undefined }}
          />
          <Can needs="maintainer">
            <MessageComposer
              forms={forms}
              thread={thread}
              address={address}
              answering={props.answering}
              ways={props.ways}
              reader={{ email: navigation.email, now: props.now }}
              settings={settings}
              done={navigation.done}
              savedReplies={{
                replies: props.replies,
                manage: navigation.links.savedReplies(navigation.app.id),
              }}
            />
          </Can>
        </div>
        <ThreadAside
          thread={thread}
          forms={forms}
          sorting={props.sorting}
          blocked={navigation.links.blocked(navigation.app.id)}
          address={address}
          releases={props.releases}
          openNotes={props.openNotes}
          ofSender={props.ofSender}
          links={navigation.links}
          repository={navigation.app.githubRepository}
          statusLink={props.ways.page ? { refusal: forms.link.refusal, url: props.statusUrl } : undefined}
          now={props.now}
        />
      </ThreadForm>
    </>
  );
};

/** The form around the whole thread. The Enter key saves the side column and never decides on a proposal. */
const ThreadForm = ({
  id,
  forms,
  address,
  position,
  children,
}: {
  readonly id: string;
  readonly position: InboxPosition;
  readonly forms: ThreadForms;
  readonly address: string;
  readonly children: ComponentChildren;
}) => (
  <Can needs="maintainer" otherwise={<div class="thread">{children}</div>}>
    <form
      class="thread"
      method="post"
      action={`${address}/edit`}
      // With `off`, the browser does not restore old typed values when a person goes back.
      autocomplete="off"
      data-guards
      data-unsaved={forms.isUnsaved || undefined}
      data-thread={id}
      data-page={position.desk ? address : undefined}
    >
      <button class="unseen" type="submit" tabIndex={-1} aria-hidden="true">
        Save
      </button>
      <IdempotencyField />
      <PositionFields position={position} />
      {children}
    </form>
  </Can>
);

/** Hidden fields with the position in the inbox, which the next page keeps. */
const PositionFields = ({ position }: { readonly position: InboxPosition }) =>
  position.list === "" ? null : (
    <HiddenFields
      values={[
        ["list", position.list],
        ...placeValues(position),
        ...(position.desk
          ? ([
              ["desk", "1"],
              ["next", position.next ?? ""],
            ] as const)
          : []),
      ]}
    />
  );

/** A script shows this notice after a newer proposal or a decision. */
const NewerNotice = ({
  thread: { latestProposal },
  address,
}: {
  readonly thread: OwnedThread;
  readonly address: string;
}) => {
  const version = versionOf([latestProposal?.id, latestProposal?.status]);
  return (
    <div id="newest" data-live={version} data-stale="stale">
      <div id="stale" hidden>
        <Notice kind="attention">
          The proposal on this thread has changed since you opened this page.{" "}
          <a href={address}>Show it as it is now</a>
        </Notice>
      </div>
    </div>
  );
};

const ThreadHead = ({
  thread: { app, feedback, latestProposal, earlier },
  links,
}: {
  readonly thread: OwnedThread;
  readonly links: Links;
}) => (
  <div
    class="head"
    id="thread-head"
    data-live={versionOf([
      ...[feedback.subject, feedback.status, feedback.occurrences, feedback.snoozedUntil],
      latestProposal?.status,
    ])}
  >
    <div class="stack tight">
      <h1>
        <Line text={feedback.subject} />{" "}
        {feedback.number !== null && <span class="number">{`#${feedback.number}`}</span>}
      </h1>
      <div class="row">
        <StatusBadge status={feedback.status} />
        {feedback.snoozedUntil !== null && (
          <span class="badge">
            Snoozed until <Timestamp at={feedback.snoozedUntil} />
          </span>
        )}
        {latestProposal?.status === "awaiting_approval" && (
          <a class="badge attention" href="#proposal">
            Waiting for your decision
          </a>
        )}
        {feedback.occurrences > 1 && <span class="badge">{`Reported ${feedback.occurrences} times`}</span>}
      </div>
      {planOfFinished({ feedback, latestProposal }) && (
        <p>
          {planOfFinished({ feedback, latestProposal })} <a href="#proposal">Decide on the plan</a>
        </p>
      )}
      {earlier !== null && (
        <p>
          This failure occurred again. It was resolved before:{" "}
          <a href={links.thread(app.id, earlier.id)}>
            <Line text={earlier.subject} />
          </a>
        </p>
      )}
    </div>
  </div>
);

/** The threads that were merged into this thread, each with a button that undoes the merge. */
const MergedInto = (props: MergedProps) => {
  const { merged } = props.thread;
  return merged.length === 0 ? null : (
    <section class="merged" id="merged" aria-label="Merged threads" data-live={versionOf(merged)}>
      {merged.length > mostMergedShown ? (
        <details class="reveal">
          <summary>{counted(merged.length, "merged thread")}</summary>
          <MergedList {...props} />
        </details>
      ) : (
        <MergedList {...props} />
      )}
    </section>
  );
};

type MergedProps = Pick<ThreadProps, "thread" | "position" | "now"> & { readonly links: Links };

const mostMergedShown = 3;

const MergedList = ({ thread, links, position, now }: MergedProps) => (
  <ul>
    {thread.merged.map(({ id, number, subject, mergedAt, mergedBy, undoUntil }) => (
      <li key={id}>
        <span>
          Merged from {number !== null && `#${number} `}
          <a href={messageAddress(links, thread, position, id)}>
            <Line text={subject ?? "a report that was erased"} />
          </a>{" "}
          <span class="muted">
            {mergedBy !== null && (
              <>
                by <Person email={mergedBy} />{" "}
              </>
            )}
            <Ago at={mergedAt} now={now} />
          </span>
        </span>
        {undoUntil !== null && (
          <Can needs="maintainer">
            <form method="post" action={links.thread(thread.app.id, id, "unmerge")}>
              <IdempotencyField />
              <PositionFields position={position} />
              <button class="small quiet" type="submit">
                Undo
                <span class="unseen">{` the merge of ${number === null ? "this thread" : `#${number}`}`}</span>
              </button>
            </form>
          </Can>
        )}
      </li>
    ))}
  </ul>
);
