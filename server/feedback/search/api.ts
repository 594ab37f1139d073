import { limits } from "../../../src/contract/limits.ts";
import type { search as contract } from "../../../src/contract/threads.ts";
import { visibleTo } from "../../access/members/visibility.ts";
import type { Deps } from "../../deps.ts";
import { type Handlers, readCursor, searchedPage } from "../../http/handler.ts";
import { factsOf, summariesOf, threadCursors } from "../inbox/lists.ts";
import { searchInbox } from "../inbox/store.ts";
import { storeDueChanges } from "../proposals/due.ts";
import { numberThreads } from "../threads/store/threads.ts";
import { indexForSearch } from "./store/indexing.ts";
import { searchedApps } from "./store/search.ts";

const sortKey = threadCursors.found;

/**
 * The search in all apps of a person. It first indexes new threads, and stores ended snoozes and expired
 * approvals.
 */
export const search = (
  deps: Pick<Deps, "clock" | "database" | "log" | "newId" | "time">,
): Handlers<typeof contract> => ({
  async list({ caller, query: { cursor, limit = limits.listPage.default, appId, ...filters } }) {
    const { database } = deps;
    const position = readCursor(cursor, sortKey.parts);
    const apps = await searchedApps(database, visibleTo(caller), appId);
    for (const id of apps.keys()) await numberThreads(database, id);
    await storeDueChanges(deps);
    await indexForSearch(deps);
    const scope = { appIds: [...apps.keys()], userId: caller.userId };
    const page = { position, limit: limit + 1 };
    const { rows, reached } = await searchInbox(database, { ...scope, ...filters, tagIds: [] }, page);
    const { items, nextCursor } = searchedPage(rows, limit, { keyOf: sortKey.of, reached });
    const [summaries, facts] = await Promise.all([
      summariesOf(database, { userId: caller.userId, q: filters.q }, items),
      cursor === undefined ? factsOf(database, scope, filters, { rows, reached, ...page }) : undefined,
    ]);
    const found = summaries.map((thread) => ({ ...thread, appName: apps.get(thread.appId) ?? "" }));
    return { items: found, nextCursor, ...(facts === undefined ? {} : { search: facts }) };
  },
});
