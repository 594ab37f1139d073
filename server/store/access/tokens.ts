import type { Token } from "../../../src/contract/console/tokens.ts";
import type { Reader, Transaction } from "../engine/database.ts";
import { tokensTopic, userTopic } from "../engine/topics.ts";
import type { Viewer } from "./members/visibility.ts";

/** The stored form of a token. `scopes` is a JSON array. */
export interface TokenRow extends Omit<Token, "scopes" | "ended"> {
  readonly scopes: string;
}

/** `ended`: 1 for a connection with nothing left that a program could use. */
export interface ListedTokenRow extends TokenRow {
  readonly ended: number;
}

export interface NewTokenRow extends Omit<TokenRow, "lastUsedAt"> {
  readonly userId: string;
  readonly tokenHash: string;
}

/** Whose tokens, and the app to which the credential that asks is limited. */
type TokensOf = Pick<Viewer, "userId" | "appId">;

/** Agent and maintainer tokens. */
export const tokens = {
  /** The tokens of an account. To a token of one app only those of that app are shown. */
  list: (reader: Reader, { userId, appId }: TokensOf, now: string) =>
    reader.all<ListedTokenRow>(
      `SELECT id, kind, label, scopes, app_id AS "appId", prefix, created_at AS "createdAt",
              created_by AS "createdBy", last_used_at AS "lastUsedAt",
              CASE WHEN kind = 'oauth' AND NOT EXISTS
                (SELECT 1 FROM oauth_tokens o WHERE o.connection_id = tokens.id AND o.expires_at > ?)
              THEN 1 ELSE 0 END AS ended
       FROM tokens WHERE user_id = ? AND (CAST(? AS TEXT) IS NULL OR app_id = ?) ORDER BY created_at, id`,
      ...[now, userId, appId, appId],
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
  async remove(tx: Transaction, { userId, appId }: TokensOf, id: string) {
    const removed = await tx.get<{ appId: string | null; label: string }>(
      `DELETE FROM tokens WHERE user_id = ? AND id = ? AND (CAST(? AS TEXT) IS NULL OR app_id = ?)
       RETURNING app_id AS "appId", label`,
      ...[userId, id, appId, appId],
    );
    if (removed) for (const topic of [userTopic(userId), tokensTopic]) tx.signal(topic);
    return removed;
  },
};
