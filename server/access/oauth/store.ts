import type { Reader, Transaction } from "../../database/database.ts";
import * as tables from "../../database/schema/access.ts";
import type { Row } from "../../database/schema/table.ts";
import { select, tokensTopic, userTopic } from "../../database/transaction.ts";

/** A program that registered itself. `redirects` is a JSON array. */
export type OAuthClientRow = Omit<Row<typeof tables.oauthClients>, "usedAt">;

const clientById = select(tables.oauthClients, ["id", "name", "redirects", "createdAt"], "WHERE id = ?");

/** The consent of a person, with the hash of the code that the program gets. `scopes` is a JSON array. */
export type NewOAuthCode = Omit<Row<typeof tables.oauthCodes>, "connectionId">;

export interface OAuthCodeRow extends Omit<NewOAuthCode, "codeHash" | "createdAt"> {
  readonly email: string;
  /** The connection for which the code was exchanged; null if the code was not used yet. */
  readonly connectionId: string | null;
}

export type NewOAuthToken = Omit<OAuthTokenRow, "userId" | "usedAt" | "successor">;

export type OAuthTokenRow = Row<typeof tables.oauthTokens> & { readonly userId: string };

export const oauthClients = {
  find: (reader: Reader, id: string) => reader.get(clientById, id),

  insert: (tx: Transaction, { id, name, redirects, createdAt }: OAuthClientRow) =>
    tx.insert(tables.oauthClients, { id, name, redirects, createdAt }),

  /**
   * Stores that a person has allowed the program to connect. `prune` keeps the registration of a used program.
   */
  use: (tx: Transaction, id: string, now: string) =>
    tx.run("UPDATE oauth_clients SET used_at = ? WHERE id = ?", now, id),

  /**
   * Deletes unused registrations older than `before`, and up to 1,000 others beyond the newest `kept`. Returns
   * how many were deleted.
   */
  async prune(tx: Transaction, before: string, kept: number): Promise<number> {
    const old = await tx.run("DELETE FROM oauth_clients WHERE used_at IS NULL AND created_at < ?", before);
    const many = await tx.run(
      `DELETE FROM oauth_clients WHERE id IN
         (SELECT id FROM oauth_clients WHERE used_at IS NULL ORDER BY created_at DESC, id DESC
          LIMIT 1000 OFFSET ?)`,
      kept,
    );
    return old + many;
  },
};

export const oauthCodes = {
  insert: (tx: Transaction, code: NewOAuthCode) => tx.insert(tables.oauthCodes, code),

  isKnown: async (reader: Reader, codeHash: string): Promise<boolean> =>
    (await reader.get("SELECT 1 AS one FROM oauth_codes WHERE code_hash = ?", codeHash)) !== undefined,

  /** Finds a code and locks it. No other transaction can use the code or delete its app. */
  async take(tx: Transaction, codeHash: string): Promise<OAuthCodeRow | undefined> {
    await tx.lock(`oauth-code:${codeHash}`);
    const locking = tx.engine === "postgres" ? "FOR UPDATE OF c" : "";
    return tx.get<OAuthCodeRow>(
      `SELECT c.user_id AS "userId", u.email, c.client_id AS "clientId", c.client_name AS "clientName", c.redirect,
              c.challenge, c.app_id AS "appId", c.scopes, c.expires_at AS "expiresAt",
              c.connection_id AS "connectionId"
       FROM oauth_codes c JOIN users u ON u.id = c.user_id WHERE c.code_hash = ? ${locking}`,
      codeHash,
    );
  },

  use: (tx: Transaction, codeHash: string, connectionId: string) =>
    tx.run("UPDATE oauth_codes SET connection_id = ? WHERE code_hash = ?", connectionId, codeHash),

  /** Deletes codes that expired before `before`. Used codes are kept until then, so that a second use is detected. */
  prune: (tx: Transaction, before: string) => tx.run("DELETE FROM oauth_codes WHERE expires_at < ?", before),
};

const tokenColumns = `o.token_hash AS "tokenHash", o.connection_id AS "connectionId", o.client_id AS "clientId", o.kind,
  o.created_at AS "createdAt", o.expires_at AS "expiresAt", o.used_at AS "usedAt", o.successor, t.user_id AS "userId"`;

export const oauthTokens = {
  insert: (tx: Transaction, token: NewOAuthToken) => tx.insert(tables.oauthTokens, token),

  isKnown: async (reader: Reader, tokenHash: string): Promise<boolean> =>
    (await reader.get("SELECT 1 AS one FROM oauth_tokens WHERE token_hash = ?", tokenHash)) !== undefined,

  /**
   * Finds a token and locks it and its connection. Returns undefined if another transaction is ending the
   * connection.
   */
  async take(tx: Transaction, tokenHash: string): Promise<OAuthTokenRow | undefined> {
    await tx.lock(`oauth-token:${tokenHash}`);
    const locking = tx.engine === "postgres" ? "FOR UPDATE OF t" : "";
    return tx.get<OAuthTokenRow>(
      `SELECT ${tokenColumns} FROM oauth_tokens o JOIN tokens t ON t.id = o.connection_id
       WHERE o.token_hash = ? ${locking}`,
      tokenHash,
    );
  },

  /**
   * Stores that a refresh token was used, and the encrypted tokens that replace it (`successor`). Deletes the
   * `successor` of earlier refreshes.
   */
  async use(
    tx: Transaction,
    { tokenHash, connectionId }: Pick<OAuthTokenRow, "tokenHash" | "connectionId">,
    { usedAt, successor }: { readonly usedAt: string; readonly successor: string },
  ): Promise<void> {
    await tx.run(
      "UPDATE oauth_tokens SET successor = NULL WHERE connection_id = ? AND successor IS NOT NULL",
      connectionId,
    );
    await tx.run(
      "UPDATE oauth_tokens SET used_at = ?, successor = ? WHERE token_hash = ?",
      ...[usedAt, successor, tokenHash],
    );
  },

  /**
   * Ends a connection and the waiting requests that use it. Returns undefined if the connection has already
   * ended. (rule A49)
   */
  async disconnect(tx: Transaction, connectionId: string) {
    const ended = await tx.get<{ userId: string; appId: string | null; label: string }>(
      `DELETE FROM tokens WHERE id = ? AND kind = 'oauth'
       RETURNING user_id AS "userId", app_id AS "appId", label`,
      connectionId,
    );
    if (ended) tx.signal(userTopic(ended.userId));
    tx.signal(tokensTopic);
    return ended;
  },

  /**
   * Deletes connections that have no tokens and were last used before `before`. For an unused connection, its
   * creation counts. (rule A72)
   */
  pruneEnded: (tx: Transaction, before: string) =>
    tx.run(
      `DELETE FROM tokens WHERE kind = 'oauth' AND COALESCE(last_used_at, created_at) < ?
         AND NOT EXISTS (SELECT 1 FROM oauth_tokens o WHERE o.connection_id = tokens.id)`,
      before,
    ),

  /** Removes up to `most` expired tokens. Returns their number. */
  prune: (tx: Transaction, now: string, most: number) =>
    tx.run(
      `DELETE FROM oauth_tokens WHERE token_hash IN
         (SELECT token_hash FROM oauth_tokens WHERE expires_at <= ? LIMIT ?)`,
      now,
      most,
    ),
};
