import { type Role, roles } from "../../../src/contract/endpoint.ts";

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

/** Who asks, as far as the answer depends on it. */
export interface Asker {
  /** The least role that suffices for what is asked. */
  readonly needs: Role;
  /** An agent learns nothing of apps in which it may not act. */
  readonly kind: "session" | "maintainerToken" | "agentToken";
}

/** Whether a member with the role may do what needs at least `needs`. (rule K20) */
export const suffices = (role: Role, needs: Role): boolean => roles.indexOf(role) <= roles.indexOf(needs);

/** The roles that suffice for what needs at least `needs`. */
export const rolesFrom = (needs: Role): readonly Role[] => roles.filter((role) => suffices(role, needs));

/**
 * Decides on the request of somebody with this role in the app; undefined for a person who is no member. `unknown`: the
 * answer is the same as for an app that does not exist. (rule K21)
 */
export function judgeAccess(
  role: Role | undefined,
  { needs, kind }: Asker,
): "allowed" | "forbidden" | "unknown" {
  if (role === undefined) return "unknown";
  if (suffices(role, needs)) return "allowed";
  return kind === "agentToken" ? "unknown" : "forbidden";
}
