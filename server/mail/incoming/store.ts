import { oneForViewer } from "../../access/members/visibility.ts";
import type { Reader, Transaction } from "../../database/database.ts";
import * as tables from "../../database/schema/mail.ts";
import { insert } from "../../database/transaction.ts";

/** The original of an incoming mail. Its bytes are in a file. */
export interface OriginalRow {
  /** The id of the mail's message. A mail that was set apart has no message yet. */
  readonly id: string;
  readonly appId: string;
  readonly feedbackId: string;
  /** The id of the report that the mail answers. */
  readonly reportId: string;
  /** The SHA-256 of the encrypted bytes. */
  readonly sha256: string;
  readonly keySealed: string;
  /** This mail answers a mail that the server sent to the address `recipient`. */
  readonly recipient: string;
  /** Why the mail was set apart, that is, not added to its thread. Null if the mail is a message. */
  readonly setApart: string | null;
  readonly createdAt: string;
}

/** A mail that was set apart: it was not added to its thread, because a program wrote it. */
interface SetApartRow {
  readonly id: string;
  readonly threadId: string;
  readonly from: string;
  readonly subject: string;
  /** The beginning of the mail's text. */
  readonly text: string;
  readonly reason: string;
  readonly createdAt: string;
}

const findFor = oneForViewer<OriginalRow>({
  columns: `o.id, o.app_id AS "appId", o.feedback_id AS "feedbackId", o.report_id AS "reportId", u.sha256,
    o.key_sealed AS "keySealed", o.recipient, o.set_apart AS "setApart", o.created_at AS "createdAt"`,
  from: "FROM mail_originals o JOIN uploads u ON u.name = o.upload",
  app: "o.app_id",
  where: "o.id = ? AND o.created_at > ?",
});

/**
 * The originals of incoming mails. Only people can read them, never agents. They are deleted after 30 days. (rule M16)
 */
export const mailOriginals = {
  /** Adds an original. Its upload must already exist. */
  insert: (
    tx: Transaction,
    original: Omit<OriginalRow, "sha256"> & {
      /** The name of the upload that has the bytes of the original. */
      readonly upload: string;
      readonly sender: string;
      /** All addresses in the mail. An erasure searches them to find the mails of a person. */
      readonly addresses: string;
      readonly subject: string;
      readonly excerpt: string;
    },
  ) => tx.insert(tables.mailOriginals, original),

  exists: async (reader: Reader, id: string): Promise<boolean> =>
    (await reader.get("SELECT 1 AS one FROM mail_originals WHERE id = ?", id)) !== undefined,

  findFor,

  /**
   * Returns the messages of a thread that arrived by mail. Leaves out messages whose originals are no longer
   * stored.
   */
  ofThread: (reader: Reader, feedbackId: string, after: string) =>
    reader.all<{ id: string; createdAt: string }>(
      `SELECT id, created_at AS "createdAt" FROM mail_originals
       WHERE feedback_id = ? AND set_apart IS NULL AND created_at > ?`,
      feedbackId,
      after,
    ),

  /** Returns the newest mails of an app that were set apart. */
  setApart: (
    reader: Reader,
    appId: string,
    { after, most }: { readonly after: string; readonly most: number },
  ) =>
    reader.all<SetApartRow>(
      `SELECT id, feedback_id AS "threadId", sender AS "from", subject, excerpt AS text, set_apart AS reason,
              created_at AS "createdAt"
       FROM mail_originals WHERE app_id = ? AND set_apart IS NOT NULL AND created_at > ?
       ORDER BY created_at DESC, id DESC LIMIT ?`,
      appId,
      after,
      most,
    ),

  /** Returns how many mails that answer a report were set apart since a time. */
  async countSetApart(
    reader: Reader,
    { feedbackId, reportId }: Pick<OriginalRow, "feedbackId" | "reportId">,
    since: string,
  ): Promise<number> {
    const row = await reader.get<{ count: number }>(
      `SELECT count(*) AS count FROM mail_originals
       WHERE feedback_id = ? AND report_id = ? AND set_apart IS NOT NULL AND created_at > ?`,
      feedbackId,
      reportId,
      since,
    );
    return Number(row?.count ?? 0);
  },

  /** Stores that a mail is no longer set apart. Returns false if the mail was not set apart. */
  take: async (tx: Transaction, id: string): Promise<boolean> =>
    (await tx.run("UPDATE mail_originals SET set_apart = NULL WHERE id = ? AND set_apart IS NOT NULL", id)) >
    0,

  /** Deletes the original of a message. Returns the SHA-256 of its file. */
  remove: async (tx: Transaction, id: string): Promise<string[]> =>
    (
      await tx.all<{ sha256: string }>(
        "DELETE FROM uploads WHERE name = (SELECT upload FROM mail_originals WHERE id = ?) RETURNING sha256",
        id,
      )
    ).map(({ sha256 }) => sha256),

  /**
   * Deletes at most `most` originals that are from the time `before` or older. Returns the SHA-256 of their files.
   */
  prune: async (tx: Transaction, before: string, most: number): Promise<string[]> =>
    (
      await tx.all<{ sha256: string }>(
        `DELETE FROM uploads WHERE name IN (
           SELECT upload FROM mail_originals WHERE created_at <= ? ORDER BY created_at LIMIT ?) RETURNING sha256`,
        before,
        most,
      )
    ).map(({ sha256 }) => sha256),
};

export interface MailAttempt {
  /** The number of attempts, including the current attempt. */
  readonly attempts: number;
  /** When the previous attempt began; null for the first attempt. */
  readonly lastAt: string | null;
}

interface AttemptRow {
  readonly attempts: number;
  readonly triedAt: string | null;
}

const setLastUid = insert(
  tables.mailboxes,
  "ON CONFLICT (name) DO UPDATE SET uid_validity = excluded.uid_validity, last_uid = excluded.last_uid",
);

/** The last handled mail of a mailbox. */
interface MailboxRow {
  readonly uidValidity: string;
  readonly lastUid: number;
}

export const mailboxes = {
  find: (reader: Reader, name: string) =>
    reader.get<MailboxRow>(
      `SELECT uid_validity AS "uidValidity", last_uid AS "lastUid" FROM mailboxes WHERE name = ?`,
      name,
    ),

  /** Locks a mailbox. Returns the last handled uid; 0 if the mailbox or its `uidValidity` is new. */
  async lock(tx: Transaction, name: string, uidValidity: string): Promise<number> {
    await tx.lock(`innkeep mailbox ${name}`);
    const row = await mailboxes.find(tx, name);
    return row?.uidValidity === uidValidity ? Number(row.lastUid) : 0;
  },

  async advance(tx: Transaction, name: string, { uidValidity, lastUid }: MailboxRow): Promise<void> {
    await setLastUid(tx, { name, uidValidity, lastUid });
  },

  /** Stores that an attempt to handle a mail begins. Returns undefined if the mail was already handled. */
  async begin(
    tx: Transaction,
    name: string,
    { uidValidity, uid, at }: { readonly uidValidity: string; readonly uid: number; readonly at: string },
  ): Promise<MailAttempt | undefined> {
    const lastUid = await mailboxes.lock(tx, name, uidValidity);
    if (lastUid >= uid) return undefined;
    const before = await tx.get<AttemptRow>(
      `SELECT attempts, tried_at AS "triedAt" FROM mailboxes
       WHERE name = ? AND uid_validity = ? AND tried_uid = ?`,
      name,
      uidValidity,
      uid,
    );
    const attempts = Number(before?.attempts ?? 0) + 1;
    await mailboxes.advance(tx, name, { uidValidity, lastUid });
    await tx.run(
      "UPDATE mailboxes SET tried_uid = ?, attempts = ?, tried_at = ? WHERE name = ?",
      uid,
      attempts,
      at,
      name,
    );
    return { attempts, lastAt: before?.triedAt ?? null };
  },

  /** Subtracts an attempt from the count, because nothing was done with the mail. */
  release: (tx: Transaction, name: string, uid: number) =>
    tx.run(
      "UPDATE mailboxes SET attempts = attempts - 1 WHERE name = ? AND tried_uid = ? AND attempts > 0",
      name,
      uid,
    ),
};
