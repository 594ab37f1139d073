import type { Token } from "../../../src/contract/credentials.ts";
import type { Reader, Transaction } from "../../database/database.ts";
import * as tables from "../../database/schema/access.ts";
import { listed, tokensTopic, userTopic } from "../../database/transaction.ts";
import type { Viewer } from "../members/visibility.ts";

/** A row of `tokens`. `scopes` is a JSON array. */
export interface TokenRow extends Omit<Token, "scopes" | "ended"> {
  readonly scopes: string;
}

/** A token as the list of tokens shows it. */
export interface ListedTokenRow extends TokenRow {
  /** 1 if the token has expired, or if the row is an OAuth connection without a valid token; otherwise 0. */
  readonly ended: number;
}

export interface NewTokenRow extends Omit<TokenRow, "lastUsedAt" | "expiresAt"> {
  readonly expiresAt?: string | null;
  readonly userId: string;
  readonly tokenHash: string;
}

/** The kinds of tokens whose secret can be replaced. */
export type RenewableKind = Exclude<Token["kind"], "oauth">;

const fields = [
  ...["id", "kind", "label", "scopes", "appId", "prefix"],
  ...["createdAt", "createdBy", "lastUsedAt", "expiresAt"],
] as const;
const columns = listed(tables.tokens, fields);

/** The account whose tokens are read, and the app to which the caller's credential is limited. */
type TokenViewer = Pick<Viewer, "userId" | "appId">;

/** The tokens of accounts. These are agent tokens, maintainer tokens and connections. */
export const tokens = {
  /**
   * Returns the tokens of an account. `appId` limits the list. For a connection without a valid token, `ended`
   * is 1. (rule A72)
   */
  list: (reader: Reader, { userId, appId }: TokenViewer, now: string) =>
    reader.all<ListedTokenRow>(
      `SELECT ${columns},
              CASE WHEN expires_at <= ? OR kind = 'oauth' AND NOT EXISTS
                (SELECT 1 FROM oauth_tokens o WHERE o.connection_id = tokens.id AND o.expires_at > ?)
              THEN 1 ELSE 0 END AS ended
       FROM tokens WHERE user_id = ? AND (CAST(? AS TEXT) IS NULL OR app_id = ?) ORDER BY created_at, id`,
      ...[now, now, userId, appId, appId],
    ),

  insert: (tx: Transaction, token: NewTokenRow) => tx.insert(tables.tokens, token),

  /**
   * Returns a token whose secret a person can replace. A connection's secret is replaced only by its program,
   * over OAuth.
   */
  find: (reader: Reader, { userId, appId }: TokenViewer, id: string) =>
    reader.get<TokenRow & { readonly kind: RenewableKind }>(
      `SELECT ${columns} FROM tokens
       WHERE id = ? AND user_id = ? AND kind <> 'oauth' AND (CAST(? AS TEXT) IS NULL OR app_id = ?)`,
      ...[id, userId, appId, appId],
    ),

  /** Stores a new secret of a token. The old secret works until `oldExpiresAt`, if that is not null. */
  async renew(
    tx: Transaction,
    userId: string,
    {
      id,
      prefix,
      tokenHash,
      expiresAt,
      oldExpiresAt,
    }: Pick<NewTokenRow, "id" | "prefix" | "tokenHash"> & {
      readonly expiresAt: string | null;
      readonly oldExpiresAt: string | null;
    },
  ): Promise<void> {
    await tx.run(
      `UPDATE tokens SET old_token_hash = CASE WHEN CAST(? AS TEXT) IS NULL THEN NULL ELSE token_hash END,
         old_expires_at = ?, token_hash = ?, prefix = ?, expires_at = ? WHERE id = ?`,
      ...[oldExpiresAt, oldExpiresAt, tokenHash, prefix, expiresAt, id],
    );
    for (const topic of [userTopic(userId), tokensTopic]) tx.signal(topic);
  },

  /** Revokes a token, and ends waiting requests that use it. Returns undefined if the viewer has no such token. */
  async remove(tx: Transaction, { userId, appId }: TokenViewer, id: string) {
    const removed = await tx.get<{ appId: string | null; label: string }>(
      `DELETE FROM tokens WHERE user_id = ? AND id = ? AND (CAST(? AS TEXT) IS NULL OR app_id = ?)
       RETURNING app_id AS "appId", label`,
      ...[userId, id, appId, appId],
    );
    if (removed) for (const topic of [userTopic(userId), tokensTopic]) tx.signal(topic);
    return removed;
  },
};
