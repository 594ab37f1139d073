import type { FeedbackType } from "../../contract/feedback.ts";
import { limits } from "../../contract/limits.ts";
import type { ListOrder, ThreadStatus, ThreadSummary } from "../../contract/threads.ts";
import { appIdOf } from "../core/app-id.ts";
import { usageError } from "../core/cli-error.ts";
import type { Invocation } from "../core/context.ts";
import { wholeId } from "../core/ids.ts";
import { textOf } from "../core/input.ts";
import { instantOf } from "../core/instant.ts";
import { noteFurther } from "../core/note-further.ts";
import { type Column, note, printList, printOne } from "../core/output.ts";
import { allPages } from "../core/pages.ts";
import { type ThreadTextOptions, threadText } from "./thread-text.ts";

export interface ListFlags {
  readonly status?: ThreadStatus;
  readonly type?: FeedbackType;
  readonly q?: string;
  readonly from?: string;
  readonly to?: string;
  readonly tag?: readonly string[];
  readonly assignee?: string;
  readonly limit?: string;
  readonly cursor?: string;
  readonly order?: ListOrder;
  readonly unread?: boolean;
  readonly all?: boolean;
}

/** Lists the threads of an app, newest first or the last active first, a page at a time or all. */
export async function listThreads(invocation: Invocation, flags: ListFlags): Promise<undefined> {
  const { status, type, q, limit, order } = flags;
  if (flags.all && (limit !== undefined || flags.cursor !== undefined))
    throw usageError("--all shows everything: give it without --limit and --cursor.");
  const unread = flags.unread ? ("true" as const) : undefined;
  const period = { from: instantOf("--from", flags.from), to: instantOf("--to", flags.to) };
  const params = { appId: await appIdOf(invocation) };
  const tag = flags.tag?.join(",");
  const query = { status, type, q, order, unread, tag, assignee: flags.assignee, ...period } as const;
  const { threads } = invocation.client();
  const read = (cursor?: string, most = limit) =>
    threads.list({ params, query: { ...query, cursor, limit: most } });
  const { items, nextCursor } = flags.all ? await everyThread(read) : await read(flags.cursor);
  const byActivity = order === "activity" || flags.unread;
  printList(invocation, { items, columns: byActivity ? activityColumns : columns, extra: { nextCursor } });
  if (nextCursor && !invocation.flags.json) noteFurther(invocation, items, nextCursor);
}

type ReadPage = (
  cursor: string | undefined,
  most: string,
) => Promise<{ readonly items: readonly ThreadSummary[]; readonly nextCursor: string | null }>;

async function everyThread(read: ReadPage) {
  const items: ThreadSummary[] = [];
  for await (const page of allPages((cursor) => read(cursor, String(limits.listPage.max))))
    items.push(...page.items);
  return { items, nextCursor: null };
}

const columns: readonly Column<ThreadSummary>[] = [
  { heading: "id", of: ({ id }) => id, isId: true },
  { heading: "created", of: ({ createdAt }) => createdAt },
  { heading: "status", of: ({ status }) => status },
  { heading: "type", of: ({ category }) => category },
  { heading: "times", of: ({ occurrences }) => occurrences },
  { heading: "sender", of: ({ senderName, senderEmail }) => senderName ?? senderEmail },
  { heading: "proposal", of: ({ proposalStatus }) => proposalStatus },
  { heading: "subject", of: ({ subject }) => subject },
  { heading: "assignee", of: ({ assignee }) => assignee?.email, isRare: true },
  { heading: "tags", of: ({ tags }) => tags?.map(({ name }) => name).join(", "), isRare: true },
];

const activityColumns: readonly Column<ThreadSummary>[] = [
  ...columns.slice(0, 1),
  { heading: "active", of: ({ activeAt }) => activeAt },
  { heading: "unread", of: ({ unread }) => (unread ? "unread" : "") },
  ...columns.slice(2),
];

/** The id in a console link, or the id itself. */
const threadId = (given: string): string =>
  given
    .replace(/[?#].*$/, "")
    .replace(/\/+$/, "")
    .split("/")
    .at(-1) ?? given;

/** The whole id of a thread, from a console link, its id, or the start of its id. */
export const wholeThreadId = (invocation: Invocation, given: string): Promise<string> =>
  wholeId(threadId(given), {
    thing: "feedback",
    command: "innkeep feedback list",
    list: async () => (await allThreads(invocation)).map(({ id, subject }) => ({ id, name: subject })),
  });

/** The newest threads of the app, from a limited number of pages. */
async function allThreads(invocation: Invocation): Promise<readonly ThreadSummary[]> {
  const { threads } = invocation.client();
  const params = { appId: await appIdOf(invocation) };
  const found: ThreadSummary[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < mostPages; pages += 1) {
    const page = await threads.list({ params, query: { limit: String(limits.listPage.max), cursor } });
    found.push(...page.items);
    if (page.nextCursor === null) break;
    cursor = page.nextCursor;
  }
  return found;
}

const mostPages = 20;

export async function viewThread(
  invocation: Invocation,
  flags: ThreadTextOptions,
  given: string,
): Promise<undefined> {
  const id = await wholeThreadId(invocation, given);
  const thread = await invocation.client().threads.read({ params: { id } });
  printOne(invocation, thread, () => threadText(thread, flags));
}

export interface EditFlags {
  readonly status?: ThreadStatus;
  readonly category?: FeedbackType;
  readonly subject?: string;
  readonly githubIssueUrl?: string;
}

/** Changes only the given fields. An empty issue address removes the link. */
export async function editThread(
  invocation: Invocation,
  flags: EditFlags,
  given: string,
): Promise<undefined> {
  const { status, category, subject, githubIssueUrl } = flags;
  const body = { status, category, subject, githubIssueUrl: githubIssueUrl === "" ? null : githubIssueUrl };
  if (Object.values(body).every((value) => value === undefined)) {
    throw usageError(
      "There is nothing to change.",
      "Give --status, --category, --subject or --github-issue-url.",
    );
  }
  const id = await wholeThreadId(invocation, given);
  const thread = await invocation.client().threads.update({ params: { id }, body });
  note(invocation, `Changed feedback ${thread.feedback.id}.`);
  printOne(invocation, thread, () => threadText(thread));
}

export interface BodyFlags {
  readonly body: string;
}

/** Adds a note that only the team sees. */
export async function addNote(invocation: Invocation, flags: BodyFlags, given: string): Promise<undefined> {
  const body = await textOf(invocation, "--body", flags.body);
  const id = await wholeThreadId(invocation, given);
  const message = await invocation.client().threads.addMessage({
    params: { id },
    body: { direction: "note", body },
  });
  note(invocation, `Noted on feedback ${id}.`);
  printOne(invocation, message, () => message.id);
}
