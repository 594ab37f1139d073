import { limits } from "../../../src/contract/limits.ts";
import type { threads as contract } from "../../../src/contract/threads.ts";
import { ownedApp } from "../../access/apps/owned-app.ts";
import { visibleTo } from "../../access/members/visibility.ts";
import type { Deps } from "../../deps.ts";
import type { Handlers, Request } from "../../http/handler.ts";
import { pageOf, readCursor, searchedPage } from "../../http/list-page.ts";
import { factsOf } from "./facts.ts";
import { searchedApps } from "../search/store/apps.ts";
import { indexForSearch } from "../search/store/indexing.ts";
import { endDueSnoozes } from "../threads/store/snooze-store.ts";
import { threadCursors } from "./cursors.ts";
import { numberThreads } from "../threads/store/store.ts";
import { countAnswer, filterRefusal } from "./rules.ts";
import { inboxScope, prepareInbox } from "./scope.ts";
import { countThreads, type KeyedThread, listKeys, listThreads, orderOf, readSummaries } from "./store.ts";
import { summariesOf } from "./lists.ts";

/** The handlers that list the threads of an app, and of all apps. */
export const inbox = (
  deps: Pick<Deps, "clock" | "database" | "log" | "time">,
): Pick<Handlers<typeof contract>, "list" | "listAll"> => ({
  list: (request) => listInbox(deps, request),
  listAll: (request) => listAllApps(deps, request),
});

/**
 * Returns a page of the threads of an app. Each has its last message and whether it is unread for the caller. Throws
 * `not_found` and `bad_request`.
 */
async function listInbox(
  deps: Pick<Deps, "clock" | "database" | "log" | "time">,
  { caller, params: { appId }, query }: Request<typeof contract.list>,
) {
  const { database } = deps;
  const { cursor, limit = limits.listPage.default, ...filters } = query;
  const refusal = filterRefusal(filters);
  if (refusal) throw refusal;
  const order = orderOf(filters);
  const sortKey = threadCursors[order];
  const position = readCursor(cursor, sortKey.parts);
  await ownedApp(database, appId, caller);
  await prepareInbox(deps, appId);
  if (order === "found") await indexForSearch(deps);
  const { userId } = caller;
  const scope = await inboxScope(database, { appId, userId }, filters);
  const page = { position, limit: limit + 1 };
  const { rows, reached } = await listThreads(database, scope, page);
  const { items, nextCursor } = searchedPage(rows, limit, { keyOf: sortKey.of, reached });
  const summaries = summariesOf(database, { userId, q: filters.q }, items);
  if (filters.q === undefined || cursor !== undefined) return { items: await summaries, nextCursor };
  const { appId: _, userId: __, ...wanted } = scope;
  const search = { ...wanted, q: filters.q };
  const facts = factsOf(database, { appIds: [appId], userId }, search, { rows, reached, ...page });
  const [listed, known] = await Promise.all([summaries, facts]);
  return { items: listed, nextCursor, search: known };
}

/**
 * Returns a page of the threads of all apps of the caller. For each app, only the sort keys of its threads are read, in
 * the order of an index. Then the lists are combined, and all columns are read only for the threads of the page. (rule
 * F49)
 */
async function listAllApps(
  deps: Pick<Deps, "clock" | "database" | "time">,
  { caller, query }: Request<typeof contract.listAll>,
) {
  const { database } = deps;
  const { cursor, limit = limits.listPage.default, ...filters } = query;
  const order = orderOf(filters) === "activity" ? "activity" : "created";
  const sortKey = threadCursors[order];
  const position = readCursor(cursor, sortKey.parts);
  const apps = await searchedApps(database, visibleTo(caller), undefined);
  for (const id of apps.keys()) await numberThreads(database, id);
  await endDueSnoozes(deps);
  const rows: KeyedThread[] = [];
  let count = 0;
  for (const appId of apps.keys()) {
    const scope = await inboxScope(database, { appId, userId: caller.userId }, filters);
    rows.push(...(await listKeys(database, scope, { position, limit: limit + 1 })).rows);
    if (cursor === undefined && count <= limits.viewCount)
      count += (await countThreads(database, scope, { most: limits.viewCount + 1 })).count;
  }
  const keyOf = (row: KeyedThread) => sortKey.of(row).join(" ");
  rows.sort((one, other) => (keyOf(one) < keyOf(other) ? 1 : -1));
  const { items, nextCursor } = pageOf(rows, limit, sortKey.of);
  const shown = await readSummaries(
    database,
    items.map(({ id }) => id),
  );
  const summaries = await summariesOf(database, { userId: caller.userId, q: undefined }, shown);
  const named = summaries.map((thread) => ({ ...thread, appName: apps.get(thread.appId) ?? "" }));
  if (cursor !== undefined) return { items: named, nextCursor };
  return { items: named, nextCursor, count: countAnswer({ count, isComplete: true }, limits.viewCount) };
}
