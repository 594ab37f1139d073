import type { Client } from "../../../client/call.ts";
import { ServerError } from "../../../client/errors.ts";
import type { FeedbackType } from "../../../contract/feedback.ts";
import type { ThreadStatus } from "../../../contract/threads.ts";
import { CliError, usageError } from "../../core/cli-error.ts";
import { lastingClient, retryText } from "../../core/connection.ts";
import type { Invocation } from "../../core/context.ts";
import { appIdOf } from "../../core/ids.ts";
import { canAsk } from "../../core/input.ts";
import { note } from "../../core/output.ts";
import {
  createInbox,
  type FiledStatus,
  type InboxCalls,
  type InboxState,
  type ThreadPage,
  type Undo,
  withMessage,
} from "./state.ts";

export interface InboxFlags {
  readonly status?: ThreadStatus;
  readonly type?: FeedbackType;
  readonly q?: string;
}

/** Shows the inbox of an app. Throws a usage error without an interactive terminal. */
export async function showInbox(invocation: Invocation, flags: InboxFlags): Promise<undefined> {
  if (!isScreen(invocation))
    throw usageError(
      "The inbox works only in an interactive terminal.",
      "`innkeep feedback list`, `view` and `edit` work everywhere.",
    );
  let notify = (text: string) => note(invocation, text);
  const calls = await callsOf(invocation, { ...flags, notify: (text) => notify(text) });
  const inbox = createInbox(calls, await calls.list().catch(explain));
  // A message that is printed directly would damage the screen. So the screen shows all later messages.
  notify = (text) => inbox.set(withMessage(inbox.state(), text));
  // The library for screens is loaded only here, because it loads slowly.
  const { showScreen } = await import("./screen.lazy.tsx");
  const { signal } = invocation.context;
  try {
    await showScreen({ inbox, signal });
    notify = (text) => note(invocation, text);
    if (!inbox.isSettled()) note(invocation, "Your last changes are being sent. Ctrl-C stops that.");
    await inbox.settled();
    signal.throwIfAborted();
  } finally {
    noteUnsent(invocation, inbox.state());
  }
}

/** Prints the last problem and the unsent text after the screen has ended. */
function noteUnsent(invocation: Invocation, { said, writing }: InboxState): void {
  if (said.isProblem) note(invocation, `warning: ${said.text}`);
  if (writing && writing.text.trim() !== "") note(invocation, `This was not sent:\n${writing.text}`);
}

const isScreen = (invocation: Invocation): boolean =>
  canAsk(invocation) &&
  invocation.context.io.stdout.isTerminal &&
  invocation.context.env.TERM !== "dumb" &&
  !invocation.flags.json;

async function callsOf(
  invocation: Invocation,
  { notify, ...flags }: InboxFlags & { readonly notify: (text: string) => void },
): Promise<InboxCalls> {
  const client = lastingClient(invocation, { onRetry: (pause) => notify(retryText(pause)) });
  const { threads } = client;
  const appId = await appIdOf(invocation).catch(explain);
  const params = { appId };
  const { status = "open", type, q } = flags;
  const query = { status, type, q, order: "activity", limit: "50" } as const;
  return {
    list: (cursor) =>
      firstWithThreads((from) => threads.list({ params, query: { ...query, cursor: from } }), cursor),
    markRead: (id) => client.readMarks.update({ params: { id }, body: { read: true } }),
    read: (id) => threads.read({ params: { id } }),
    change: (id, change) => threads.update({ params: { id }, body: change }),
    file: (thread, status) => fileThread(client, { appId, thread, status }),
    send: (id, message) => threads.addMessage({ params: { id }, body: message }),
    open: (address) => openAddress(invocation, address),
  };
}

interface Filing {
  readonly appId: string;
  readonly thread: Parameters<InboxCalls["file"]>[0];
  readonly status: FiledStatus;
}

/** Archives or resolves a thread. Returns the function that undoes the change. (rule F45) */
export async function fileThread(
  { bulk, threads }: Client,
  { appId, thread, status }: Filing,
): Promise<Undo> {
  const { id, status: before } = thread;
  const params = { appId };
  const done = await bulk.change({ params, body: { ids: [id], change: { status } } }).catch(ifAbsent);
  // An older server has no bulk requests.
  if (done === undefined) {
    await threads.update({ params: { id }, body: { status } });
    return async () => void (await threads.update({ params: { id }, body: { status: before } }));
  }
  if (done.changed === 0) throw new Error("The thread was deleted or merged into another one.");
  return async () => {
    const undone = await bulk.undo({ params, body: { undo: done.undo } }).catch(ifRefused);
    if (typeof undone === "string") return undone;
    if (undone.changed > 0) return undefined;
    return undone.skipped[0]?.code === "changed"
      ? "Somebody has changed the thread since then, so it was not changed back."
      : "The thread was not changed back.";
  };
}

/** Ignores the error if an older server has no bulk requests. Throws any other error. */
function ifAbsent(error: unknown): undefined {
  if (!(error instanceof ServerError) || ![404, 405].includes(error.status)) throw error;
}

/** Returns the server's message if it refuses an undo, such as after ten minutes. Throws any other error. */
function ifRefused(error: unknown): string {
  if (!(error instanceof ServerError) || error.code !== "wrong_state") throw error;
  return error.message;
}

/**
 * Reads pages until a page contains threads, because a search may return empty pages before the first match.
 */
async function firstWithThreads(
  list: (cursor: string | undefined) => Promise<ThreadPage>,
  cursor: string | undefined,
): Promise<ThreadPage> {
  const page = await list(cursor);
  if (page.items.length > 0 || page.nextCursor === null || page.nextCursor === cursor) return page;
  return firstWithThreads(list, page.nextCursor);
}

/** Opens a web address from a server. Throws an Error for other addresses, or if no browser opens. */
async function openAddress({ context }: Invocation, address: string): Promise<void> {
  if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol))
    throw new Error("The server returned no web address for this thread.");
  await context.openBrowser(address).catch(() => {
    throw new Error(`No browser could be opened here. The address is ${address}`);
  });
}

/** Throws a CliError if the server cannot list feedback. Throws any other error unchanged. */
function explain(error: unknown): never {
  if (!(error instanceof ServerError) || ![404, 405].includes(error.status) || error.code === "not_found")
    throw error;
  throw new CliError({
    exit: "notFound",
    code: "no_inbox",
    message: "This server has no inbox: it does not list feedback.",
    next: "Check --base-url and INNKEEP_BASE_URL, or read the feedback in the console of that server.",
    status: error.status,
  });
}
