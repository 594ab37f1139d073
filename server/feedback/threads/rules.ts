import { type AuditChange, importedMark } from "../../../src/contract/audit.ts";
import { ApiError, badRequest } from "../../../src/contract/errors.ts";
import { limits } from "../../../src/contract/limits.ts";
import type { ThreadEvent } from "../../../src/contract/threads.ts";

/** Whether a thread with this status is unfinished. Only unfinished threads can be snoozed. */
export const isUnfinished = (status: string): boolean => status === "open" || status === "in_progress";

/**
 * Returns the error if a thread cannot be snoozed until `until`; otherwise undefined. `null` ends the snooze.
 * (rule F42)
 */
export function snoozeRefusal(
  { status, until }: { readonly status: string; readonly until: string | null },
  now: Date,
): ApiError | undefined {
  if (until === null) return undefined;
  const ahead = Date.parse(until) - now.getTime();
  if (!(ahead > 0) || ahead > limits.snoozeDays * 86_400_000)
    return badRequest("snoozedUntil", `must be in the next ${limits.snoozeDays} days`);
  if (isUnfinished(status)) return undefined;
  return new ApiError("wrong_state", {
    message: "Only a thread that is open or in progress can be snoozed.",
  });
}

/** Returns `snoozedUntil` if the snooze is over by `now`; otherwise null. */
export const endedSnooze = (
  { snoozedUntil }: { readonly snoozedUntil?: string | null },
  now: string,
): string | null => (snoozedUntil != null && snoozedUntil <= now ? snoozedUntil : null);

/** A change of the assignee. The values are ids of accounts, or null for nobody. */
interface AssigneeChange {
  readonly present: string | null;
  /** The assignee that the caller saw; undefined if the request does not name an expected assignee. */
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

const dayMilliseconds = 86_400_000;

/**
 * The maximum difference, in milliseconds, between the times of two consecutive cleanups. Cleanups run daily.
 */
const mostAdvance = 2 * dayMilliseconds;

/**
 * Returns `now`, limited to two days after the cleanup `last`. Otherwise a wrong clock could delete all
 * threads. (rule P10)
 */
export function retentionTime(last: string | undefined, now: Date): Date {
  if (last === undefined) return now;
  return new Date(Math.min(now.getTime(), Date.parse(last) + mostAdvance));
}

/** Returns a time. A resolved thread is too old if its last activity is before this time. */
export const tooOldBefore = (days: number, now: Date): string =>
  new Date(Math.max(0, now.getTime() - days * dayMilliseconds)).toISOString();

/** An entry of the audit log about the fields of a thread. */
export interface AuditedChange {
  readonly id: string;
  readonly at: string;
  readonly actor: string;
  readonly byName: string | null;
  /** A JSON list of changes. */
  readonly changes: string;
}

export interface DecidedRun {
  readonly id: string;
  readonly at: string;
  readonly decision: string;
  /** The e-mail address of the member who decided; null if nobody did, or if the account was deleted. */
  readonly by: string | null;
  readonly byName: string | null;
}

/** A published release note that refers to the thread. */
export interface NamingRelease {
  readonly id: string;
  readonly at: string;
  readonly version: string;
  readonly title: string;
}

/** The kind of event for each field in the audit log. A change of another field is not an event. */
const kinds: Readonly<Record<string, ThreadEvent["kind"]>> = {
  status: "status",
  category: "type",
  subject: "subject",
  githubIssueUrl: "issue",
  assignee: "assignee",
  tags: "tags",
  snoozedUntil: "snooze",
  merged: "merge",
  mergedInto: "merge",
};

/** Returns the events of a thread that are not messages, oldest first. (rule F41) */
export function threadEvents({
  changes,
  runs,
  releases,
}: {
  /** The changes of the fields, newest first. */
  readonly changes: readonly AuditedChange[];
  readonly runs: readonly DecidedRun[];
  readonly releases: readonly NamingRelease[];
}): ThreadEvent[] {
  const all = [
    // Changes with the same time stay in the order in which they were made.
    ...changes.toReversed().flatMap(eventsOfChange),
    ...runs.map(({ id, at, by, byName, decision }) => ({
      ...{ at, by, byName, kind: "decision", field: "decision", from: null, to: decision, runId: id },
    })),
    ...releases.map(({ id, at, version, title }) => ({
      ...{
        at,
        by: null,
        byName: null,
        kind: "release_note",
        field: "releaseNote",
        from: null,
        to: `${version}: ${title}`,
      },
      entryId: id,
    })),
  ];
  return all.sort((one, other) => (one.at < other.at ? -1 : Number(one.at > other.at)));
}

function eventsOfChange({ at, actor, byName, changes }: AuditedChange): ThreadEvent[] {
  const listed: readonly AuditChange[] = JSON.parse(changes);
  const { by, token } = partsOf(actor);
  const who = isSender(actor) ? { by: null, byName: null, bySender: true as const } : { by, byName };
  return listed.flatMap(({ field, from = null, to = null }) => {
    const kind = kinds[field];
    if (kind === undefined) return [];
    return { at, ...who, kind, field, from, to, ...(token === undefined ? {} : { tokenId: token }) };
  });
}

/** The actor in the audit log for the actions of a sender. */
export const senderActor = "sender";

const isSender = (actor: string): boolean =>
  actor === senderActor || actor === `${senderActor}${importedMark}`;

/**
 * Splits an actor in the audit log into person and token. The name of an imported person keeps `importedMark`.
 * (rule X6)
 */
function partsOf(actor: string): { readonly by: string; readonly token?: string | undefined } {
  const isImported = actor.endsWith(importedMark);
  const [name = "", token] = (isImported ? actor.slice(0, -importedMark.length) : actor).split(", token ");
  return { by: isImported ? `${name}${importedMark}` : name, token };
}
