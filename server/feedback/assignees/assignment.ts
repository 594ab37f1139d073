/** A change of the person who looks after a thread. Ids of accounts; null for nobody. */
export interface AssigneeChange {
  readonly present: string | null;
  /** The assignee that the caller saw; undefined if the caller does not name one. */
  readonly expected: string | null | undefined;
  readonly to: string | null;
}

/** Why the assignee cannot be changed so; undefined if it can. (rule F31) */
export const assignmentRefusal = ({
  present,
  expected,
  to,
}: AssigneeChange): "assignee_changed" | undefined =>
  expected === undefined || expected === present || to === present ? undefined : "assignee_changed";
