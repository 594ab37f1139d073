import { badRequest } from "../../../src/contract/errors.ts";
import { limits } from "../../../src/contract/limits.ts";
import type { threads as contract, LastMessage, ThreadSummary } from "../../../src/contract/threads.ts";
import { ownedApp } from "../../access/apps/owned-app.ts";
import type { Reader } from "../../database/database.ts";
import type { Deps } from "../../deps.ts";
import type { Request } from "../../http/handler.ts";
import { readCursor, searchedPage } from "../../http/list-page.ts";
import { assigneeOf, filteredAssignee } from "../assignees/assign.ts";
import { factsOf } from "../search/facts.ts";
import { foundLines } from "../search/lines.ts";
import { indexForSearch } from "../search/store/indexing.ts";
import { endDueSnoozes } from "../snooze/store.ts";
import { tagNamesIn } from "../tags/rules.ts";
import { threadTags } from "../tags/store.ts";
import { threadCursors } from "../thread-lists/cursors.ts";
import { numberThreads } from "../thread-numbers/store.ts";
import { type NewsRow, threadNews } from "../unread/store/news.ts";
import { listThreads, orderOf, type SummaryRow } from "./store.ts";

/**
 * Returns a page of the threads of an app. Each has its last message and whether it is unread for the caller. Throws
 * `not_found` and `bad_request`.
 */
export async function listInbox(
  deps: Pick<Deps, "clock" | "database" | "time">,
  { caller, params: { appId }, query }: Request<typeof contract.list>,
) {
  const { database } = deps;
  const { cursor, limit = limits.listPage.default, tag, assignee: given, ...filters } = query;
  const tags = tag === undefined ? undefined : tagNamesIn(tag);
  if (filters.q !== undefined && filters.unread !== undefined)
    throw badRequest("unread", "cannot be combined with `q`");
  if (filters.sender !== undefined && (filters.q !== undefined || filters.unread !== undefined))
    throw badRequest("sender", "cannot be combined with `q` and `unread`");
  if (filters.number !== undefined && (filters.q !== undefined || filters.unread !== undefined))
    throw badRequest("number", "cannot be combined with `q` and `unread`");
  const order = orderOf(filters);
  const sortKey = threadCursors[order];
  const position = readCursor(cursor, sortKey.parts);
  await ownedApp(database, appId, caller);
  await numberThreads(database, appId);
  await endDueSnoozes(deps);
  if (order === "found") await indexForSearch(database);
  const { userId } = caller;
  const assignee = await filteredAssignee(database, appId, { assignee: given, userId });
  const scope = { appId, userId, tags, assignee, ...filters };
  const { rows, reached } = await listThreads(database, scope, { position, limit: limit + 1 });
  const { items, nextCursor } = searchedPage(rows, limit, { keyOf: sortKey.of, reached });
  const summaries = await summariesOf(database, { userId, q: filters.q }, items);
  if (filters.q === undefined || cursor !== undefined) return { items: summaries, nextCursor };
  const search = { ...filters, q: filters.q, tags, assignee };
  return {
    items: summaries,
    nextCursor,
    search: await factsOf(database, { appIds: [appId], userId }, search),
  };
}

/** Returns the summaries of these threads: with the found line in a search. */
export async function summariesOf(
  reader: Reader,
  { userId, q }: { readonly userId: string; readonly q: string | undefined },
  rows: readonly SummaryRow[],
): Promise<ThreadSummary[]> {
  const ids = rows.map(({ id }) => id);
  const found = await threadNews(reader, userId, ids);
  const news = new Map(found.map((row) => [row.id, row]));
  const tagsOf = await threadTags.of(reader, ids);
  const lines =
    q === undefined
      ? undefined
      : await foundLines(
          reader,
          q,
          rows.map(({ seq }) => seq),
        );
  return rows.flatMap((row) => {
    const summary = summaryOf(row, news.get(row.id), tagsOf.get(row.id) ?? []);
    return lines === undefined
      ? summary
      : summary.map((one) => ({ ...one, found: lines.get(row.seq) ?? null }));
  });
}

/** Returns an empty list for a thread that was deleted after the list was read. */
function summaryOf(row: SummaryRow, news: NewsRow | undefined, tags: ThreadSummary["tags"]): ThreadSummary[] {
  if (!news) return [];
  const { seq: _, assigneeId, assigneeEmail, ...summary } = row;
  const assignee = assigneeOf({ assigneeId, assigneeEmail });
  return [{ ...summary, assignee, unread: news.unread === 1, lastMessage: lastMessageOf(news), tags }];
}

const authors: Readonly<Record<string, LastMessage["author"]>> = { team: "team", agent: "agent" };

function lastMessageOf({ direction, author, senderName, senderEmail, ...news }: NewsRow): LastMessage {
  const sender = direction === "inbound" ? { name: senderName, email: senderEmail } : null;
  const { writtenBy, text, createdAt } = news;
  return {
    direction,
    author: authors[author] ?? "sender",
    sender,
    writtenBy,
    text: beginningOf(text),
    createdAt,
  };
}

const longest = 200;

/** Returns the beginning of a text in one line. If the text has spaces, it is cut at a space. */
function beginningOf(text: string): string {
  const line = text.replace(/\s+/gu, " ").trim();
  // A text never has more characters than UTF-16 units. So most texts are short enough without a count of their
  // characters.
  if (line.length <= longest) return line;
  const characters = [...line];
  if (characters.length <= longest) return line;
  const cut = characters.slice(0, longest - 1).join("");
  const atWord = cut.replace(/\s+\S*$/u, "");
  return `${atWord.length > cut.length / 2 ? atWord : cut}…`;
}
