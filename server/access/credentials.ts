import type { AppKey } from "../../src/contract/keys.ts";
import type { Reader, Transaction, Value } from "../database/database.ts";
import { hasReceivers } from "../webhooks/events/store.ts";
import type { TokenRow } from "./tokens/store.ts";

export interface AppKeyCredential {
  readonly id: string;
  readonly appId: string;
  readonly ownerId: string;
  readonly kind: string;
  readonly lastUsedAt: string | null;
  readonly feedbackEnabled: number;
  readonly changelogEnabled: number;
  readonly senderPages: number;
  /** The number of senders that the app blocks. */
  readonly blockedSenders: number;
  /**
   * 1 if somebody gets the events of the app: a webhook, a program that reads events, or a member who wants notices of
   * reports.
   */
  readonly hasReceivers: number;
  readonly faqsVersion: number;
  readonly changelogVersion: number;
}

export interface TokenCredential {
  readonly id: string;
  readonly userId: string;
  readonly email: string;
  readonly kind: string;
  readonly scopes: string;
  readonly appId: string | null;
  readonly lastUsedAt: string | null;
  /** When the presented secret expires. */
  readonly expiresAt: string | null;
}

/** The access token of a connection. */
interface ConnectionCredential {
  readonly id: string;
  readonly userId: string;
  readonly scopes: string;
  readonly appId: string | null;
  readonly expiresAt: string;
  readonly lastUsedAt: string | null;
}

export interface DeviceCredential {
  readonly id: string;
  readonly userId: string;
  readonly email: string;
  readonly scopes: string;
  readonly expiresAt: string;
  readonly lastUsedAt: string | null;
}

interface SessionCredential {
  readonly id: string;
  readonly lastUsedAt: string | null;
  readonly userId: string;
  readonly email: string;
}

const tokenColumns = `t.id, t.user_id AS "userId", u.email, t.kind, t.scopes, t.app_id AS "appId",
              t.last_used_at AS "lastUsedAt"`;

/** Finds credentials by the hash of the presented secret. (rule K2) */
export const credentials = {
  findAppKey: (reader: Reader, keyHash: string) =>
    reader.get<AppKeyCredential>(
      `SELECT k.id, k.app_id AS "appId", a.owner_id AS "ownerId", k.kind, k.last_used_at AS "lastUsedAt",
              a.feedback_enabled AS "feedbackEnabled", a.changelog_enabled AS "changelogEnabled", a.sender_pages AS "senderPages",
              (SELECT count(*) FROM blocked_senders b WHERE b.app_id = a.id) AS "blockedSenders",
              CASE WHEN ${hasReceivers} THEN 1 ELSE 0 END AS "hasReceivers",
              a.faqs_version AS "faqsVersion", a.changelog_version AS "changelogVersion"
       FROM app_keys k JOIN apps a ON a.id = k.app_id WHERE k.key_hash = ?`,
      keyHash,
    ),

  /**
   * Finds a token by its current secret or by its old secret. The old secret expires at `old_expires_at`, but never
   * later than the token. Each part of the query uses its own index.
   */
  findToken: (reader: Reader, tokenHash: string) =>
    reader.get<TokenCredential>(
      `SELECT ${tokenColumns}, t.expires_at AS "expiresAt"
       FROM tokens t JOIN users u ON u.id = t.user_id WHERE t.token_hash = ?
       UNION ALL
       SELECT ${tokenColumns},
              CASE WHEN t.expires_at < t.old_expires_at THEN t.expires_at ELSE t.old_expires_at END AS "expiresAt"
       FROM tokens t JOIN users u ON u.id = t.user_id WHERE t.old_token_hash = ?`,
      ...[tokenHash, tokenHash],
    ),

  findConnection: (reader: Reader, tokenHash: string) =>
    reader.get<ConnectionCredential>(
      `SELECT t.id, t.user_id AS "userId", t.scopes, t.app_id AS "appId", o.expires_at AS "expiresAt",
              t.last_used_at AS "lastUsedAt"
       FROM oauth_tokens o JOIN tokens t ON t.id = o.connection_id WHERE o.token_hash = ? AND o.kind = 'access'`,
      tokenHash,
    ),

  findDevice: (reader: Reader, tokenHash: string) =>
    reader.get<DeviceCredential>(
      `SELECT d.id, d.user_id AS "userId", u.email, d.scopes, d.expires_at AS "expiresAt",
              d.last_used_at AS "lastUsedAt"
       FROM devices d JOIN users u ON u.id = d.user_id WHERE d.token_hash = ?`,
      tokenHash,
    ),

  findSession: (reader: Reader, tokenHash: string, now: string) =>
    reader.get<SessionCredential>(
      `SELECT s.token_hash AS id, s.user_id AS "userId", u.email, s.last_used_at AS "lastUsedAt" FROM sessions s JOIN users u ON u.id = s.user_id
       WHERE s.token_hash = ? AND s.expires_at > ?`,
      tokenHash,
      now,
    ),

  touchAppKey: (tx: Transaction, id: string, hour: string) =>
    tx.run("UPDATE app_keys SET last_used_at = ? WHERE id = ?", hour, id),

  touchDevice: (tx: Transaction, id: string, hour: string) =>
    tx.run("UPDATE devices SET last_used_at = ? WHERE id = ?", hour, id),

  touchSession: (tx: Transaction, id: string, hour: string) =>
    tx.run("UPDATE sessions SET last_used_at = ? WHERE token_hash = ?", hour, id),

  touchToken: (tx: Transaction, id: string, hour: string) =>
    tx.run("UPDATE tokens SET last_used_at = ? WHERE id = ?", hour, id),
};

/** The account that owns a credential. */
interface WithOwner {
  /** The e-mail address of the account. */
  readonly owner: string;
  readonly ownerId: string;
}

interface OwnedToken extends TokenRow, WithOwner {}

interface OwnedKey extends AppKey, WithOwner {
  readonly appId: string;
  readonly app: string;
}

/** The keys and tokens of all accounts, oldest first, for the operator. */
export const allCredentials = {
  tokens: (reader: Reader, email: string | undefined) => {
    const { where, values } = conditions([["u.email", email]]);
    return reader.all<OwnedToken>(
      `SELECT t.id, t.kind, t.label, t.scopes, t.app_id AS "appId", t.prefix, u.email AS owner,
              t.user_id AS "ownerId", t.created_at AS "createdAt", t.created_by AS "createdBy",
              t.last_used_at AS "lastUsedAt", t.expires_at AS "expiresAt"
       FROM tokens t JOIN users u ON u.id = t.user_id ${where} ORDER BY t.created_at, t.id`,
      ...values,
    );
  },

  keys: (reader: Reader, { email, appId }: { readonly email?: string; readonly appId?: string }) => {
    const { where, values } = conditions([
      ["u.email", email],
      ["k.app_id", appId],
    ]);
    return reader.all<OwnedKey>(
      `SELECT k.id, k.kind, k.label, k.app_id AS "appId", a.name AS app, k.prefix, u.email AS owner,
              a.owner_id AS "ownerId", k.created_at AS "createdAt", k.last_used_at AS "lastUsedAt"
       FROM app_keys k JOIN apps a ON a.id = k.app_id JOIN users u ON u.id = a.owner_id ${where}
       ORDER BY k.created_at, k.id`,
      ...values,
    );
  },
};

/** Returns a WHERE clause with the conditions whose value is not undefined. */
function conditions(pairs: readonly (readonly [string, string | undefined])[]): {
  readonly where: string;
  readonly values: Value[];
} {
  const given = pairs.flatMap(([column, value]) => (value === undefined ? [] : [{ column, value }]));
  const tests = given.map(({ column }) => `${column} = ?`).join(" AND ");
  return { where: tests && `WHERE ${tests}`, values: given.map(({ value }) => value) };
}

export const hourMilliseconds = 3_600_000;

/** Rounds a time down to the full hour. The last use of a credential is stored only with this precision. (rule S22) */
export const hourOf = (at: Date): string =>
  new Date(Math.floor(at.getTime() / hourMilliseconds) * hourMilliseconds).toISOString();
