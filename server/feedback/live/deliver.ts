import type { Role } from "../../../src/contract/endpoint.ts";
import type { Reader } from "../../database/database.ts";
import type { EventConnection } from "../../http/event-stream.ts";
import { type SentEvent, textOf } from "./history.ts";
import { areSame, hasLost, mayKnow, type RolesByApp } from "./rules.ts";
import { liveReads } from "./store.ts";

/** The connection of a browser that receives events. */
export interface Connection extends Pick<EventConnection, "send" | "end"> {
  readonly sessionId: string;
  readonly userId: string;
  /** The roles of the person when they were last read. */
  roles: RolesByApp;
}

/** Sends events to the people who may see them, and ends connections whose session has ended. (rule F71) */
export async function deliver(
  reader: Reader,
  to: readonly Connection[],
  { events, now }: { readonly events: readonly SentEvent[]; readonly now: string },
): Promise<void> {
  if (to.length === 0 || events.length === 0) return;
  const sessions = await liveReads.liveSessions(reader, sessionsOf(to), now);
  const members = await liveReads.membersOf(
    reader,
    events.flatMap(({ appId }) => appId ?? []),
  );
  const apps = new Map<string, Set<string>>();
  for (const { userId, appId } of members) apps.set(userId, (apps.get(userId) ?? new Set()).add(appId));
  for (const { sessionId, userId, send, end } of to) {
    const own = events.filter((event) => mayKnow(event, apps.get(userId)));
    if (!sessions.has(sessionId)) end();
    else if (own.length > 0) send(own.map(({ text }) => text).join(""));
  }
}

/**
 * Ends connections whose session has ended, and connections of people who may see less than before. Sends an event to
 * people who may see more. (rule F72)
 */
export async function checkRights(reader: Reader, all: readonly Connection[], now: string): Promise<void> {
  if (all.length === 0) return;
  const sessions = await liveReads.liveSessions(reader, sessionsOf(all), now);
  const roles = await rolesOf(
    reader,
    all.map(({ userId }) => userId),
  );
  for (const connection of all) {
    const present = roles.get(connection.userId) ?? new Map();
    if (!sessions.has(connection.sessionId) || hasLost(connection.roles, present)) connection.end();
    else if (!areSame(connection.roles, present)) connection.send(textOf({ kind: "everything" }, now));
    connection.roles = present;
  }
}

/** Returns the roles of each person, by app. */
export async function rolesOf(
  reader: Reader,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, RolesByApp>> {
  const roles = new Map<string, Map<string, Role>>();
  for (const { userId, appId, role } of await liveReads.membershipsOf(reader, userIds))
    roles.set(userId, (roles.get(userId) ?? new Map()).set(appId, role));
  return roles;
}

const sessionsOf = (connections: readonly Connection[]) => connections.map(({ sessionId }) => sessionId);
