import type { AuditChange } from "../../../src/contract/audit.ts";
import { ApiError, badRequest } from "../../../src/contract/errors.ts";
import { limits } from "../../../src/contract/limits.ts";
import type { tags as contract, Tag } from "../../../src/contract/tags.ts";
import { ownedApp } from "../../access/apps/store.ts";
import { createAuditWriter } from "../../access/audit/record.ts";
import { changesBetween } from "../../access/audit/rules.ts";
import type { Viewer } from "../../access/members/visibility.ts";
import type { Reader, Transaction } from "../../database/database.ts";
import { listsTopic } from "../../database/transaction.ts";
import type { Deps } from "../../deps.ts";
import type { Handlers } from "../../http/handler.ts";
import { tags as rows, threadTags } from "./store.ts";

/** The handlers for the tags of an app. (rule F30) */
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
        const id = await createTag(deps, tx, { appId, ...body });
        if (id === undefined) throw new ApiError("tag_exists");
        tx.signal(listsTopic(appId));
        await record(tx, { caller, address }, { action: "tag.create", appId, target: id, label: body.name });
        return tagAnswer(await ownedTag(tx, id, caller));
      }),

    update: ({ caller, address, params: { tagId: id }, body, save }) =>
      save(async (tx) => {
        const before = await ownedTag(tx, id, caller);
        const { appId, name } = before;
        if (!(await rows.update(tx, { id, appId }, body))) throw new ApiError("tag_exists");
        tx.signal(listsTopic(appId));
        const changes = changesBetween({ ...before }, body);
        const action = { action: "tag.update", appId, target: id, label: name, changes } as const;
        await record(tx, { caller, address }, action);
        return tagAnswer(await ownedTag(tx, id, caller));
      }),

    async merge({ caller, address, params: { tagId: id }, body: { into }, save }) {
      const merged = { from: id, into };
      await assertMergeable(deps.database, merged, caller);
      const moveSome = (tx: Transaction) => rows.moveSome(tx, merged, atOnce);
      while ((await deps.database.write(moveSome)) > 0);
      return save(async (tx) => {
        const { appId, name } = await assertMergeable(tx, merged, caller);
        // Moves the threads that got the tag while the earlier transactions ran.
        while ((await moveSome(tx)) > 0);
        await rows.renameInUndo(tx, { appId, ...merged });
        await rows.remove(tx, id);
        tx.signal(listsTopic(appId));
        await record(tx, { caller, address }, { action: "tag.merge", appId, target: id, label: name });
        return tagAnswer(await ownedTag(tx, into, caller));
      });
    },

    async remove({ caller, address, params: { tagId: id }, save }) {
      await ownedTag(deps.database, id, caller);
      while ((await deps.database.write((tx) => rows.removeFromSome(tx, id, atOnce))) > 0);
      return save(async (tx) => {
        const { appId, name } = await ownedTag(tx, id, caller);
        await rows.remove(tx, id);
        tx.signal(listsTopic(appId));
        await record(tx, { caller, address }, { action: "tag.delete", appId, target: id, label: name });
        return undefined;
      });
    },
  };
}

/** The number of threads in one transaction. Other writes wait during a transaction. */
const atOnce = 500;

/** Returns the tag `from`. Throws `not_found` or `bad_request` if it cannot be merged into `into`. */
async function assertMergeable(
  reader: Reader,
  { from, into }: { readonly from: string; readonly into: string },
  viewer: Viewer,
) {
  const tag = await ownedTag(reader, from, viewer);
  const other = await rows.find(reader, viewer, into);
  if (other?.appId !== tag.appId || other.id === from)
    throw badRequest("into", "must be another tag of the same app");
  return tag;
}

/** Returns a tag. Throws `not_found` if the viewer is not a member of its app. */
async function ownedTag(reader: Reader, id: string, viewer: Viewer) {
  const tag = await rows.find(reader, viewer, id);
  if (!tag) throw new ApiError("not_found");
  return tag;
}

const tagAnswer = ({ id, name, colour, threads }: Tag): Tag => ({
  ...{ id, name, colour },
  threads: Number(threads),
});

interface TagChange {
  readonly addTags?: readonly string[] | undefined;
  readonly removeTags?: readonly string[] | undefined;
}

export interface ThreadOfApp {
  readonly id: string;
  readonly appId: string;
}

/**
 * Changes a thread's tags. Returns the change for the audit log. Throws `bad_request` or `wrong_state` for too
 * many tags. (rule F30)
 */
export async function changeTags(
  deps: Pick<Deps, "clock" | "newId">,
  tx: Transaction,
  { id, appId, addTags = [], removeTags = [] }: ThreadOfApp & TagChange,
): Promise<readonly AuditChange[] | undefined> {
  if (addTags.length + removeTags.length === 0) return undefined;
  await tx.lock(id);
  const before = await namesOf(tx, id);
  for (const name of removeTags) await threadTags.remove(tx, id, name);
  for (const name of addTags) {
    await createTag(deps, tx, { appId, name });
    await threadTags.add(tx, id, name);
  }
  if ((await threadTags.count(tx, id)) > limits.threadTags)
    throw badRequest(
      "addTags",
      `must not add so many tags that the thread has more than ${limits.threadTags}`,
    );
  return changesBetween({ tags: before }, { tags: await namesOf(tx, id) });
}

/** Returns the names of a thread's tags as one text, for the audit log. */
const namesOf = async (tx: Transaction, id: string): Promise<string> =>
  ((await threadTags.of(tx, [id])).get(id) ?? [])
    .map(({ name }) => name)
    .sort()
    .join(", ");

/** Creates a tag and returns its id; undefined if the name exists. Throws `wrong_state` for too many tags. */
async function createTag(
  { clock, newId }: Pick<Deps, "clock" | "newId">,
  tx: Transaction,
  {
    appId,
    name,
    colour = null,
  }: { readonly appId: string; readonly name: string; readonly colour?: string | null | undefined },
): Promise<string | undefined> {
  const id = newId();
  const createdAt = clock.now().toISOString();
  if (!(await rows.insert(tx, { id, appId, name, colour, createdAt }))) return undefined;
  if ((await rows.count(tx, appId)) > limits.appTags)
    throw new ApiError("wrong_state", {
      message: `This app already has ${limits.appTags} tags, which is the maximum. Delete or merge some of them first.`,
    });
  return id;
}
