import type { Reader, Transaction } from "../engine/database.ts";

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
};
