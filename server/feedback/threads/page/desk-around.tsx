import { HiddenFields, IdempotencyField, versionOf } from "../../../console/forms.tsx";
import type { AppNavigation } from "../../../console/navigation.ts";
import type { Changes } from "../../../console/page-reads.ts";
import { Can, Empty, shownCount } from "../../../console/parts.tsx";
import { Timestamp } from "../../../console/times.tsx";
import { changedFilter, filterWith, isSameFilter, type ListFilter } from "../../inbox/filters.ts";
import { nameIn, statusNames, typeNames } from "../badges.tsx";

interface InboxChangesProps {
  readonly changes: Changes | undefined;
  /** When this person last visited the inbox. */
  readonly since: string | null;
  /** The address to which the form that hides this line is sent. */
  readonly action: string;
  /** The query of the shown list. */
  readonly list: string;
}

/**
 * One line about what others did in the app since the last visit of this person. The element exists even if nothing
 * changed, so that a script can fill it later.
 */
export const InboxChanges = ({ changes, since, action, list }: InboxChangesProps) => {
  const words = changes ? wordsOfChanges(changes) : [];
  return (
    <div id="changes" data-live={versionOf([words, since])}>
      {since !== null && words.length > 0 && (
        <section class="changes" aria-label="What changed since you were here">
          <p>
            {words.join(", ")} since <Timestamp at={since} />
          </p>
          <form method="post" action={action}>
            <IdempotencyField />
            <HiddenFields values={[["list", list]]} />
            <button class="small" type="submit">
              Hide<span class="unseen"> what changed</span>
            </button>
          </form>
        </section>
      )}
    </div>
  );
};

const names: readonly (readonly [kind: keyof Changes["counts"], one: string, many: string])[] = [
  ["report", "new report", "new reports"],
  ["repeat", "repeat", "repeats"],
  ["answer", "answer", "answers"],
  ["proposal", "proposal", "proposals"],
  ["decision", "decision", "decisions"],
  ["outcome", "outcome", "outcomes"],
  ["reply", "reply by others", "replies by others"],
  ["note", "note by others", "notes by others"],
  ["edit", "change by others", "changes by others"],
];

function wordsOfChanges({ counts, isPartial }: Changes): string[] {
  return names.flatMap(([kind, one, many]) => {
    const count = counts[kind];
    if (count === 0) return [];
    const atLeast = isPartial && kind !== "report" && kind !== "edit" && count < 100 ? "+" : "";
    return [`${shownCount(count)}${atLeast} ${count === 1 && atLeast === "" ? one : many}`];
  });
}

/**
 * The button that marks all threads of the list as read, on all pages of the list. A list with other filters than
 * status and type has no such button.
 */
export const MarkAllRead = ({
  filter,
  action,
  list,
  now,
}: {
  readonly filter: ListFilter;
  readonly action: string;
  /** The query of the shown list. */
  readonly list: string;
  /** When the list was read. Threads that change after this time stay unread. */
  readonly now: Date;
}) => {
  const { status, type } = filter;
  if (!isWhole(filter)) return null;
  return (
    <form class="mark-all" method="post" action={action}>
      <IdempotencyField />
      <HiddenFields
        values={[
          ["status", status],
          ["type", type],
          ["until", now.toISOString()],
          ["list", list],
        ]}
      />
      <button class="small quiet" type="submit">
        {markAllLabel(status, type)}
      </button>
    </form>
  );
};

function markAllLabel(status: string, type: string): string {
  const only = [
    ...(status === "" ? [] : [nameIn(statusNames, status).toLowerCase()]),
    ...(type === "" ? [] : [`of the type ${nameIn(typeNames, type).toLowerCase()}`]),
  ];
  return only.length === 0 ? "Mark all as read" : `Mark all ${only.join(" and ")} as read`;
}

/**
 * Whether the list has no filter except status and type. The order and the filter for unread threads do not count. The
 * filter that hides snoozed threads does not count either, because a snoozed thread counts as read.
 */
const isWhole = (filter: ListFilter): boolean => {
  const { status, type } = filter;
  const plain = changedFilter(filter, {
    unread: "",
    order: "activity",
    snoozed: filter.snoozed === "false" ? "" : filter.snoozed,
  });
  return isSameFilter(plain, filterWith({ status, type }));
};

/** The text for an empty list. */
export const Nothing = ({
  navigation: { app, links },
  filter,
  everywhere,
  older,
}: {
  readonly navigation: AppNavigation;
  readonly filter: ListFilter;
  /** The address of the same list without a filter by status. */
  readonly everywhere: string;
  /** The address of the next page. It is set if the search ended before it had searched all threads. */
  readonly older: string | undefined;
}) => {
  if (older !== undefined) {
    return (
      <Empty title="Nothing found yet">
        <p>No new feedback matches your search. Older feedback was not searched yet.</p>
        <div class="actions">
          <a class="button" href={older} rel="next">
            Search older feedback
          </a>
        </div>
      </Empty>
    );
  }
  if (filter.q !== "" || filter.type + filter.tag + filter.assignee !== "") {
    return (
      <Empty title="Nothing matches">
        <p>
          {filter.q === "" && "No thread matches these filters."}
          {filter.q !== "" &&
            (filter.status === ""
              ? "No feedback matches your search."
              : "No feedback with this status matches your search.")}
        </p>
        {filter.status !== "" && (
          <div class="actions">
            <a class="button" href={everywhere}>
              Search in every status
            </a>
          </div>
        )}
      </Empty>
    );
  }
  if (filter.unread === "true") {
    return (
      <Empty title="Everything is read">
        <p>A thread is unread if another person or an agent did something on it that you have not seen.</p>
      </Empty>
    );
  }
  if (filter.status !== "open" && !isSameFilter(filter, filterWith({}))) {
    return (
      <Empty title="Nothing here">
        <p>No thread is in this list right now.</p>
      </Empty>
    );
  }
  return (
    <Empty title={filter.status === "" ? "No feedback yet" : "No open feedback"}>
      <p>
        {app.feedbackEnabled
          ? "Feedback that your app sends with its key arrives here."
          : "Feedback is turned off for this app. To receive reports, turn it on in the settings."}
      </p>
      <Can needs="owner">
        <div class="actions">
          <a class="button" href={links.app(app.id)}>
            Keys and settings
          </a>
        </div>
      </Can>
    </Empty>
  );
};

/** Links to the pages for tags, saved replies, blocked senders and mail from programs. */
export const InboxLinks = ({ navigation: { app, links } }: { readonly navigation: AppNavigation }) => (
  <nav class="row muted small inbox-links" aria-label="More about the inbox">
    <a href={links.tags(app.id)}>Tags</a>
    <a href={links.savedReplies(app.id)}>Saved replies</a>
    <Can needs="maintainer">
      <a href={links.blocked(app.id)}>Blocked senders</a>
      <a href={links.automaticMails(app.id)}>Mail from programs</a>
    </Can>
  </nav>
);
