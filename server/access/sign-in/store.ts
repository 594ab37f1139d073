import type { Reader, Transaction } from "../../database/database.ts";

export interface NewConsoleSession {
  readonly id: string;
  readonly tokenHash: string;
  readonly userId: string;
  /** The browser in words. */
  readonly browser: string | null;
  readonly createdAt: string;
  readonly lastUsedAt: string;
  readonly expiresAt: string;
}

export type ConsoleSessionRow = Omit<NewConsoleSession, "userId" | "lastUsedAt"> & {
  readonly lastUsedAt: string | null;
};

/** The sessions of people who are signed in to the console. */
export const consoleSessions = {
  /** The sessions of an account that have not expired, newest first. */
  list: (reader: Reader, userId: string, now: string) =>
    reader.all<ConsoleSessionRow>(
      `SELECT id, token_hash AS "tokenHash", browser, created_at AS "createdAt",
              last_used_at AS "lastUsedAt", expires_at AS "expiresAt"
       FROM sessions WHERE user_id = ? AND expires_at > ? ORDER BY created_at DESC, id DESC`,
      userId,
      now,
    ),

  insert: (tx: Transaction, session: NewConsoleSession) =>
    tx.insert("sessions", {
      id: session.id,
      token_hash: session.tokenHash,
      user_id: session.userId,
      browser: session.browser,
      created_at: session.createdAt,
      last_used_at: session.lastUsedAt,
      expires_at: session.expiresAt,
    }),

  remove: (tx: Transaction, tokenHash: string) =>
    tx.run("DELETE FROM sessions WHERE token_hash = ?", tokenHash),

  /** Ends a session of an account by the id that the person sees; false if the account has no such session. */
  removeById: async (tx: Transaction, userId: string, id: string): Promise<boolean> =>
    (await tx.run("DELETE FROM sessions WHERE user_id = ? AND id = ?", userId, id)) === 1,

  /** Ends all sessions of an account. Gives their number. */
  removeAll: (tx: Transaction, userId: string) => tx.run("DELETE FROM sessions WHERE user_id = ?", userId),

  /** Ends all sessions of an account except one. */
  removeOthers: (tx: Transaction, userId: string, kept: string) =>
    tx.run("DELETE FROM sessions WHERE user_id = ? AND token_hash <> ?", userId, kept),

  removeExpired: (tx: Transaction, userId: string, now: string) =>
    tx.run("DELETE FROM sessions WHERE user_id = ? AND expires_at <= ?", userId, now),
};
