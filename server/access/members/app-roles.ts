import { type Role, roles } from "../../../src/contract/endpoint.ts";

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
