import type { NewApp } from "../../src/contract/apps.ts";
import type { AppKey, Token } from "../../src/contract/credentials.ts";
import { agentScopes, maintainerScopes, type TokenScope } from "../../src/contract/endpoint.ts";
import { badRequest } from "../../src/contract/errors.ts";
import type { Reader, Transaction, Value } from "../database/database.ts";
import type { Deps } from "../deps.ts";
import { hashOf, mintCredential, visiblePrefix } from "../secrets/secrets.ts";
import { hasReceivers } from "../webhooks/endpoints/store.ts";
import { type AppRow, apiKeys, apps } from "./apps/store.ts";
import { type TokenRow, tokens } from "./tokens/store.ts";

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
  /** 1 if a webhook, a program or a member with notices receives the events of the app, otherwise 0. */
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

/**
 * The connection to which an access token belongs: a row of `tokens`. `expiresAt` is the end of the access
 * token.
 */
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

/** Finds credentials by the hash of the presented secret, and stores when they were last used. (rule K2) */
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

  /** Finds a token by its current or old secret. There are two SELECTs, because each uses its own index. */
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

/** The keys and tokens of all accounts, oldest first, for the commands of the operator. */
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

type NewCredentialsDeps = Pick<Deps, "clock" | "newId">;

/** Creates an app for its owner. By default, feedback, changelog and sender pages are on. */
export async function createApp(
  { newId, clock }: NewCredentialsDeps,
  tx: Transaction,
  { ownerId, app }: { readonly ownerId: string; readonly app: NewApp },
): Promise<AppRow> {
  const row = {
    id: newId(),
    name: app.name,
    feedbackEnabled: Number(app.feedbackEnabled ?? true),
    changelogEnabled: Number(app.changelogEnabled ?? true),
    senderPages: Number(app.senderPages ?? true),
    chatWebhookUrl: app.chatWebhookUrl ?? null,
    chatFormat: app.chatFormat ?? "slack",
    githubRepository: app.githubRepository ?? null,
    approvalHours: app.approvalHours ?? null,
    retentionDays: app.retentionDays ?? null,
    createdAt: clock.now().toISOString(),
  };
  await apps.insert(tx, ownerId, row);
  return row;
}

/** Creates an app key. Only the result contains the key. The database stores only its hash. */
export async function createKey(
  deps: NewCredentialsDeps,
  tx: Transaction,
  {
    appId,
    label,
    kind,
  }: {
    readonly appId: string;
    readonly label?: string | null | undefined;
    readonly kind?: AppKey["kind"] | undefined;
  },
) {
  const { secret, keyHash, ...shown } = newKeySecret(deps);
  const key = { id: deps.newId(), label: label ?? "", kind: kind ?? "full", ...shown };
  await apiKeys.insert(tx, { ...key, appId, keyHash });
  return { ...key, lastUsedAt: null, key: secret };
}

/** Replaces the secret of an app key. The old secret stops working. Returns undefined for an unknown key. (rule K3) */
export async function renewKey(
  deps: NewCredentialsDeps,
  tx: Transaction,
  { appId, keyId }: { readonly appId: string; readonly keyId: string },
) {
  const { secret, ...fresh } = newKeySecret(deps);
  const key = await apiKeys.renew(tx, { appId, id: keyId }, fresh);
  return key && { ...key, key: secret };
}

interface NewToken {
  readonly kind: Exclude<Token["kind"], "oauth">;
  readonly label: string;
  readonly scopes: readonly TokenScope[];
  readonly appId: string | null;
  readonly userId: string;
  readonly createdBy: string;
  readonly expiresAt?: string | null | undefined;
}

/** Creates a token. Only the result contains its secret. Throws `bad_request` if `expiresAt` is in the past. */
export async function createToken({ newId, clock }: NewCredentialsDeps, tx: Transaction, fields: NewToken) {
  const secret = mintCredential(prefixes[fields.kind]);
  const { userId, scopes, ...token } = {
    ...{ ...fields, expiresAt: endOf(fields.expiresAt, clock) },
    ...{ id: newId(), ...shownOf(secret, clock) },
  };
  await tokens.insert(tx, {
    ...token,
    userId,
    scopes: JSON.stringify(scopes),
    tokenHash: hashOf(secret),
  });
  return { ...token, scopes: [...scopes], lastUsedAt: null, ended: false, token: secret };
}

interface Rotation {
  readonly id: string;
  /** For how many minutes the old secret still works. */
  readonly graceMinutes: number;
  /**
   * When the token expires. Null means that the token never expires. Undefined means that the time does not
   * change.
   */
  readonly expiresAt: string | null | undefined;
}

/**
 * Replaces the secret of a token. Returns undefined for a connection or unknown token. Throws `bad_request` for
 * a past `expiresAt`. (rule K31)
 */
export async function rotateToken(
  { clock }: Pick<NewCredentialsDeps, "clock">,
  tx: Transaction,
  { of, ...rotation }: Rotation & { readonly of: { readonly userId: string; readonly appId: string | null } },
) {
  const token = await tokens.find(tx, of, rotation.id);
  if (!token) return undefined;
  const secret = mintCredential(prefixes[token.kind]);
  const expiresAt = rotation.expiresAt === undefined ? token.expiresAt : endOf(rotation.expiresAt, clock);
  const graceEnds = new Date(clock.now().getTime() + rotation.graceMinutes * 60_000).toISOString();
  await tokens.renew(tx, of.userId, {
    ...{ id: token.id, prefix: visiblePrefix(secret), tokenHash: hashOf(secret), expiresAt },
    oldExpiresAt: rotation.graceMinutes === 0 ? null : graceEnds,
  });
  const ended = expiresAt !== null && expiresAt <= clock.now().toISOString();
  const scopes: TokenScope[] = JSON.parse(token.scopes);
  return { ...token, scopes, expiresAt, ended, prefix: visiblePrefix(secret), token: secret };
}

const prefixes = { agent: "sda_", maintainer: "sdm_" } as const;

/**
 * Returns when a token expires; null if the token never expires. Throws `bad_request` if the time is in the
 * past.
 */
function endOf(expiresAt: string | null | undefined, clock: NewCredentialsDeps["clock"]): string | null {
  if (expiresAt && expiresAt <= clock.now().toISOString())
    throw badRequest("expiresAt", "must be in the future");
  return expiresAt ?? null;
}

/**
 * Returns the wanted scopes. Throws `bad_request` for a scope that `kind` cannot have, and for a maintainer
 * token without scopes.
 */
export function grantedScopes(kind: NewToken["kind"], wanted: readonly TokenScope[]): TokenScope[] {
  const possible: readonly TokenScope[] = kind === "agent" ? agentScopes : maintainerScopes;
  if (wanted.some((scope) => !possible.includes(scope)))
    throw badRequest("scopes", `must be scopes of this kind of token: ${possible.join(", ")}`);
  const scopes = possible.filter((scope) => wanted.includes(scope));
  if (kind === "maintainer" && scopes.length === 0)
    throw badRequest("scopes", "must name at least one scope");
  return scopes;
}

function newKeySecret({ clock }: NewCredentialsDeps) {
  const secret = mintCredential("sdk_");
  return { secret, keyHash: hashOf(secret), ...shownOf(secret, clock) };
}

/** Returns the fields of a credential that are stored as plain text and can be shown to people. */
const shownOf = (secret: string, clock: NewCredentialsDeps["clock"]) => ({
  prefix: visiblePrefix(secret),
  createdAt: clock.now().toISOString(),
});
