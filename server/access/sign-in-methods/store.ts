import type { Passkey } from "../../../src/contract/account.ts";
import type { Reader, Transaction } from "../../database/database.ts";
import * as tables from "../../database/schema/access.ts";
import { insert, select } from "../../database/transaction.ts";

export interface SecondFactorRow {
  /**
   * The encrypted secret of the authenticator app. Null if the secret was lost. Then no code of the
   * app works.
   */
  readonly secretSealed: string | null;
  readonly lastStep: number;
  readonly confirmedAt: string | null;
}

const factorOf = select(tables.secondFactors, ["secretSealed", "lastStep", "confirmedAt"], "WHERE id = ?");

const beginFactor = insert(
  tables.secondFactors,
  `ON CONFLICT (id) DO UPDATE SET secret_sealed = excluded.secret_sealed, created_at = excluded.created_at
   WHERE second_factors.confirmed_at IS NULL`,
);

/** The second factors of accounts: an authenticator app, and recovery codes. */
export const secondFactors = {
  /** Locks the second factor of an account against other transactions until this one ends. */
  lock: (tx: Transaction, userId: string) => tx.lock(`second factor:${userId}`),

  /** Returns the second factor, even if it is not confirmed yet. */
  async find(reader: Reader, userId: string): Promise<SecondFactorRow | undefined> {
    const row = await reader.get(factorOf, userId);
    return row && { ...row, lastStep: Number(row.lastStep) };
  },

  /**
   * Stores an unconfirmed secret, and replaces an earlier unconfirmed secret. Returns false if the account has a
   * confirmed second factor.
   */
  begin: (tx: Transaction, userId: string, { secretSealed, at }: { secretSealed: string; at: string }) =>
    beginFactor(tx, { id: userId, secretSealed, lastStep: 0, createdAt: at }),

  /**
   * Turns the second factor on. Returns false if another request has replaced or confirmed the secret in the meantime.
   */
  confirm: async (
    tx: Transaction,
    userId: string,
    { secretSealed, step, at }: { readonly secretSealed: string; readonly step: number; readonly at: string },
  ) =>
    (await tx.run(
      `UPDATE second_factors SET confirmed_at = ?, last_step = ?
       WHERE id = ? AND secret_sealed = ? AND confirmed_at IS NULL`,
      ...[at, step, userId, secretSealed],
    )) === 1,

  /** Marks the code of a time step as used. Returns false if this or a later code was used before. */
  useStep: async (tx: Transaction, userId: string, step: number): Promise<boolean> =>
    (await tx.run(
      `UPDATE second_factors SET last_step = ? WHERE id = ? AND last_step < ? AND confirmed_at IS NOT NULL`,
      ...[step, userId, step],
    )) === 1,

  async remove(tx: Transaction, userId: string): Promise<boolean> {
    await tx.run("DELETE FROM recovery_codes WHERE user_id = ?", userId);
    await tx.run("DELETE FROM passkeys WHERE user_id = ?", userId);
    return (await tx.run("DELETE FROM second_factors WHERE id = ?", userId)) === 1;
  },

  /** Marks a recovery code as used. Returns false if the code is unknown or was used before. */
  useRecoveryCode: async (
    tx: Transaction,
    userId: string,
    { codeHash, at }: { codeHash: string; at: string },
  ) =>
    (await tx.run(
      "UPDATE recovery_codes SET used_at = ? WHERE user_id = ? AND code_hash = ? AND used_at IS NULL",
      ...[at, userId, codeHash],
    )) === 1,

  async replaceRecoveryCodes(tx: Transaction, userId: string, hashes: readonly string[]): Promise<void> {
    await tx.run("DELETE FROM recovery_codes WHERE user_id = ?", userId);
    for (const hash of hashes) await tx.insert(tables.recoveryCodes, { codeHash: hash, userId });
  },

  /** Deletes all recovery codes after a restore. Returns how many accounts have a second factor. (rule S25) */
  async endRecoveryCodes(tx: Transaction): Promise<number> {
    await tx.run("DELETE FROM recovery_codes");
    const sql = `SELECT count(*) AS count FROM second_factors WHERE confirmed_at IS NOT NULL`;
    return Number((await tx.get<{ count: number }>(sql))?.count ?? 0);
  },

  async countRecoveryCodes(reader: Reader, userId: string): Promise<number> {
    const sql = `SELECT count(*) AS "left" FROM recovery_codes WHERE user_id = ? AND used_at IS NULL`;
    return Number((await reader.get<{ left: number }>(sql, userId))?.left ?? 0);
  },
};

/** A row of `passkeys`. `transports` is a JSON array. */
export interface PasskeyRow extends Passkey {
  readonly credentialId: string;
  readonly publicKey: string;
  readonly counter: number;
  readonly transports: string;
}

const passkeysOf = select(
  tables.passkeys,
  ["id", "name", "createdAt", "lastUsedAt", "credentialId", "publicKey", "counter", "transports"],
  "WHERE user_id = ? ORDER BY created_at, id",
);

const insertPasskey = insert(tables.passkeys, "ON CONFLICT (credential_id) DO NOTHING");

export const passkeys = {
  async list(reader: Reader, userId: string): Promise<PasskeyRow[]> {
    const rows = await reader.all(passkeysOf, userId);
    return rows.map((row) => ({ ...row, counter: Number(row.counter) }));
  },

  /** Adds a passkey. Returns false if its credential id already exists. */
  insertUnlessTaken: (tx: Transaction, userId: string, row: PasskeyRow) =>
    insertPasskey(tx, { ...row, userId }),

  /** Stores that a passkey was used. Returns false if the passkey was removed in the meantime. */
  use: async (tx: Transaction, id: string, { counter, at }: { counter: number; at: string }) =>
    (await tx.run("UPDATE passkeys SET counter = ?, last_used_at = ? WHERE id = ?", counter, at, id)) === 1,

  remove: async (tx: Transaction, userId: string, id: string): Promise<boolean> =>
    (await tx.run("DELETE FROM passkeys WHERE user_id = ? AND id = ?", userId, id)) === 1,
};

/** A person's identity at an OpenID Connect provider. */
export interface IdentityKey {
  readonly issuer: string;
  readonly subject: string;
}

export interface IdentityRow {
  readonly issuer: string;
  readonly createdAt: string;
}

export interface IdentityOwner {
  readonly id: string;
  readonly email: string;
}

const identitiesOf = select(
  tables.identities,
  ["issuer", "createdAt"],
  "WHERE user_id = ? ORDER BY created_at, issuer",
);

/** The identities with which people sign in, and their accounts. */
export const identities = {
  findOwner: (reader: Reader, { issuer, subject }: IdentityKey) =>
    reader.get<IdentityOwner>(
      `SELECT u.id, u.email FROM identities i JOIN users u ON u.id = i.user_id
       WHERE i.issuer = ? AND i.subject = ?`,
      issuer,
      subject,
    ),

  list: (reader: Reader, userId: string): Promise<IdentityRow[]> => reader.all(identitiesOf, userId),

  /** Locks an identity against other transactions until this one ends. */
  lock: (tx: Transaction, { issuer, subject }: IdentityKey) => tx.lock(`identity:${issuer} ${subject}`),

  insert: (
    tx: Transaction,
    identity: IdentityKey & { readonly userId: string; readonly createdAt: string },
  ) => tx.insert(tables.identities, identity),
};
