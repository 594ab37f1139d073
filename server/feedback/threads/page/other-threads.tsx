import type { ApiError } from "../../../../src/contract/errors.ts";
import { limits } from "../../../../src/contract/limits.ts";
import {
  type OwnedThread,
  type SimilarThread,
  type ThreadSummary,
  threads,
} from "../../../../src/contract/threads.ts";
import {
  type Definitions,
  defineForm,
  definePage,
  type SignedInVisit,
} from "../../../console/definitions.ts";
import { IdempotencyField } from "../../../console/forms.tsx";
import { type AppNavigation, appNavigationOf, ConsolePage } from "../../../console/layout.tsx";
import type { Links } from "../../../console/links.ts";
import { Can, Empty, Line, NothingSearched, Refused } from "../../../console/parts.tsx";
import { goTo, type Reply, reshowForm, show } from "../../../console/respond.tsx";
import { searchFaultOf } from "../../../console/search-fault.ts";
import { Ago } from "../../../console/times.tsx";
import { inboxPositionOf, threadAddress } from "../../inbox/neighbours.tsx";
import { nameIn, statusNames } from "../badges.tsx";
import { threadPage } from "./page.tsx";
import { numberOf } from "./texts.tsx";
import { readThread, threadTitle } from "./thread.tsx";

/** The maximum number of threads that the page offers for a merge. */
const mostOffered = 20;

function merge(visit: SignedInVisit): Promise<Reply<"merged">> {
  const { ask, fields, links, param } = visit;
  return reshowForm(
    async () => {
      const thread = await ask(threads.merge, {
        params: { id: param("id") },
        body: { into: fields.text("into") },
        idempotencyKey: fields.idempotencyKey,
      });
      return goTo(links.thread(thread.app.id, thread.feedback.id), "merged");
    },
    (refusal) => showMerge(visit, refusal),
  );
}

/** Undoes a merge. If the form was sent from the inbox, the separate thread is shown next to the list. */
async function unmerge(visit: SignedInVisit): Promise<Reply<"unmerged">> {
  const { ask, fields, links, param } = visit;
  const { app, feedback } = await ask(threads.unmerge, {
    params: { id: param("id") },
    idempotencyKey: fields.idempotencyKey,
  });
  const place = { appId: app.id, id: feedback.id };
  return goTo(threadAddress(links, place, inboxPositionOf(visit)), "unmerged");
}

async function showMerge(visit: SignedInVisit, refusal?: ApiError): Promise<Reply> {
  const { ask, links, fields } = visit;
  const thread = await readThread(visit);
  if (thread.feedback.mergedInto !== undefined) return goTo(links.thread(thread.app.id, thread.feedback.id));
  const navigation = await appNavigationOf(visit, "inbox");
  const typed = (refusal === undefined ? visit.query("q") : fields.text("q")).trim();
  const fault = searchFaultOf(typed, limits.feedbackSearch);
  const number = /^#?([1-9]\d{0,8})$/.exec(typed)?.[1];
  const wanted = { limit: String(mostOffered + 1) };
  const query = {
    ...wanted,
    ...(number !== undefined ? { number } : typed === "" ? { order: "activity" } : { q: typed }),
  };
  const { items } =
    fault === undefined
      ? await ask(threads.list, { params: { appId: thread.app.id }, query })
      : { items: [] };
  const others = items.filter(({ id }) => id !== thread.feedback.id).slice(0, mostOffered);
  return show(
    <MergePage {...{ navigation, thread, others, typed, fault, refusal }} now={visit.now} />,
    refusal?.status ?? (fault === undefined ? undefined : 400),
  );
}

const MergePage = ({
  navigation,
  thread,
  others,
  typed,
  fault,
  refusal,
  now,
}: {
  readonly navigation: AppNavigation;
  readonly thread: OwnedThread;
  readonly others: readonly ThreadSummary[];
  /** The words or the number that the person typed to find the other thread. */
  readonly typed: string;
  /** The error message if the search is not possible. */
  readonly fault: string | undefined;
  readonly refusal: ApiError | undefined;
  readonly now: Date;
}) => {
  const { app, links } = navigation;
  const { feedback } = thread;
  const address = links.thread(app.id, feedback.id, "merge");
  return (
    <ConsolePage navigation={navigation} title={`Merge ${threadTitle(thread)}`} address={address} narrow>
      <OtherPageHead {...{ thread, links }} title="Merge into another thread" />
      <div class="stack wide">
        <Refused refusal={refusal} />
        <search>
          <form class="merge-search" method="get" action={address}>
            <label class="unseen" for="merge-search">
              Find the other thread
            </label>
            <input
              id="merge-search"
              type="search"
              name="q"
              value={typed}
              placeholder="Words, or a number such as #12"
              maxLength={limits.feedbackSearch}
            />
            <button type="submit">Find</button>
          </form>
        </search>
        {fault !== undefined ? (
          <NothingSearched fault={fault} />
        ) : others.length === 0 ? (
          <Empty title="No other thread found">
            <p>Type other words, or the number of the thread.</p>
          </Empty>
        ) : (
          <form class="stack" method="post" action={address}>
            <IdempotencyField />
            <input type="hidden" name="q" value={typed} />
            <fieldset class="stack tight">
              <legend>{typed === "" ? "Last active threads" : "Found threads"}</legend>
              <ul class="list">
                {others.map((other) => (
                  <li key={other.id}>
                    <label class="choice">
                      <input
                        type="radio"
                        name="into"
                        value={other.id}
                        required
                        checked={others.length === 1}
                      />
                      <Offered other={other} now={now} />
                    </label>
                  </li>
                ))}
              </ul>
            </fieldset>
            <p class="hint">
              The messages, files and proposals move to the chosen thread. Each sender sees only their own
              messages and the replies to them. If this thread is not finished but the chosen thread is, the
              chosen thread is opened again. You can undo the merge for 30 days.
            </p>
            <div class="actions">
              <button class="primary" type="submit">
                Merge
              </button>
              <a class="button" href={links.thread(app.id, feedback.id)}>
                Cancel
              </a>
            </div>
          </form>
        )}
      </div>
    </ConsolePage>
  );
};

const Offered = ({ other, now }: { readonly other: ThreadSummary; readonly now: Date }) => (
  <span class="offered">
    <b>
      {numberOf(other)}
      <Line text={other.subject} />
    </b>
    <span class="under">
      <span>
        <Line text={other.senderName ?? other.senderEmail ?? "Anonymous"} />
      </span>
      {other.status !== "open" && <span>{nameIn(statusNames, other.status)}</span>}
      <span>
        last activity <Ago at={other.activeAt} now={now} />
      </span>
    </span>
  </span>
);

const mergePage = definePage({
  at: (links) => links.thread(":appId", ":id", "merge"),
  needs: "maintainer",
  show: (visit) => showMerge(visit),
});

async function showSimilar(visit: SignedInVisit): Promise<Reply> {
  const { ask, links, now } = visit;
  const thread = await readThread(visit);
  const { app, feedback } = thread;
  if (feedback.mergedInto !== undefined) return goTo(links.thread(app.id, feedback.id));
  const { items } = await ask(threads.similar, { params: { id: feedback.id } });
  const navigation = await appNavigationOf(visit, "inbox");
  return show(
    <ConsolePage navigation={navigation} title={`Similar to ${threadTitle(thread)}`} narrow>
      <OtherPageHead {...{ thread, links }} title="Similar threads" />
      <Similar {...{ thread, items, links, now }} />
    </ConsolePage>,
  );
}

/** The similar threads. A script also shows them next to the thread. */
const Similar = ({
  thread: { app, feedback },
  items,
  links,
  now,
}: {
  readonly thread: OwnedThread;
  readonly items: readonly SimilarThread[];
  readonly links: Links;
  readonly now: Date;
}) => (
  <div id="similar-threads">
    {items.length === 0 ? (
      <p class="muted">No other thread shares rare words with this one.</p>
    ) : (
      <ul class="similar">
        {items.map((other) => (
          <li key={other.id}>
            <a href={links.thread(app.id, other.id)}>
              {numberOf(other)}
              <Line text={other.subject} />
            </a>
            <p class="under muted small">
              <span>{nameIn(statusNames, other.status)}</span>
              <span>
                last activity <Ago at={other.activeAt} now={now} />
              </span>
            </p>
            <p class="muted small">
              Both have{" "}
              {other.shared.map((word, at) => (
                <span key={word}>
                  {at > 0 && ", "}
                  <b>
                    <Line text={word} />
                  </b>
                </span>
              ))}
              .
            </p>
            <Can needs="maintainer">
              <form method="post" action={links.thread(app.id, feedback.id, "merge")}>
                <IdempotencyField />
                <input type="hidden" name="into" value={other.id} />
                <button class="small" type="submit">
                  {`Merge into ${numberOf(other).trim() || "it"}`}
                </button>
              </form>
            </Can>
          </li>
        ))}
      </ul>
    )}
  </div>
);

/** The page that merges a thread, the form that undoes a merge, and the page with similar threads. */
export const definitions: Definitions = [
  mergePage,
  defineForm({
    at: (links) => links.thread(":appId", ":id", "merge"),
    page: mergePage,
    act: merge,
    done: { merged: "The threads are merged." },
    word: "mergeThread",
    notDone: "The threads were not merged.",
  }),
  defineForm({
    at: (links) => links.thread(":appId", ":id", "unmerge"),
    page: threadPage,
    act: unmerge,
    done: { unmerged: "The thread is separate again." },
    word: "unmergeThread",
    notDone: "The merge was not undone.",
  }),
  definePage({
    at: (links) => links.thread(":appId", ":id", "similar"),
    needs: "viewer",
    show: showSimilar,
  }),
];

/** The head of pages about a thread, such as the page that merges it. Has a link back to the thread. */
export const OtherPageHead = ({
  title,
  thread: { app, feedback },
  links,
  back = links.thread(app.id, feedback.id),
}: {
  readonly title: string;
  readonly thread: OwnedThread;
  readonly links: Links;
  /** The address to which the link back goes. The default is the page of the thread. */
  readonly back?: string;
}) => (
  <>
    <nav class="neighbours" aria-label="Thread">
      <a class="back" href={back}>
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
