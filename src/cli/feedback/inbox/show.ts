import { ServerError } from "../../../client/errors.ts";
import type { FeedbackType } from "../../../contract/feedback.ts";
import type { ThreadStatus } from "../../../contract/threads.ts";
import { CliError, usageError } from "../../core/cli-error.ts";
import { lastingClient, retryText } from "../../core/connection.ts";
import type { Invocation } from "../../core/context.ts";
import { appIdOf } from "../../core/ids.ts";
import { canAsk } from "../../core/input.ts";
import { note } from "../../core/output.ts";
import { createInbox, type InboxCalls, type InboxState, says, type ThreadPage } from "./state.ts";

export interface InboxFlags {
  readonly status?: ThreadStatus;
  readonly type?: FeedbackType;
  readonly q?: string;
}

/** Shows the feedback of an app on a screen, to read, answer and file away. Needs a terminal. */
export async function showInbox(invocation: Invocation, flags: InboxFlags): Promise<undefined> {
  if (!isScreen(invocation))
    throw usageError(
      "The inbox needs a terminal, and a person at it.",
      "`innkeep feedback list`, `view` and `edit` work everywhere.",
    );
  let tell = (text: string) => note(invocation, text);
  const calls = await callsOf(invocation, { ...flags, tell: (text) => tell(text) });
  const inbox = createInbox(calls, await calls.list().catch(explain));
  // Text beside the screen would destroy it.
  tell = (text) => inbox.set(says(inbox.state(), text));
  // Loads the library for screens.
  const { showScreen } = await import("./screen.lazy.tsx");
  const { signal } = invocation.context;
  try {
    await showScreen({ inbox, signal });
    tell = (text) => note(invocation, text);
    if (!inbox.isSettled()) note(invocation, "Your last changes are being sent. Ctrl-C stops that.");
    await inbox.settled();
    signal.throwIfAborted();
  } finally {
    tellUnsent(invocation, inbox.state());
  }
}

/** What did not reach the server is not lost without a word, however the screen ended. */
function tellUnsent(invocation: Invocation, { said, writing }: InboxState): void {
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
  { tell, ...flags }: InboxFlags & { readonly tell: (text: string) => void },
): Promise<InboxCalls> {
  const client = lastingClient(invocation, { onRetry: (pause) => tell(retryText(pause)) });
  const { threads } = client;
  const params = { appId: await appIdOf(invocation).catch(explain) };
  const { status = "open", type, q } = flags;
  const query = { status, type, q, order: "activity", limit: "50" } as const;
  return {
    list: (cursor) =>
      firstWithThreads((from) => threads.list({ params, query: { ...query, cursor: from } }), cursor),
    markRead: (id) => client.readMarks.update({ params: { id }, body: { read: true } }),
    read: (id) => threads.read({ params: { id } }),
    change: (id, change) => threads.update({ params: { id }, body: change }),
    send: (id, message) => threads.addMessage({ params: { id }, body: message }),
    open: (address) => openAddress(invocation, address),
  };
}

/** The next page that has threads: a search may answer before it has found one. */
async function firstWithThreads(
  list: (cursor: string | undefined) => Promise<ThreadPage>,
  cursor: string | undefined,
): Promise<ThreadPage> {
  const page = await list(cursor);
  if (page.items.length > 0 || page.nextCursor === null || page.nextCursor === cursor) return page;
  return firstWithThreads(list, page.nextCursor);
}

/** An address from a server is opened only if it is a web address. */
async function openAddress({ context }: Invocation, address: string): Promise<void> {
  if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol))
    throw new Error("The server gave no web address for this thread.");
  await context.openBrowser(address).catch(() => {
    throw new Error(`No browser could be opened here. The address is ${address}`);
  });
}

/** A server of the specification alone has no list of feedback. */
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
