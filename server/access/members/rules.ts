import type { Role } from "../../../src/contract/endpoint.ts";

/**
 * Returns why a change is refused; undefined if it is allowed. Each member may leave. An app keeps an owner.
 * (rules K25, K26)
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
