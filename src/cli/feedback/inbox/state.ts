import { ServerError } from "../../../client/errors.ts";
import type {
  OwnedThread,
  ReplyDelivery,
  ThreadChange,
  ThreadStatus,
  ThreadSummary,
} from "../../../contract/threads.ts";
import { deliveryWords } from "../../../words/delivery.ts";
import { newestMessageIn } from "../thread-text.ts";

/** A key as the terminal reports it. */
interface Key {
  readonly upArrow?: boolean;
  readonly downArrow?: boolean;
  readonly pageUp?: boolean;
  readonly pageDown?: boolean;
  readonly return?: boolean;
  readonly escape?: boolean;
  readonly backspace?: boolean;
  readonly delete?: boolean;
  readonly ctrl?: boolean;
  readonly meta?: boolean;
}

/** How much of a thread fits on the screen. */
interface Room {
  /** The lines that can be scrolled by. */
  readonly most: number;
  readonly page: number;
}

/** Does what a key means. Returns whether the person leaves. */
export function press(
  inbox: Inbox,
  input: string,
  pressed: { readonly key: Key; readonly room: Room },
): boolean {
  const { key } = pressed;
  if (key.ctrl && input === "c") return true;
  if (inbox.state().writing) {
    pressWhileWriting(inbox, input, key);
    return false;
  }
  if (input.length > 1) return pressAll(inbox, input, pressed.room);
  return pressOne(inbox, nameOf(input, key), pressed.room);
}

/** Keys that are typed fast arrive together. What follows the key that starts a text is a part of the text. */
function pressAll(inbox: Inbox, input: string, room: Room): boolean {
  const [first = "", ...others] = input;
  if (first === "") return false;
  if (pressOne(inbox, nameOfOne(first), room)) return true;
  const rest = others.join("");
  if (!inbox.state().writing) return pressAll(inbox, rest, room);
  takeText(inbox, rest);
  return false;
}

function nameOf(input: string, key: Key): string {
  if (key.upArrow) return "k";
  if (key.downArrow) return "j";
  if (key.pageUp) return "b";
  if (key.pageDown) return " ";
  if (key.return) return "enter";
  return key.escape ? "escape" : input;
}

const nameOfOne = (character: string): string => (character === "\r" ? "enter" : character);

function pressOne(inbox: Inbox, name: string, room: Room): boolean {
  const isReading = inbox.state().reading !== undefined;
  if (name === "q" && !isReading) return true;
  const own = isReading ? inThread(inbox, room)[name] : inList(inbox, room)[name];
  (own ?? anywhere(inbox)[name])?.();
  return false;
}

type Keys = Readonly<Record<string, (() => void) | undefined>>;

const anywhere = (inbox: Inbox): Keys => ({
  e: () => file(inbox, "archived"),
  d: () => file(inbox, "resolved"),
  u: () => undo(inbox),
  r: () => void startWriting(inbox, "reply"),
  n: () => void startWriting(inbox, "note"),
  i: () => void startWriting(inbox, "issue"),
  o: () => openConsole(inbox),
});

const inList = (inbox: Inbox, { page }: Room): Keys => ({
  j: () => move(inbox, 1),
  k: () => move(inbox, -1),
  " ": () => move(inbox, page),
  b: () => move(inbox, -page),
  enter: () => void openThread(inbox),
});

const inThread = (inbox: Inbox, { most, page }: Room): Keys => {
  const scroll = (by: number) => inbox.set(scrolled(inbox.state(), by, most));
  const back = () => inbox.set(closed(inbox.state()));
  return {
    j: () => scroll(1),
    k: () => scroll(-1),
    " ": () => scroll(page),
    b: () => scroll(-page),
    q: back,
    escape: back,
  };
};

function pressWhileWriting(inbox: Inbox, input: string, key: Key): void {
  const state = inbox.state();
  if (key.escape) inbox.set(says({ ...state, writing: undefined }, "Nothing was sent."));
  else if (key.return) submit(inbox);
  else if (key.backspace || key.delete) inbox.set(typed(state, undefined));
  else if (!key.ctrl && !key.meta) takeText(inbox, input);
}

/** Typed or pasted text. An Enter at its end is one; those before it are lines of a pasted text. */
function takeText(inbox: Inbox, input: string): void {
  const [, text = "", enter] = /^([\s\S]*?)(\r?)$/.exec(input) ?? [];
  for (const part of text.split(/([\u007f\b])/)) {
    const isErasing = part === "\u007f" || part === "\b";
    if (part !== "") inbox.set(typed(inbox.state(), isErasing ? undefined : part));
  }
  if (enter) submit(inbox);
}

/**
 * Starts a reply, a note or the address of an issue for the selected thread, which is shown. Keys belong to the text at once,
 * also while the thread is read: they must not file threads away.
 */
async function startWriting(inbox: Inbox, kind: Writing["kind"]): Promise<void> {
  if (!selectedThread(inbox.state()) && !inbox.state().reading) return;
  inbox.set(write(inbox.state(), kind));
  if (!inbox.state().reading) await openThread(inbox);
  const state = inbox.state();
  if (state.writing?.kind !== kind || state.writing.text !== "") return;
  if (!state.reading) inbox.set({ ...state, writing: undefined });
  else if (kind === "issue") inbox.set(write(state, kind, state.reading.feedback.githubIssueUrl ?? ""));
}

/** Sends what was written. A reply waits for a second call, because it cannot be taken back. */
function submit(inbox: Inbox): void {
  const state = inbox.state();
  const { writing, reading } = state;
  if (!writing) return;
  if (!reading) {
    // The text waits until the thread is there.
    void openThread(inbox);
    return;
  }
  const fault = faultOf(writing);
  if (fault !== undefined) inbox.set(says(state, fault, true));
  else if (writing.kind === "reply" && !writing.isSure)
    inbox.set({ ...says(state, sureText), writing: { ...writing, isSure: true } });
  else {
    inbox.set({ ...says(state, "Sending…"), writing: undefined });
    inbox.after(() => sendWritten(inbox, reading, writing));
  }
}

const sureText = "The sender gets this. Enter sends it, Esc stops.";

async function sendWritten(inbox: Inbox, thread: OwnedThread, writing: Writing): Promise<void> {
  const { id } = thread.feedback;
  const isOpen = () => inbox.state().reading?.feedback.id === id;
  let said: string;
  try {
    said = await sent(inbox.calls, thread, writing);
  } catch (error) {
    const isAnswered = error instanceof ServerError && error.code === "answered";
    // The newer message is shown. The next time it counts as read.
    const newer = isAnswered ? await inbox.calls.read(id).catch(() => undefined) : undefined;
    // The text is not lost.
    if (isOpen())
      inbox.set({
        ...inbox.state(),
        ...(newer && { reading: newer }),
        writing: { ...writing, isSure: false },
      });
    throw isAnswered ? new Error(`Nothing was sent. ${error.message}`) : error;
  }
  // It has arrived: if the thread cannot be read now, nothing must be sent again.
  const reading = await inbox.calls.read(id).catch(() => undefined);
  inbox.set(says(reading && isOpen() ? { ...inbox.state(), reading } : inbox.state(), said));
}

function faultOf({ kind, text }: Writing): string | undefined {
  const given = text.trim();
  if (kind !== "issue") return given === "" ? "There is no text yet." : undefined;
  const isAddress = URL.canParse(given) && /^https?:$/.test(new URL(given).protocol);
  return given === "" || isAddress ? undefined : "An issue is a web address, such as https://github.com/…";
}

async function sent(
  calls: InboxCalls,
  { feedback: { id }, messages }: OwnedThread,
  { kind, text }: Writing,
): Promise<string> {
  const given = text.trim();
  if (kind === "issue") {
    await calls.change(id, { githubIssueUrl: given === "" ? null : given });
    return given === "" ? "The issue is no longer linked." : "The issue is linked.";
  }
  if (kind === "note") {
    await calls.send(id, { direction: "note", body: given });
    return "The note is there.";
  }
  const reply = { direction: "outbound", body: given, expectedMessageId: newestMessageIn(messages) } as const;
  const { delivery } = await calls.send(id, reply);
  return ["The reply was sent.", ...(delivery ? deliveryWords(delivery) : [])].join(" ");
}

// A change shows at once, and is taken back if the server refuses it. Nothing here decides on a proposal. (rule L54)

function move(inbox: Inbox, by: number): void {
  inbox.set(moved(inbox.state(), by));
  void inbox.readAhead();
}

/** Reads the selected thread and shows it. */
async function openThread(inbox: Inbox): Promise<void> {
  const thread = selectedThread(inbox.state());
  if (!thread) return;
  inbox.set(says(inbox.state(), "Reading…"));
  try {
    const read = await inbox.calls.read(thread.id);
    const isSelected = selectedThread(inbox.state())?.id === thread.id;
    if (!isSelected) return;
    inbox.set(opened(says(inbox.state(), ""), read));
    // A token that may only read marks nothing. The thread is read all the same.
    if (thread.unread) void inbox.calls.markRead(thread.id).catch(() => undefined);
  } catch (error) {
    inbox.problem(error);
  }
}

/** Files the selected thread away. In a thread the next one opens. */
function file(inbox: Inbox, status: FiledStatus): void {
  const state = inbox.state();
  const thread = selectedThread(state);
  if (!thread) return;
  const said = `Filed as ${status}: ${thread.subject}. u undoes it.`;
  inbox.set(says(closed(filedAway(state, thread.id)), said));
  const filed = inbox.state().filed.at(-1);
  inbox.after(async () => {
    try {
      await inbox.calls.change(thread.id, { status });
    } catch (error) {
      if (filed) inbox.set(restored(inbox.state(), filed));
      throw error;
    }
  });
  if (state.reading) void openNext(inbox);
  void inbox.readAhead();
}

/** Shows the next thread, and what was said before it. */
async function openNext(inbox: Inbox): Promise<void> {
  const { said } = inbox.state();
  await openThread(inbox);
  const state = inbox.state();
  if (!state.said.isProblem) inbox.set({ ...state, said });
}

/** Puts the thread that was filed away last back into the list, with the status that it had. */
function undo(inbox: Inbox): void {
  const state = inbox.state();
  const filed = state.filed.at(-1);
  if (!filed) {
    inbox.set(says(state, "There is nothing to undo."));
    return;
  }
  const { id, subject, status } = filed.thread;
  inbox.set(says(closed(restored(state, filed)), `Back in the list: ${subject}`));
  inbox.after(async () => {
    try {
      await inbox.calls.change(id, { status });
    } catch (error) {
      inbox.set(filedAway(inbox.state(), id));
      throw error;
    }
  });
}

/** Opens the thread in the console, where a person decides on its proposal. */
function openConsole(inbox: Inbox): void {
  const address = inbox.state().reading?.feedback.consoleUrl;
  if (address === undefined) inbox.set(says(inbox.state(), "Open a thread first, with Enter."));
  else inbox.calls.open(address).then(() => inbox.set(says(inbox.state(), address)), inbox.problem);
}

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

const selectedThread = ({ threads, selected }: InboxState): ThreadSummary | undefined => threads[selected];

const within = (at: number, most: number): number => Math.max(0, Math.min(at, most));

const moved = (state: InboxState, by: number): InboxState => ({
  ...state,
  selected: within(state.selected + by, state.threads.length - 1),
  said: quiet,
});

const scrolled = (state: InboxState, by: number, most: number): InboxState => ({
  ...state,
  scroll: within(Math.min(state.scroll, most) + by, most),
});

const opened = (state: InboxState, reading: OwnedThread): InboxState => ({
  ...state,
  threads: state.threads.map((thread) =>
    thread.id === reading.feedback.id ? { ...thread, unread: false } : thread,
  ),
  reading,
  scroll: 0,
});

const closed = (state: InboxState): InboxState => ({
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
function filedAway(state: InboxState, id: string): InboxState {
  const at = state.threads.findIndex((thread) => thread.id === id);
  const thread = state.threads[at];
  if (!thread) return state;
  const threads = state.threads.toSpliced(at, 1);
  const selected = within(state.selected > at ? state.selected - 1 : state.selected, threads.length - 1);
  return { ...state, threads, selected, filed: [...state.filed, { thread, at }] };
}

/** The list with a thread back at its place. */
function restored(state: InboxState, { thread, at }: Filed): InboxState {
  if (state.threads.some(({ id }) => id === thread.id)) return state;
  const place = Math.min(at, state.threads.length);
  const filed = state.filed.filter((one) => one.thread.id !== thread.id);
  return { ...state, threads: state.threads.toSpliced(place, 0, thread), selected: place, filed };
}

type FiledStatus = Extract<ThreadStatus, "resolved" | "archived">;

const write = (state: InboxState, kind: Writing["kind"], text = ""): InboxState => ({
  ...state,
  writing: { kind, text, isSure: false },
  said: quiet,
});

/** The text with what was typed or pasted; its last character is removed for undefined. */
const typed = (state: InboxState, more: string | undefined): InboxState => {
  if (!state.writing) return state;
  const { text } = state.writing;
  const next = more === undefined ? [...text].slice(0, -1).join("") : text + more.replace(/\r\n?/g, "\n");
  return { ...state, writing: { ...state.writing, text: next, isSure: false }, said: quiet };
};
