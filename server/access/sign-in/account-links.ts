import type { Transaction } from "../../database/database.ts";

export type LinkKind = "sign_up" | "recovery";

export interface NewAccountLink {
  readonly tokenHash: string;
  readonly email: string;
  readonly now: string;
  readonly expiresAt: string;
}

export interface AccountLinkRow {
  /** The account of a recovery. Null for a new account. */
  readonly userId: string | null;
  readonly email: string;
}

/** Links in mails, which make an account or set a new password. A new link replaces an earlier one of its kind. */
export const accountLinks = {
  /** Stores a link to a new account for an address, whether the address has one or not. */
  async addSignUp(tx: Transaction, { tokenHash, email, now, expiresAt }: NewAccountLink): Promise<void> {
    await removeEarlier(tx, { kind: "sign_up", email, now });
    await tx.insert("account_links", {
      ...{ token_hash: tokenHash, kind: "sign_up", email, expires_at: expiresAt },
    });
  },

  /** Stores a link to a new password, if the address has an account with a password. The statements are the same if not. */
  async addRecovery(tx: Transaction, { tokenHash, email, now, expiresAt }: NewAccountLink): Promise<void> {
    await removeEarlier(tx, { kind: "recovery", email, now });
    await tx.run(
      `INSERT INTO account_links (token_hash, kind, user_id, email, expires_at)
       SELECT CAST(? AS TEXT), 'recovery', id, email, CAST(? AS TEXT) FROM users
       WHERE email = ? AND password_hash <> ''`,
      ...[tokenHash, expiresAt, email],
    );
  },

  /** Takes the mail back that was queued for a link, if there is no such link. */
  dropMailWithoutLink: (tx: Transaction, mailId: string, tokenHash: string) =>
    tx.run(
      `DELETE FROM mails WHERE id = ? AND NOT EXISTS (SELECT 1 FROM account_links WHERE token_hash = ?)`,
      ...[mailId, tokenHash],
    ),

  /** Uses a link up; undefined if it is unknown, used, replaced or expired. */
  take: (tx: Transaction, { kind, tokenHash, now }: { kind: LinkKind; tokenHash: string; now: string }) =>
    tx.get<AccountLinkRow>(
      `DELETE FROM account_links WHERE token_hash = ? AND kind = ? AND expires_at > ?
       RETURNING user_id AS "userId", email`,
      ...[tokenHash, kind, now],
    ),

  /** Ends the links of an account. */
  removeAll: (tx: Transaction, userId: string) =>
    tx.run("DELETE FROM account_links WHERE user_id = ?", userId),
};

interface Earlier {
  readonly kind: LinkKind;
  readonly email: string;
  readonly now: string;
}

async function removeEarlier(tx: Transaction, { kind, email, now }: Earlier): Promise<void> {
  await tx.run("DELETE FROM account_links WHERE expires_at <= ?", now);
  await tx.run("DELETE FROM account_links WHERE email = ? AND kind = ?", email, kind);
}
