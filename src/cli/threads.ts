import { ServerError } from "../client/errors.ts";
import type { FeedbackType } from "../contract/feedback.ts";
import { limits } from "../contract/limits.ts";
import type { SavedReply } from "../contract/saved-replies.ts";
import type { Tag } from "../contract/tags.ts";
import type { ListOrder, ThreadStatus, ThreadSummary } from "../contract/threads.ts";
import { deliveryWords } from "../words/delivery.ts";
import { oneLine } from "../words/visible.ts";
import { CliError, usageError } from "./core/cli-error.ts";
import { allPages } from "./core/connection.ts";
import type { Invocation } from "./core/context.ts";
import { failureOf } from "./core/failures.ts";
import { instantOf } from "./core/flags.ts";
import { appIdOf, wholeId } from "./core/ids.ts";
import { canAsk, textOf } from "./core/input.ts";
import { type Column, note, noteFurther, printList, printOne } from "./core/output.ts";
import { newestBeforeReply, newestMessageIn, type ThreadTextOptions, threadText } from "./feedback/thread-text.ts";

export interface ReplyFlags extends BodyFlags {
  readonly everyone?: boolean;
  readonly resolve?: boolean;
  readonly force?: boolean;
  /** The newest message that was read, or `none`. */
  readonly expectMessage?: string;
}

/**
 * Answers the sender. If somebody else has replied already, a person is asked first. Whoever names an older message than the
 * newest one is refused. (rule L55)
 */
export async function replyToSender(
  invocation: Invocation,
  flags: ReplyFlags,
  given: string,
): Promise<undefined> {
  const body = await textOf(invocation, "--body", flags.body);
  const id = await wholeThreadId(invocation, given);
  const { threads } = invocation.client();
  const read = async () => (await threads.read({ params: { id } })).messages;
  const send = (expectedMessageId: string | null | undefined, idempotencyKey?: string) =>
    threads.addMessage({
      params: { id },
      body: {
        direction: "outbound",
        body,
        ...(flags.everyone ? { everyone: true } : {}),
        ...(flags.resolve ? { change: { status: "resolved" } } : {}),
        expectedMessageId,
      },
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    });
  const asks = canAsk(invocation) && !flags.force && flags.expectMessage === undefined;
  const known = asks ? await read().then(newestBeforeReply, ifUnreadable) : expectedOf(flags);
  const message = await send(known).catch(async (error) => {
    if (!isAnswered(error)) throw error;
    const newest = asks ? newestMessageIn(await read()) : undefined;
    if (!(asks && (await isWanted(invocation, error)))) throw notSent(error, id);
    const { idempotencyKey: key } = invocation.flags;
    return send(newest, key === undefined ? undefined : `${key}-again`);
  });
  const resolved = flags.resolve ? " and resolved it" : "";
  const { delivery } = message;
  const said = delivery ? deliveryWords(delivery).map((words) => ` ${oneLine(words)}`) : [];
  const wayOut =
    delivery && delivery.missed > 0 ? " An owner can turn on sender pages in the settings of the app." : "";
  note(invocation, `Replied to feedback ${id}${resolved}.${said.join("")}${wayOut}`);
  printOne(invocation, message, () => message.id);
}

const expectedOf = ({ expectMessage, force }: ReplyFlags): string | null | undefined => {
  if (force || expectMessage === undefined) return undefined;
  return expectMessage === "none" ? null : expectMessage;
};

/** A token that may write and not read sends the reply without the look. */
function ifUnreadable(error: unknown): undefined {
  if (!(error instanceof ServerError) || error.status !== 403) throw error;
}

const isAnswered = (error: unknown): error is ServerError =>
  error instanceof ServerError && error.code === "answered";

async function isWanted({ context }: Invocation, { message }: ServerError): Promise<boolean> {
  return /^y(es)?$/i.test((await context.io.ask(`${message} Send your reply, too? [y/N] `)).trim());
}

const notSent = (error: ServerError, id: string): CliError =>
  new CliError({
    ...failureOf(error),
    message: `Nothing was sent. ${error.message}`,
    next: `\`innkeep feedback view ${id}\` shows it. --force sends your reply, too.`,
  });

/** Lists the tags of an app. */
export async function listTags(invocation: Invocation): Promise<undefined> {
  const { items } = await invocation.client().tags.list({ params: { appId: await appIdOf(invocation) } });
  printList(invocation, { items, columns: tagColumns });
}

const tagColumns: readonly Column<Tag>[] = [
  { heading: "tag", of: ({ name }) => name },
  { heading: "threads", of: ({ threads }) => threads },
  { heading: "colour", of: ({ colour }) => colour },
];

/** Lists the saved replies of an app. */
export async function listSavedReplies(invocation: Invocation): Promise<undefined> {
  const { savedReplies } = invocation.client();
  const { items } = await savedReplies.list({ params: { appId: await appIdOf(invocation) } });
  printList(invocation, { items, columns: replyColumns });
}

const replyColumns: readonly Column<SavedReply>[] = [
  { heading: "id", of: ({ id }) => id, isId: true },
  { heading: "title", of: ({ title }) => title },
  { heading: "text", of: ({ body }) => body },
];

/** Adds tags to a thread and takes tags from it; makes those that the app lacks. */
export async function changeTags(
  invocation: Invocation,
  given: string,
  body: { readonly addTags?: string[]; readonly removeTags?: string[] },
): Promise<undefined> {
  const id = await wholeThreadId(invocation, given);
  const thread = await invocation.client().threads.update({ params: { id }, body });
  const names = thread.tags.map(({ name }) => name).join(", ");
  note(invocation, `Feedback ${id} has ${names === "" ? "no tags" : `the tags ${names}`}.`);
  printOne(invocation, thread, () => threadText(thread));
}

/** Assigns a thread to a member, to the caller (`me`) or to nobody (`none`), unless it changed hands meanwhile. */
export async function assignThread(invocation: Invocation, given: string, who: string): Promise<undefined> {
  const id = await wholeThreadId(invocation, given);
  const { threads } = invocation.client();
  const { assignee: seen } = await threads.read({ params: { id } });
  const body = { assignee: who === "none" ? null : who, expectedAssignee: seen?.userId ?? null };
  const thread = await threads.update({ params: { id }, body });
  note(
    invocation,
    `Feedback ${id} is ${thread.assignee ? `assigned to ${thread.assignee.email}` : "nobody's"}.`,
  );
  printOne(invocation, thread, () => threadText(thread));
}

interface ListFlags {
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
  printList(invocation, {
    items,
    columns: byActivity ? activityColumns : threadColumns,
    extra: { nextCursor },
  });
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

const threadColumns: readonly Column<ThreadSummary>[] = [
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
  ...threadColumns.slice(0, 1),
  { heading: "active", of: ({ activeAt }) => activeAt },
  { heading: "unread", of: ({ unread }) => (unread ? "unread" : "") },
  ...threadColumns.slice(2),
];

/** The id in a console link, or the id itself. */
const threadId = (given: string): string =>
  given
    .replace(/[?#].*$/, "")
    .replace(/\/+$/, "")
    .split("/")
    .at(-1) ?? given;

/** The whole id of a thread, from a console link, its id, or the start of its id. */
const wholeThreadId = (invocation: Invocation, given: string): Promise<string> =>
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

/** Changes only the given fields. An empty issue address removes the link. */
export async function editThread(
  invocation: Invocation,
  flags: {
    readonly status?: ThreadStatus;
    readonly category?: FeedbackType;
    readonly subject?: string;
    readonly githubIssueUrl?: string;
  },
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
