import { oneForViewer } from "../../access/members/visibility.ts";
import type { Reader, Transaction } from "../../database/database.ts";
import * as tables from "../../database/schema/mail.ts";
import { insert } from "../../database/statements.ts";

/** The original of an incoming mail. Its bytes are in a file. */
export interface OriginalRow {
  /** The id of the message that the mail is, or would become. */
  readonly id: string;
  readonly appId: string;
  readonly feedbackId: string;
  /** The report that it answers. */
  readonly reportId: string;
  /** The SHA-256 of the sealed bytes. */
  readonly sha256: string;
  readonly keySealed: string;
  /** The address to which our mail went. */
  readonly recipient: string;
  /** Why it was set apart; null for a message. */
  readonly setApart: string | null;
  readonly createdAt: string;
}

/** A mail that was set apart, because a program wrote it. */
interface SetApartRow {
  readonly id: string;
  readonly threadId: string;
  readonly from: string;
  readonly subject: string;
  /** The beginning of its text. */
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

/** The originals of incoming mails. Only people read them. They are deleted after 30 days. (rule M16) */
export const mailOriginals = {
  /** Adds an original. Its upload must exist. */
  insert: (
    tx: Transaction,
    original: Omit<OriginalRow, "sha256"> & {
      /** The name of the upload with its bytes. */
      readonly upload: string;
      readonly sender: string;
      /** All addresses in it, so that an erasure finds the mail. */
      readonly addresses: string;
      readonly subject: string;
      readonly excerpt: string;
    },
  ) => tx.insert(tables.mailOriginals, original),

  exists: async (reader: Reader, id: string): Promise<boolean> =>
    (await reader.get("SELECT 1 AS one FROM mail_originals WHERE id = ?", id)) !== undefined,

  findFor,

  /** The messages of a thread whose originals are stored. */
  ofThread: (reader: Reader, feedbackId: string, after: string) =>
    reader.all<{ id: string; createdAt: string }>(
      `SELECT id, created_at AS "createdAt" FROM mail_originals
       WHERE feedback_id = ? AND set_apart IS NULL AND created_at > ?`,
      feedbackId,
      after,
    ),

  /** The newest mails of an app that were set apart. */
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

  /** How many mails about a report were set apart since an instant. */
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

  /** Makes a mail that was set apart a message. Returns false if it is one already. */
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

  /** Deletes at most `most` originals that are not newer than an instant. Returns the SHA-256 of their files. */
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

/** An attempt to handle a mail. */
export interface MailAttempt {
  /** The number of attempts with this one. */
  readonly attempts: number;
  /** When the attempt before began; null for the first one. */
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

/** The last mail of a mailbox that was handled. */
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

  /** Locks a mailbox against other servers. Returns the last handled uid; 0 if all uids are new. */
  async lock(tx: Transaction, name: string, uidValidity: string): Promise<number> {
    await tx.lock(`innkeep mailbox ${name}`);
    const row = await mailboxes.find(tx, name);
    return row?.uidValidity === uidValidity ? Number(row.lastUid) : 0;
  },

  async advance(tx: Transaction, name: string, { uidValidity, lastUid }: MailboxRow): Promise<void> {
    await setLastUid(tx, { name, uidValidity, lastUid });
  },

  /** Stores that an attempt to handle a mail begins. Returns undefined if the mail was handled already. */
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

  /** Removes an attempt from the count, because nothing was done with the mail. */
  release: (tx: Transaction, name: string, uid: number) =>
    tx.run(
      "UPDATE mailboxes SET attempts = attempts - 1 WHERE name = ? AND tried_uid = ? AND attempts > 0",
      name,
      uid,
    ),
};
