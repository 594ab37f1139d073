import type { Assignee } from "../../../src/contract/threads.ts";
import { visibleLine } from "../../../src/words/hidden.ts";

interface AssigneeChoiceProps {
  readonly chosen: string;
  readonly people: readonly Assignee[];
}

/** The field that filters by who looks after a thread. */
export const AssigneeChoice = ({ chosen, people }: AssigneeChoiceProps) => {
  const options = [
    ["", "Assigned to anybody"],
    ["me", "Assigned to me"],
    ["none", "Assigned to nobody"],
    ...people.map(({ userId, email }) => [userId, visibleLine(email)] as const),
  ] as const;
  return (
    <>
      <label class="unseen" for="assignee">
        Assigned to
      </label>
      <select class="more" id="assignee" name="assignee">
        {options.map(([value, label]) => (
          <option key={value} value={value} selected={value === chosen}>
            {label}
          </option>
        ))}
      </select>
    </>
  );
};
