import type {
  OwnedThread,
  ReplyDelivery,
  ThreadChange,
  ThreadStatus,
  ThreadSummary,
} from "../../../contract/threads.ts";

export interface ThreadPage {
  readonly items: readonly ThreadSummary[];
  readonly nextCursor: string | null;
}

/** A message to a thread. A reply says which message was the newest on the screen, null for none. (rule F35) */
interface SentMessage {
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

/** A text that the person types for a thread. */
export interface Writing {
  readonly kind: "reply" | "note" | "issue";
  readonly text: string;
  /** A reply goes out only after a second Enter. */
  readonly isSure: boolean;
}

/** A thread that was filed away, and its place in the list. */
interface Filed {
  readonly thread: ThreadSummary;
  readonly at: number;
}

/** What the screen shows. */
export interface InboxState {
  readonly threads: readonly ThreadSummary[];
  /** The next page of the list; null at its end. */
  readonly nextCursor: string | null;
  readonly selected: number;
  /** The thread that is open. */
  readonly reading?: OwnedThread | undefined;
  /** How many lines of it are above the screen. */
  readonly scroll: number;
  readonly writing?: Writing | undefined;
  /** The last one is undone first. */
  readonly filed: readonly Filed[];
  /** The last line of the screen. */
  readonly said: { readonly text: string; readonly isProblem: boolean };
}

const quiet = { text: "", isProblem: false };

const firstState = (threads: readonly ThreadSummary[], nextCursor: string | null): InboxState => ({
  threads,
  nextCursor,
  selected: 0,
  scroll: 0,
  filed: [],
  said: quiet,
});

export const says = (state: InboxState, text: string, isProblem = false): InboxState => ({
  ...state,
  said: { text, isProblem },
});

export const selectedThread = ({ threads, selected }: InboxState): ThreadSummary | undefined =>
  threads[selected];

const within = (at: number, most: number): number => Math.max(0, Math.min(at, most));

export const moved = (state: InboxState, by: number): InboxState => ({
  ...state,
  selected: within(state.selected + by, state.threads.length - 1),
  said: quiet,
});

export const scrolled = (state: InboxState, by: number, most: number): InboxState => ({
  ...state,
  scroll: within(Math.min(state.scroll, most) + by, most),
});

export const opened = (state: InboxState, reading: OwnedThread): InboxState => ({
  ...state,
  threads: state.threads.map((thread) =>
    thread.id === reading.feedback.id ? { ...thread, unread: false } : thread,
  ),
  reading,
  scroll: 0,
});

export const closed = (state: InboxState): InboxState => ({
  ...state,
  reading: undefined,
  writing: undefined,
  said: quiet,
});

/** The list with one more page. */
const continued = (
  state: InboxState,
  page: { readonly items: readonly ThreadSummary[]; readonly nextCursor: string | null },
): InboxState => {
  const known = new Set(state.threads.map(({ id }) => id));
  const more = page.items.filter(({ id }) => !known.has(id));
  return { ...state, threads: [...state.threads, ...more], nextCursor: page.nextCursor };
};

/** The list without a thread that is filed away. */
export function filedAway(state: InboxState, id: string): InboxState {
  const at = state.threads.findIndex((thread) => thread.id === id);
  const thread = state.threads[at];
  if (!thread) return state;
  const threads = state.threads.toSpliced(at, 1);
  const selected = within(state.selected > at ? state.selected - 1 : state.selected, threads.length - 1);
  return { ...state, threads, selected, filed: [...state.filed, { thread, at }] };
}

/** The list with a thread back at its place. */
export function restored(state: InboxState, { thread, at }: Filed): InboxState {
  if (state.threads.some(({ id }) => id === thread.id)) return state;
  const place = Math.min(at, state.threads.length);
  const filed = state.filed.filter((one) => one.thread.id !== thread.id);
  return { ...state, threads: state.threads.toSpliced(place, 0, thread), selected: place, filed };
}

export type FiledStatus = Extract<ThreadStatus, "resolved" | "archived">;

export const write = (state: InboxState, kind: Writing["kind"], text = ""): InboxState => ({
  ...state,
  writing: { kind, text, isSure: false },
  said: quiet,
});

/** The text with what was typed or pasted; its last character is removed for undefined. */
export const typed = (state: InboxState, more: string | undefined): InboxState => {
  if (!state.writing) return state;
  const { text } = state.writing;
  const next = more === undefined ? [...text].slice(0, -1).join("") : text + more.replace(/\r\n?/g, "\n");
  return { ...state, writing: { ...state.writing, text: next, isSure: false }, said: quiet };
};
