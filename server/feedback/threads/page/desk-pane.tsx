import { HiddenFields, IdempotencyField } from "../../../console/forms.tsx";
import { Can, Empty, Keycap, keyed } from "../../../console/parts.tsx";
import { ThreadBody, type ThreadProps, ThreadReplied } from "./page.tsx";

interface PaneProps extends ThreadProps {
  /** The name of the list. */
  readonly view: string;
  readonly neighbours: {
    /** The addresses of the threads before and after this one. */
    readonly previous: string | undefined;
    readonly next: string | undefined;
    /** The id of the thread that opens after this thread is resolved. It is empty if there is none. */
    readonly nextId: string;
    /** The position in the list, such as `3 of 38`; empty if the position is not known. */
    readonly place: string;
    /** The address of the list. */
    readonly back: string;
    readonly list: string;
  };
}

/** A thread beside the list from which it was opened. In a narrow window the thread is shown in place of the list. */
export const Pane = ({ view, neighbours, ...props }: PaneProps) => {
  const { navigation, thread } = props;
  const { links, app } = navigation;
  const { id, status } = thread.feedback;
  const isDone = status === "resolved" || status === "archived";
  return (
    <div class="pane-page">
      <nav class="pane-bar" aria-label="Threads">
        <a class="back" href={neighbours.back} {...keyed("u", "Back to the list", "Thread")}>
          <span aria-hidden="true">←</span> <span class="name">{view}</span>
        </a>
        <span class="steps">
          <StepTo href={neighbours.previous} sign="‹" words="Previous thread" shortcut="[" />
          <span class="place">{neighbours.place}</span>
          <StepTo href={neighbours.next} sign="›" words="Next thread" shortcut="]" />
        </span>
        <Can needs="maintainer">
          <form class="row" method="post" action={links.inbox(app.id, "change")}>
            <IdempotencyField />
            <HiddenFields
              values={[
                ["list", neighbours.list],
                ["open", id],
                ["next", neighbours.nextId],
                ["id", id],
              ]}
            />
            <button class="small" type="submit" name="act" value={isDone ? "open" : "resolve"}>
              {isDone ? "Open again" : "Resolve"}
              {!isDone && <Keycap>e</Keycap>}
            </button>
            <details class="menu right">
              <summary title="More">
                <span aria-hidden="true">⋯</span>
                <span class="unseen">More</span>
              </summary>
              <div class="panel">
                {status !== "archived" && (
                  <button class="plain" type="submit" name="act" value="archive">
                    Archive
                  </button>
                )}
                <button class="plain" type="submit" formaction={links.thread(app.id, id, "unread")}>
                  Mark as unread
                </button>
                <a href={links.thread(app.id, id)}>Open as a separate page</a>
              </div>
            </details>
          </form>
        </Can>
      </nav>
      <div class="pane-body">
        <ThreadReplied {...props} />
        <ThreadBody {...props} />
      </div>
    </div>
  );
};

const StepTo = ({
  href,
  sign,
  words,
  shortcut,
}: {
  readonly href: string | undefined;
  readonly sign: string;
  readonly words: string;
  readonly shortcut: string;
}) =>
  href === undefined ? (
    <span class="step" aria-hidden="true">
      {sign}
    </span>
  ) : (
    <a class="step" href={href} title={words} {...keyed(shortcut, words, "Thread")}>
      <span aria-hidden="true">{sign}</span>
      <span class="unseen">{words}</span>
    </a>
  );

/** The content beside the list while no thread is open. */
export const NoThread = ({
  isMissing,
  hasThreads,
}: {
  readonly isMissing: boolean;
  readonly hasThreads: boolean;
}) =>
  isMissing ? (
    <Empty title="This thread does not exist any more">
      <p>It was deleted, or its address is wrong.</p>
    </Empty>
  ) : (
    <div class="no-thread">
      <p>{hasThreads ? "Open a thread to read it here." : "There is nothing to read here."}</p>
    </div>
  );
