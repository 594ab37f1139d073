import type { Reader, Transaction } from "../../database/database.ts";
import { draftDate } from "./changelog-entries.ts";

/** A thread that a release note names. */
export interface LinkedThread {
  readonly entryId: string;
  readonly feedbackId: string;
}

/** The links from release notes to threads of feedback. */
export const changelogFeedback = {
  /** The links of these release notes, in the order of the threads. */
  list: async (reader: Reader, entryIds: readonly string[]): Promise<readonly LinkedThread[]> =>
    entryIds.length === 0
      ? []
      : reader.all<LinkedThread>(
          `SELECT entry_id AS "entryId", feedback_id AS "feedbackId" FROM changelog_feedback
           WHERE entry_id IN (${placeholders(entryIds)}) ORDER BY feedback_id`,
          ...entryIds,
        ),

  /** The threads of a release note with their subjects. */
  listSubjects: (reader: Reader, entryId: string) =>
    reader.all<{ id: string; subject: string }>(
      `SELECT f.id, f.subject FROM changelog_feedback l JOIN feedback f ON f.id = l.feedback_id
       WHERE l.entry_id = ? ORDER BY f.id`,
      entryId,
    ),

  /** The release notes that name a thread, the newest first, drafts before all. */
  listReleaseNotes: (reader: Reader, feedbackId: string) =>
    reader.all<{ id: string; version: string; title: string; publishedAt: string | null }>(
      `SELECT e.id, e.version, e.title, e.published_at AS "publishedAt"
       FROM changelog_feedback l JOIN changelog_entries e ON e.id = l.entry_id
       WHERE l.feedback_id = ? ORDER BY coalesce(e.published_at, '${draftDate}') DESC, e.created_at DESC, e.id DESC`,
      feedbackId,
    ),

  /** Those of the ids that are threads of the app, in order. */
  async existing(reader: Reader, appId: string, ids: readonly string[]): Promise<readonly string[]> {
    if (ids.length === 0) return [];
    const rows = await reader.all<{ id: string }>(
      `SELECT id FROM feedback WHERE app_id = ? AND status <> 'blocked' AND id IN (${placeholders(ids)}) ORDER BY id`,
      appId,
      ...ids,
    );
    return rows.map(({ id }) => id);
  },

  /** Replaces all links of a release note. */
  async replace(tx: Transaction, entryId: string, feedbackIds: readonly string[]): Promise<void> {
    await tx.run("DELETE FROM changelog_feedback WHERE entry_id = ?", entryId);
    for (const id of feedbackIds)
      await tx.insert("changelog_feedback", { entry_id: entryId, feedback_id: id });
  },
};

const placeholders = (values: readonly string[]): string => values.map(() => "?").join(", ");
