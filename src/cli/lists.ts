import type { Client } from "../client/call.ts";
import { pollUntil } from "../client/wait.ts";
import type { FeedbackType } from "../contract/feedback.ts";
import type { FoundRun, FoundThread, Waiting } from "../contract/find-work.ts";
import { limits } from "../contract/limits.ts";
import type { RunStatus } from "../contract/runs.ts";
import type { ThreadStatus } from "../contract/threads.ts";
import { oneLine } from "../words/visible.ts";
import type { Exit } from "./core/cli-error.ts";
import { lastingClient } from "./core/connection.ts";
import type { Invocation } from "./core/context.ts";
import { instantOf } from "./core/flags.ts";
import { type Column, formatDuration, note, noteFurther, printList } from "./core/output.ts";
import { askingList } from "./agent/lacking.ts";

export interface ListFlags {
  readonly status?: ThreadStatus;
  readonly type?: FeedbackType;
  readonly tag?: readonly string[];
  readonly q?: string;
  readonly updatedSince?: string;
  readonly appId?: string;
  readonly waiting?: Waiting;
  readonly changedAfter?: string;
  readonly limit?: string;
  readonly cursor?: string;
  readonly wait?: number;
}

type Page = Awaited<ReturnType<Client["agent"]["listFeedback"]>>;

/**
 * Lists the threads that the agent token may read. With `--wait`, waits until there is one: any that matches, or one that
 * changed after `--changed-after`.
 */
export async function listFeedback(invocation: Invocation, { wait = 0, ...flags }: ListFlags): Promise<Exit> {
  const query = {
    ...flags,
    tag: flags.tag?.join(","),
    updatedSince: instantOf("--updated-since", flags.updatedSince),
  };
  const client = wait > 0 ? lastingClient(invocation) : invocation.client();
  const { signal } = invocation.context;
  const ask = (more: { readonly changedAfter?: string; readonly wait?: string } = {}) =>
    askingList(() => client.agent.listFeedback({ query: { ...query, ...more }, signal }));
  const first = await ask();
  const page =
    wait > 0 && first.items.length === 0 ? await waitForChange(invocation, first, wait, ask) : first;
  const { items, nextCursor, changes } = page;
  printList(invocation, { items, columns: threadColumns, extra: { nextCursor, changes } });
  if (nextCursor) noteFurther(invocation, items, nextCursor);
  if (changes && flags.changedAfter !== undefined)
    note(invocation, `What comes next: --changed-after ${changes}`);
  return wait > 0 && items.length === 0 ? "pending" : "ok";
}

async function waitForChange(
  invocation: Invocation,
  first: Page,
  wait: number,
  ask: (more: { readonly changedAfter: string; readonly wait?: string }) => Promise<Page>,
): Promise<Page> {
  const { clock, signal } = invocation.context;
  note(invocation, `Waiting for a thread, for up to ${formatDuration(wait)}.`);
  let last = first;
  const end = clock.now().getTime() + wait * 1_000;
  const result = await pollUntil(
    {
      async ask(hold) {
        const changedAfter = last.changes ?? "";
        last = await ask({ changedAfter, ...(hold > 0 && { wait: String(hold) }) });
        return last;
      },
      holdSeconds: (left) => Math.min(limits.waitSeconds, Math.floor(left / 1_000)),
      leftMs: () => Math.max(0, end - clock.now().getTime()),
      pauses: { firstMs: 2_000, growth: 1.5, mostMs: 30_000 },
      clock,
      signal,
    },
    ({ items }) => items.length > 0,
  );
  if ("failure" in result) throw result.failure;
  return result.value;
}

/** One line, which says whose words it holds, also in a pipe. (rule W2) */
const publicSubject = ({ subject }: Pick<FoundThread, "subject">): string => `public: ${oneLine(subject)}`;

const threadColumns: readonly Column<FoundThread>[] = [
  { heading: "id", of: ({ id }) => id },
  { heading: "active", of: ({ activeAt }) => activeAt },
  { heading: "status", of: ({ status }) => status },
  { heading: "type", of: ({ type }) => type },
  { heading: "times", of: ({ occurrences }) => occurrences },
  { heading: "waits for", of: ({ waiting }) => waiting },
  { heading: "run", of: ({ runId }) => runId },
  { heading: "subject", of: publicSubject },
];

export interface RunListFlags {
  readonly status?: RunStatus;
  readonly limit?: string;
  readonly cursor?: string;
}

/** Lists the proposals on the threads that the agent token may read, newest first, a page at a time. */
export async function listRuns(invocation: Invocation, query: RunListFlags): Promise<undefined> {
  const { items, nextCursor } = await askingList(() => invocation.client().agent.listRuns({ query }));
  printList(invocation, { items, columns: runColumns, extra: { nextCursor } });
  if (nextCursor) note(invocation, `There are more: --cursor ${nextCursor}`);
}

const runColumns: readonly Column<FoundRun>[] = [
  { heading: "id", of: ({ id }) => id },
  { heading: "created", of: ({ createdAt }) => createdAt },
  { heading: "status", of: ({ status }) => status },
  { heading: "decision", of: ({ decision }) => decision },
  { heading: "thread", of: ({ feedbackId }) => feedbackId },
  { heading: "subject", of: publicSubject },
];
