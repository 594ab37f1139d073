import type { Reader, Transaction } from "../../database/database.ts";
import { type ReportRow, reports } from "./store.ts";

/** A published release note whose mails were not queued yet. */
export interface NoteToMail {
  readonly id: string;
  readonly appId: string;
  readonly title: string;
  readonly version: string;
  readonly publishedAt: string;
}

/** Mails about release notes, and their receivers. */
export const releaseMails = {
  /** The oldest release notes that are published and whose mails were not queued yet. */
  listNotes: (reader: Reader, now: string, most: number) =>
    reader.all<NoteToMail>(
      `SELECT id, app_id AS "appId", title, version, published_at AS "publishedAt" FROM changelog_entries
       WHERE told_at IS NULL AND published_at IS NOT NULL AND published_at <= ? ORDER BY published_at LIMIT ?`,
      now,
      most,
    ),

  /** Marks the mails of a release note as queued. False if another server has done it. */
  claim: async (tx: Transaction, entryId: string, at: string): Promise<boolean> =>
    (await tx.run("UPDATE changelog_entries SET told_at = ? WHERE id = ? AND told_at IS NULL", at, entryId)) >
    0,

  /** The reports on the threads that a release note names, newest first within a thread. */
  async reports(reader: Reader, entryId: string): Promise<ReportRow[]> {
    const links = await reader.all<{ feedbackId: string }>(
      `SELECT feedback_id AS "feedbackId" FROM changelog_feedback WHERE entry_id = ? ORDER BY feedback_id`,
      entryId,
    );
    const found: ReportRow[] = [];
    for (const { feedbackId } of links) found.push(...(await reports.list(reader, feedbackId)));
    return found;
  },

  /** The addresses of an app that answered or confirmed, and have not unsubscribed. */
  async addresses(reader: Reader, appId: string): Promise<ReadonlySet<string>> {
    const rows = await reader.all<{ recipient: string }>(
      `SELECT recipient FROM mail_addresses
       WHERE app_id = ? AND confirmed_at IS NOT NULL AND unsubscribed_at IS NULL`,
      appId,
    );
    return new Set(rows.map(({ recipient }) => recipient));
  },

  /** How many automatic mails were queued for an address since then. */
  async countAutomatic(reader: Reader, recipient: string, since: string): Promise<number> {
    const row = await reader.get<{ count: number }>(
      "SELECT count(*) AS count FROM mails WHERE recipient = ? AND created_at > ? AND lane = 'bulk'",
      recipient,
      since,
    );
    return Number(row?.count ?? 0);
  },

  /** Ends automatic mail of an app to an address. */
  async unsubscribe(tx: Transaction, { appId, recipient, at }: EndedMail): Promise<void> {
    await tx.run(
      `INSERT INTO mail_addresses (app_id, recipient, unsubscribed_at) VALUES (?, ?, ?)
       ON CONFLICT (app_id, recipient) DO UPDATE SET unsubscribed_at = excluded.unsubscribed_at`,
      appId,
      recipient,
      at,
    );
  },
};

/** An address that wants no automatic mail of an app. */
export interface EndedMail {
  readonly appId: string;
  readonly recipient: string;
  readonly at: string;
}
