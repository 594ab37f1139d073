import { ApiError, badRequest } from "../../src/contract/errors.ts";
import { tokens as contract } from "../../src/contract/tokens.ts";
import { allCredentials } from "../access/all-credentials.ts";
import { apiKeys } from "../access/apps/access-api-keys.ts";
import { rotateToken } from "../access/new-credentials.ts";
import { tokens } from "../access/tokens/store.ts";
import { systemClock } from "../clock.ts";
import type { Database } from "../database/database.ts";
import { appTopic } from "../database/signals.ts";
import { accountOf, appOf, record, validated } from "./operator.ts";

/** Which keys or tokens to list. The default is all of them. */
export interface CredentialFilter {
  readonly owner?: string | undefined;
  readonly appId?: string | undefined;
}

/** The agent and maintainer tokens with their owners, without the secrets. Throws `not_found` for an unknown owner. */
export async function listTokens(database: Database, { owner }: CredentialFilter) {
  const email = owner === undefined ? undefined : (await accountOf(database, owner)).email;
  const items = await allCredentials.tokens(database, email);
  return { items: items.map((token) => ({ ...token, scopes: JSON.parse(token.scopes) })) };
}

/** The app keys with their apps and owners, without the secrets. Throws `not_found` for an unknown app or owner. */
export async function listKeys(database: Database, { owner, appId }: CredentialFilter) {
  const email = owner === undefined ? undefined : (await accountOf(database, owner)).email;
  if (appId !== undefined) await appOf(database, appId);
  return { items: await allCredentials.keys(database, { email, appId }) };
}

/** Revokes the token whose id begins with this text. Throws `not_found` for no token and `bad_request` for several. */
export function revokeToken(database: Database, { id }: { readonly id: string }) {
  return database.write(async (tx) => {
    const token = onlyOne("token", id, await allCredentials.tokens(tx, undefined));
    await tokens.remove(tx, { userId: token.ownerId, appId: null }, token.id);
    const { id: target, appId, label } = token;
    await record(tx, token.ownerId, { action: "token.delete", appId, target, label });
    return { tokenId: token.id, kind: token.kind, label: token.label, owner: token.owner };
  });
}

export interface RotatedToken {
  readonly id: string;
  readonly graceMinutes?: number | undefined;
}

/** Makes a new secret for the token whose id begins with this text. Throws as `revokeToken` does. */
export function rotateOwnersToken(database: Database, { id, ...wanted }: RotatedToken) {
  const { graceMinutes = 0 } = validated(contract.rotate.body, wanted);
  return database.write(async (tx) => {
    const found = onlyOne("token", id, await allCredentials.tokens(tx, undefined));
    const of = { userId: found.ownerId, appId: null };
    const rotation = { of, id: found.id, graceMinutes, expiresAt: undefined };
    const token = await rotateToken({ clock: systemClock }, tx, rotation);
    if (!token) throw badRequest("id", "is a connection: it renews its own tokens");
    const { id: target, appId, label } = token;
    await record(tx, found.ownerId, { action: "token.rotate", appId, target, label });
    return { tokenId: token.id, token: token.token };
  });
}

/** Revokes the app key whose id begins with this text. Throws `not_found` for no key and `bad_request` for several. */
export function revokeKey(database: Database, { id }: { readonly id: string }) {
  return database.write(async (tx) => {
    const key = onlyOne("key", id, await allCredentials.keys(tx, {}));
    await apiKeys.remove(tx, key.appId, key.id);
    const { id: target, appId, label } = key;
    await record(tx, key.ownerId, { action: "key.delete", appId, target, label });
    tx.signal(appTopic(key.appId));
    return { keyId: key.id, kind: key.kind, label: key.label, appId: key.appId, owner: key.owner };
  });
}

function onlyOne<Row extends { readonly id: string }>(thing: string, id: string, rows: readonly Row[]): Row {
  const wanted = id.trim().toLowerCase();
  const fitting = wanted === "" ? [] : rows.filter((row) => row.id.startsWith(wanted));
  const [row, ...others] = fitting;
  if (row && others.length === 0) return row;
  if (row) throw badRequest("id", `matches ${fitting.length} ids: give more characters`);
  throw new ApiError("not_found", {
    message: `There is no ${thing} ${id}. \`innkeep admin ${thing} list\` shows all.`,
  });
}
