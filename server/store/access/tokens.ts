import type { Token } from "../../../src/contract/console/tokens.ts";
import type { Reader, Transaction } from "../engine/database.ts";
import { tokensTopic } from "../engine/topics.ts";
import type { Viewer } from "../feedback/feedback.ts";

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
  /** The tokens of an account. To a token of one app only those of that app are shown. */
  list: (reader: Reader, { userId, appId }: Viewer) =>
    reader.all<TokenRow>(
      `SELECT id, kind, label, scopes, app_id AS "appId", prefix, created_at AS "createdAt",
              created_by AS "createdBy", last_used_at AS "lastUsedAt"
       FROM tokens WHERE user_id = ? AND (CAST(? AS TEXT) IS NULL OR app_id = ?) ORDER BY created_at, id`,
      userId,
      appId,
      appId,
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

  /** Revokes a token and ends requests that wait with it; undefined if the viewer sees no such token. */
  async remove(tx: Transaction, { userId, appId }: Viewer, id: string) {
    const removed = await tx.get<{ appId: string | null; label: string }>(
      `DELETE FROM tokens WHERE user_id = ? AND id = ? AND (CAST(? AS TEXT) IS NULL OR app_id = ?)
       RETURNING app_id AS "appId", label`,
      ...[userId, id, appId, appId],
    );
    if (removed) tx.signal(tokensTopic);
    return removed;
  },
};
