import type { Reader, Transaction } from "../../database/database.ts";

/** A person's identity at an OpenID Connect provider. */
export interface IdentityKey {
  readonly issuer: string;
  readonly subject: string;
}

export interface NewIdentity extends IdentityKey {
  readonly userId: string;
  readonly createdAt: string;
}

export interface IdentityRow {
  readonly issuer: string;
  readonly createdAt: string;
}

export interface IdentityOwner {
  readonly id: string;
  readonly email: string;
}

/** The identities with which people sign in, and their accounts. */
export const identities = {
  /** The account of an identity. */
  findOwner: (reader: Reader, { issuer, subject }: IdentityKey) =>
    reader.get<IdentityOwner>(
      `SELECT u.id, u.email FROM identities i JOIN users u ON u.id = i.user_id
       WHERE i.issuer = ? AND i.subject = ?`,
      issuer,
      subject,
    ),

  list: (reader: Reader, userId: string) =>
    reader.all<IdentityRow>(
      `SELECT issuer, created_at AS "createdAt" FROM identities WHERE user_id = ? ORDER BY created_at, issuer`,
      userId,
    ),

  /** Keeps other transactions from changing an identity until this transaction ends. */
  lock: (tx: Transaction, { issuer, subject }: IdentityKey) => tx.lock(`identity:${issuer} ${subject}`),

  insert: (tx: Transaction, identity: NewIdentity) =>
    tx.insert("identities", {
      issuer: identity.issuer,
      subject: identity.subject,
      user_id: identity.userId,
      created_at: identity.createdAt,
    }),
};
