import type { Statement } from "./statement.ts";

/** The FAQ and the release notes. */
export const contentSchema: readonly Statement[] = [
  // `pushed_…`: what the last replacement of the whole FAQ set: the hash of the text, and the position. A client that keeps the
  // FAQ as files so knows which texts a person changed since.
  `CREATE TABLE faqs (
    id TEXT PRIMARY KEY, app_id TEXT NOT NULL REFERENCES apps (id) ON DELETE CASCADE, question TEXT NOT NULL,
    answer TEXT NOT NULL, sort_order BIGINT NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL,
    pushed_hash TEXT, pushed_sort_order INTEGER, updated_by TEXT)`,
  `CREATE INDEX faqs_in_order ON faqs (app_id, sort_order, created_at, id)`,
  // `edited_fields`: those that a person wrote, so that an import keeps them. `told_at`: when mails for the senders were queued.
  `CREATE TABLE changelog_entries (
    id TEXT PRIMARY KEY, app_id TEXT NOT NULL REFERENCES apps (id) ON DELETE CASCADE, title TEXT NOT NULL,
    version TEXT NOT NULL, versions TEXT NOT NULL, release_type TEXT NOT NULL, body_format TEXT NOT NULL,
    body TEXT NOT NULL, items TEXT NOT NULL, published_at TEXT, created_at TEXT NOT NULL, updated_at TEXT NOT NULL,
    edited_fields TEXT NOT NULL DEFAULT '["title","versions","releaseType","bodyFormat","body","items","publishedAt"]',
    updated_by TEXT, told_at TEXT)`,
  `CREATE INDEX changelog_by_publication ON changelog_entries (app_id, published_at, created_at, id)`,
  `CREATE INDEX changelog_untold ON changelog_entries (
    published_at) WHERE told_at IS NULL AND published_at IS NOT NULL`,
  `CREATE TABLE changelog_feedback (
    entry_id TEXT NOT NULL REFERENCES changelog_entries (id) ON DELETE CASCADE,
    feedback_id TEXT NOT NULL REFERENCES feedback (id) ON DELETE CASCADE, PRIMARY KEY (entry_id, feedback_id))`,
  `CREATE INDEX changelog_feedback_by_thread ON changelog_feedback (feedback_id)`,
];
