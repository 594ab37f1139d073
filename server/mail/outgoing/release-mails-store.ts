import type { Reader, Transaction } from "../../database/database.ts";
import * as tables from "../../database/schema/mail.ts";
import { insert, plannedEachTime } from "../../database/statements.ts";
import { type ReportRow, reports } from "../sender-page/store.ts";

/** A published release note whose mails are not queued yet. */
export interface NoteToMail {
  readonly id: string;
  readonly appId: string;
  readonly title: string;
  readonly version: string;
  readonly publishedAt: string;
  /** The translations as JSON; null if there are none. */
  readonly translations: string | null;
}

const noteUnsubscribed = insert(
  tables.mailAddresses,
  "ON CONFLICT (app_id, recipient) DO UPDATE SET unsubscribed_at = excluded.unsubscribed_at",
);

/** Mails about release notes, and their receivers. */
export const releaseMails = {
  /** Returns the oldest published release notes whose mails are not queued yet. */
  listNotes: (reader: Reader, now: string, most: number) =>
    reader.all<NoteToMail>(
      `SELECT id, app_id AS "appId", title, version, published_at AS "publishedAt", translations
       FROM changelog_entries
       WHERE told_at IS NULL AND published_at IS NOT NULL AND published_at <= ? ORDER BY published_at LIMIT ?`,
      now,
      most,
    ),

  /** Stores that the mails of a release note are queued. Returns false if another server has already done that. */
  claim: async (tx: Transaction, entryId: string, at: string): Promise<boolean> =>
    (await tx.run("UPDATE changelog_entries SET told_at = ? WHERE id = ? AND told_at IS NULL", at, entryId)) >
    0,

  /** Returns the ids of the threads that a release note names. */
  async threads(reader: Reader, entryId: string): Promise<string[]> {
    const links = await reader.all<{ feedbackId: string }>(
      `SELECT feedback_id AS "feedbackId" FROM changelog_feedback WHERE entry_id = ? ORDER BY feedback_id`,
      entryId,
    );
    return links.map(({ feedbackId }) => feedbackId);
  },

  /** Returns the reports on these threads. The reports of one thread are sorted newest first. */
  async reports(reader: Reader, threadIds: readonly string[]): Promise<ReportRow[]> {
    const found: ReportRow[] = [];
    // A release note may name a thread that was merged into another one. (rule F46)
    const threads = await reader.all<{ id: string }>(
      plannedEachTime(`SELECT DISTINCT coalesce(merged_into, id) AS id FROM feedback
        WHERE id IN (${threadIds.map(() => "?").join(", ") || "NULL"}) ORDER BY 1`),
      ...threadIds,
    );
    for (const { id } of threads) found.push(...(await reports.list(reader, id)));
    return found;
  },

  /** Returns the confirmed addresses of an app's senders who have not unsubscribed. */
  async addresses(reader: Reader, appId: string): Promise<ReadonlySet<string>> {
    const rows = await reader.all<{ recipient: string }>(
      `SELECT recipient FROM mail_addresses
       WHERE app_id = ? AND confirmed_at IS NOT NULL AND unsubscribed_at IS NULL`,
      appId,
    );
    return new Set(rows.map(({ recipient }) => recipient));
  },

  /** Returns the metadata of a report, as JSON. */
  async metadata(reader: Reader, reportId: string): Promise<string> {
    const row = await reader.get<{ metadata: string | null }>(
      "SELECT metadata FROM feedback WHERE id = ? UNION ALL SELECT metadata FROM messages WHERE id = ?",
      reportId,
      reportId,
    );
    return row?.metadata ?? "{}";
  },

  /** Returns how many automatic mails were queued for an address since a time. */
  async countAutomatic(reader: Reader, recipient: string, since: string): Promise<number> {
    const row = await reader.get<{ count: number }>(
      "SELECT count(*) AS count FROM mails WHERE recipient = ? AND created_at > ? AND kind = 'release'",
      recipient,
      since,
    );
    return Number(row?.count ?? 0);
  },

  /** Stops automatic mail from an app to an address. */
  async unsubscribe(
    tx: Transaction,
    { appId, recipient, at }: { readonly appId: string; readonly recipient: string; readonly at: string },
  ): Promise<void> {
    await noteUnsubscribed(tx, { appId, recipient, unsubscribedAt: at });
  },
};
