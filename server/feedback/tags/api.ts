import { ApiError, badRequest } from "../../../src/contract/errors.ts";
import type { tags as contract, Tag } from "../../../src/contract/tags.ts";
import { ownedApp } from "../../access/apps/owned-app.ts";
import { createAuditWriter } from "../../access/audit/record.ts";
import { changesBetween } from "../../access/audit/rules.ts";
import type { Viewer } from "../../access/members/visibility.ts";
import type { Reader, Transaction } from "../../database/database.ts";
import type { Deps } from "../../deps.ts";
import type { Handlers } from "../../http/handler.ts";
import { tags as rows } from "./store.ts";
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
        const before = await ownedTag(tx, id, caller);
        const { appId, name } = before;
        if (!(await rows.update(tx, { id, appId }, body))) throw new ApiError("tag_exists");
        const changes = changesBetween({ ...before }, body);
        await record(
          tx,
          { caller, address },
          { action: "tag.update", appId, target: id, label: name, changes },
        );
        return tagAnswer(await ownedTag(tx, id, caller));
      }),

    async merge({ caller, address, params: { tagId: id }, body: { into }, save }) {
      const merged = { from: id, into };
      await assertMergeable(deps.database, merged, caller);
      const moveSome = (tx: Transaction) => rows.moveSome(tx, merged, atOnce);
      while ((await deps.database.write(moveSome)) > 0);
      return save(async (tx) => {
        const { appId, name } = await assertMergeable(tx, merged, caller);
        // The threads that have got the tag in the meantime.
        while ((await moveSome(tx)) > 0);
        await rows.remove(tx, id);
        await record(tx, { caller, address }, { action: "tag.merge", appId, target: id, label: name });
        return tagAnswer(await ownedTag(tx, into, caller));
      });
    },

    async remove({ caller, address, params: { tagId: id }, save }) {
      await ownedTag(deps.database, id, caller);
      while ((await deps.database.write((tx) => rows.takeFromSome(tx, id, atOnce))) > 0);
      return save(async (tx) => {
        const { appId, name } = await ownedTag(tx, id, caller);
        await rows.remove(tx, id);
        await record(tx, { caller, address }, { action: "tag.delete", appId, target: id, label: name });
        return undefined;
      });
    },
  };
}

/**
 * A tag is taken from so many threads in one transaction, because SQLite has one writer. If the work is interrupted, the tag is
 * still there with the other threads, and the same request again goes on.
 */
const atOnce = 500;

/** Throws `not_found` or `bad_request` if one tag cannot be merged into the other. Gives the one that ends. */
async function assertMergeable(
  reader: Reader,
  { from, into }: { readonly from: string; readonly into: string },
  viewer: Viewer,
) {
  const tag = await ownedTag(reader, from, viewer);
  const other = await rows.find(reader, viewer, into);
  if (other?.appId !== tag.appId || other.id === from)
    throw badRequest("into", "must be another tag of the app");
  return tag;
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
