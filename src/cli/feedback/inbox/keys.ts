import { file, move, openConsole, openThread, undo } from "./inbox-actions.ts";
import { closed, says, scrolled, typed } from "./inbox-state.ts";
import { startWriting, submit } from "./inbox-writing.ts";
import type { Inbox } from "./state.ts";

/** A key as the terminal reports it. */
export interface Key {
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
export interface Room {
  /** The lines that can be scrolled by. */
  readonly most: number;
  readonly page: number;
}

/** Does what a key means. Gives whether the person leaves. */
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
