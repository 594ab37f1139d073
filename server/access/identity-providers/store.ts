import type { Reader, Transaction } from "../../database/database.ts";
import * as tables from "../../database/schema/access.ts";
import { select } from "../../database/statements.ts";

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

const identitiesOf = select(
  tables.identities,
  ["issuer", "createdAt"],
  "WHERE user_id = ? ORDER BY created_at, issuer",
);

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

  list: (reader: Reader, userId: string): Promise<IdentityRow[]> => reader.all(identitiesOf, userId),

  /** Keeps other transactions from changing an identity until this transaction ends. */
  lock: (tx: Transaction, { issuer, subject }: IdentityKey) => tx.lock(`identity:${issuer} ${subject}`),

  insert: (tx: Transaction, identity: NewIdentity) => tx.insert(tables.identities, identity),
};
