import { shownCount } from "../../console/counts.ts";
import { versionOf } from "../../console/filled-form.ts";
import { HiddenFields } from "../../console/hidden-fields.tsx";
import { IdempotencyField } from "../../console/idempotency-field.tsx";
import type { Changes } from "../../console/page-reads.ts";
import { Timestamp } from "../../console/timestamp.tsx";

export interface InboxChangesProps {
  readonly changes: Changes | undefined;
  /** The last visit of this person. */
  readonly since: string | null;
  /** Where the form to hide it is sent. */
  readonly action: string;
  /** The query of the shown list. */
  readonly list: string;
}

/** What happened in the app since the person was here, in one line. It is there without changes, so that they can appear. */
export const InboxChanges = ({ changes, since, action, list }: InboxChangesProps) => {
  const words = changes ? wordsOf(changes) : [];
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

function wordsOf({ counts, isPartial }: Changes): string[] {
  return names.flatMap(([kind, one, many]) => {
    const count = counts[kind];
    if (count === 0) return [];
    const atLeast = isPartial && kind !== "report" && kind !== "edit" && count < 100 ? "+" : "";
    return [`${shownCount(count)}${atLeast} ${count === 1 && atLeast === "" ? one : many}`];
  });
}
