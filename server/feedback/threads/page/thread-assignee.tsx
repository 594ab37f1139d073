import type { Assignee, OwnedThread } from "../../../../src/contract/threads.ts";
import { visibleLine } from "../../../../src/words/hidden.ts";
import { type Filled, Select } from "../../../console/forms.tsx";
import { editLabels } from "../fields.tsx";

/** By what the threads of an app are sorted, and who looks at the page. */
export interface ThreadSorting {
  /** The names of all tags of the app. */
  readonly knownTags: readonly string[];
  /** Who can look after a thread. */
  readonly people: readonly Assignee[];
  /** The id of the account. */
  readonly me: string;
}

interface ThreadAssigneeProps {
  readonly thread: OwnedThread;
  readonly form: Filled;
  readonly sorting: ThreadSorting;
  /** Where the button sends the form. */
  readonly action: string;
}

/** Who looks after the thread, and a button that takes it. */
export const ThreadAssignee = ({
  thread: { assignee },
  form,
  sorting: { people, me },
  action,
}: ThreadAssigneeProps) => (
  <>
    <input type="hidden" name="shownAssignee" value={assignee?.userId ?? ""} />
    <Select
      form={form}
      name="assignee"
      label={editLabels.assignee}
      options={[["", "Nobody"], ...people.map(({ userId, email }) => [userId, visibleLine(email)] as const)]}
    />
    {assignee?.userId !== me && (
      <div class="actions">
        <button class="small" type="submit" formaction={action} formnovalidate>
          Assign to me
        </button>
      </div>
    )}
  </>
);
