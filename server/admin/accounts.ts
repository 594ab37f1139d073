import { v7 } from "uuid";
import type * as z from "zod/mini";
import { NewApp } from "../../src/contract/apps.ts";
import type { AuditActionName, AuditChange } from "../../src/contract/audit.ts";
import { keys, tokens } from "../../src/contract/credentials.ts";
import type { Role } from "../../src/contract/endpoint.ts";
import { ApiError, badRequest, issuesOf, ownMessages } from "../../src/contract/errors.ts";
import { limits } from "../../src/contract/limits.ts";
import { type UserRow, users } from "../access/accounts/store.ts";
import { apiKeys, apps } from "../access/apps/store.ts";
import { changesBetween } from "../access/audit/rules.ts";
import { audit } from "../access/audit/store.ts";
import {
  allCredentials,
  createApp,
  createKey,
  createToken,
  grantedScopes,
  rotateToken,
} from "../access/credentials.ts";
import { memberChangeRefusal } from "../access/members/rules.ts";
import { members } from "../access/members/store.ts";
import { accountLinks, consoleSessions } from "../access/sign-in/store.ts";
import { secondFactors } from "../access/sign-in-methods/store.ts";
import { tokens as storedTokens } from "../access/tokens/store.ts";
import { systemClock } from "../clock.ts";
import type { Database, Reader, Transaction } from "../database/database.ts";
import { isConflict } from "../database/errors.ts";
import { accessTopic, appTopic, userTopic } from "../database/transaction.ts";
import { hashPassword, normaliseEmail } from "../secrets/passwords.ts";

const deps = { clock: systemClock, newId: () => v7() };

/** Creates an account with a password. Throws `bad_request` for a bad or used address, or a bad password. */
export async function createAccount(
  database: Database,
  { email: given, password }: { readonly email: string; readonly password: string },
) {
  const email = normaliseEmail(given);
  assertEmail(email);
  assertPassword(password);
  const at = now();
  const passwordHash = await hashPassword(password);
  // The address counts as confirmed, because the operator is responsible for it.
  const user = { id: v7(), email, passwordHash, createdAt: at, emailVerifiedAt: at };
  try {
    await database.write(async (tx) => {
      await users.insert(tx, user);
      await record(tx, user.id, { action: "user.create", target: user.id });
    });
  } catch (error) {
    if (isConflict(error)) throw badRequest("email", "already has an account");
    throw error;
  }
  return { userId: user.id };
}

/**
 * Replaces a password and ends console sessions. Tokens and devices stay valid. Throws `bad_request` and
 * `not_found`.
 */
export async function replacePassword(
  database: Database,
  { email, password }: { readonly email: string; readonly password: string },
) {
  assertPassword(password);
  const passwordHash = await hashPassword(password);
  return database.write(async (tx) => {
    const { id: userId } = await accountOf(tx, email);
    await users.setPassword(tx, userId, passwordHash);
    await accountLinks.removeAll(tx, userId);
    const sessionsEnded = await consoleSessions.removeAll(tx, userId);
    await record(tx, userId, { action: "user.password", target: userId });
    tx.signal(userTopic(userId));
    return { userId, sessionsEnded };
  });
}

/** Turns off a lost second factor. Throws `not_found` if there is no account or no second factor. */
export async function removeSecondFactor(database: Database, { email }: { readonly email: string }) {
  return database.write(async (tx) => {
    const { id: userId } = await accountOf(tx, email);
    await secondFactors.lock(tx, userId);
    if (!(await secondFactors.remove(tx, userId)))
      throw new ApiError("not_found", { message: `${email} has no second factor.` });
    await record(tx, userId, { action: "second_factor.disable", target: userId });
    return { userId };
  });
}

/** Creates an app and its first app key. Throws `not_found` for an unknown owner. */
export function createFirstApp(
  database: Database,
  wanted: { readonly name: string; readonly owner: string },
) {
  const app = validated(NewApp, { name: wanted.name });
  return database.write(async (tx) => {
    const { id: ownerId } = await accountOf(tx, wanted.owner);
    const { id: appId } = await createApp(deps, tx, { ownerId, app });
    const key = await createKey(deps, tx, { appId });
    await record(tx, ownerId, { action: "app.create", appId, target: appId });
    await record(tx, ownerId, { action: "key.create", appId, target: key.id, label: key.label });
    return { appId, apiKey: key.key };
  });
}

/**
 * Creates an app key. Returns the id of the key and the key itself. Throws `not_found` for an unknown app.
 */
export function createOwnedKey(
  database: Database,
  wanted: {
    readonly appId: string;
    readonly label?: string | undefined;
    readonly kind?: "full" | "intake" | undefined;
  },
) {
  const { appId } = validated(keys.create.params, wanted);
  const body = validated(keys.create.body, wanted);
  return database.write(async (tx) => {
    const { ownerId } = await appOf(tx, appId);
    const key = await createKey(deps, tx, { ...body, appId });
    await record(tx, ownerId, { action: "key.create", appId, target: key.id, label: key.label });
    return { keyId: key.id, apiKey: key.key };
  });
}

/** Creates an agent or maintainer token. Throws `not_found` if the owner is unknown or may not have the token. */
export function createOwnersToken(
  database: Database,
  {
    owner,
    ...wanted
  }: {
    readonly kind: "agent" | "maintainer";
    readonly owner: string;
    readonly label?: string | undefined;
    readonly scopes?: readonly string[] | undefined;
    readonly appId?: string | undefined;
    readonly expiresAt?: string | undefined;
  },
) {
  const body = validated(tokens.create.body, { ...wanted, label: wanted.label ?? `${wanted.kind} token` });
  const scopes = grantedScopes(body.kind, body.scopes ?? []);
  const appId = body.appId ?? null;
  return database.write(async (tx) => {
    const { id: userId } = await accountOf(tx, owner);
    if (appId !== null && !(await mayCreateToken(tx, { kind: body.kind, appId, userId })))
      throw new ApiError("not_found", { message: `${owner} has no app ${appId}.` });
    const token = await createToken(deps, tx, { ...body, scopes, appId, userId, createdBy: operator });
    await record(tx, userId, { action: "token.create", appId, target: token.id, label: token.label });
    return { tokenId: token.id, token: token.token };
  });
}

/**
 * Whether an account may have a token. Members who are not owners may have only maintainer tokens. Throws
 * `not_found`. (rule K22)
 */
async function mayCreateToken(
  tx: Transaction,
  { kind, appId, userId }: { readonly kind: string; readonly appId: string; readonly userId: string },
): Promise<boolean> {
  await appOf(tx, appId);
  const role = await members.roleOf(tx, appId, userId);
  return role === "owner" || (kind === "maintainer" && role !== undefined);
}

const now = () => systemClock.now().toISOString();

function assertEmail(email: string): void {
  if (!/^[^\s@]+@[^\s@]+$/.test(email) || email.length > limits.email)
    throw badRequest("email", "must be an e-mail address");
}

function assertPassword(password: string): void {
  const { min, max } = limits.password;
  const length = Array.from(password).length;
  if (length < min || length > max) throw badRequest("password", `must have ${min} to ${max} characters`);
}

interface Named {
  readonly appId: string;
  readonly email: string;
}

interface NamedRole extends Named {
  readonly role: Role;
}

/** Returns the members of an app with their roles. Throws `not_found` for an unknown app. */
export async function listMembers(database: Database, { appId }: Pick<Named, "appId">) {
  await appOf(database, appId);
  return { items: await members.list(database, appId) };
}

/**
 * Adds a member without an invitation, because the operator knows the person. Throws `not_found` and `already_member`.
 * (rule K25)
 */
export const addMember = (database: Database, { appId, email, role }: NamedRole) =>
  database.write(async (tx) => {
    await appOf(tx, appId);
    const { id: userId } = await accountOf(tx, email);
    await members.lock(tx, appId);
    if (await members.roleOf(tx, appId, userId)) throw new ApiError("already_member");
    await members.insert(tx, { appId, userId, role, createdAt: systemClock.now().toISOString() });
    tx.signal(accessTopic(appId));
    await record(tx, userId, { action: "member.create", appId, target: userId, label: email });
    return { appId, userId, role };
  });

/** Changes the role of a member. Throws `not_found` and `last_owner`. */
export const changeRole = (database: Database, { role, ...named }: NamedRole) =>
  database.write(async (tx) => {
    const { appId, userId, from } = await changeableMember(tx, named, role);
    await members.setRole(tx, { appId, userId }, role);
    const changes = changesBetween({ role: from }, { role });
    await record(tx, userId, { action: "member.update", appId, target: userId, label: named.email, changes });
    return { appId, userId, role };
  });

/** Removes a member and the member's tokens for this app. Throws `not_found` and `last_owner`. */
export const removeMember = (database: Database, named: Named) =>
  database.write(async (tx) => {
    const { appId, userId } = await changeableMember(tx, named, null);
    await members.remove(tx, { appId, userId });
    await record(tx, userId, { action: "member.delete", appId, target: userId, label: named.email });
    return { appId, userId };
  });

/**
 * Locks the members, and returns the member `email`. `to` is the new role, or null for a removal. Throws
 * `not_found` and `last_owner`. (rule K26)
 */
async function changeableMember(tx: Transaction, { appId, email }: Named, to: Role | null) {
  await appOf(tx, appId);
  const { id: userId } = await accountOf(tx, email);
  await members.lock(tx, appId);
  const from = await members.roleOf(tx, appId, userId);
  if (!from) throw new ApiError("not_found", { message: `${email} is not a member of this app.` });
  const owners = await members.countOwners(tx, appId);
  const refusal = memberChangeRefusal({ by: "owner", own: false, from, to, owners });
  if (refusal) throw new ApiError(refusal);
  return { appId, userId, from };
}

/** Selects the keys or tokens to list. By default, all are listed. */
interface CredentialFilter {
  readonly owner?: string | undefined;
  readonly appId?: string | undefined;
}

/**
 * Returns the agent and maintainer tokens with their owners. The secrets are not included. Throws `not_found` for an
 * unknown owner.
 */
export async function listTokens(database: Database, { owner }: CredentialFilter) {
  const email = owner === undefined ? undefined : (await accountOf(database, owner)).email;
  const items = await allCredentials.tokens(database, email);
  return { items: items.map((token) => ({ ...token, scopes: JSON.parse(token.scopes) })) };
}

/** Returns the app keys, without their secrets. Throws `not_found` for an unknown app or owner. */
export async function listKeys(database: Database, { owner, appId }: CredentialFilter) {
  const email = owner === undefined ? undefined : (await accountOf(database, owner)).email;
  if (appId !== undefined) await appOf(database, appId);
  return { items: await allCredentials.keys(database, { email, appId }) };
}

/**
 * Revokes the token whose id begins with `id`. Throws `not_found` for no match, and `bad_request` for several matches.
 */
export function revokeToken(database: Database, { id }: { readonly id: string }) {
  return database.write(async (tx) => {
    const token = onlyOne("token", id, await allCredentials.tokens(tx, undefined));
    await storedTokens.remove(tx, { userId: token.ownerId, appId: null }, token.id);
    const { id: target, appId, label } = token;
    await record(tx, token.ownerId, { action: "token.delete", appId, target, label });
    return { tokenId: token.id, kind: token.kind, label: token.label, owner: token.owner };
  });
}

/**
 * Creates a new secret for a token. Throws the errors of `revokeToken`, and `bad_request` for the token of a
 * connection.
 */
export function rotateOwnersToken(
  database: Database,
  { id, ...wanted }: { readonly id: string; readonly graceMinutes?: number | undefined },
) {
  const { graceMinutes = 0 } = validated(tokens.rotate.body, wanted);
  return database.write(async (tx) => {
    const found = onlyOne("token", id, await allCredentials.tokens(tx, undefined));
    const of = { userId: found.ownerId, appId: null };
    const rotation = { of, id: found.id, graceMinutes, expiresAt: undefined };
    const token = await rotateToken({ clock: systemClock }, tx, rotation);
    if (!token) throw badRequest("id", "is the id of a connection, which renews its tokens itself");
    const { id: target, appId, label } = token;
    await record(tx, found.ownerId, { action: "token.rotate", appId, target, label });
    return { tokenId: token.id, token: token.token };
  });
}

/**
 * Revokes the app key whose id begins with `id`. Throws `not_found` for no match, and `bad_request` for several
 * matches.
 */
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
  const matches = wanted === "" ? [] : rows.filter((row) => row.id.startsWith(wanted));
  const [row, ...others] = matches;
  if (row && others.length === 0) return row;
  if (row) throw badRequest("id", `matches ${matches.length} ids. Give more characters`);
  throw new ApiError("not_found", {
    message: `There is no ${thing} ${id}. \`innkeep admin ${thing} list\` lists all.`,
  });
}

/** The actor that the audit shows for admin commands, which change the database directly. */
const operator = "operator";

/** Checks a value against a schema of the API. Returns the parsed value. Throws `bad_request` with all faults. */
function validated<Schema extends z.ZodMiniType>(schema: Schema, value: unknown): z.output<Schema> {
  const result = schema.safeParse(value, ownMessages);
  if (!result.success) throw new ApiError("bad_request", { issues: issuesOf(result.error) });
  return result.data;
}

/** Returns the account with this address. Throws `not_found` for an unknown account. */
export async function accountOf(reader: Reader, email: string): Promise<UserRow> {
  const user = await users.findByEmail(reader, normaliseEmail(email));
  if (user) return user;
  throw new ApiError("not_found", {
    message: `There is no account with the address ${email}. Create it with \`user create\`.`,
  });
}

/** Returns the owner of the app with this id. Throws `not_found` for an unknown app. */
async function appOf(reader: Reader, appId: string): Promise<{ ownerId: string }> {
  const found = await apps.findOwner(reader, appId);
  if (found) return found;
  throw new ApiError("not_found", { message: `There is no app ${appId}.` });
}

/** Adds an action of the operator to the audit of the account that it concerns. */
export const record = (
  tx: Transaction,
  ownerId: string,
  {
    action,
    appId = null,
    target,
    label,
    changes = [],
  }: {
    readonly action: AuditActionName;
    readonly appId?: string | null;
    readonly target: string;
    /** The label of the token or key that was created or deleted. */
    readonly label?: string;
    /** The old and new values of the changed fields. */
    readonly changes?: readonly AuditChange[];
  },
): Promise<void> =>
  audit.insert(tx, {
    id: v7(),
    at: systemClock.now().toISOString(),
    ownerId,
    actor: operator,
    action,
    appId,
    target,
    address: null,
    label: label ?? null,
    changes: [...changes],
  });
