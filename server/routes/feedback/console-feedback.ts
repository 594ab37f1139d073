import type { threads as contract, OwnedThread } from "../../../src/contract/console/feedback.ts";
import { limits } from "../../../src/contract/limits.ts";
import type { Deps } from "../../deps.ts";
import type { Handlers, Request } from "../../http/handler.ts";
import type { Reader } from "../../store/engine/database.ts";
import type { Viewer } from "../../store/feedback/feedback.ts";
import { removeThread } from "../../store/feedback/feedback-removal.ts";
import { indexForSearch } from "../../store/feedback/feedback-search.ts";
import { listThreads, updateThread } from "../../store/feedback/inbox.ts";
import { messages } from "../../store/feedback/messages.ts";
import { createAuditWriter } from "../access/audit-record.ts";
import { ownedApp } from "../access/owned-app.ts";
import { idPart, instantPart, pageOf, readCursor, sequencePart } from "../list-page.ts";
import { proposalsOf, threadAnswer } from "./feedback-answer.ts";
import { removeFiles } from "./feedback-removal.ts";
import { appOfThread, ownedThread } from "./owned-feedback.ts";

export function consoleFeedback(
  deps: Pick<Deps, "clock" | "database" | "keptFiles" | "log" | "newId" | "settings">,
): Handlers<typeof contract> {
  const record = createAuditWriter(deps);
  return {
    list: (request) => list(deps, request),

    read: ({ caller, params }) => read(deps, deps.database, { id: params.id, viewer: caller }),

    update: ({ caller, address, params: { id }, body, save }) =>
      save(async (tx) => {
        const appId = await appOfThread(tx, id, caller);
        await updateThread(tx, id, body);
        await record(tx, { caller, address }, { action: "thread.update", appId, target: id });
        return read(deps, tx, { id, viewer: caller });
      }),

    async remove({ caller, address, params: { id }, save }) {
      let files: readonly string[] = [];
      await save(async (tx) => {
        const appId = await appOfThread(tx, id, caller);
        files = (await removeThread(tx, id)).hashes;
        await record(tx, { caller, address }, { action: "thread.delete", appId, target: id });
        return undefined;
      });
      removeFiles(deps, files);
      return undefined;
    },

    addMessage: ({ caller, address, params: { id }, body, save }) =>
      save(async (tx) => {
        const appId = await appOfThread(tx, id, caller);
        const createdAt = deps.clock.now().toISOString();
        const message = { id: deps.newId(), feedbackId: id, author: "team", ...body, createdAt } as const;
        await messages.insert(tx, message);
        await record(tx, { caller, address }, { action: `message.${body.direction}`, appId, target: id });
        return message;
      }),
  };
}

async function list(
  { database }: Pick<Deps, "database">,
  { caller, params, query }: Request<typeof contract.list>,
) {
  const { cursor, limit = limits.listPage.default, ...filters } = query;
  const search = filters.q !== undefined;
  const position = readCursor(cursor, search ? [sequencePart] : [instantPart, idPart]);
  await ownedApp(database, params.appId, caller);
  if (search) await indexForSearch(database);
  const rows = await listThreads(
    database,
    { appId: params.appId, ...filters },
    { position, limit: limit + 1 },
  );
  return pageOf(rows, limit, ({ seq, createdAt, id }) => (search ? [String(seq)] : [createdAt, id]));
}

async function read(
  { settings }: Pick<Deps, "settings">,
  reader: Reader,
  { id, viewer }: { readonly id: string; readonly viewer: Viewer },
): Promise<OwnedThread> {
  const thread = await ownedThread(reader, id, viewer);
  return {
    ...threadAnswer(settings, thread),
    sender: { name: thread.senderName, email: thread.senderEmail },
    proposals: proposalsOf(thread),
  };
}
