import { ServerError } from "../../../client/errors.ts";
import type {
  OwnedThread,
  ReplyDelivery,
  ThreadChange,
  ThreadStatus,
  ThreadSummary,
} from "../../../contract/threads.ts";
import { deliveryWords, hasRepeats, probableReceiver, senderOf } from "../../../words/thread.ts";
import { oneLine } from "../../../words/visible.ts";
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

/** The size of the visible part of an open thread. */
interface Viewport {
  /** The largest scroll position, in lines. */
  readonly most: number;
  readonly page: number;
}

/** Handles a key. Returns true if the key closes the screen. */
export function press(
  inbox: Inbox,
  input: string,
  pressed: { readonly key: Key; readonly viewport: Viewport },
): boolean {
  const { key } = pressed;
  if (key.ctrl && input === "c") return true;
  if (inbox.state().writing) {
    pressWhileWriting(inbox, input, key);
    return false;
  }
  if (input.length > 1) return pressAll(inbox, input, pressed.viewport);
  return pressOne(inbox, nameOf(input, key), pressed.viewport);
}

/** Handles keys that arrive together. If one key starts a text, the later keys are added to the text. */
function pressAll(inbox: Inbox, input: string, viewport: Viewport): boolean {
  const [first = "", ...others] = input;
  if (first === "") return false;
  if (pressOne(inbox, nameOfOne(first), viewport)) return true;
  const rest = others.join("");
  if (!inbox.state().writing) return pressAll(inbox, rest, viewport);
  addText(inbox, rest);
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

function pressOne(inbox: Inbox, name: string, viewport: Viewport): boolean {
  const isReading = inbox.state().reading !== undefined;
  if (name === "q" && !isReading) return true;
  const own = isReading ? threadKeys(inbox, viewport)[name] : listKeys(inbox, viewport)[name];
  (own ?? commonKeys(inbox)[name])?.();
  return false;
}

type Keys = Readonly<Record<string, (() => void) | undefined>>;

const commonKeys = (inbox: Inbox): Keys => ({
  e: () => closeThread(inbox, "archived"),
  d: () => closeThread(inbox, "resolved"),
  u: () => undo(inbox),
  r: () => void startWriting(inbox, "reply"),
  n: () => void startWriting(inbox, "note"),
  i: () => void startWriting(inbox, "issue"),
  o: () => openConsole(inbox),
});

const listKeys = (inbox: Inbox, { page }: Viewport): Keys => ({
  j: () => move(inbox, 1),
  k: () => move(inbox, -1),
  " ": () => move(inbox, page),
  b: () => move(inbox, -page),
  enter: () => void openThread(inbox),
});

const threadKeys = (inbox: Inbox, { most, page }: Viewport): Keys => {
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
  if (key.escape) inbox.set(withMessage({ ...state, writing: undefined }, "Nothing was sent."));
  else if (key.return) submit(inbox);
  else if (key.backspace || key.delete) inbox.set(typed(state, undefined));
  else if (!key.ctrl && !key.meta) addText(inbox, input);
}

/** Adds typed or pasted text. A final line end is Enter. Other line ends belong to the text. */
function addText(inbox: Inbox, input: string): void {
  const [, text = "", enter] = /^([\s\S]*?)(\r?)$/.exec(input) ?? [];
  for (const part of text.split(/([\u007f\b])/)) {
    const isErasing = part === "\u007f" || part === "\b";
    if (part !== "") inbox.set(typed(inbox.state(), isErasing ? undefined : part));
  }
  if (enter) submit(inbox);
}

/** Starts a reply, note or issue address. Typed keys belong to the text even while the thread loads. */
async function startWriting(inbox: Inbox, kind: Writing["kind"]): Promise<void> {
  if (!selectedThread(inbox.state()) && !inbox.state().reading) return;
  inbox.set(write(inbox.state(), kind));
  if (!inbox.state().reading) await openThread(inbox);
  const state = inbox.state();
  if (state.writing?.kind !== kind || state.writing.text !== "") return;
  if (!state.reading) inbox.set({ ...state, writing: undefined });
  else if (kind === "issue") inbox.set(write(state, kind, state.reading.feedback.githubIssueUrl ?? ""));
}

/** Sends the text. For a reply, Enter must be pressed twice, because a reply cannot be undone. */
function submit(inbox: Inbox): void {
  const state = inbox.state();
  const { writing, reading } = state;
  if (!writing) return;
  if (!reading) {
    // The text is not sent before the thread has loaded.
    void openThread(inbox);
    return;
  }
  const fault = faultOf(writing);
  if (fault !== undefined) inbox.set(withMessage(state, fault, true));
  else if (writing.kind === "reply" && !writing.isSure)
    inbox.set({ ...withMessage(state, sureText(reading)), writing: { ...writing, isSure: true } });
  else {
    inbox.set({ ...withMessage(state, "Sending…"), writing: undefined });
    inbox.after(() => sendWritten(inbox, reading, writing));
  }
}

function sureText(thread: OwnedThread): string {
  const { name, email } = senderOf(thread, probableReceiver(thread));
  const who = hasRepeats(thread) ? oneLine(name ?? email ?? "An anonymous sender") : "The sender";
  return `${who} gets this text. Enter sends it, Esc cancels.`;
}

async function sendWritten(inbox: Inbox, thread: OwnedThread, writing: Writing): Promise<void> {
  const { id } = thread.feedback;
  const isOpen = () => inbox.state().reading?.feedback.id === id;
  let said: string;
  try {
    said = await sent(inbox.calls, thread, writing);
  } catch (error) {
    const isAnswered = error instanceof ServerError && error.code === "answered";
    // If somebody else has answered, reads the thread again, so that the person sees the answer before the next
    // attempt.
    const newer = isAnswered ? await inbox.calls.read(id).catch(() => undefined) : undefined;
    // The unsent text stays on the screen.
    if (isOpen())
      inbox.set({
        ...inbox.state(),
        ...(newer && { reading: newer }),
        writing: { ...writing, isSure: false },
      });
    throw isAnswered ? new Error(`Nothing was sent. ${error.message}`) : error;
  }
  // The message was sent. This read ignores errors, so that the person does not send the message again.
  const reading = await inbox.calls.read(id).catch(() => undefined);
  inbox.set(withMessage(reading && isOpen() ? { ...inbox.state(), reading } : inbox.state(), said));
}

function faultOf({ kind, text }: Writing): string | undefined {
  const given = text.trim();
  if (kind !== "issue") return given === "" ? "There is no text yet." : undefined;
  const isAddress = URL.canParse(given) && /^https?:$/.test(new URL(given).protocol);
  return given === "" || isAddress
    ? undefined
    : "The issue must be a web address, such as https://github.com/…";
}

async function sent(calls: InboxCalls, thread: OwnedThread, { kind, text }: Writing): Promise<string> {
  const { id } = thread.feedback;
  const given = text.trim();
  if (kind === "issue") {
    await calls.change(id, { githubIssueUrl: given === "" ? null : given });
    return given === "" ? "The issue is no longer linked." : "The issue is linked.";
  }
  if (kind === "note") {
    await calls.send(id, { direction: "note", body: given });
    return "The note was added.";
  }
  const reply = {
    direction: "outbound",
    body: given,
    expectedMessageId: newestMessageIn(thread.messages),
    ...(hasRepeats(thread) ? { reportId: probableReceiver(thread) } : {}),
  } as const;
  const { delivery } = await calls.send(id, reply);
  return ["The reply was added.", ...(delivery ? deliveryWords(delivery) : [])].join(" ");
}

function move(inbox: Inbox, by: number): void {
  inbox.set(moved(inbox.state(), by));
  void inbox.readAhead();
}

/** Reads the selected thread, shows it, and marks it as read. */
async function openThread(inbox: Inbox): Promise<void> {
  const thread = selectedThread(inbox.state());
  if (!thread) return;
  inbox.set(withMessage(inbox.state(), "Reading…"));
  try {
    const read = await inbox.calls.read(thread.id);
    const isSelected = selectedThread(inbox.state())?.id === thread.id;
    if (!isSelected) return;
    inbox.set(opened(withMessage(inbox.state(), ""), read));
    // A token with only read access cannot mark the thread as read, but may show it.
    if (thread.unread) void inbox.calls.markRead(thread.id).catch(() => undefined);
  } catch (error) {
    inbox.problem(error);
  }
}

/**
 * Archives or resolves the selected thread. The screen changes immediately, and changes back if the server refuses.
 * (rule L54)
 */
function closeThread(inbox: Inbox, status: FiledStatus): void {
  const state = inbox.state();
  const thread = selectedThread(state);
  if (!thread) return;
  const said = `The thread is ${status}: ${thread.subject}. Press u to undo.`;
  inbox.set(withMessage(closed(withoutThread(state, thread.id)), said));
  const filed = inbox.state().filed.at(-1);
  inbox.after(async () => {
    try {
      inbox.undos.set(thread.id, await inbox.calls.file(thread, status));
    } catch (error) {
      if (filed) inbox.set(withThread(inbox.state(), filed));
      throw error;
    }
  });
  if (state.reading) void openNext(inbox);
  void inbox.readAhead();
}

/** Opens the next thread, and keeps the last message on the screen. */
async function openNext(inbox: Inbox): Promise<void> {
  const { said } = inbox.state();
  await openThread(inbox);
  const state = inbox.state();
  if (!state.said.isProblem) inbox.set({ ...state, said });
}

/**
 * Undoes the last archiving or resolving. The list changes immediately, and changes back if the server refuses. (rule
 * L54)
 */
function undo(inbox: Inbox): void {
  const state = inbox.state();
  const filed = state.filed.at(-1);
  if (!filed) {
    inbox.set(withMessage(state, "There is nothing to undo."));
    return;
  }
  const { id, subject } = filed.thread;
  inbox.set(withMessage(closed(withThread(state, filed)), `The thread is in the list again: ${subject}`));
  inbox.after(async () => {
    const undoOfThread = inbox.undos.get(id);
    // If the server has refused the change, there is nothing to undo.
    if (undoOfThread === undefined) return;
    const reason = await undoOfThread().catch((error: unknown) => {
      inbox.set(withoutThread(inbox.state(), id));
      throw error;
    });
    inbox.undos.delete(id);
    if (reason === undefined) return;
    inbox.set(forgotten(withoutThread(inbox.state(), id), id));
    throw new Error(reason);
  });
}

/** Opens the thread in the console. This screen never approves or rejects a proposal. (rule L54) */
function openConsole(inbox: Inbox): void {
  const address = inbox.state().reading?.feedback.consoleUrl;
  if (address === undefined) inbox.set(withMessage(inbox.state(), "Open a thread first, with Enter."));
  else inbox.calls.open(address).then(() => inbox.set(withMessage(inbox.state(), address)), inbox.problem);
}

export interface ThreadPage {
  readonly items: readonly ThreadSummary[];
  readonly nextCursor: string | null;
}

/**
 * A message to a thread. `expectedMessageId` is the newest message on the screen, or null if there is none. (rule F35)
 */
interface SentMessage {
  readonly direction: "note" | "outbound";
  readonly body: string;
  readonly expectedMessageId?: string | null;
  /** The report whose sender gets the reply. Given if the thread has several reports. */
  readonly reportId?: string;
}

/** Undoes a change. Returns undefined after a success, or the reason if the server refuses permanently. */
export type Undo = () => Promise<string | undefined>;

/** The requests that the screen sends to the server, and the function that opens the browser. */
export interface InboxCalls {
  list(cursor?: string): Promise<ThreadPage>;
  read(id: string): Promise<OwnedThread>;
  markRead(id: string): Promise<unknown>;
  change(id: string, change: ThreadChange): Promise<OwnedThread>;
  /** Archives or resolves a thread. Returns the function that undoes the change. */
  file(thread: Pick<ThreadSummary, "id" | "status">, status: FiledStatus): Promise<Undo>;
  send(id: string, message: SentMessage): Promise<{ readonly delivery?: ReplyDelivery | undefined }>;
  open(address: string): Promise<void>;
}

/** The state of the inbox, and the functions that read and change it. */
export interface Inbox {
  readonly calls: InboxCalls;
  /** The functions that undo an archiving or resolving on this screen, by the ids of the threads. */
  readonly undos: Map<string, Undo>;
  state(): InboxState;
  set(next: InboxState): void;
  /** Sets the listener that is called after each change of the state. There is only one listener. */
  watch(listener: () => void): void;
  /** Shows an error on the last line. */
  problem(error: unknown): void;
  /** Calls `work` after all earlier requests are answered. An undo must not arrive before the undone change. */
  after(work: () => Promise<void>): void;
  isSettled(): boolean;
  /** Resolves when the server has answered all requests. */
  settled(): Promise<void>;
  /** Reads the next page of the list if the selected row is near the end of the list. */
  readAhead(): Promise<void>;
}

/** The next page is read when at most this number of rows follow the selected row. */
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
    set(withMessage(state, error instanceof Error ? error.message : String(error), true));

  return {
    calls,
    undos: new Map(),
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

/** The text that the person is typing for a thread. */
export interface Writing {
  readonly kind: "reply" | "note" | "issue";
  readonly text: string;
  /** Whether the person has confirmed a reply with a first Enter. Only the second Enter sends it. */
  readonly isSure: boolean;
}

/** A thread that was archived or resolved on this screen, and its earlier position in the list. */
interface Filed {
  readonly thread: ThreadSummary;
  readonly at: number;
}

export interface InboxState {
  readonly threads: readonly ThreadSummary[];
  /** The cursor of the next page of the list. Null on the last page. */
  readonly nextCursor: string | null;
  readonly selected: number;
  /** The thread that is open. */
  readonly reading?: OwnedThread | undefined;
  /** The number of lines of the open thread that are above the screen. */
  readonly scroll: number;
  readonly writing?: Writing | undefined;
  /** The threads that were archived or resolved on this screen, the latest last. */
  readonly filed: readonly Filed[];
  /** The message on the last line of the screen. */
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

export const withMessage = (state: InboxState, text: string, isProblem = false): InboxState => ({
  ...state,
  said: { text, isProblem },
});

const selectedThread = ({ threads, selected }: InboxState): ThreadSummary | undefined => threads[selected];

const clamped = (at: number, most: number): number => Math.max(0, Math.min(at, most));

const moved = (state: InboxState, by: number): InboxState => ({
  ...state,
  selected: clamped(state.selected + by, state.threads.length - 1),
  said: quiet,
});

const scrolled = (state: InboxState, by: number, most: number): InboxState => ({
  ...state,
  scroll: clamped(Math.min(state.scroll, most) + by, most),
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

/** Returns the state with one more page in the list. */
const continued = (
  state: InboxState,
  page: { readonly items: readonly ThreadSummary[]; readonly nextCursor: string | null },
): InboxState => {
  const known = new Set(state.threads.map(({ id }) => id));
  const more = page.items.filter(({ id }) => !known.has(id));
  return { ...state, threads: [...state.threads, ...more], nextCursor: page.nextCursor };
};

/** Moves a thread from the list to `filed`, after it was archived or resolved. */
function withoutThread(state: InboxState, id: string): InboxState {
  const at = state.threads.findIndex((thread) => thread.id === id);
  const thread = state.threads[at];
  if (!thread) return state;
  const threads = state.threads.toSpliced(at, 1);
  const selected = clamped(state.selected > at ? state.selected - 1 : state.selected, threads.length - 1);
  return { ...state, threads, selected, filed: [...state.filed, { thread, at }] };
}

/** Moves a thread from `filed` back to its position in the list. */
function withThread(state: InboxState, { thread, at }: Filed): InboxState {
  if (state.threads.some(({ id }) => id === thread.id)) return state;
  const place = Math.min(at, state.threads.length);
  const filed = state.filed.filter((one) => one.thread.id !== thread.id);
  return { ...state, threads: state.threads.toSpliced(place, 0, thread), selected: place, filed };
}

/** Removes a thread from `filed`, because its change can no longer be undone. */
const forgotten = (state: InboxState, id: string): InboxState => ({
  ...state,
  filed: state.filed.filter(({ thread }) => thread.id !== id),
});

export type FiledStatus = Extract<ThreadStatus, "resolved" | "archived">;

const write = (state: InboxState, kind: Writing["kind"], text = ""): InboxState => ({
  ...state,
  writing: { kind, text, isSure: false },
  said: quiet,
});

/** Adds typed or pasted text. If `more` is undefined, removes the last character of the text. */
const typed = (state: InboxState, more: string | undefined): InboxState => {
  if (!state.writing) return state;
  const { text } = state.writing;
  const next = more === undefined ? [...text].slice(0, -1).join("") : text + more.replace(/\r\n?/g, "\n");
  return { ...state, writing: { ...state.writing, text: next, isSure: false }, said: quiet };
};
