import type { LastMessage, ThreadSummary } from "../../../src/contract/threads.ts";
import type { Reader } from "../../database/database.ts";
import { assigneeOf } from "../threads/store/answer.ts";
import { foundLines } from "./lines.ts";
import { threadTags } from "../tags/store.ts";
import { type NewsRow, threadNews } from "../unread/store/news.ts";
import type { SummaryRow } from "./store.ts";

/** Returns the summaries of these threads. In a search, each summary has the line that was found. */
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

/** Returns the summary of a thread as a list. The list is empty if the thread was deleted after its row was read. */
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
