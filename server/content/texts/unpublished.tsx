import { diffArrays } from "diff";
import type { ComponentChildren } from "preact";
import { IdempotencyField } from "../../console/forms.tsx";
import { Notice, UserText } from "../../console/parts.tsx";
import { Person } from "../../console/people.tsx";
import { Timestamp } from "../../console/times.tsx";

/** A field of a text, with its published value and the value of the draft. */
export interface ComparedField {
  readonly label: string;
  readonly published: string;
  readonly draft: string;
}

/**
 * Shows how many changes of a draft are not published, shows the difference, and offers to discard the draft. (rule
 * C30)
 */
export const Unpublished = ({
  fields,
  conflict,
  discard,
}: {
  readonly fields: readonly ComparedField[];
  readonly conflict: boolean;
  /** The address of the form that discards the draft. */
  readonly discard: string;
}) => {
  const changed = fields.filter(({ published, draft }) => published !== draft);
  return (
    <section class="card stack" aria-labelledby="unpublished">
      <h2 id="unpublished">{countOfChanges(changed.length)}</h2>
      {conflict && (
        <Notice kind="attention">
          The published text has changed since this draft was saved. Compare both. If you publish the draft,
          that change is lost.
        </Notice>
      )}
      {changed.length > 0 && (
        <details class="reveal" open={conflict}>
          <summary>Show the difference</summary>
          {changed.map((field) => (
            <div key={field.label} class="stack tight">
              <h3>{field.label}</h3>
              <Difference {...field} />
            </div>
          ))}
        </details>
      )}
      <form method="post" action={discard}>
        <IdempotencyField />
        <button class="quiet danger" type="submit">
          Discard the draft
        </button>
      </form>
    </section>
  );
};

const countOfChanges = (count: number): string => {
  if (count === 0) return "The draft is the same as the published text";
  return count === 1 ? "1 change is not published" : `${count} changes are not published`;
};

/** The maximum number of changed lines that are compared. A longer comparison would block other requests. */
const mostChanges = 500;

/** The difference between the published text and the draft, line by line. */
const Difference = ({ published, draft }: ComparedField) => {
  const changes = diffArrays(published.split("\n"), draft.split("\n"), { maxEditLength: mostChanges });
  if (!changes) return <p class="muted">The two texts differ too much to compare them line by line.</p>;
  const lines = changes
    .flatMap(({ added, removed, value }) => value.map((text) => ({ added, removed, text })))
    .map((line, at) => ({ ...line, at }));
  return (
    <ul class="difference">
      {lines.map(({ added, removed, text, at }) => (
        <li key={at} class={added ? "added" : removed ? "removed" : undefined}>
          <span class="sign" aria-hidden="true">
            {added ? "+" : removed ? "−" : " "}
          </span>
          {(added || removed) && <span class="unseen">{added ? "Draft: " : "Published: "}</span>}
          <UserText text={text} exact />
        </li>
      ))}
    </ul>
  );
};

/** An earlier text, with its author. */
export interface ShownVersion {
  readonly id: string;
  readonly at: string;
  readonly by: string | null;
  readonly text: ComponentChildren;
}

/** The earlier texts, newest first. A person can restore each of them as a draft. */
export const History = ({
  items,
  action,
  canRestore,
}: {
  readonly items: readonly ShownVersion[];
  /** The address of the form that restores an earlier text. */
  readonly action: string;
  readonly canRestore: boolean;
}) =>
  items.length === 0 ? null : (
    <details class="reveal">
      <summary>History ({items.length})</summary>
      <ol class="list">
        {items.map(({ id, at, by, text }) => (
          <li key={id}>
            <details class="reveal">
              <summary>
                <Timestamp at={at} />
                {by !== null && (
                  <>
                    {" by "}
                    <Person email={by} />
                  </>
                )}
              </summary>
              <div class="stack">
                {text}
                {canRestore && (
                  <form method="post" action={action}>
                    <IdempotencyField />
                    <input type="hidden" name="version" value={id} />
                    <button type="submit">Restore as a draft</button>
                  </form>
                )}
              </div>
            </details>
          </li>
        ))}
      </ol>
    </details>
  );
