import { badRequest } from "../../../src/contract/errors.ts";
import type {
  findWork as contract,
  FeedbackFilters,
  FoundRun,
  FoundThread,
} from "../../../src/contract/find-work.ts";
import { limits } from "../../../src/contract/limits.ts";
import { ownedApp } from "../../access/apps/owned-app.ts";
import { tokensTopic } from "../../database/signals.ts";
import type { Deps } from "../../deps.ts";
import type { Handlers, Request } from "../../http/handler.ts";
import { hold } from "../../http/held-request.ts";
import { idPart, instantPart, pageOf, readCursor, searchedPage } from "../../http/list-page.ts";
import { stateAt } from "../proposals/rules.ts";
import { indexForSearch } from "../search/store/indexing.ts";
import { endDueSnoozes } from "../threads/store/snooze-store.ts";
import { tagNamesIn } from "../tags/rules.ts";
import { threadCursors } from "../inbox/cursors.ts";
import { threadUrl } from "../threads/answer.ts";
import { notAMark, threadChanges } from "./store/changes.ts";
import {
  type FoundRow,
  type FoundRunRow,
  findChanged,
  findRuns,
  findThreads,
  orderOf,
  type Search,
} from "./store/work.ts";

type FindDeps = Pick<
  Deps,
  "clock" | "database" | "log" | "settings" | "stopping" | "threadWatch" | "time" | "waiting"
>;

/** The handlers with which an agent finds threads and proposals. */
export function findWork(deps: FindDeps): Handlers<typeof contract> {
  return {
    async listFeedback(request) {
      const { changedAfter, cursor, q, wait = 0 } = request.query;
      if (changedAfter === undefined && wait > 0) throw badRequest("wait", "needs `changedAfter`");
      if (changedAfter === undefined) return list(deps, request);
      if (q !== undefined) throw badRequest("q", "cannot be combined with `changedAfter`");
      if (cursor !== undefined) throw badRequest("cursor", "cannot be combined with `changedAfter`");
      return listChanged(deps, request, changedAfter, wait * 1_000);
    },

    async listRuns({ caller: viewer, query: { status, cursor, limit = limits.agentPage.default } }) {
      const position = readCursor(cursor, [instantPart, idPart]);
      const rows = await findRuns(deps.database, { viewer, status }, { position, limit: limit + 1 });
      const { items, nextCursor } = pageOf(rows, limit, ({ createdAt, id }) => [createdAt, id]);
      return { items: items.map((row) => runAnswer(deps, row)), nextCursor };
    },
  };
}

type ListRequest = Request<typeof contract.listFeedback>;

/**
 * Returns a page of the list. The first page also has a mark, after which a client can ask for later changes. (rule
 * A30)
 */
async function list(deps: FindDeps, { caller, query }: ListRequest) {
  const { database, settings } = deps;
  const { cursor, limit = limits.agentPage.default } = query;
  const search = await searchOf({ database }, caller, query);
  const order = orderOf(search.filters);
  const sortKey = threadCursors[order];
  const position = readCursor(cursor, sortKey.parts);
  await endDueSnoozes(deps);
  if (order === "found") await indexForSearch(deps);
  // The mark comes from the rows of the list. An empty list has no rows, so another mark is read before the list.
  const before = cursor === undefined ? await threadChanges.present(database) : null;
  const { rows, reached } = await findThreads(database, search, { position, limit: limit + 1 });
  const { items, nextCursor } = searchedPage(rows, limit, { keyOf: sortKey.of, reached });
  const changes = before && encoded(threadChanges.seenBy(before, rows.at(0)?.mark));
  return { items: items.map((row) => threadItem(settings, row)), nextCursor, changes };
}

/** Returns the threads that changed after a mark. If there are none, it waits for the next change. (rules A30, A31) */
async function listChanged(deps: FindDeps, request: ListRequest, changedAfter: string, milliseconds: number) {
  const { database, settings } = deps;
  const { caller, callerNow, query } = request;
  const { limit = limits.agentPage.default } = query;
  const search = await searchOf({ database }, caller, query);
  let mark = Buffer.from(changedAfter, "base64url").toString();
  const look = async () => {
    await endDueSnoozes(deps);
    const after = await threadChanges.after(database, mark);
    if (after === notAMark)
      throw badRequest(
        "changedAfter",
        "is not a mark of this database; read the list again and use `changes` of that answer",
      );
    const { conditions, next } = after;
    const rows = await findChanged(database, search, { conditions, limit: limit + 1 });
    mark = next(rows.length > limit ? rows.at(limit - 1) : undefined);
    // The caller is checked after the read, because a credential that was revoked while the request waited must not get
    // the answer.
    if (milliseconds > 0) await callerNow();
    return rows.slice(0, limit);
  };
  const rows = await hold(deps, request, {
    topics: [tokensTopic],
    look,
    enough: (seen) => seen.length > 0,
    milliseconds,
    listen: deps.threadWatch.listen,
  });
  return { items: rows.map((row) => threadItem(settings, row)), nextCursor: null, changes: encoded(mark) };
}

const encoded = (mark: string): string => Buffer.from(mark).toString("base64url");

/**
 * Returns the search that the request describes. Throws `not_found` if the caller is not a member of the app.
 */
async function searchOf(
  { database }: Pick<Deps, "database">,
  viewer: ListRequest["caller"],
  { appId, tag = "", ...filters }: FeedbackFilters,
): Promise<Search> {
  if (appId !== undefined) await ownedApp(database, appId, viewer);
  return {
    viewer: { ...viewer, appId: appId ?? viewer.appId },
    filters: { ...filters, tags: tagNamesIn(tag) },
  };
}

const threadItem = (settings: Deps["settings"], row: FoundRow): FoundThread => ({
  id: row.id,
  app: { id: row.appId, name: row.appName },
  subject: row.subject,
  type: row.type,
  status: row.status,
  createdAt: row.createdAt,
  activeAt: row.activeAt,
  occurrences: row.occurrences,
  consoleUrl: threadUrl(settings, row.appId, row.id),
  waiting: row.waiting ?? "none",
  runId: row.runId,
});

function runAnswer({ settings, clock }: Pick<Deps, "settings" | "clock">, row: FoundRunRow): FoundRun {
  const { appId, appName, ...run } = stateAt(row, clock.now());
  const app = { id: appId, name: appName };
  return { ...run, app, consoleUrl: threadUrl(settings, appId, run.feedbackId) };
}
