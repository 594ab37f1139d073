import type {
  FoundLine,
  LastMessage,
  MissingValue,
  SearchFacts,
  ThreadFilters,
  ThreadSummary,
} from "../../../src/contract/threads.ts";
import { replyInWords } from "../../../src/words/thread.ts";
import type { Database, Reader } from "../../database/database.ts";
import type { Deps } from "../../deps.ts";
import { idPart, instantPart, oldestFirst, sequencePart } from "../../http/handler.ts";
import { storeDueChanges } from "../proposals/due.ts";
import { foundLine, isEmpty, namedValuesOf, readQuery, unknownValuesOf } from "../search/rules.ts";
import { isIncomplete } from "../search/store/indexing.ts";
import { countFound, countPage, textsInParts, withManyMessages } from "../search/store/search.ts";
import { correctedQuery } from "../search/store/spelling.ts";
import { tagKeyOf, tagNamesIn } from "../tags/rules.ts";
import { threadTags } from "../tags/store.ts";
import { filteredAssignee } from "../threads/change.ts";
import { assigneeOf, numberThreads } from "../threads/store/threads.ts";
import { type NewsRow, threadNews } from "../unread/store/news.ts";
import type { MemberOf } from "../unread/store/read-marks.ts";
import {
  assignedAmong,
  type Filters,
  type InboxScope,
  narrowingOf,
  type SummaryRow,
  type ThreadOrder,
  tagsOf,
} from "./store.ts";

/** Returns the summaries of the threads in `rows`. With a search `q`, each summary contains the found line. */
export async function summariesOf(
  reader: Reader,
  { userId, q }: { readonly userId: string; readonly q: string | undefined },
  rows: readonly SummaryRow[],
): Promise<ThreadSummary[]> {
  const ids = rows.map(({ id }) => id);
  const seqs = rows.map(({ seq }) => seq);
  const [found, tagsOf, lines] = await Promise.all([
    threadNews(reader, userId, ids),
    threadTags.of(reader, ids),
    q === undefined ? undefined : foundLines(reader, q, seqs),
  ]);
  const news = new Map(found.map((row) => [row.id, row]));
  return rows.flatMap((row) => {
    const summary = summaryOf(row, news.get(row.id), tagsOf.get(row.id) ?? []);
    return lines === undefined
      ? summary
      : summary.map((one) => ({ ...one, found: lines.get(row.seq) ?? null }));
  });
}

/** Returns a list with one summary, or an empty list if the thread was deleted meanwhile. */
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
    text: beginningOf(direction === "outbound" ? replyInWords(text) : text),
    createdAt,
  };
}

const longest = 200;

/** Returns the beginning of a text in one line. A text with spaces is cut at a space. */
function beginningOf(text: string): string {
  const line = text.replace(/\s+/gu, " ").trim();
  // A text never has more characters than UTF-16 units. A short text need not be counted by characters.
  if (line.length <= longest) return line;
  const characters = [...line];
  if (characters.length <= longest) return line;
  const cut = characters.slice(0, longest - 1).join("");
  const atWord = cut.replace(/(?<!\s)\s+\S*$/u, "");
  return `${atWord.length > cut.length / 2 ? atWord : cut}…`;
}

/**
 * Numbers new threads, and stores ended snoozes and expired approvals. Call this before you read an app's
 * threads.
 */
export async function prepareInbox(
  deps: Pick<Deps, "clock" | "database" | "log" | "newId" | "time">,
  appId: string,
): Promise<void> {
  await numberThreads(deps.database, appId);
  await storeDueChanges(deps);
}

/** Returns the filters for the store: `tag` becomes tag names, and `assignee` becomes an account id. */
export async function inboxScope(
  reader: Reader,
  { appId, userId }: MemberOf,
  { tag, assignee: given, ...filters }: ThreadFilters,
): Promise<Filters & MemberOf> {
  const tags = tag === undefined ? undefined : tagNamesIn(tag);
  const assignee = await filteredAssignee(reader, appId, { assignee: given, userId });
  return { appId, userId, tags, assignee, ...filters };
}

/** Returns for each `seq` the line of text that shows why the query `q` found the thread. */
async function foundLines(
  reader: Reader,
  q: string,
  seqs: readonly number[],
): Promise<ReadonlyMap<number, FoundLine>> {
  const { marked } = readQuery(q);
  const lines = new Map<number, FoundLine>();
  if (marked.length === 0) return lines;
  const rest: number[] = [];
  for await (const { seq, texts } of textsInParts(reader, seqs)) {
    const line = foundLine(texts, marked);
    if (line === undefined) rest.push(seq);
    else lines.set(seq, line);
  }
  for await (const { seq, texts } of withManyMessages(reader, rest)) {
    const line = foundLine(texts, marked);
    if (line !== undefined) lines.set(seq, line);
  }
  return lines;
}

type Searched = Filters & { readonly q: string };

const noCounts: SearchFacts["counts"] = { open: 0, in_progress: 0, resolved: 0, archived: 0 };

interface FirstPage {
  readonly rows: readonly { readonly status: string }[];
  /** The `seq` at which the search ended, if it ended because of its time limit. */
  readonly reached?: number | undefined;
  /** The maximum number of threads on the page. */
  readonly limit: number;
}

/** Returns facts about a search, such as counts by status and a corrected query. (rules F58, F59) */
export async function factsOf(
  database: Database,
  { appIds, userId }: InboxScope,
  { q, status, ...filters }: Searched,
  { rows, reached, limit }: FirstPage,
): Promise<SearchFacts> {
  const query = readQuery(q);
  const indexing = await isIncomplete(database);
  const [unknownValues, missing] = [unknownValuesOf(q), await missingValuesOf(database, appIds, q)];
  const known = {
    indexing,
    ...(unknownValues.length === 0 ? {} : { unknownValues }),
    ...(missing.length === 0 ? {} : { missing }),
  };
  const [appId] = appIds;
  if (isEmpty(query) || appId === undefined) return { counts: noCounts, didYouMean: null, ...known };
  const tagIds = await tagsOf(database, appId, filters);
  if (tagIds === undefined) return { counts: noCounts, didYouMean: null, ...known };
  const search = { scope: { appIds, type: filters.type }, query, userId };
  // A page that is not full contains all threads of the search, so no other search is needed.
  const counts =
    status === undefined && rows.length < limit
      ? countPage(rows, { isComplete: reached === undefined })
      : await countFound(database, search, narrowingOf(filters, tagIds));
  const isNothing = Object.values(counts).every((count) => count === 0);
  const inApps = { scope: { appIds }, userId, query, conditions: narrowingOf({}, []) };
  const didYouMean = isNothing ? ((await correctedQuery(database, q, inApps)) ?? null) : null;
  return { counts, didYouMean, ...known };
}

/**
 * Returns the tags and assignees in a query that match nothing. Must not reveal who is a member.
 * (rules F58, K25)
 */
async function missingValuesOf(
  reader: Reader,
  appIds: readonly string[],
  q: string,
): Promise<MissingValue[]> {
  const named = namedValuesOf(q);
  if (appIds.length === 0) return [];
  const keys = await threadTags.missingOf(reader, appIds, named.tags.map(tagKeyOf));
  const assigned = await assignedAmong(reader, appIds, named.assignees);
  return [
    ...named.tags
      .filter((name) => keys.has(tagKeyOf(name)))
      .map((value) => ({ operator: "tag" as const, value })),
    ...named.assignees
      .filter((address) => !assigned.has(address))
      .map((value) => ({ operator: "assignee" as const, value })),
  ];
}

interface SortedRow {
  readonly seq: number;
  readonly id: string;
  readonly createdAt: string;
  readonly activeAt: string;
}

/** The format of the cursors. `parts` parse a cursor. `of` returns the values of a row's cursor. */
export const threadCursors = {
  created: { parts: [instantPart, idPart], of: ({ createdAt, id }: SortedRow) => [createdAt, id] },
  activity: { parts: [instantPart, idPart], of: ({ activeAt, id }: SortedRow) => [activeAt, id] },
  oldest_activity: {
    // The third part refuses a cursor that was created for another order of the list.
    parts: [oldestFirst.instant, oldestFirst.id, { form: /^oldest$/, start: "oldest" }],
    of: ({ activeAt, id }: SortedRow) => [activeAt, id, "oldest"],
  },
  found: { parts: [sequencePart], of: ({ seq }: SortedRow) => [String(seq)] },
} as const satisfies Record<ThreadOrder, unknown>;
