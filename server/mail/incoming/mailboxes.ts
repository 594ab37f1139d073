import type { Reader, Transaction } from "../../database/database.ts";

/** How often the mail of a uid was begun, this time included, and when it was last begun before. */
export interface MailAttempt {
  readonly attempts: number;
  readonly lastAt: string | null;
}

interface NewAttempt {
  readonly uidValidity: string;
  readonly uid: number;
  readonly at: string;
}

interface TriedRow {
  readonly attempts: number;
  readonly triedAt: string | null;
}

/** How far a mailbox was read. */
export interface MailboxRow {
  readonly uidValidity: string;
  readonly lastUid: number;
}

export const mailboxes = {
  find: (reader: Reader, name: string) =>
    reader.get<MailboxRow>(
      `SELECT uid_validity AS "uidValidity", last_uid AS "lastUid" FROM mailboxes WHERE name = ?`,
      name,
    ),

  /** Waits for other servers that read the same mailbox. Gives how far it was read; 0 if its uids are new. */
  async lock(tx: Transaction, name: string, uidValidity: string): Promise<number> {
    await tx.lock(`innkeep mailbox ${name}`);
    const row = await mailboxes.find(tx, name);
    return row?.uidValidity === uidValidity ? Number(row.lastUid) : 0;
  },

  async advance(tx: Transaction, name: string, { uidValidity, lastUid }: MailboxRow): Promise<void> {
    await tx.run(
      `INSERT INTO mailboxes (name, uid_validity, last_uid) VALUES (?, ?, ?)
       ON CONFLICT (name) DO UPDATE SET uid_validity = excluded.uid_validity, last_uid = excluded.last_uid`,
      name,
      uidValidity,
      lastUid,
    );
  },

  /** Notes that the mail of a uid is begun, before anything else is done with it. Undefined if it was taken. */
  async begin(
    tx: Transaction,
    name: string,
    { uidValidity, uid, at }: NewAttempt,
  ): Promise<MailAttempt | undefined> {
    const lastUid = await mailboxes.lock(tx, name, uidValidity);
    if (lastUid >= uid) return undefined;
    const before = await tx.get<TriedRow>(
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

  /** Takes back an attempt at a mail that could not be fetched: nothing was done with it. */
  release: (tx: Transaction, name: string, uid: number) =>
    tx.run(
      "UPDATE mailboxes SET attempts = attempts - 1 WHERE name = ? AND tried_uid = ? AND attempts > 0",
      name,
      uid,
    ),
};
