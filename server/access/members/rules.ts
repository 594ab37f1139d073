import type { Role } from "../../../src/contract/endpoint.ts";

/** A change of the members of an app: another role, or the removal (null). */
export interface MemberChange {
  /** The role of the person who makes the change. */
  readonly by: Role;
  /** Whether people change their own membership. */
  readonly own: boolean;
  readonly from: Role;
  readonly to: Role | null;
  /** How many owners the app has now. */
  readonly owners: number;
}

/**
 * Why a change of a member is refused; undefined if it is not. Owners change members; everybody may leave; an app keeps
 * an owner. (rules K25, K26)
 */
export function memberChangeRefusal({
  by,
  own,
  from,
  to,
  owners,
}: MemberChange): "forbidden" | "last_owner" | undefined {
  const leaves = own && to === null;
  if (by !== "owner" && !leaves) return "forbidden";
  if (from === "owner" && to !== "owner" && owners <= 1) return "last_owner";
  return undefined;
}

/** How long the link of an invitation works. (rule K27) */
export const invitationMilliseconds = 7 * 86_400_000;
