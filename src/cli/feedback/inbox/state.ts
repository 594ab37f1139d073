import type { OwnedThread, ReplyDelivery, ThreadChange, ThreadSummary } from "../../../contract/threads.ts";
import { continued, firstState, type InboxState, says } from "./inbox-state.ts";

export interface ThreadPage {
  readonly items: readonly ThreadSummary[];
  readonly nextCursor: string | null;
}

/** A message to a thread. A reply says which message was the newest on the screen, null for none. (rule F35) */
export interface SentMessage {
  readonly direction: "note" | "outbound";
  readonly body: string;
  readonly expectedMessageId?: string | null;
}

/** What the screen asks of the server and of this machine. */
export interface InboxCalls {
  list(cursor?: string): Promise<ThreadPage>;
  read(id: string): Promise<OwnedThread>;
  markRead(id: string): Promise<unknown>;
  change(id: string, change: ThreadChange): Promise<OwnedThread>;
  send(id: string, message: SentMessage): Promise<{ readonly delivery?: ReplyDelivery | undefined }>;
  open(address: string): Promise<void>;
}

/** The inbox behind the screen. */
export interface Inbox {
  readonly calls: InboxCalls;
  state(): InboxState;
  set(next: InboxState): void;
  /** Calls the listener after each change of the state, in place of the listener before. */
  watch(listener: () => void): void;
  /** Shows an error on the last line. */
  problem(error: unknown): void;
  /** Does something at the server, after everything before it: an undo cannot overtake what it undoes. */
  after(work: () => Promise<void>): void;
  isSettled(): boolean;
  /** Resolves when the server has answered everything. */
  settled(): Promise<void>;
  /** Reads the next page of the list if the person comes near to its end. */
  readAhead(): Promise<void>;
}

/** How many rows before the end of the list the next page is read. */
const rowsAhead = 5;

export function createInbox(calls: InboxCalls, first: ThreadPage): Inbox {
  let state = firstState(first.items, first.nextCursor);
  let onChange = () => {};
  let sending: Promise<void> = Promise.resolve();
  let unanswered = 0;
  let isListing = false;
  const set = (next: InboxState) => {
    state = next;
    onChange();
  };
  const problem = (error: unknown) =>
    set(says(state, error instanceof Error ? error.message : String(error), true));

  return {
    calls,
    state: () => state,
    set,
    problem,
    watch(listener) {
      onChange = listener;
    },
    after(work) {
      unanswered += 1;
      sending = sending
        .then(work)
        .catch(problem)
        .finally(() => {
          unanswered -= 1;
        });
    },
    isSettled: () => unanswered === 0,
    settled: () => sending,
    async readAhead() {
      const { nextCursor, selected, threads } = state;
      if (isListing || nextCursor === null || selected < threads.length - rowsAhead) return;
      isListing = true;
      await calls.list(nextCursor).then((page) => set(continued(state, page)), problem);
      isListing = false;
    },
  };
}
