import type { Reader, Transaction } from "../../database/database.ts";
import * as tables from "../../database/schema/access.ts";
import type { Row } from "../../database/schema/table.ts";
import { insert, select } from "../../database/statements.ts";

const fields = ["id", "email", "passwordHash"] as const;
const byEmail = select(tables.users, fields, "WHERE email = ?");
const byId = select(tables.users, fields, "WHERE id = ?");

const insertUnlessTaken = insert(tables.users, "ON CONFLICT (email) DO NOTHING");

export type UserRow = Pick<Row<typeof tables.users>, (typeof fields)[number]>;

export interface NewUser extends UserRow {
  readonly createdAt: string;
  /** When it was shown that the person reads the mail of this address; null if it was not. (rule S30) */
  readonly emailVerifiedAt: string | null;
}

/** The hashes of the old and the new password. */
export interface PasswordChange {
  readonly old: string;
  readonly fresh: string;
}

/** The accounts of people. */
export const users = {
  /** Finds an account by an address that `normaliseEmail` has normalised. */
  findByEmail: (reader: Reader, email: string) => reader.get(byEmail, email),

  find: (reader: Reader, id: string) => reader.get(byId, id),

  insert: (tx: Transaction, user: NewUser) => tx.insert(tables.users, user),

  isVerified: async (reader: Reader, id: string): Promise<boolean> =>
    (await reader.get("SELECT 1 AS one FROM users WHERE id = ? AND email_verified_at IS NOT NULL", id)) !==
    undefined,

  /** Notes that the person reads the mail of the address. True the first time. */
  verify: async (tx: Transaction, id: string, at: string): Promise<boolean> =>
    (await tx.run(
      "UPDATE users SET email_verified_at = ? WHERE id = ? AND email_verified_at IS NULL",
      ...[at, id],
    )) === 1,

  /**
   * Whether `hash` is still the password hash of the account. Keeps the password from being changed until this transaction
   * ends, so that a later change sees, and can revoke, what this transaction adds.
   */
  async lockPassword(tx: Transaction, id: string, hash: string): Promise<boolean> {
    const locking = tx.engine === "postgres" ? "FOR NO KEY UPDATE" : "";
    const sql = `SELECT password_hash AS "passwordHash" FROM users WHERE id = ? ${locking}`;
    return (await tx.get<Pick<UserRow, "passwordHash">>(sql, id))?.passwordHash === hash;
  },

  setPassword: (tx: Transaction, id: string, passwordHash: string) =>
    tx.run("UPDATE users SET password_hash = ? WHERE id = ?", passwordHash, id),

  /** Replaces a password; false if the password is no longer `old`. */
  changePassword: async (tx: Transaction, id: string, { old, fresh }: PasswordChange): Promise<boolean> =>
    (await tx.run(
      "UPDATE users SET password_hash = ? WHERE id = ? AND password_hash = ?",
      ...[fresh, id, old],
    )) === 1,

  /** Adds an account; false if another account already has its address. */
  insertUnlessTaken: (tx: Transaction, user: NewUser) => insertUnlessTaken(tx, user),
};
