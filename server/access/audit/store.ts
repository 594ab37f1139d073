import type { AuditChange, AuditEntry } from "../../../src/contract/audit.ts";
import type { Engine, Reader, Transaction, Value } from "../../database/database.ts";
import { type Condition, given, pageOfScopes } from "../../database/lists.ts";
import * as tables from "../../database/schema/access.ts";
import { personOf, tokenOf } from "../../database/schema/table.ts";
import { plannedEachTime } from "../../database/transaction.ts";
import { normaliseEmail } from "../../secrets/passwords.ts";
import { nameOfActor } from "../members/authors.ts";
import { membershipOf, type Viewer } from "../members/visibility.ts";

type AuditRow = Omit<AuditEntry, "changes"> & { readonly changes: string | null };

const entryOf = ({ changes, ...entry }: AuditRow): AuditEntry => ({
  ...entry,
  ...(changes === null ? {} : { changes: JSON.parse(changes) }),
});

/**
 * The filters for audit entries, and the page of entries to return. The page begins after the entry at
 * `position`.
 */
interface AuditPage {
  readonly appId: string | undefined;
  readonly action: string | undefined;
  /** Selects the entries of one actor: a person's e-mail address, `agent`, or the id of a token. */
  readonly actor?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly position: readonly string[];
  readonly limit: number;
}

/** The audit log: who did what, when, and from which network address. Entries remain after their target is deleted. */
export const audit = {
  insert: (
    tx: Transaction,
    entry: Omit<AuditEntry, "actorName"> & {
      /** The account that acts. If the entry does not belong to an app, only this account can read it. */
      readonly ownerId: string;
      /** The name of the target. The entry stores it, because the target can be deleted later. */
      readonly label?: string | null;
    },
  ) =>
    tx.insert(tables.audit, {
      ...entry,
      changes: entry.changes && entry.changes.length > 0 ? JSON.stringify(entry.changes) : null,
    }),

  /** Returns the entries after the entry `position` that the viewer may read, newest first. */
  async list(
    reader: Reader,
    viewer: Viewer,
    { appId, position, limit, ...filters }: AuditPage,
  ): Promise<AuditEntry[]> {
    const sorted = { at: "e.at", id: "e.id" };
    const [newest, ...values] = pageOfScopes(
      reader.engine,
      {
        scopes: scopesOf(viewer, appId),
        rows: { table: "audit e", key: rowKey[reader.engine], ...sorted },
        inScope: { from: "audit e", ...sorted, conditions: conditions(filters, reader.engine) },
      },
      { position, limit },
    );
    const found = await reader.all<AuditRow>(
      plannedEachTime(`SELECT e.id, e.at, e.actor, ${nameOfActor(reader.engine, "e.app_id", "?")} AS "actorName", e.action, e.app_id AS "appId", e.target, e.address, e.changes
       FROM (${newest}) AS newest CROSS JOIN audit e
       WHERE ${rowKey[reader.engine]} = newest.found ORDER BY e.at DESC, e.id DESC`),
      ...[viewer.userId, ...values],
    );
    return found.map(entryOf);
  },
};

const rowKey: Record<Engine, string> = { sqlite: "e.rowid", postgres: "e.id" };

/**
 * Returns a query for the scopes that a person may read: the account, the apps and the former apps. (rule K24)
 */
function scopesOf(viewer: Viewer, appId: string | undefined): Condition {
  const { userId, needs } = viewer;
  const only = [viewer.appId, appId].filter((id) => typeof id === "string");
  return [
    `SELECT o.scope FROM (SELECT CAST(? AS TEXT) AS scope
        UNION ALL SELECT v.app_id FROM app_members v WHERE ${membershipOf(needs)}
        UNION ALL SELECT app_id FROM former_apps WHERE user_id = ?) o ${only.length > 0 ? "WHERE" : ""} ${only.map(() => "o.scope = ?").join(" AND ")}`,
    ...[userId, userId, userId, ...only],
  ];
}

function conditions(
  { action, actor, from, to }: Omit<AuditPage, "position" | "limit" | "appId">,
  engine: Engine,
): Condition[] {
  return [
    // SQLite uses the index only if both sides have no type affinity. `coalesce` removes the affinity of a
    // column.
    ["coalesce(e.app_id, e.owner_id) = coalesce(s.scope, '')"],
    ...given("e.action = ?", action),
    ...given("e.at >= ?", from),
    ...given("e.at < ?", to),
    ...given(
      isId.test(actor ?? "") ? byToken[engine] : `${personOf[engine]} = ?`,
      actor && normaliseEmail(actor),
    ),
  ];
}

const isId = /^[\da-f]{8}-[\da-f-]{27}$/i;

/**
 * The SQL condition for the actions of one token. The condition for persons and for `agent` uses `personOf`.
 */
const byToken: Record<Engine, string> = {
  sqlite: `actor LIKE '%, token %' AND ${tokenOf.sqlite} = ?`,
  postgres: `actor LIKE '%, token %' AND ${tokenOf.postgres} = ?`,
};

/** The name of the target of an audit entry, and the page on which the console shows the target. */
interface TargetRow {
  readonly id: string;
  readonly name: string;
  /** The id of the object whose page shows the target: the thread for a proposal, otherwise the target itself. */
  readonly locationId: string;
}

const queries = {
  thread: "SELECT id, subject AS name, id AS location_id FROM feedback",
  message: "SELECT id, subject AS name, id AS location_id FROM feedback",
  run: "SELECT r.id, f.subject AS name, f.id AS location_id FROM runs r JOIN feedback f ON f.id = r.feedback_id",
  faq: "SELECT id, question AS name, id AS location_id FROM faqs",
  changelog: "SELECT id, title AS name, id AS location_id FROM changelog_entries",
  key: "SELECT id, label AS name, id AS location_id FROM app_keys",
  token: "SELECT id, label AS name, id AS location_id FROM tokens",
  connection: "SELECT id, label AS name, id AS location_id FROM tokens",
  saved_reply: "SELECT id, title AS name, id AS location_id FROM saved_replies",
  view: "SELECT id, name, id AS location_id FROM saved_views",
  tag: "SELECT id, name, id AS location_id FROM tags",
  listing: "SELECT id, app_name AS name, id AS location_id FROM listings",
} as const;

export type TargetKind = keyof typeof queries;

/** Whether the names of targets of this kind can be read from the database. */
export const isTargetKind = (kind: string): kind is TargetKind => Object.hasOwn(queries, kind);

/** Returns the labels that the audit log has stored for the targets in `ids`. */
export function recordedLabels(
  reader: Reader,
  ids: readonly string[],
): Promise<{ id: string; name: string }[]> {
  const marks = ids.map(() => "?").join(", ");
  return reader.all<{ id: string; name: string }>(
    `SELECT DISTINCT target AS id, label AS name FROM audit WHERE label IS NOT NULL AND target IN (${marks})`,
    ...ids,
  );
}

/** Returns the names of the targets that still exist. */
export function findTargets(reader: Reader, kind: TargetKind, ids: readonly string[]): Promise<TargetRow[]> {
  const marks = ids.map(() => "?").join(", ");
  return reader.all<TargetRow>(
    `SELECT id, name, location_id AS "locationId" FROM (${queries[kind]}) AS targets WHERE id IN (${marks})`,
    ...ids,
  );
}

/**
 * Removes the subjects of threads from audit entries, because senders wrote them. The entries still show the
 * change.
 */
export async function forgetSubjects(tx: Transaction, threads: string, ...values: Value[]): Promise<void> {
  const entries = await tx.all<{ id: string; changes: string }>(
    `SELECT id, changes FROM audit
     WHERE changes IS NOT NULL AND target IN ${threads} AND action = 'thread.update' AND changes LIKE '%"subject"%'`,
    ...values,
  );
  for (const { id, changes } of entries) {
    const all: readonly AuditChange[] = JSON.parse(changes);
    const left = all.map((change) => (change.field === "subject" ? { field: change.field } : change));
    await tx.run("UPDATE audit SET changes = ? WHERE id = ?", JSON.stringify(left), id);
  }
}
