import { type Role, roles } from "../../../src/contract/endpoint.ts";

/**
 * Returns why a change of a member is refused; undefined if it is allowed. Each member may leave. An app always
 * keeps at least one owner. (rules K25, K26)
 */
export function memberChangeRefusal({
  by,
  own,
  from,
  to,
  owners,
}: {
  /** The role of the person who makes the change. */
  readonly by: Role;
  /** Whether the person changes their own membership. */
  readonly own: boolean;
  readonly from: Role;
  /** The new role; null for a removal. */
  readonly to: Role | null;
  /** How many owners the app has before the change. */
  readonly owners: number;
}): "forbidden" | "last_owner" | undefined {
  const leaves = own && to === null;
  if (by !== "owner" && !leaves) return "forbidden";
  if (from === "owner" && to !== "owner" && owners <= 1) return "last_owner";
  return undefined;
}

/** How long the link of an invitation works. (rule K27) */
export const invitationMilliseconds = 7 * 86_400_000;

/** The facts about a request that decide whether it gets access to an app. */
export interface AccessRequest {
  /** The role with the fewest rights that may make the request. */
  readonly needs: Role;
  /**
   * The kind of credential. An agent gets `unknown` in place of `forbidden`, because it must not find out which
   * other apps exist.
   */
  readonly kind: "session" | "maintainerToken" | "agentToken";
}

/** Whether a role includes all rights of the role `needs`. (rule K20) */
export const suffices = (role: Role, needs: Role): boolean => roles.indexOf(role) <= roles.indexOf(needs);

/** Returns the roles that include all rights of the role `needs`. */
export const rolesFrom = (needs: Role): readonly Role[] => roles.filter((role) => suffices(role, needs));

/**
 * Decides about a request of a person with this role in the app. `unknown`: answer as if the app did not exist. (rule
 * K21)
 */
export function judgeAccess(
  role: Role | undefined,
  { needs, kind }: AccessRequest,
): "allowed" | "forbidden" | "unknown" {
  if (role === undefined) return "unknown";
  if (suffices(role, needs)) return "allowed";
  return kind === "agentToken" ? "unknown" : "forbidden";
}
