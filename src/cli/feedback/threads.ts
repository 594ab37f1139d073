import type { ThreadStatus, ThreadSummary } from "../../contract/console/feedback.ts";
import type { FeedbackType } from "../../contract/feedback.ts";
import { appOf } from "../app-of.ts";
import { usageError } from "../cli-error.ts";
import type { Invocation } from "../context.ts";
import { type Column, note, printList, printOne } from "../output.ts";
import { textOf } from "../text-flag.ts";
import { threadText } from "./thread-text.ts";

export interface ListFlags {
  readonly status?: ThreadStatus;
  readonly type?: FeedbackType;
  readonly q?: string;
  readonly from?: string;
  readonly to?: string;
  readonly limit?: string;
  readonly cursor?: string;
}

/** Lists the threads of an app, newest first, a page at a time. */
export async function listThreads(invocation: Invocation, flags: ListFlags): Promise<undefined> {
  const { status, type, q, from, to, limit, cursor } = flags;
  const { items, nextCursor } = await invocation.client().threads.list({
    params: { appId: await appOf(invocation) },
    query: { status, type, q, limit, cursor, from: instantOf(from), to: instantOf(to) },
  });
  printList(invocation, items, columns, { nextCursor });
  if (nextCursor && !invocation.flags.json) note(invocation, `There are more: --cursor ${nextCursor}`);
}

const columns: readonly Column<ThreadSummary>[] = [
  { heading: "id", of: ({ id }) => id },
  { heading: "created", of: ({ createdAt }) => createdAt },
  { heading: "status", of: ({ status }) => status },
  { heading: "type", of: ({ category }) => category },
  { heading: "times", of: ({ occurrences }) => occurrences },
  { heading: "sender", of: ({ senderName, senderEmail }) => senderName ?? senderEmail },
  { heading: "proposal", of: ({ proposalStatus }) => proposalStatus },
  { heading: "subject", of: ({ subject }) => subject },
];

/** A day stands for its first moment in UTC. */
const instantOf = (given: string | undefined): string | undefined =>
  given && /^\d{4}-\d\d-\d\d$/.test(given) ? `${given}T00:00:00Z` : given;

/** The id in a console link, or the id itself. */
export const threadId = (given: string): string =>
  given
    .replace(/[?#].*$/, "")
    .replace(/\/+$/, "")
    .split("/")
    .at(-1) ?? given;

export async function viewThread(invocation: Invocation, _: object, given: string): Promise<undefined> {
  const thread = await invocation.client().threads.read({ params: { id: threadId(given) } });
  printOne(invocation, thread, () => threadText(thread));
}

export interface EditFlags {
  readonly status?: ThreadStatus;
  readonly category?: FeedbackType;
  readonly subject?: string;
  readonly githubIssueUrl?: string;
}

/** Changes what is given and nothing else; an empty issue address unlinks it. */
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
  const thread = await invocation.client().threads.update({ params: { id: threadId(given) }, body });
  note(invocation, `Changed feedback ${thread.feedback.id}.`);
  printOne(invocation, thread, () => threadText(thread));
}

export interface BodyFlags {
  readonly body: string;
}

/** Writes to the sender (`outbound`), or a note that only the owners see. */
export async function addMessage(
  direction: "note" | "outbound",
  invocation: Invocation,
  flags: BodyFlags,
  given: string,
): Promise<undefined> {
  const body = await textOf(invocation, "--body", flags.body);
  const id = threadId(given);
  const message = await invocation.client().threads.addMessage({ params: { id }, body: { direction, body } });
  note(invocation, direction === "note" ? `Noted on feedback ${id}.` : `Replied to feedback ${id}.`);
  printOne(invocation, message, () => message.id);
}
