import type { ComponentChildren } from "preact";
import type { Tag } from "../../../../src/contract/tags.ts";
import type { Assignee } from "../../../../src/contract/threads.ts";
import { countOf } from "../../../../src/words/count.ts";
import { type Fields, HiddenFields, IdempotencyField } from "../../../console/forms.tsx";
import { Keycap, keyed } from "../../../console/parts.tsx";
import { usePersonWords } from "../../../console/people.tsx";
import { SnoozeDay, snoozes, untilDay } from "./choice.tsx";

/**
 * The actions of the forms of the list, and the texts for their results. A form sends an action as one word. Some
 * actions also have a value after a colon, such as `snooze:24`.
 */
export const actNames = {
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
  /** The value with which the change can be undone; empty if it is too late. */
  readonly undo: string;
}

/** Reads the result of a change from the query of an address. Returns undefined if the query has none. */
export function actResultOf(query: (name: string) => string): ActResult | undefined {
  const [did, changed, skipped] = [query("did"), Number(query("changed")), Number(query("skipped"))];
  if (!isActName(did) || !Number.isSafeInteger(changed) || !Number.isSafeInteger(skipped)) return undefined;
  const undo = /^[\w.-]{1,1000}$/.test(query("undo")) ? query("undo") : "";
  return { did, changed: Math.abs(changed), skipped: Math.abs(skipped), undo };
}

/** Returns the result of a change as values for the query of an address. */
export const actResultValues = ({ did, changed, skipped, undo }: ActResult): Record<string, string> => ({
  ...{ did, changed: String(changed), undo },
  ...(skipped === 0 ? {} : { skipped: String(skipped) }),
});

function resultWords({ did, changed, skipped }: ActResult): string {
  const done = `${countOf(changed, "thread")} ${actNames[did]}.`;
  if (skipped === 0) return done;
  return `${done} ${skipped === 1 ? "1 was" : `${skipped} were`} left as ${skipped === 1 ? "it is" : "they are"}.`;
}

/**
 * Shows the result of an action on threads, and offers to undo it. Without a result it is empty and hidden. A script
 * shows it on the next pages while the change can be undone. (rule F48)
 */
export const ActNotice = ({
  result,
  list,
  opened,
  action,
}: {
  readonly result: ActResult | undefined;
  readonly list: string;
  readonly opened: string;
  /** The address to which the form is sent. */
  readonly action: string;
}) => (
  <div
    class="acted"
    id="acted"
    hidden={result === undefined}
    {...(result === undefined ? {} : { role: "status", autofocus: true, tabIndex: -1 })}
  >
    <span>{result === undefined ? "" : resultWords(result)}</span>
    {(result === undefined || result.undo !== "") && (
      <form method="post" action={action}>
        <IdempotencyField />
        <HiddenFields
          values={[
            ["list", list],
            ["open", opened],
            ["undo", result?.undo ?? ""],
          ]}
        />
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
  /** The number of chosen threads if all threads of the list are chosen, otherwise undefined. */
  readonly all: number | undefined;
  /** The link that chooses all threads of the list, or none of them. */
  readonly choice: ComponentChildren;
}

/**
 * The bar at the bottom of the list with the actions for the chosen threads. It is part of the form around the list.
 */
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

/** The actions for selected threads of several apps: those that need no member and no tag of one app. */
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

/** Returns the idempotency key of a form for one of several requests: the part about the thread or the app with this id. */
export const keyFor = ({ idempotencyKey: key }: Fields, id: string): string | undefined =>
  key === undefined ? undefined : `${key.slice(0, 27)}-${id}`;
