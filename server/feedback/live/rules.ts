import type { Role } from "../../../src/contract/endpoint.ts";
import type { LiveKind } from "../../../src/contract/live.ts";
import { suffices } from "../../access/members/rules.ts";

/** A change: its kind, its app and its thread. */
export interface Change {
  readonly kind: LiveKind;
  readonly appId?: string;
  readonly threadId?: string;
}

/** The roles of a person, by app. */
export type RolesByApp = ReadonlyMap<string, Role>;

/** Whether a person may see less than before: a membership has ended, or its role is lower. */
export const hasLost = (before: RolesByApp, now: RolesByApp): boolean =>
  [...before].some(([appId, role]) => {
    const present = now.get(appId);
    return present === undefined || !suffices(present, role);
  });

/** Whether the roles of a person are the same as before. */
export const areSame = (before: RolesByApp, now: RolesByApp): boolean =>
  before.size === now.size && [...before].every(([appId, role]) => now.get(appId) === role);

/** Whether a person may see a change. Everybody may see a change that belongs to no app. (rule F71) */
export const mayKnow = ({ appId }: Change, apps: ReadonlySet<string> | undefined): boolean =>
  appId === undefined || apps?.has(appId) === true;

/**
 * A connection gets at most this many events at once. If there are more, it gets one event of the kind `everything`.
 */
const mostAtOnce = 50;

/**
 * Returns each change once. If there are too many changes, or one of them has the kind `everything`, returns only one
 * change of the kind `everything`.
 */
export function combine(changes: readonly Change[]): readonly Change[] {
  const each = new Map(
    changes.map((change) => [`${change.kind} ${change.appId} ${change.threadId}`, change]),
  );
  const isAll = each.size > mostAtOnce || changes.some(({ kind }) => kind === "everything");
  return isAll ? [{ kind: "everything" }] : [...each.values()];
}
