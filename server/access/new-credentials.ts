import type { NewApp } from "../../src/contract/apps.ts";
import { agentScopes, maintainerScopes, type TokenScope } from "../../src/contract/endpoint.ts";
import { badRequest } from "../../src/contract/errors.ts";
import type { AppKey } from "../../src/contract/keys.ts";
import type { Token } from "../../src/contract/tokens.ts";
import type { Transaction } from "../database/database.ts";
import type { Deps } from "../deps.ts";
import { hashOf, mintCredential, visiblePrefix } from "../secrets/secrets.ts";
import { type AppRow, apiKeys, apps } from "./apps/store.ts";
import { tokens } from "./tokens/store.ts";

type NewCredentialsDeps = Pick<Deps, "clock" | "newId">;

/**
 * Creates an app for its owner. Feedback, changelog and sender pages are on, unless a field of `app` turns them off.
 */
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

/**
 * Replaces the secret of an app key. The old secret stops working. Returns undefined if the app has no such key.
 * (rule K3)
 */
export async function renewKey(
  deps: NewCredentialsDeps,
  tx: Transaction,
  { appId, keyId }: { readonly appId: string; readonly keyId: string },
) {
  const { secret, ...fresh } = newKeySecret(deps);
  const key = await apiKeys.renew(tx, { appId, id: keyId }, fresh);
  return key && { ...key, key: secret };
}

export interface NewToken {
  readonly kind: Exclude<Token["kind"], "oauth">;
  readonly label: string;
  readonly scopes: readonly TokenScope[];
  readonly appId: string | null;
  /** The account that the token belongs to. */
  readonly userId: string;
  readonly createdBy: string;
  readonly expiresAt?: string | null | undefined;
}

/**
 * Creates an agent or maintainer token. Only the result contains the token. The database stores only its hash.
 */
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

export interface Rotation {
  readonly id: string;
  /** For how many minutes the old secret still works. */
  readonly graceMinutes: number;
  /**
   * The new time at which the token expires. Null means that it never expires. Undefined does not change the time.
   */
  readonly expiresAt: string | null | undefined;
}

/**
 * Replaces the secret of a token. The token keeps its id. Returns undefined if the account has no such token, or if the
 * token is the connection of an agent. Programs replace the secrets of their connections themselves. (rule K31)
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

/** Returns when a token expires; null if it does not expire. Throws `bad_request` if that time is in the past. */
function endOf(expiresAt: string | null | undefined, clock: NewCredentialsDeps["clock"]): string | null {
  if (expiresAt && expiresAt <= clock.now().toISOString())
    throw badRequest("expiresAt", "must be in the future");
  return expiresAt ?? null;
}

/**
 * Returns the scopes of a new token. Throws `bad_request` for a maintainer token without scopes, and for a scope that
 * this kind of token cannot have.
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
