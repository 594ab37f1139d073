import type { AppKey } from "../../src/contract/console/api-keys.ts";
import type { NewApp } from "../../src/contract/console/apps.ts";
import type { Token } from "../../src/contract/console/tokens.ts";
import { type MaintainerScope, maintainerScopes } from "../../src/contract/endpoint.ts";
import { badRequest } from "../../src/contract/errors.ts";
import type { Deps } from "../deps.ts";
import { apiKeys } from "../store/access/api-keys.ts";
import { type AppRow, apps } from "../store/access/apps.ts";
import { tokens } from "../store/access/tokens.ts";
import type { Transaction } from "../store/engine/database.ts";
import { hashOf, mintCredential, visiblePrefix } from "./secrets.ts";

type Making = Pick<Deps, "clock" | "newId">;

/** Makes an app, its feedback and its changelog on unless told otherwise. */
export async function createApp(
  { newId, clock }: Making,
  tx: Transaction,
  ownerId: string,
  app: NewApp,
): Promise<AppRow> {
  const row = {
    id: newId(),
    name: app.name,
    feedbackEnabled: Number(app.feedbackEnabled ?? true),
    changelogEnabled: Number(app.changelogEnabled ?? true),
    chatWebhookUrl: app.chatWebhookUrl ?? null,
    githubRepository: app.githubRepository ?? null,
    createdAt: clock.now().toISOString(),
  };
  await apps.insert(tx, ownerId, row);
  return row;
}

export interface NewKey {
  readonly label?: string | null | undefined;
  readonly kind?: AppKey["kind"] | undefined;
}

/** Makes a key of an app. The answer holds the key itself, which is nowhere else. */
export async function createKey(making: Making, tx: Transaction, appId: string, { label, kind }: NewKey) {
  const { secret, keyHash, ...seen } = freshKey(making);
  const key = { id: making.newId(), label: label ?? "", kind: kind ?? "full", ...seen };
  await apiKeys.insert(tx, { ...key, appId, keyHash });
  return { ...key, lastUsedAt: null, key: secret };
}

/** Gives a key another secret, at which the old one stops; undefined where the app has no such key. */
export async function renewKey(making: Making, tx: Transaction, appId: string, keyId: string) {
  const { secret, ...fresh } = freshKey(making);
  const key = await apiKeys.renew(tx, appId, keyId, fresh);
  return key && { ...key, key: secret };
}

export interface NewToken {
  readonly kind: Token["kind"];
  readonly label: string;
  readonly scopes: readonly MaintainerScope[];
  readonly appId: string | null;
  /** Whose it is, and who made it. */
  readonly userId: string;
  readonly createdBy: string;
}

/** Makes an agent or maintainer token. The answer holds the token itself, which is nowhere else. */
export async function createToken({ newId, clock }: Making, tx: Transaction, wanted: NewToken) {
  const secret = mintCredential(wanted.kind === "agent" ? "sda_" : "sdm_");
  const { userId, scopes, ...token } = { ...wanted, id: newId(), ...seenOf(secret, clock) };
  await tokens.insert(tx, {
    ...token,
    userId,
    scopes: JSON.stringify(scopes),
    tokenHash: hashOf(secret),
  });
  return { ...token, scopes: [...scopes], lastUsedAt: null, token: secret };
}

/** The scopes of a new token: a maintainer's has some, an agent's has none. Throws `bad_request` otherwise. */
export function grantedScopes(kind: NewToken["kind"], wanted: readonly MaintainerScope[]): MaintainerScope[] {
  const scopes = maintainerScopes.filter((scope) => wanted.includes(scope));
  if (kind === "maintainer" && scopes.length === 0)
    throw badRequest("scopes", "must name what the token is good for");
  if (kind === "agent" && scopes.length > 0)
    throw badRequest("scopes", "must be left out: an agent token has none");
  return scopes;
}

function freshKey({ clock }: Making) {
  const secret = mintCredential("sdk_");
  return { secret, keyHash: hashOf(secret), ...seenOf(secret, clock) };
}

const seenOf = (secret: string, clock: Making["clock"]) => ({
  prefix: visiblePrefix(secret),
  createdAt: clock.now().toISOString(),
});
