import type { tags as contract, Tag } from "../../../../src/contract/console/triage/tags.ts";
import { ApiError, badRequest } from "../../../../src/contract/errors.ts";
import type { Deps } from "../../../deps.ts";
import type { Handlers } from "../../../http/handler.ts";
import type { Viewer } from "../../../store/access/members/visibility.ts";
import type { Reader } from "../../../store/engine/database.ts";
import { tags as rows } from "../../../store/feedback/tags.ts";
import { createAuditWriter } from "../../access/audit-record.ts";
import { ownedApp } from "../../access/owned-app.ts";
import { makeTag } from "./thread-tags.ts";

/** The tags of an app. (rule F30) */
export function tags(deps: Pick<Deps, "clock" | "database" | "newId">): Handlers<typeof contract> {
  const record = createAuditWriter(deps);
  return {
    async list({ caller, params: { appId } }) {
      await ownedApp(deps.database, appId, caller);
      return { items: (await rows.list(deps.database, appId)).map(tagAnswer) };
    },

    create: ({ caller, address, params: { appId }, body, save }) =>
      save(async (tx) => {
        await ownedApp(tx, appId, caller);
        const id = await makeTag(deps, tx, { appId, ...body });
        if (id === undefined) throw new ApiError("tag_exists");
        await record(tx, { caller, address }, { action: "tag.create", appId, target: id, label: body.name });
        return tagAnswer(await ownedTag(tx, id, caller));
      }),

    update: ({ caller, address, params: { tagId: id }, body, save }) =>
      save(async (tx) => {
        const { appId, name } = await ownedTag(tx, id, caller);
        if (!(await rows.update(tx, { id, appId }, body))) throw new ApiError("tag_exists");
        await record(tx, { caller, address }, { action: "tag.update", appId, target: id, label: name });
        return tagAnswer(await ownedTag(tx, id, caller));
      }),

    merge: ({ caller, address, params: { tagId: id }, body: { into }, save }) =>
      save(async (tx) => {
        const { appId, name } = await ownedTag(tx, id, caller);
        const other = await rows.find(tx, caller, into);
        if (other?.appId !== appId || other.id === id)
          throw badRequest("into", "must be another tag of the app");
        await rows.merge(tx, id, into);
        await record(tx, { caller, address }, { action: "tag.merge", appId, target: id, label: name });
        return tagAnswer(await ownedTag(tx, into, caller));
      }),

    remove: ({ caller, address, params: { tagId: id }, save }) =>
      save(async (tx) => {
        const { appId, name } = await ownedTag(tx, id, caller);
        await rows.remove(tx, id);
        await record(tx, { caller, address }, { action: "tag.delete", appId, target: id, label: name });
        return undefined;
      }),
  };
}

/** The tag if it is of an app of the viewer. Throws `not_found` otherwise. */
async function ownedTag(reader: Reader, id: string, viewer: Viewer) {
  const tag = await rows.find(reader, viewer, id);
  if (!tag) throw new ApiError("not_found");
  return tag;
}

const tagAnswer = ({ id, name, colour, threads }: Tag): Tag => ({
  ...{ id, name, colour },
  threads: Number(threads),
});
