import type { Transaction } from "../engine/database.ts";

export interface NewConsoleSession {
  readonly tokenHash: string;
  readonly userId: string;
  readonly createdAt: string;
  readonly expiresAt: string;
}

/** The sessions of people who are signed in to the console. */
export const consoleSessions = {
  insert: (tx: Transaction, session: NewConsoleSession) =>
    tx.insert("sessions", {
      token_hash: session.tokenHash,
      user_id: session.userId,
      created_at: session.createdAt,
      expires_at: session.expiresAt,
    }),

  remove: (tx: Transaction, tokenHash: string) =>
    tx.run("DELETE FROM sessions WHERE token_hash = ?", tokenHash),

  /** Ends all sessions of an account. Gives their number. */
  removeAll: (tx: Transaction, userId: string) => tx.run("DELETE FROM sessions WHERE user_id = ?", userId),

  /** Ends all sessions of an account except one. */
  removeOthers: (tx: Transaction, userId: string, kept: string) =>
    tx.run("DELETE FROM sessions WHERE user_id = ? AND token_hash <> ?", userId, kept),

  removeExpired: (tx: Transaction, userId: string, now: string) =>
    tx.run("DELETE FROM sessions WHERE user_id = ? AND expires_at <= ?", userId, now),
};
