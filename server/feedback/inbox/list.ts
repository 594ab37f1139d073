import { limits } from "../../../src/contract/limits.ts";
import type {
  threads as contract,
  LastMessage,
  ThreadFilters,
  ThreadSummary,
} from "../../../src/contract/threads.ts";
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
import type { MemberOf } from "../unread/store/read-marks.ts";
import { filterRefusal } from "../views/rules.ts";
import { type Filters, listThreads, orderOf, type SummaryRow } from "./store.ts";

/**
 * Returns a page of the threads of an app. Each has its last message and whether it is unread for the caller. Throws
 * `not_found` and `bad_request`.
 */
export async function listInbox(
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
  const { rows, reached } = await listThreads(database, scope, { position, limit: limit + 1 });
  const { items, nextCursor } = searchedPage(rows, limit, { keyOf: sortKey.of, reached });
  const summaries = await summariesOf(database, { userId, q: filters.q }, items);
  if (filters.q === undefined || cursor !== undefined) return { items: summaries, nextCursor };
  const { appId: _, userId: __, ...wanted } = scope;
  const search = { ...wanted, q: filters.q };
  return {
    items: summaries,
    nextCursor,
    search: await factsOf(database, { appIds: [appId], userId }, search),
  };
}

/** Gives new threads their numbers and ends snoozes that are over. Call it before you read the threads of an app. */
export async function prepareInbox(
  deps: Pick<Deps, "clock" | "database" | "log" | "time">,
  appId: string,
): Promise<void> {
  await numberThreads(deps.database, appId);
  await endDueSnoozes(deps);
}

/** Returns filters as the store needs them: names of tags, and the id of the assignee. */
export async function inboxScope(
  reader: Reader,
  { appId, userId }: MemberOf,
  { tag, assignee: given, ...filters }: ThreadFilters,
): Promise<Filters & MemberOf> {
  const tags = tag === undefined ? undefined : tagNamesIn(tag);
  const assignee = await filteredAssignee(reader, appId, { assignee: given, userId });
  return { appId, userId, tags, assignee, ...filters };
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
  const { seq: _, assigneeId, assigneeEmail, assigneeName, ...summary } = row;
  const assignee = assigneeOf({ assigneeId, assigneeEmail, assigneeName });
  return [{ ...summary, assignee, unread: news.unread === 1, lastMessage: lastMessageOf(news), tags }];
}

const authors: Readonly<Record<string, LastMessage["author"]>> = { team: "team", agent: "agent" };

function lastMessageOf({ direction, author, senderName, senderEmail, ...news }: NewsRow): LastMessage {
  const sender = direction === "inbound" ? { name: senderName, email: senderEmail } : null;
  const { writtenBy, writtenByName, text, createdAt } = news;
  return {
    direction,
    author: authors[author] ?? "sender",
    sender,
    writtenBy,
    writtenByName,
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
