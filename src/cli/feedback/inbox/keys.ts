import { ServerError } from "../../../client/errors.ts";
import type { OwnedThread } from "../../../contract/threads.ts";
import { deliveryWords } from "../../../words/delivery.ts";
import { newestMessageIn } from "../thread-text.ts";
import {
  closed,
  type FiledStatus,
  filedAway,
  type Inbox,
  type InboxCalls,
  moved,
  opened,
  restored,
  says,
  scrolled,
  selectedThread,
  typed,
  type Writing,
  write,
} from "./state.ts";

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
