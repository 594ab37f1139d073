import type { Passkey } from "../../../src/contract/passkeys.ts";
import type { Reader, Transaction } from "../../database/database.ts";

/** The stored form of a passkey. `transports` is a JSON array. */
export interface PasskeyRow extends Passkey {
  readonly credentialId: string;
  readonly publicKey: string;
  readonly counter: number;
  readonly transports: string;
}

/** The passkeys of accounts. */
export const passkeys = {
  async list(reader: Reader, userId: string): Promise<PasskeyRow[]> {
    const rows = await reader.all<PasskeyRow>(
      `SELECT id, name, created_at AS "createdAt", last_used_at AS "lastUsedAt",
              credential_id AS "credentialId", public_key AS "publicKey", counter, transports
       FROM passkeys WHERE user_id = ? ORDER BY created_at, id`,
      userId,
    );
    return rows.map((row) => ({ ...row, counter: Number(row.counter) }));
  },

  /** Adds a passkey; false if there is one with its id already. */
  insertUnlessTaken: async (tx: Transaction, userId: string, row: PasskeyRow): Promise<boolean> =>
    (await tx.run(
      `INSERT INTO passkeys (id, user_id, name, credential_id, public_key, counter, transports, created_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (credential_id) DO NOTHING`,
      ...[row.id, userId, row.name, row.credentialId, row.publicKey],
      ...[row.counter, row.transports, row.createdAt],
    )) === 1,

  /** Records a use; false if the passkey was removed meanwhile. */
  use: async (tx: Transaction, id: string, { counter, at }: { counter: number; at: string }) =>
    (await tx.run("UPDATE passkeys SET counter = ?, last_used_at = ? WHERE id = ?", counter, at, id)) === 1,

  remove: async (tx: Transaction, userId: string, id: string): Promise<boolean> =>
    (await tx.run("DELETE FROM passkeys WHERE user_id = ? AND id = ?", userId, id)) === 1,
};
