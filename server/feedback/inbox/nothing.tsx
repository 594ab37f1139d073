import { Can } from "../../console/can.tsx";
import { Empty } from "../../console/empty.tsx";
import type { AppNavigation } from "../../console/navigation.ts";

/** The filter of the inbox. An empty value means all. */
export interface Filter {
  readonly status: string;
  readonly type: string;
  /** Names of tags, with commas between them. */
  readonly tag: string;
  /** `me`, `none`, or the id of a member. */
  readonly assignee: string;
  readonly q: string;
}

/** Whether the list has all threads of its status and type. */
export const isWhole = ({ q, tag, assignee }: Filter): boolean => q.trim() + tag + assignee === "";

interface NothingProps {
  readonly navigation: AppNavigation;
  readonly filter: Filter;
  /** The address of the same list with every status. */
  readonly everywhere: string;
  /** The address of the next page, if a search has not looked at all threads. */
  readonly older: string | undefined;
}

/** What an empty list says. */
export const Nothing = ({ navigation: { app, links }, filter, everywhere, older }: NothingProps) => {
  if (older !== undefined) {
    return (
      <Empty title="Nothing found yet">
        <p>Nothing matches among the newest feedback. The search has not looked at older feedback yet.</p>
        <div class="actions">
          <a class="button" href={older} rel="next">
            Search older feedback
          </a>
        </div>
      </Empty>
    );
  }
  if (!isWhole(filter) || filter.type !== "") {
    return (
      <Empty title="Nothing matches">
        <p>No feedback with this status matches your search.</p>
        {filter.status !== "all" && (
          <div class="actions">
            <a class="button" href={everywhere}>
              Search in every status
            </a>
          </div>
        )}
      </Empty>
    );
  }
  if (filter.status === "unread") {
    return (
      <Empty title="Everything is read">
        <p>
          A thread is unread when something happened on it that you have not seen, and did not do yourself.
        </p>
      </Empty>
    );
  }
  if (filter.status !== "open" && filter.status !== "all") {
    return (
      <Empty title="Nothing here">
        <p>No thread has this status right now.</p>
      </Empty>
    );
  }
  return (
    <Empty title={filter.status === "all" ? "No feedback yet" : "No open feedback"}>
      <p>
        {app.feedbackEnabled
          ? "Feedback that your app sends with its key arrives here."
          : "Feedback is turned off for this app. Turn it on in its settings to let reports in."}
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
