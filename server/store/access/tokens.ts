import type { Token } from "../../../src/contract/console/tokens.ts";
import type { Reader, Transaction } from "../engine/database.ts";
import { tokensTopic } from "../engine/topics.ts";

/** The stored form of a token. `scopes` is a JSON array. */
export interface TokenRow extends Omit<Token, "scopes"> {
  readonly scopes: string;
}

export interface NewTokenRow extends Omit<TokenRow, "lastUsedAt"> {
  readonly userId: string;
  readonly tokenHash: string;
}

/** Agent and maintainer tokens. */
export const tokens = {
  list: (reader: Reader, userId: string) =>
    reader.all<TokenRow>(
      `SELECT id, kind, label, scopes, app_id AS "appId", prefix, created_at AS "createdAt",
              created_by AS "createdBy", last_used_at AS "lastUsedAt"
       FROM tokens WHERE user_id = ? ORDER BY created_at, id`,
      userId,
    ),

  insert: (tx: Transaction, token: NewTokenRow) =>
    tx.insert("tokens", {
      id: token.id,
      user_id: token.userId,
      kind: token.kind,
      label: token.label,
      scopes: token.scopes,
      app_id: token.appId,
      prefix: token.prefix,
      token_hash: token.tokenHash,
      created_at: token.createdAt,
      created_by: token.createdBy,
    }),

  /** Revokes a token and ends requests that wait with it; undefined if the user has no such token. */
  async remove(tx: Transaction, userId: string, id: string) {
    const removed = await tx.get<{ appId: string | null; label: string }>(
      `DELETE FROM tokens WHERE user_id = ? AND id = ? RETURNING app_id AS "appId", label`,
      userId,
      id,
    );
    if (removed) tx.signal(tokensTopic);
    return removed;
  },
};
