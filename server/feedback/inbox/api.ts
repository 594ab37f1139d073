import { suffices } from "../../../src/contract/endpoint.ts";
import { ApiError } from "../../../src/contract/errors.ts";
import { fixedViews } from "../../../src/contract/fixed-views.ts";
import { limits } from "../../../src/contract/limits.ts";
import type { threads as contract } from "../../../src/contract/threads.ts";
import {
  fixedViewNames,
  type View,
  type ViewQuery,
  type views as viewsContract,
} from "../../../src/contract/views.ts";
import { ownedApp } from "../../access/apps/store.ts";
import { createAuditWriter } from "../../access/audit/record.ts";
import { changesBetween } from "../../access/audit/rules.ts";
import { members } from "../../access/members/store.ts";
import { visibleTo } from "../../access/members/visibility.ts";
import type { Reader, Transaction } from "../../database/database.ts";
import { listsTopic } from "../../database/transaction.ts";
import type { Deps } from "../../deps.ts";
import {
  type ConsoleCaller,
  type Handlers,
  pageOf,
  type Request,
  readCursor,
  searchedPage,
} from "../../http/handler.ts";
import { storeDueChanges } from "../proposals/due.ts";
import { indexForSearch } from "../search/store/indexing.ts";
import { searchedApps } from "../search/store/search.ts";
import { numberThreads } from "../threads/store/threads.ts";
import { factsOf, inboxScope, prepareInbox, summariesOf, threadCursors } from "./lists.ts";
import { countAnswer, filterRefusal, knownFilters, tooManyViewsText } from "./rules.ts";
import {
  countLists,
  countThreads,
  isOldestFirst,
  type KeyedThread,
  listKeys,
  listThreads,
  orderOf,
  readSummaries,
  savedViews,
  type ViewRow,
  type WholeList,
} from "./store.ts";

/** The handlers that list the threads of one app, or of all apps of the caller. */
export const inbox = (
  deps: Pick<Deps, "clock" | "database" | "log" | "newId" | "time">,
): Pick<Handlers<typeof contract>, "list" | "listAll"> => ({
  list: (request) => listInbox(deps, request),
  listAll: (request) => listAllApps(deps, request),
});

/**
 * Returns a page of an app's threads, with facts about a search on its first page. Throws `not_found` and
 * `bad_request`.
 */
async function listInbox(
  deps: Pick<Deps, "clock" | "database" | "log" | "newId" | "time">,
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

/** Returns a page of the threads of all apps. Only threads on the page are read completely. (rule F49) */
async function listAllApps(
  deps: Pick<Deps, "clock" | "database" | "newId" | "time">,
  { caller, query }: Request<typeof contract.listAll>,
) {
  const { database } = deps;
  const { cursor, limit = limits.listPage.default, ...filters } = query;
  const order = orderOf(filters);
  const sortKey = threadCursors[order];
  const position = readCursor(cursor, sortKey.parts);
  const apps = await searchedApps(database, visibleTo(caller), undefined);
  for (const id of apps.keys()) await numberThreads(database, id);
  await storeDueChanges(deps);
  const rows: KeyedThread[] = [];
  let count = 0;
  for (const appId of apps.keys()) {
    const scope = await inboxScope(database, { appId, userId: caller.userId }, filters);
    rows.push(...(await listKeys(database, scope, { position, limit: limit + 1 })).rows);
    if (cursor === undefined && count <= limits.viewCount)
      count += (await countThreads(database, scope, { most: limits.viewCount + 1 })).count;
  }
  const keyOf = (row: KeyedThread) => sortKey.of(row).join(" ");
  const isAfter = isOldestFirst(order) ? 1 : -1;
  rows.sort((one, other) => (keyOf(one) > keyOf(other) ? isAfter : -isAfter));
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

/** Limits of an exact count. A search that takes longer than `milliseconds` has no exact count. (rule F45) */
const exactly: WholeList = { most: limits.bulkFound, milliseconds: 3_000 };

/** The handlers for the views of an app. (rule F44) */
export function views(
  deps: Pick<Deps, "clock" | "database" | "log" | "newId" | "time">,
): Handlers<typeof viewsContract> {
  const { database } = deps;
  const record = createAuditWriter(deps);

  const { count, countAll } = countsIn(database);

  return {
    async list({ caller, params: { appId } }) {
      await ownedApp(database, appId, caller);
      return { items: (await savedViews.list(database, appId, caller.userId)).map(viewOf) };
    },

    create: ({ caller, address, params: { appId }, body: { name, query, shared = false }, save }) =>
      save(async (tx) => {
        await mayChange(tx, { appId, caller, isShared: shared });
        checkQuery(query);
        const all = await savedViews.list(tx, appId, caller.userId);
        if (all.length >= limits.views) {
          const role = await members.roleOf(tx, appId, caller.userId);
          const message = tooManyViewsText({
            own: all.filter(({ userId }) => userId !== null).length,
            shared: all.filter(({ userId }) => userId === null).length,
            mayDeleteShared: role !== undefined && suffices(role, "maintainer"),
          });
          throw new ApiError("wrong_state", { message });
        }
        const at = deps.clock.now().toISOString();
        const row = {
          ...{ id: deps.newId(), appId, userId: shared ? null : caller.userId, name },
          ...{ query: JSON.stringify(query), createdAt: at, updatedAt: at },
        };
        await savedViews.insert(tx, row);
        const action = { action: "view.create", appId, target: row.id, label: name } as const;
        if (shared) {
          await record(tx, { caller, address }, action);
          tx.signal(listsTopic(appId));
        }
        return viewOf(row);
      }),

    update: ({ caller, address, params: { appId, viewId }, body, save }) =>
      save(async (tx) => {
        const before = await ownedView(tx, { appId, caller, viewId });
        const { name, query, shared = before.userId === null } = body;
        await mayChange(tx, { appId, caller, isShared: shared || before.userId === null });
        if (query) checkQuery(query);
        const change = {
          ...{ name, query: query && JSON.stringify(query), updatedAt: deps.clock.now().toISOString() },
          userId: shared ? null : caller.userId,
        };
        await savedViews.update(tx, viewId, change);
        const changes = changesBetween(
          { name: before.name, query: before.query, shared: before.userId === null },
          { name, query: change.query, shared },
        );
        const action = { action: "view.update", appId, target: viewId, changes, label: before.name } as const;
        if (shared || before.userId === null) {
          await record(tx, { caller, address }, action);
          tx.signal(listsTopic(appId));
        }
        return viewOf(await ownedView(tx, { appId, caller, viewId }));
      }),

    remove: ({ caller, address, params: { appId, viewId }, save }) =>
      save(async (tx) => {
        const { userId, name } = await ownedView(tx, { appId, caller, viewId });
        await mayChange(tx, { appId, caller, isShared: userId === null });
        await savedViews.remove(tx, viewId);
        const action = { action: "view.delete", appId, target: viewId, label: name } as const;
        if (userId === null) {
          await record(tx, { caller, address }, action);
          tx.signal(listsTopic(appId));
        }
        return undefined;
      }),

    async counts({ caller, params: { appId }, query: { views: withSaved, matching: which, ...filters } }) {
      await ownedApp(database, appId, caller);
      if (which !== undefined) checkQuery(filters);
      await prepareInbox(deps, appId);
      if (which === "exact" && filters.q !== undefined) await indexForSearch(deps);
      const matching = which && {
        asOf: deps.clock.now().toISOString(),
        count: await count(caller, appId, filters, which === "exact" ? exactly : undefined),
      };
      const rows = withSaved === undefined ? [] : await savedViews.list(database, appId, caller.userId);
      const views = rows.map(viewOf);
      const counts = await countAll(caller, appId, [
        ...fixedViewNames.map((view) => fixedViews[view]),
        ...views.map(({ query }) => query),
      ]);
      const fixed = fixedViewNames.map((view, at) => ({
        view,
        query: fixedViews[view],
        count: counts[at] ?? 0,
      }));
      if (withSaved === undefined) return { fixed, matching };
      const saved = views.map(({ id, name, shared, query, unknownFilters }, at) => ({
        ...{ id, name, shared, query, unknownFilters },
        count: counts[fixed.length + at] ?? 0,
      }));
      return { fixed, saved, matching };
    },
  };
}

/** Returns the functions that count the threads of views. */
function countsIn(database: Deps["database"]) {
  async function count(
    caller: ConsoleCaller,
    appId: string,
    query: ViewQuery,
    { most, milliseconds }: WholeList = { most: limits.viewCount },
  ): Promise<number | string> {
    const scope = await inboxScope(database, { appId, userId: caller.userId }, query);
    return countAnswer(await countThreads(database, scope, { most: most + 1, milliseconds }), most);
  }

  /** Counts the threads of several views. One statement counts all views except those with a search. */
  async function countAll(
    caller: ConsoleCaller,
    appId: string,
    queries: readonly ViewQuery[],
  ): Promise<(number | string)[]> {
    const most = limits.viewCount + 1;
    const listed = queries.filter(({ q }) => q === undefined);
    const scopes = [];
    for (const query of listed)
      scopes.push(await inboxScope(database, { appId, userId: caller.userId }, query));
    const found = await countLists(database, scopes, most);
    const counts = new Map(
      listed.map((query, at) => [
        query,
        countAnswer({ count: found[at] ?? 0, isComplete: true }, limits.viewCount),
      ]),
    );
    return Promise.all(queries.map((query) => counts.get(query) ?? count(caller, appId, query)));
  }

  return { count, countAll };
}

function checkQuery(query: ViewQuery): void {
  const refusal = filterRefusal(query);
  if (refusal) throw refusal;
}

/** Returns a stored view as an answer. */
const viewOf = ({ id, name, query, userId, createdAt, updatedAt }: ViewRow): View => ({
  ...{ id, name, ...knownFilters(JSON.parse(query)) },
  ...{ shared: userId === null, createdAt, updatedAt },
});

interface OfApp {
  readonly appId: string;
  readonly caller: ConsoleCaller;
}

/**
 * Throws `not_found` or `forbidden` unless the caller may change the view. Only a maintainer may change a shared view.
 */
async function mayChange(
  tx: Transaction,
  { appId, caller, isShared }: OfApp & { readonly isShared: boolean },
): Promise<void> {
  await ownedApp(tx, appId, isShared ? { ...caller, needs: "maintainer" } : caller);
}

/** Returns the view with this id if the caller may see it. Throws `not_found` otherwise. */
async function ownedView(
  reader: Reader,
  { appId, caller, viewId }: OfApp & { readonly viewId: string },
): Promise<ViewRow> {
  await ownedApp(reader, appId, caller);
  const view = await savedViews.find(reader, appId, caller.userId, viewId);
  if (!view) throw new ApiError("not_found");
  return view;
}
