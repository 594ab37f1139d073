import type { Reader } from "../../database/database.ts";

/** The name of the target of an audit entry, and where the console shows it. */
export interface TargetRow {
  readonly id: string;
  readonly name: string;
  /** For a proposal the id of its thread, for other targets their own id. */
  readonly seenAt: string;
}

const queries = {
  thread: "SELECT id, subject AS name, id AS seen_at FROM feedback",
  message: "SELECT id, subject AS name, id AS seen_at FROM feedback",
  run: "SELECT r.id, f.subject AS name, f.id AS seen_at FROM runs r JOIN feedback f ON f.id = r.feedback_id",
  faq: "SELECT id, question AS name, id AS seen_at FROM faqs",
  changelog: "SELECT id, title AS name, id AS seen_at FROM changelog_entries",
  key: "SELECT id, label AS name, id AS seen_at FROM app_keys",
  token: "SELECT id, label AS name, id AS seen_at FROM tokens",
  connection: "SELECT id, label AS name, id AS seen_at FROM tokens",
  saved_reply: "SELECT id, title AS name, id AS seen_at FROM saved_replies",
  tag: "SELECT id, name, id AS seen_at FROM tags",
  listing: "SELECT id, app_name AS name, id AS seen_at FROM listings",
} as const;

export type TargetKind = keyof typeof queries;

/** Whether targets of this kind have a name. */
export const isTargetKind = (kind: string): kind is TargetKind => Object.hasOwn(queries, kind);

/** The labels that the audit recorded for these tokens and keys. */
export function recordedLabels(
  reader: Reader,
  ids: readonly string[],
): Promise<{ id: string; name: string }[]> {
  const marks = ids.map(() => "?").join(", ");
  return reader.all(
    `SELECT DISTINCT target AS id, label AS name FROM audit WHERE label IS NOT NULL AND target IN (${marks})`,
    ...ids,
  );
}

/** The names of those targets that still exist. */
export function findTargets(reader: Reader, kind: TargetKind, ids: readonly string[]): Promise<TargetRow[]> {
  const marks = ids.map(() => "?").join(", ");
  return reader.all<TargetRow>(
    `SELECT id, name, seen_at AS "seenAt" FROM (${queries[kind]}) AS known WHERE id IN (${marks})`,
    ...ids,
  );
}
