/** A change of the assignee: ids of accounts, or null for nobody. */
interface AssigneeChange {
  readonly present: string | null;
  /** The assignee that the caller saw; undefined if the request does not name one. */
  readonly expected: string | null | undefined;
  readonly to: string | null;
}

/** Returns why the assignee cannot be changed; undefined if it can be changed. (rule F31) */
export const assignmentRefusal = ({
  present,
  expected,
  to,
}: AssigneeChange): "assignee_changed" | undefined =>
  expected === undefined || expected === present || to === present ? undefined : "assignee_changed";
