import { type AuditChange, importedMark } from "../../../src/contract/audit.ts";
import type { ThreadEvent } from "../../../src/contract/threads.ts";

/** An entry of the audit about the fields of a thread. */
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

/** A published release note that names the thread. */
export interface NamingRelease {
  readonly id: string;
  readonly at: string;
  readonly version: string;
  readonly title: string;
}

/** The kind of event for each field in the audit. A change of another field is not an event. */
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

/** Returns what happened to a thread besides its messages, oldest first. (rule F41) */
export function threadEvents({
  changes,
  runs,
  releases,
}: {
  /** Newest first. */
  readonly changes: readonly AuditedChange[];
  readonly runs: readonly DecidedRun[];
  readonly releases: readonly NamingRelease[];
}): ThreadEvent[] {
  const all = [
    // Changes of the same instant stay in their order.
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
  return listed.flatMap(({ field, from = null, to = null }) => {
    const kind = kinds[field];
    if (kind === undefined) return [];
    return { at, by, byName, kind, field, from, to, ...(token === undefined ? {} : { tokenId: token }) };
  });
}

/**
 * Splits a recorded actor into the person and the token. The mark of an imported actor stays in the name of the person.
 * (rule X6)
 */
function partsOf(actor: string): { readonly by: string; readonly token?: string | undefined } {
  const isImported = actor.endsWith(importedMark);
  const [name = "", token] = (isImported ? actor.slice(0, -importedMark.length) : actor).split(", token ");
  return { by: isImported ? `${name}${importedMark}` : name, token };
}
