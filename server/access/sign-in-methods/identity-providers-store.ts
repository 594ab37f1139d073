import type { Reader, Transaction } from "../../database/database.ts";
import * as tables from "../../database/schema/access.ts";
import { select } from "../../database/statements.ts";

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
  /** Returns the account to which an identity is connected. */
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
