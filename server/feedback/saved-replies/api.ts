import type { savedReplies as contract } from "../../../src/contract/correspondence.ts";
import { ApiError } from "../../../src/contract/errors.ts";
import { limits } from "../../../src/contract/limits.ts";
import { ownedApp } from "../../access/apps/store.ts";
import { createAuditWriter } from "../../access/audit/record.ts";
import { changesBetween } from "../../access/audit/rules.ts";
import type { Viewer } from "../../access/members/visibility.ts";
import type { Reader } from "../../database/database.ts";
import type { Deps } from "../../deps.ts";
import type { Handlers } from "../../http/handler.ts";
import { savedReplies as rows } from "./store.ts";

/** The handlers for the saved replies of an app. (rule F32) */
export function savedReplies(deps: Pick<Deps, "clock" | "database" | "newId">): Handlers<typeof contract> {
  const record = createAuditWriter(deps);
  return {
    async list({ caller, params: { appId } }) {
      await ownedApp(deps.database, appId, caller);
      return { items: await rows.list(deps.database, appId) };
    },

    create: ({ caller, address, params: { appId }, body, save }) =>
      save(async (tx) => {
        await ownedApp(tx, appId, caller);
        if ((await rows.list(tx, appId)).length >= limits.savedReplies)
          throw new ApiError("wrong_state", {
            message: `This app already has ${limits.savedReplies} saved replies, which is the maximum. Delete some of them first.`,
          });
        const at = deps.clock.now().toISOString();
        const reply = { id: deps.newId(), ...body, createdAt: at, updatedAt: at };
        await rows.insert(tx, { ...reply, appId, by: caller.userId });
        const action = { action: "saved_reply.create", appId, target: reply.id } as const;
        await record(tx, { caller, address }, { ...action, label: body.title });
        return reply;
      }),

    update: ({ caller, address, params: { savedReplyId: id }, body, save }) =>
      save(async (tx) => {
        const before = await ownedReply(tx, id, caller);
        const { appId, title } = before;
        const changes = changesBetween({ ...before }, body, ["body"]);
        if (changes.length === 0) return before;
        const at = deps.clock.now().toISOString();
        await rows.update(tx, id, { ...body, at, by: caller.userId });
        const action = { action: "saved_reply.update", appId, target: id, changes } as const;
        await record(tx, { caller, address }, { ...action, label: title });
        return ownedReply(tx, id, caller);
      }),

    remove: ({ caller, address, params: { savedReplyId: id }, save }) =>
      save(async (tx) => {
        const { appId, title } = await ownedReply(tx, id, caller);
        await rows.remove(tx, id);
        const action = { action: "saved_reply.delete", appId, target: id } as const;
        await record(tx, { caller, address }, { ...action, label: title });
        return undefined;
      }),
  };
}

/** Returns a saved reply. Throws `not_found` if the viewer is not a member of its app. */
async function ownedReply(reader: Reader, id: string, viewer: Viewer) {
  const reply = await rows.find(reader, viewer, id);
  if (!reply) throw new ApiError("not_found");
  return reply;
}
