import type { EditedChangelogEntry } from "../../../../src/contract/changelog.ts";
import type { consoleChangelog as contract } from "../../../../src/contract/console-changelog.ts";
import { ApiError } from "../../../../src/contract/errors.ts";
import { limits } from "../../../../src/contract/limits.ts";
import { ownedApp } from "../../../access/apps/owned-app.ts";
import { createAuditWriter } from "../../../access/audit/record.ts";
import { changesBetween } from "../../../access/audit/rules.ts";
import type { Viewer } from "../../../access/members/visibility.ts";
import type { Reader, Transaction } from "../../../database/database.ts";
import type { Deps } from "../../../deps.ts";
import type { Handlers, Request } from "../../../http/handler.ts";
import { idPart, instantPart, pageOf, readCursor } from "../../../http/list-page.ts";
import { draftDate, type OwnedChangelogRow, changelogEntries as rows } from "../changelog-entries.ts";
import { createEntry, entryAnswer, publishEntry, removeEntry, updateEntry } from "./changelog-changes.ts";
import { linkedFeedback } from "./changelog-feedback.ts";
import { importEntry } from "./changelog-import.ts";

export function consoleChangelog(
  deps: Pick<Deps, "clock" | "database" | "newId">,
): Handlers<typeof contract> {
  const record = createAuditWriter(deps);
  return {
    list: (request) => list(deps, request),

    create: ({ caller, address, params: { appId }, body, save }) =>
      save(async (tx) => {
        await ownedApp(tx, appId, caller);
        const writer = { appId, isPerson: caller.kind === "session", by: caller.userId };
        const entry = await createEntry(deps, tx, { writer, entry: body });
        await record(tx, { caller, address }, { action: "changelog.create", appId, target: entry.id });
        return entry;
      }),

    put: ({ caller, address, params: { appId, version }, body, save }) =>
      save(async (tx) => {
        await ownedApp(tx, appId, caller);
        const entry = await importEntry(deps, tx, { appId, version, viewer: caller, given: body });
        const action = entry.created ? "changelog.create" : "changelog.update";
        if (entry.created || entry.changedFields.length > 0)
          await record(
            tx,
            { caller, address },
            {
              ...{ action, appId, target: entry.id },
              changes: entry.created ? [] : entry.changedFields.map((field) => ({ field })),
            },
          );
        return entry;
      }),

    read: ({ caller, params }) => answerOf(deps.database, params.entryId, caller),

    update: ({ caller, address, params: { entryId: id }, body, save }) =>
      save(async (tx) => {
        const entry = await lockedEntry(tx, id, caller);
        const { appId } = entry;
        await updateEntry(deps, tx, { entry, change: body, by: caller.userId });
        const answer = await answerOf(tx, id, caller);
        const changes = changesBetween(entryAnswer(entry), answer, ["body", "items"]);
        await record(
          tx,
          { caller, address },
          {
            ...{ action: "changelog.update", appId, target: id },
            changes: changes.filter(({ field }) => field in body),
          },
        );
        return answer;
      }),

    remove: ({ caller, address, params: { entryId: id }, save }) =>
      save(async (tx) => {
        const { appId } = await lockedEntry(tx, id, caller);
        await removeEntry(tx, { appId, id });
        await record(tx, { caller, address }, { action: "changelog.delete", appId, target: id });
        return { success: true };
      }),

    publish: ({ caller, address, params: { entryId: id }, save }) =>
      save(async (tx) => {
        const entry = await lockedEntry(tx, id, caller);
        await publishEntry(deps, tx, { entry, by: caller.userId });
        await record(
          tx,
          { caller, address },
          { action: "changelog.publish", appId: entry.appId, target: id },
        );
        return answerOf(tx, id, caller);
      }),
  };
}

async function list(
  { database }: Pick<Deps, "database">,
  { caller, params, query }: Request<typeof contract.list>,
) {
  const { cursor, limit = limits.listPage.default } = query;
  const position = readCursor(cursor, [instantPart, instantPart, idPart]);
  await ownedApp(database, params.appId, caller);
  const found = await rows.list(database, params.appId, { position, limit: limit + 1 });
  const { items, nextCursor } = pageOf(found, limit, (row) => [
    row.publishedAt ?? draftDate,
    row.createdAt,
    row.id,
  ]);
  const linked = await linkedFeedback(
    database,
    items.map(({ id }) => id),
  );
  return { items: items.map((row) => entryAnswer(row, linked.get(row.id))), nextCursor };
}

async function answerOf(reader: Reader, id: string, viewer: Viewer): Promise<EditedChangelogEntry> {
  const entry = await ownedEntry(reader, id, viewer);
  return entryAnswer(entry, (await linkedFeedback(reader, [id])).get(id));
}

/** The entry, locked until the transaction ends: an import must see what a person writes at the same time. */
async function lockedEntry(tx: Transaction, id: string, viewer: Viewer): Promise<OwnedChangelogRow> {
  const { appId } = await ownedEntry(tx, id, viewer);
  await rows.lock(tx, appId);
  return ownedEntry(tx, id, viewer);
}

async function ownedEntry(reader: Reader, id: string, viewer: Viewer): Promise<OwnedChangelogRow> {
  const entry = await rows.find(reader, id, viewer);
  if (!entry) throw new ApiError("not_found");
  return entry;
}
