import type { Role } from "../../src/contract/endpoint.ts";
import { ApiError } from "../../src/contract/errors.ts";
import { changesBetween } from "../access/audit/rules.ts";
import { memberChangeRefusal } from "../access/members/rules.ts";
import { members } from "../access/members/store.ts";
import { systemClock } from "../clock.ts";
import type { Database, Transaction } from "../database/database.ts";
import { accessTopic } from "../database/signals.ts";
import { accountOf, appOf, record } from "./operator.ts";

interface Named {
  readonly appId: string;
  readonly email: string;
}

interface NamedRole extends Named {
  readonly role: Role;
}

/** The members of an app with their roles. Throws `not_found` for an unknown app. */
export async function listMembers(database: Database, { appId }: Pick<Named, "appId">) {
  await appOf(database, appId);
  return { items: await members.list(database, appId) };
}

/**
 * Makes an account a member of an app, without an invitation: the operator vouches for the person. Throws `not_found`, and
 * `already_member`. (rule K25)
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

/** Gives a member another role. Throws `not_found` and `last_owner`. */
export const changeRole = (database: Database, { role, ...named }: NamedRole) =>
  database.write(async (tx) => {
    const { appId, userId, from } = await changeable(tx, named, role);
    await members.setRole(tx, { appId, userId }, role);
    const changes = changesBetween({ role: from }, { role });
    await record(tx, userId, { action: "member.update", appId, target: userId, label: named.email, changes });
    return { appId, userId, role };
  });

/** Removes a member, with the tokens for this app. Throws `not_found` and `last_owner`. */
export const removeMember = (database: Database, named: Named) =>
  database.write(async (tx) => {
    const { appId, userId } = await changeable(tx, named, null);
    await members.remove(tx, { appId, userId });
    await record(tx, userId, { action: "member.delete", appId, target: userId, label: named.email });
    return { appId, userId };
  });

/** The member whose role may become this one; null is the removal. An app keeps an owner. (rule K26) */
async function changeable(tx: Transaction, { appId, email }: Named, to: Role | null) {
  await appOf(tx, appId);
  const { id: userId } = await accountOf(tx, email);
  await members.lock(tx, appId);
  const from = await members.roleOf(tx, appId, userId);
  if (!from) throw new ApiError("not_found", { message: `${email} is no member of this app.` });
  const owners = await members.countOwners(tx, appId);
  const refusal = memberChangeRefusal({ by: "owner", own: false, from, to, owners });
  if (refusal) throw new ApiError(refusal);
  return { appId, userId, from };
}
