import type { ComponentChildren } from "preact";
import type { Tag } from "../../../../src/contract/tags.ts";
import type { Assignee, ThreadSummary } from "../../../../src/contract/threads.ts";
import { countOf } from "../../../../src/words/phrases.ts";
import { visibleLine } from "../../../../src/words/visible.ts";
import { type Fields, HiddenFields, IdempotencyField } from "../../../console/forms.tsx";
import type { InboxProposal } from "../../../console/page-reads.ts";
import { Avatar, counted, Keycap, keyed, Line, usePersonWords } from "../../../console/parts.tsx";
import { Age, Remaining, Timestamp } from "../../../console/times.tsx";
import { FoundSubject, FoundText } from "../../search/parts.tsx";
import { Badge, type BadgeProps, nameIn, statusNames, typeNames } from "../badges.tsx";
import { SnoozeDay, snoozes, untilDay } from "./fields.tsx";

interface ThreadRowProps {
  readonly thread: ThreadSummary;
  /** The state of the thread's newest proposal. */
  readonly proposal: InboxProposal | undefined;
  /** The address that opens the thread. */
  readonly href: string;
  readonly isOpened: boolean;
  /** The checkbox that selects the thread; undefined if the row has no checkbox. */
  readonly choice: { readonly isChosen: boolean; readonly value: string } | undefined;
  /** The app of the thread. Only set if the list shows the threads of all apps. */
  readonly app?: { readonly name: string; readonly colour: number } | undefined;
  /** The status by which the list is filtered; empty if there is no such filter. */
  readonly status: string;
  /** The e-mail address of the signed-in person. */
  readonly person: string;
  readonly now: Date;
}

/** A thread in two lines: the subject and the age; the sender and the last message. */
export const ThreadRow = ({ thread, proposal, href, isOpened, choice, ...more }: ThreadRowProps) => {
  const { app, status, person, now } = more;
  const classes = [thread.unread ? "unread" : "", isOpened ? "opened" : ""].filter((name) => name !== "");
  return (
    <li class={classes.length === 0 ? undefined : classes.join(" ")}>
      {choice !== undefined && (
        <label class="tick">
          <span class="unseen">Select {visibleLine(thread.subject)}</span>
          <input
            type="checkbox"
            name="id"
            value={choice.value}
            id={`tick-${thread.id}`}
            checked={choice.isChosen}
          />
        </label>
      )}
      <div class="line">
        <a class="to" href={href} id={`thread-${thread.id}`} aria-current={isOpened ? "true" : undefined}>
          {thread.unread && <span class="unseen">Unread: </span>}
          <FoundSubject subject={thread.subject} found={thread.found} />
        </a>
        <span class="age">
          <Age at={thread.activeAt} now={now} />
        </span>
      </div>
      <div class="line second">
        <div class="about">
          <TypeIcon type={thread.category} />
          {app !== undefined && <AppDot {...app} />}
          <Line text={thread.senderName ?? thread.senderEmail ?? "Anonymous"} />
          {thread.source !== null && (
            <>
              {" · "}
              <Line text={thread.source} />
            </>
          )}
          {thread.found ? <FoundText found={thread.found} /> : <Last thread={thread} person={person} />}
        </div>
        <span class="marks">
          <Marks thread={thread} proposal={proposal} status={status} now={now} />
        </span>
      </div>
    </li>
  );
};

/** The maximum number of tags that a row shows. The page of the thread shows all tags. */
const mostTags = 2;

const Marks = ({
  thread,
  proposal,
  status,
  now,
}: Pick<ThreadRowProps, "thread" | "proposal" | "status" | "now">) => (
  <>
    {thread.tags.slice(0, mostTags).map(({ id, name, colour }) => (
      <span key={id} class={`badge tag ${colour ?? "grey"}`} title={visibleLine(name)}>
        <Line text={name} />
      </span>
    ))}
    {thread.tags.length > mostTags && <span class="badge">{`+${thread.tags.length - mostTags}`}</span>}
    {thread.snoozedUntil !== null && (
      <span class="badge">
        <span class="unseen">Snoozed. </span>
        Back <Remaining at={thread.snoozedUntil} now={now} />
      </span>
    )}
    {thread.status !== status && thread.status !== "open" && (
      <span class={thread.status === "resolved" ? "badge good" : "badge"}>
        {nameIn(statusNames, thread.status)}
      </span>
    )}
    {thread.occurrences > 1 && (
      <span class="badge">
        <span aria-hidden="true">{`×${thread.occurrences}`}</span>
        <span class="unseen">{`reported ${thread.occurrences} times`}</span>
      </span>
    )}
    {proposal !== undefined && <Badge {...badges[proposal]} />}
    {thread.assignee !== null && (
      <Avatar userId={thread.assignee.userId} email={thread.assignee.email} before="assigned to" />
    )}
  </>
);

const badges: Readonly<Record<InboxProposal, BadgeProps>> = {
  waiting: { name: "Plan waits", kind: "attention" },
  approved: { name: "Plan approved", kind: "good" },
  in_work: { name: "Plan in work", kind: "attention" },
  succeeded: { name: "Work succeeded", kind: "good" },
  failed: { name: "Work failed", kind: "bad" },
  request_changes: { name: "Changes asked for" },
  recalled: { name: "Approval recalled" },
  expired: { name: "Approval expired" },
  rejected: { name: "Plan rejected" },
};

/** The author and the beginning of the last message. Shows nothing if a sender's message equals the subject. */
const Last = ({ thread, person }: Pick<ThreadRowProps, "thread" | "person">) => {
  const wordsOf = usePersonWords();
  const { subject, lastMessage } = thread;
  const firstSender = thread.senderName ?? thread.senderEmail ?? "Anonymous";
  const { direction, author, sender, writtenBy, text } = lastMessage;
  if (direction === "inbound" && text === subject) return null;
  const own = writtenBy === person ? "You" : writtenBy === null ? "The team" : wordsOf(writtenBy);
  const name = author === "team" ? own : (sender?.name ?? sender?.email ?? "Anonymous");
  // The author is already shown if the author is the first sender of the thread or an agent.
  const isNamed = author === "agent" || (author === "sender" && name === firstSender);
  return (
    <span class="last">
      {" · "}
      {/* A note about an agent's step already names the agent. */}
      {!isNamed && (
        <>
          <Line text={name} />
          {direction === "note" ? ", in a note: " : ": "}
        </>
      )}
      <Line text={text} />
    </span>
  );
};

/** The app of a thread, as a dot in one of eight colours and its name. */
const AppDot = ({ name, colour }: { readonly name: string; readonly colour: number }) => (
  <>
    <span class={`app-dot colour-${colour}`} aria-hidden="true" />
    <b>
      <Line text={name} />
    </b>
    {" · "}
  </>
);

const typePaths: Readonly<Record<string, string>> = {
  bug: "M8 4.5a3 3 0 0 1 3 3v2.5a3 3 0 0 1-6 0V7.5a3 3 0 0 1 3-3zM6.3 4.7 5 3M9.7 4.7 11 3M5 8.5H2.5M13.5 8.5H11M5.3 11.3 3.5 13M10.7 11.3l1.8 1.7",
  feature: "M8 2.5v11M2.5 8h11",
  question: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM6.3 6.4a1.8 1.8 0 1 1 2.6 1.6c-.6.3-.9.6-.9 1.2M8 11.2v.1",
  general: "M2.5 3.5h11v7.5h-6l-3 2.5V11h-2z",
};

const TypeIcon = ({ type }: { readonly type: string }) => {
  const name = nameIn(typeNames, type);
  return (
    <span class="type" title={name}>
      <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true" fill="none" stroke="currentColor">
        <path
          d={typePaths[type] ?? typePaths.general}
          stroke-width="1.3"
          stroke-linecap="round"
          stroke-linejoin="round"
        />
      </svg>
      <span class="unseen">{`${name}, `}</span>
    </span>
  );
};

/** The actions of the list, and the words for their results. Some actions have a value, such as `snooze:24`. */
const actNames = {
  resolve: "resolved",
  archive: "archived",
  open: "opened again",
  assign: "assigned",
  tag: "tagged",
  untag: "changed",
  snooze: "snoozed",
  wake: "no longer snoozed",
  merge: "merged into this one",
  read: "marked as read",
  unread: "marked as unread",
  undone: "changed back",
} as const;

export type ActName = keyof typeof actNames;

export const isActName = (name: string): name is ActName => Object.hasOwn(actNames, name);

/** The result of a change of threads. The address of the next page contains it. */
export interface ActResult {
  readonly did: ActName;
  readonly changed: number;
  readonly skipped: number;
  /** The number of resolved or archived threads whose plans still wait for a decision. */
  readonly waiting?: number;
  /** The time at which the snoozed threads come back. Only a snooze has it. */
  readonly until?: string | undefined;
  /** The value that undoes the change. Empty if this is not possible. */
  readonly undo: string;
}

/** Reads the result of a change from the query of an address; undefined if there is none. */
export function actResultOf(query: (name: string) => string): ActResult | undefined {
  const [did, changed, skipped] = [query("did"), Number(query("changed")), Number(query("skipped"))];
  if (!isActName(did) || !Number.isSafeInteger(changed) || !Number.isSafeInteger(skipped)) return undefined;
  const undo = isUndo.test(query("undo")) ? query("undo") : "";
  const waiting = /^\d{1,3}$/.test(query("waiting")) ? Number(query("waiting")) : 0;
  const until = did === "snooze" && isInstant(query("until")) ? query("until") : undefined;
  return { did, changed: Math.abs(changed), skipped: Math.abs(skipped), waiting, until, undo };
}

/** Whether a text is a time in UTC, such as `2026-06-09T08:00:00Z`. */
const isInstant = (text: string): boolean =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/.test(text) && !Number.isNaN(Date.parse(text));

/** The value that undoes a change. It has about 50 characters for each app, for up to 50 apps. */
const isUndo = /^[\w.-]{1,3000}$/;

/** Returns the result of a change as values for the query of an address. */
export const actResultValues = ({
  did,
  changed,
  skipped,
  waiting = 0,
  until,
  undo,
}: ActResult): Record<string, string> => ({
  ...{ did, changed: String(changed), undo },
  ...(until === undefined ? {} : { until }),
  ...(waiting === 0 ? {} : { waiting: String(waiting) }),
  ...(skipped === 0 ? {} : { skipped: String(skipped) }),
});

const ResultWords = ({ result }: { readonly result: ActResult }) => {
  const { did, changed, skipped, waiting = 0, until } = result;
  const plans = counted(waiting, "plan still waits", "plans still wait");
  const waits = waiting === 0 ? "" : ` ${plans} for a decision.`;
  const left = skipped === 1 ? " 1 was left as it is." : ` ${skipped} were left as they are.`;
  return (
    <>
      {`${countOf(changed, "thread")} ${actNames[did]}`}
      {until !== undefined && changed > 0 && (
        <>
          {" until "}
          <Timestamp at={until} />
        </>
      )}
      {`.${waits}${skipped === 0 ? "" : left}`}
    </>
  );
};

/**
 * Shows the result of an action and a button to undo it. A script shows both again on later pages.
 * (rule F48)
 */
export const ActNotice = ({
  result,
  list,
  opened,
  place,
  action,
}: {
  readonly result: ActResult | undefined;
  readonly list: string;
  readonly opened: string;
  /** The position of the opened thread in the list, as values of a form. Empty if no thread is open. */
  readonly place: readonly (readonly [string, string])[];
  /** The address to which the form is sent. */
  readonly action: string;
}) => (
  <div
    class="acted"
    id="acted"
    hidden={result === undefined}
    {...(result === undefined ? {} : { role: "status", autofocus: true, tabIndex: -1 })}
  >
    <span>{result !== undefined && <ResultWords result={result} />}</span>
    {(result === undefined || result.undo !== "") && (
      <form method="post" action={action}>
        <IdempotencyField />
        <HiddenFields values={[["list", list], ["open", opened], ...place, ["undo", result?.undo ?? ""]]} />
        <button class="small" type="submit" {...keyed("z", "Undo the last action", "List")}>
          Undo <Keycap>z</Keycap>
        </button>
      </form>
    )}
  </div>
);

const AssignActs = ({ people }: Pick<ActBarProps, "people">) => {
  const wordsOf = usePersonWords();
  return (
    <>
      {people.map(({ userId, email }) => (
        <Act key={userId} value={`assign:${userId}`} name={wordsOf(email)} />
      ))}
    </>
  );
};

interface ActBarProps {
  /** The members to whom threads can be assigned. */
  readonly people: readonly Assignee[];
  readonly tags: readonly Tag[];
  /** The number of selected threads if all threads of the list are selected, otherwise undefined. */
  readonly all: number | undefined;
  /** The link that selects all threads of the list, or none of them. */
  readonly choice: ComponentChildren;
}

/** The actions for the selected threads. The bar is part of the form around the list. */
export const ActBar = ({ people, tags, all, choice }: ActBarProps) => (
  <fieldset class="act-bar" id="act-bar">
    <legend class="unseen">Selected threads</legend>
    <p class="chosen-count">
      <b data-chosen>{all === undefined ? "Selected threads" : `${all} selected`}</b> {choice}
    </p>
    <div class="acts">
      <Act value="resolve" name="Resolve" shortcut="e" />
      <Act value="archive" name="Archive" shortcut="y" />
      <Act value="open" name="Open again" />
      <ActMenu name="Assign" shortcut="a">
        <Act value="assign:me" name="To me" shortcut="m" />
        <Act value="assign:none" name="To nobody" />
        <AssignActs people={people} />
      </ActMenu>
      <ActMenu name="Tag" shortcut="l">
        <label for="act-tag">Tag</label>
        <input
          id="act-tag"
          name="tagName"
          list="act-tags"
          autocomplete="off"
          maxLength={60}
          placeholder="A new word creates a new tag"
        />
        <datalist id="act-tags">
          {tags.map(({ id, name }) => (
            <option key={id} value={name} />
          ))}
        </datalist>
        <div class="row">
          <Act value="tag" name="Add" />
          <Act value="untag" name="Remove" />
        </div>
      </ActMenu>
      <SnoozeMenu />
      <Act value="merge" name="Merge" title="Merges the selected threads into the oldest of them" />
      <Act value="read" name="Mark as read" />
    </div>
  </fieldset>
);

const actLabels: Readonly<Record<string, string>> = {
  addTags: "Tag",
  removeTags: "Tag",
  snoozedUntil: "Snooze until this day",
  assignee: "Assign",
  ids: "Selected threads",
  filter: "Filter",
};

/** Returns the label of the control that sets a field of a bulk change. */
export const labelOfAct = (field: string): string | undefined => actLabels[field];

/** The actions for threads of several apps. Actions that need data of one app are left out. */
export const ActBarOfApps = () => (
  <fieldset class="act-bar" id="act-bar">
    <legend class="unseen">Selected threads</legend>
    <p class="chosen-count">
      <b data-chosen>Selected threads</b>
    </p>
    <div class="acts">
      <Act value="resolve" name="Resolve" shortcut="e" />
      <Act value="archive" name="Archive" shortcut="y" />
      <Act value="open" name="Open again" />
      <Act value="assign:me" name="Assign to me" shortcut="m" />
      <SnoozeMenu />
      <Act value="read" name="Mark as read" />
    </div>
  </fieldset>
);

const SnoozeMenu = () => (
  <ActMenu name="Snooze" shortcut="h">
    {snoozes.map(([hours, words]) => (
      <Act key={hours} value={`snooze:${hours}`} name={words} />
    ))}
    <SnoozeDay id="act-snooze-day" />
    <Act value={`snooze:${untilDay}`} name="Snooze until this day" />
    <Act value="wake" name="End the snooze" />
  </ActMenu>
);

const Act = ({
  value,
  name,
  shortcut,
  title,
}: {
  readonly value: string;
  readonly name: string;
  readonly shortcut?: string;
  readonly title?: string;
}) => (
  <button type="submit" name="act" value={value} title={title} aria-keyshortcuts={shortcut}>
    {name}
    {shortcut !== undefined && (
      <>
        {" "}
        <Keycap>{shortcut}</Keycap>
      </>
    )}
  </button>
);

const ActMenu = ({
  name,
  shortcut,
  children,
}: {
  readonly name: string;
  readonly shortcut: string;
  readonly children: ComponentChildren;
}) => (
  <details class="menu up" data-act-menu={shortcut}>
    <summary aria-keyshortcuts={shortcut}>
      {name} <Keycap>{shortcut}</Keycap>
    </summary>
    <div class="panel">{children}</div>
  </details>
);

/** Returns the idempotency key for one request of a form. `id` is the thread or app in this request. */
export const keyFor = ({ idempotencyKey: key }: Fields, id: string): string | undefined =>
  key === undefined ? undefined : `${key.slice(0, 27)}-${id}`;
