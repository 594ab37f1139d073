import { afterResolvings, type Preferences } from "../../../src/contract/account.ts";
import type { Reader, Transaction } from "../../database/database.ts";
import * as tables from "../../database/schema/access.ts";
import type { Row } from "../../database/schema/table.ts";
import { insert, select } from "../../database/transaction.ts";

const fields = ["id", "email", "passwordHash", "name"] as const;

const byEmail = select(tables.users, fields, "WHERE email = ?");

const byId = select(tables.users, fields, "WHERE id = ?");

const insertUnlessTaken = insert(tables.users, "ON CONFLICT (email) DO NOTHING");

export type UserRow = Pick<Row<typeof tables.users>, (typeof fields)[number]>;

interface NewUser extends Omit<UserRow, "name"> {
  readonly name?: string | null | undefined;
  readonly createdAt: string;
  /** When the person proved that they receive the mail of this address. Null without a proof. (rule S30) */
  readonly emailVerifiedAt: string | null;
}

export const users = {
  /** Finds an account by an address that `normaliseEmail` has normalised. */
  findByEmail: (reader: Reader, email: string) => reader.get(byEmail, email),

  find: (reader: Reader, id: string) => reader.get(byId, id),

  insert: (tx: Transaction, user: NewUser) => tx.insert(tables.users, user),

  isVerified: async (reader: Reader, id: string): Promise<boolean> =>
    (await reader.get("SELECT 1 AS one FROM users WHERE id = ? AND email_verified_at IS NOT NULL", id)) !==
    undefined,

  /** Stores that the address is verified. Returns false if it was verified before. */
  verify: async (tx: Transaction, id: string, at: string): Promise<boolean> =>
    (await tx.run(
      "UPDATE users SET email_verified_at = ? WHERE id = ? AND email_verified_at IS NULL",
      ...[at, id],
    )) === 1,

  /**
   * Returns whether `hash` is still stored. Locks the account, so a later password change also ends sessions
   * from this transaction.
   */
  async lockPassword(tx: Transaction, id: string, hash: string): Promise<boolean> {
    const locking = tx.engine === "postgres" ? "FOR NO KEY UPDATE" : "";
    const sql = `SELECT password_hash AS "passwordHash" FROM users WHERE id = ? ${locking}`;
    return (await tx.get<Pick<UserRow, "passwordHash">>(sql, id))?.passwordHash === hash;
  },

  setPassword: (tx: Transaction, id: string, passwordHash: string) =>
    tx.run("UPDATE users SET password_hash = ? WHERE id = ?", passwordHash, id),

  /** Replaces the hash of a password. Returns false if the stored hash is no longer `old`. */
  changePassword: async (
    tx: Transaction,
    id: string,
    { old, fresh }: { readonly old: string; readonly fresh: string },
  ): Promise<boolean> =>
    (await tx.run(
      "UPDATE users SET password_hash = ? WHERE id = ? AND password_hash = ?",
      ...[fresh, id, old],
    )) === 1,

  /**
   * Returns the person and all people who share an app with the person. People without a name are left out.
   * (rule K33)
   */
  named: (reader: Reader, userId: string) =>
    reader.all<{ email: string; name: string }>(
      `SELECT u.email, u.name FROM users u WHERE u.name IS NOT NULL AND u.id IN (
         SELECT m.user_id FROM app_members v JOIN app_members m ON m.app_id = v.app_id WHERE v.user_id = ?
         UNION ALL SELECT CAST(? AS TEXT))`,
      userId,
      userId,
    ),

  /** Replaces the name of a person. Returns false if the person already has that name. */
  changeName: async (tx: Transaction, id: string, name: string | null): Promise<boolean> =>
    (await tx.run("UPDATE users SET name = ? WHERE id = ? AND name IS DISTINCT FROM ?", name, id, name)) ===
    1,

  /** Adds an account. Returns false if another account has its address. */
  insertUnlessTaken: (tx: Transaction, user: NewUser) => insertUnlessTaken(tx, user),
};

const find = select(tables.preferences, ["keys", "afterResolving"], "WHERE user_id = ?");

const put = insert(
  tables.preferences,
  `ON CONFLICT (user_id) DO UPDATE SET keys = excluded.keys, after_resolving = excluded.after_resolving`,
);

/** The console preferences of each person. A person without a row has the defaults. (rule O32) */
export const preferenceRows = {
  async of(reader: Reader, userId: string): Promise<Preferences> {
    const row = await reader.get(find, userId);
    const afterResolving = afterResolvings.find((one) => one === row?.afterResolving) ?? "next";
    return { keys: row === undefined || Number(row.keys) === 1, afterResolving };
  },

  put: (tx: Transaction, userId: string, { keys, afterResolving }: Preferences) =>
    put(tx, { userId, keys: keys ? 1 : 0, afterResolving }),
};
