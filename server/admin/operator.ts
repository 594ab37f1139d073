import { v7 } from "uuid";
import type * as z from "zod/mini";
import type { AuditActionName, AuditChange } from "../../src/contract/audit.ts";
import { ApiError } from "../../src/contract/errors.ts";
import { issuesOf, ownMessages } from "../../src/contract/issues.ts";
import { type UserRow, users } from "../access/accounts/store.ts";
import { apps } from "../access/apps/store.ts";
import { audit } from "../access/audit/store.ts";
import { systemClock } from "../clock.ts";
import type { Reader, Transaction } from "../database/database.ts";
import { normaliseEmail } from "../secrets/passwords.ts";

/** The actor in the audit for commands that work on the database itself. */
export const operator = "operator";

/** Checks a value with the rules of the API. Throws `bad_request` with all faults. */
export function validated<Schema extends z.ZodMiniType>(schema: Schema, value: unknown): z.output<Schema> {
  const result = schema.safeParse(value, ownMessages);
  if (!result.success) throw new ApiError("bad_request", { issues: issuesOf(result.error) });
  return result.data;
}

/** The account with this address. Throws `not_found`. */
export async function accountOf(reader: Reader, email: string): Promise<UserRow> {
  const user = await users.findByEmail(reader, normaliseEmail(email));
  if (user) return user;
  throw new ApiError("not_found", {
    message: `There is no account with the address ${email}. Create it with \`user create\`.`,
  });
}

/** The owner of the app with this id. Throws `not_found`. */
export async function appOf(reader: Reader, appId: string): Promise<{ ownerId: string }> {
  const found = await apps.findOwner(reader, appId);
  if (found) return found;
  throw new ApiError("not_found", { message: `There is no app ${appId}.` });
}

export interface AuditedAction {
  readonly action: AuditActionName;
  readonly appId?: string | null;
  readonly target: string;
  /** The label of the token or key that was created or deleted. */
  readonly label?: string;
  /** What it changes. */
  readonly changes?: readonly AuditChange[];
}

/** Adds an action of the operator to the audit of the account that it concerns. */
export const record = (
  tx: Transaction,
  ownerId: string,
  { action, appId = null, target, label, changes = [] }: AuditedAction,
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
