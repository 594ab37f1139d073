import type { Role } from "../../../src/contract/endpoint.ts";
import { ApiError } from "../../../src/contract/errors.ts";
import type { members as contract } from "../../../src/contract/members.ts";
import type { Transaction } from "../../database/database.ts";
import type { Deps } from "../../deps.ts";
import type { ConsoleCaller, Handlers } from "../../http/handler.ts";
import { ownedApp } from "../apps/owned-app.ts";
import { createAuditWriter } from "../audit/record.ts";
import { changesBetween } from "../audit/rules.ts";
import { memberChangeRefusal } from "./rules.ts";
import { type Membership, members as rows } from "./store.ts";

/** The members of an app and their roles. (rules K25, K26) */
export function members(deps: Pick<Deps, "clock" | "database" | "newId">): Handlers<typeof contract> {
  const record = createAuditWriter(deps);
  return {
    async list({ caller, params }) {
      await ownedApp(deps.database, params.appId, caller);
      return { items: await rows.list(deps.database, params.appId) };
    },

    update: ({ caller, address, params, body: { role }, save }) =>
      save(async (tx) => {
        const member = await changeableMember(tx, { caller, params, to: role });
        if (member.role === role) return member;
        await rows.setRole(tx, params, role);
        const action = { action: "member.update", appId: params.appId, target: params.userId } as const;
        const changes = changesBetween({ role: member.role }, { role });
        await record(tx, { caller, address }, { ...action, label: member.email, changes });
        return { ...member, role };
      }),

    remove: ({ caller, address, params, save }) =>
      save(async (tx) => {
        const { email: label } = await changeableMember(tx, { caller, params, to: null });
        const action = { action: "member.delete", appId: params.appId, target: params.userId } as const;
        await record(tx, { caller, address }, { ...action, label });
        await rows.remove(tx, params);
        return undefined;
      }),
  };
}

interface Change {
  readonly caller: ConsoleCaller;
  readonly params: Membership;
  readonly to: Role | null;
}

/** The member that the caller may change in this way. Throws `not_found`, `forbidden` and `last_owner`. */
async function changeableMember(tx: Transaction, { caller, params, to }: Change) {
  await rows.lock(tx, params.appId);
  const { viewerRole: by } = await ownedApp(tx, params.appId, caller);
  const own = params.userId === caller.userId;
  // Who may not change others learns nothing of them.
  if (by !== "owner" && !own) throw new ApiError("forbidden");
  const member = await rows.find(tx, params);
  if (!member) throw new ApiError("not_found");
  const owners = await rows.countOwners(tx, params.appId);
  const refusal = memberChangeRefusal({ by, own, from: member.role, to, owners });
  if (refusal) throw new ApiError(refusal);
  return member;
}
