import { v7 } from "uuid";
import { NewApp } from "../../src/contract/apps.ts";
import { ApiError, badRequest } from "../../src/contract/errors.ts";
import { keys } from "../../src/contract/keys.ts";
import { limits } from "../../src/contract/limits.ts";
import { tokens } from "../../src/contract/tokens.ts";
import { users } from "../access/accounts/store.ts";
import { members } from "../access/members/store.ts";
import { createApp, createKey, createToken, grantedScopes } from "../access/new-credentials.ts";
import { accountLinks } from "../access/sign-in/account-links.ts";
import { consoleSessions } from "../access/sign-in/store.ts";
import { secondFactors } from "../access/sign-in-methods/store.ts";
import { systemClock } from "../clock.ts";
import type { Database, Transaction } from "../database/database.ts";
import { isConflict } from "../database/errors.ts";
import { userTopic } from "../database/signals.ts";
import { hashPassword, normaliseEmail } from "../secrets/passwords.ts";
import { accountOf, appOf, operator, record, validated } from "./operator.ts";

const deps = { clock: systemClock, newId: () => v7() };

/**
 * Creates an account that signs in with its password. Throws `bad_request` for a wrong or used address or a bad
 * password.
 */
export async function createAccount(
  database: Database,
  { email: given, password }: { readonly email: string; readonly password: string },
) {
  const email = normaliseEmail(given);
  assertEmail(email);
  assertPassword(password);
  const at = now();
  const passwordHash = await hashPassword(password);
  // The operator vouches for the address.
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
 * Replaces the password of an account and ends its console sessions. Its tokens and devices stay valid. Throws
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

/** Turns off the second factor of a person who has lost it. Throws `not_found` if there is none. */
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

interface WantedKey {
  readonly appId: string;
  readonly label?: string | undefined;
  readonly kind?: "full" | "intake" | undefined;
}

/** Creates an app key. Throws `not_found` for an unknown app. */
export function createOwnedKey(database: Database, wanted: WantedKey) {
  const { appId } = validated(keys.create.params, wanted);
  const body = validated(keys.create.body, wanted);
  return database.write(async (tx) => {
    const { ownerId } = await appOf(tx, appId);
    const key = await createKey(deps, tx, { ...body, appId });
    await record(tx, ownerId, { action: "key.create", appId, target: key.id, label: key.label });
    return { keyId: key.id, apiKey: key.key };
  });
}

interface WantedToken {
  readonly kind: "agent" | "maintainer";
  readonly owner: string;
  readonly label?: string | undefined;
  readonly scopes?: readonly string[] | undefined;
  readonly appId?: string | undefined;
  readonly expiresAt?: string | undefined;
}

/** Creates an agent or maintainer token of an account. Throws `not_found` for an unknown owner or another owner's app. */
export function createOwnersToken(database: Database, { owner, ...wanted }: WantedToken) {
  const body = validated(tokens.create.body, { ...wanted, label: wanted.label ?? `${wanted.kind} token` });
  const scopes = grantedScopes(body.kind, body.scopes ?? []);
  const appId = body.appId ?? null;
  return database.write(async (tx) => {
    const { id: userId } = await accountOf(tx, owner);
    if (appId !== null && !(await mayMake(tx, { kind: body.kind, appId, userId })))
      throw new ApiError("not_found", { message: `${owner} has no app ${appId}.` });
    const token = await createToken(deps, tx, { ...body, scopes, appId, userId, createdBy: operator });
    await record(tx, userId, { action: "token.create", appId, target: token.id, label: token.label });
    return { tokenId: token.id, token: token.token };
  });
}

/** An agent acts for an owner, a script for any member. Throws `not_found` for an unknown app. (rule K22) */
async function mayMake(
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
