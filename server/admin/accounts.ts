import { v7 } from "uuid";
import type * as z from "zod/mini";
import { NewApp } from "../../src/contract/console/apps.ts";
import { keys } from "../../src/contract/console/keys.ts";
import { tokens } from "../../src/contract/console/tokens.ts";
import { ApiError, badRequest } from "../../src/contract/errors.ts";
import { issuesOf } from "../../src/contract/issues.ts";
import { limits } from "../../src/contract/limits.ts";
import { hashPassword, normaliseEmail } from "../accounts.ts";
import { systemClock } from "../clock.ts";
import { createApp, createKey, createToken, grantedScopes } from "../credentials.ts";
import { apps } from "../store/apps.ts";
import { audit } from "../store/audit.ts";
import type { Database, Transaction } from "../store/database.ts";
import { isConflict } from "../store/errors.ts";
import { users } from "../store/users.ts";

const making = { clock: systemClock, newId: () => v7() };

/** Makes an account that can sign in with its password. */
export async function createAccount(
  database: Database,
  { email: given, password }: { readonly email: string; readonly password: string },
) {
  const email = normaliseEmail(given);
  assertAccount(email, password);
  const user = { id: v7(), email, passwordHash: await hashPassword(password), createdAt: now() };
  try {
    await database.write(async (tx) => {
      await users.insert(tx, user);
      await record(tx, user.id, { action: "user.create", target: user.id });
    });
  } catch (error) {
    if (isConflict(error)) throw badRequest("email", "is the address of an account that exists already");
    throw error;
  }
  return { userId: user.id };
}

/** Makes an app and its first key. */
export function createFirstApp(
  database: Database,
  wanted: { readonly name: string; readonly owner: string },
) {
  const app = checked(NewApp, { name: wanted.name });
  return database.write(async (tx) => {
    const { id: ownerId } = await ownerNamed(tx, wanted.owner);
    const { id: appId } = await createApp(making, tx, ownerId, app);
    const key = await createKey(making, tx, appId, {});
    await record(tx, ownerId, { action: "app.create", appId, target: appId });
    await record(tx, ownerId, { action: "key.create", appId, target: key.id });
    return { appId, apiKey: key.key };
  });
}

interface WantedKey {
  readonly appId: string;
  readonly label?: string | undefined;
  readonly kind?: "full" | "intake" | undefined;
}

export function createOwnedKey(database: Database, wanted: WantedKey) {
  const { appId } = checked(keys.create.params, wanted);
  const body = checked(keys.create.body, wanted);
  return database.write(async (tx) => {
    const ownerId = await ownerOf(tx, appId);
    const key = await createKey(making, tx, appId, body);
    await record(tx, ownerId, { action: "key.create", appId, target: key.id });
    return { keyId: key.id, apiKey: key.key };
  });
}

interface WantedToken {
  readonly kind: "agent" | "maintainer";
  readonly owner: string;
  readonly label?: string | undefined;
  readonly scopes?: readonly string[] | undefined;
  readonly appId?: string | undefined;
}

export function createOwnersToken(database: Database, { owner, ...wanted }: WantedToken) {
  const body = checked(tokens.create.body, { ...wanted, label: wanted.label ?? `${wanted.kind} token` });
  const scopes = grantedScopes(body.kind, body.scopes ?? []);
  const appId = body.appId ?? null;
  return database.write(async (tx) => {
    const { id: userId } = await ownerNamed(tx, owner);
    if (appId !== null && (await ownerOf(tx, appId)) !== userId) throw noApp(appId);
    const token = await createToken(making, tx, { ...body, scopes, appId, userId, createdBy: operator });
    await record(tx, userId, { action: "token.create", appId, target: token.id });
    return { tokenId: token.id, token: token.token };
  });
}

const operator = "operator";
const now = () => systemClock.now().toISOString();

function assertAccount(email: string, password: string): void {
  const { min, max } = limits.password;
  const length = Array.from(password).length;
  if (!/^[^\s@]+@[^\s@]+$/.test(email) || email.length > limits.email)
    throw badRequest("email", "must be an e-mail address");
  if (length < min || length > max) throw badRequest("password", `must have ${min} to ${max} characters`);
}

/** The same rules as over HTTP. */
function checked<Schema extends z.ZodMiniType>(schema: Schema, value: unknown): z.output<Schema> {
  const result = schema.safeParse(value);
  if (!result.success) throw new ApiError("bad_request", { issues: issuesOf(result.error) });
  return result.data;
}

async function ownerNamed(tx: Transaction, email: string): Promise<{ id: string }> {
  const user = await users.findByEmail(tx, normaliseEmail(email));
  if (user) return user;
  throw new ApiError("not_found", {
    message: `There is no account of ${email}. Make it with \`user create\`.`,
  });
}

async function ownerOf(tx: Transaction, appId: string): Promise<string> {
  const found = await apps.findOwner(tx, appId);
  if (!found) throw noApp(appId);
  return found.ownerId;
}

const noApp = (appId: string) => new ApiError("not_found", { message: `The owner has no app ${appId}.` });

interface Deed {
  readonly action: string;
  readonly appId?: string | null;
  readonly target: string;
}

const record = (tx: Transaction, ownerId: string, { action, appId = null, target }: Deed): Promise<void> =>
  audit.insert(tx, { id: v7(), at: now(), ownerId, actor: operator, action, appId, target, address: null });
