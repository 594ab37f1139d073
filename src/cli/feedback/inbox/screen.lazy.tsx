/** @jsxImportSource react */

import { Box, Text, useApp, useInput, useStdout } from "ink";
import { useEffect, useMemo, useState } from "react";
import { countOf } from "../../../words/phrases.ts";
import { oneLine } from "../../../words/visible.ts";
import { cutTo, printable, relativeTime, widthOf } from "../../core/output.ts";
import { type Shown, showOnTerminal } from "../../core/screen.lazy.ts";
import { threadText } from "../thread-text.ts";
import { type Inbox, type InboxState, press, type Writing } from "./state.ts";

/** The inbox to show, and the signal that closes the screen. */
export interface InboxScreen extends Shown {
  readonly inbox: Inbox;
}

/** Shows the inbox until the person closes it. If the signal aborts, throws the reason of the signal. */
export async function showScreen({ inbox, signal, streams }: InboxScreen): Promise<void> {
  await showOnTerminal(<Screen inbox={inbox} signal={signal} />, { signal, streams });
}

function Screen({ inbox, signal }: Pick<InboxScreen, "inbox" | "signal">) {
  const { exit } = useApp();
  const size = useSize();
  const state = useInbox(inbox);
  useEffect(() => {
    const end = () => exit();
    signal.addEventListener("abort", end, { once: true });
    return () => signal.removeEventListener("abort", end);
  }, [signal, exit]);
  const { width, height, isSmall } = size;
  const rows = Math.max(isSmall ? 0 : 1, height - frameOf(state, isSmall));
  const { reading } = state;
  const lines = useMemo(
    () => (reading ? wrapped(printable(threadText(reading)), width) : []),
    [reading, width],
  );
  const most = Math.max(0, lines.length - rows);
  useInput((input, key) => {
    if (press(inbox, input, { key, viewport: { most, page: rows } })) exit();
  });
  return (
    <Box flexDirection="column" paddingX={1} overflow="hidden" {...(isSmall && { height })}>
      <Headline state={state} size={size} />
      {state.reading ? (
        <ThreadLines lines={lines.slice(Math.min(state.scroll, most)).slice(0, rows)} />
      ) : (
        <List state={state} rows={rows} width={width} />
      )}
      {state.writing && <Draft writing={state.writing} size={size} />}
      <Footer state={state} size={size} hidden={Math.max(0, most - state.scroll)} />
    </Box>
  );
}

interface Size {
  readonly width: number;
  readonly height: number;
  /** Whether the screen omits empty lines and the line with the keys, because the terminal is small. */
  readonly isSmall: boolean;
}

/** Returns the size of the terminal. The component renders again when the size changes. */
function useSize(): Size {
  const { stdout } = useStdout();
  const [size, setSize] = useState(() => sizeOf(stdout));
  useEffect(() => {
    const change = () => setSize(sizeOf(stdout));
    stdout.on("resize", change);
    return () => void stdout.off("resize", change);
  }, [stdout]);
  return size;
}

/**
 * Returns the terminal's size without its last line. If every line were full, ink would clear earlier output.
 */
const sizeOf = ({ columns, rows }: Partial<NodeJS.WriteStream>): Size => ({
  width: Math.max(1, (columns || 80) - 2),
  height: Math.max(1, (rows || 24) - 1),
  isSmall: (rows || 24) < smallRows,
});

const smallRows = 12;

/** Returns the number of lines around the list or the thread, such as the heading and the keys. */
function frameOf({ writing }: InboxState, isSmall: boolean): number {
  if (isSmall) return writing ? 4 : 2;
  return writing ? 8 : 5;
}

function useInbox(inbox: Inbox): InboxState {
  const [state, setState] = useState(inbox.state);
  useEffect(() => {
    inbox.watch(() => setState(inbox.state()));
    return () => inbox.watch(() => {});
  }, [inbox]);
  return state;
}

/** Returns how many empty lines separate two parts of the screen. */
const gap = ({ isSmall }: Size): number => (isSmall ? 0 : 1);

function Headline({ state, size }: { readonly state: InboxState; readonly size: Size }) {
  const { threads, nextCursor, reading, selected } = state;
  const count = `${threads.length}${nextCursor === null ? "" : "+"}`;
  const text = reading ? `${selected + 1} of ${count}` : `${count} in the inbox`;
  return (
    <Box marginBottom={gap(size)}>
      <Text bold wrap="truncate-end">
        {cutTo(text, size.width)}
      </Text>
    </Box>
  );
}

function List({
  state: { threads, selected },
  rows,
  width,
}: {
  readonly state: InboxState;
  readonly rows: number;
  readonly width: number;
}) {
  if (threads.length === 0) return <Text>Nothing is left to do.</Text>;
  const first = Math.max(0, Math.min(selected - Math.floor(rows / 2), threads.length - rows));
  const now = new Date();
  return (
    <Box flexDirection="column">
      {threads.slice(first, first + rows).map((thread, at) => {
        const isSelected = first + at === selected;
        // An older server does not return the time of the last activity.
        const age = relativeTime(thread.activeAt ?? thread.createdAt, now).padEnd(11);
        const times = thread.occurrences > 1 ? ` (${thread.occurrences} times)` : "";
        const sender = thread.senderName ?? thread.senderEmail;
        const text = oneLine(`${thread.subject}${times}${sender ? `, ${sender}` : ""}`);
        const facts = `${age} ${oneLine(thread.category).padEnd(8)}`;
        return (
          <Text key={thread.id} bold={thread.unread} inverse={isSelected} wrap="truncate-end">
            {cutTo(`${isSelected ? ">" : " "}${thread.unread ? "*" : " "}${facts} ${text}`, width)}
          </Text>
        );
      })}
    </Box>
  );
}

const ThreadLines = ({ lines }: { readonly lines: readonly string[] }) => (
  <Box flexDirection="column">
    {lines.map((line, at) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name, and keep their order.
      <Text key={at} wrap="truncate-end">
        {line === "" ? " " : line}
      </Text>
    ))}
  </Box>
);

const questions = { reply: "Reply to the sender", note: "Note for your team", issue: "Address of the issue" };

function Draft({ writing, size }: { readonly writing: Writing; readonly size: Size }) {
  const [last = ""] = wrapped(printable(`${writing.text}_`), size.width).slice(-1);
  return (
    <Box flexDirection="column" marginTop={gap(size)}>
      <Text bold wrap="truncate-end">
        {questions[writing.kind]}: Enter sends, Esc cancels
      </Text>
      <Text wrap="truncate-end">{last}</Text>
    </Box>
  );
}

const keys = {
  list: "Enter read  e archive  d resolve  u undo  r reply  n note  i issue  q quit",
  thread: "jk move  e archive  d resolve  u undo  r reply  n note  i issue  o web  q back",
};

function Footer({
  state: { said, reading },
  size,
  hidden,
}: {
  readonly state: InboxState;
  readonly size: Size;
  /** The number of lines of the thread that are below the visible part. */
  readonly hidden: number;
}) {
  const below = reading && hidden > 0 ? `${countOf(hidden, "line")} below. ` : "";
  return (
    <Box flexDirection="column" marginTop={gap(size)}>
      <Text {...(said.isProblem && { color: "red" })} wrap="truncate-end">
        {cutTo(oneLine(`${below}${said.text}`), size.width) || " "}
      </Text>
      {!size.isSmall && (
        <Text dimColor wrap="truncate-end">
          {cutTo(reading ? keys.thread : keys.list, size.width)}
        </Text>
      )}
    </Box>
  );
}

/** Wraps a text at spaces, in linear time. An attacker may have written the text. */
export const wrapped = (text: string, width: number): string[] =>
  text.split("\n").flatMap((line) => wrappedLine(line.replaceAll("\t", "  "), width));

function wrappedLine(line: string, width: number): string[] {
  const lines: string[] = [];
  let kept = "";
  let used = 0;
  for (const word of line.match(/ +|[^ ]+/g) ?? []) {
    for (const part of partsOf(word, width)) {
      if (used + part.width > width) {
        lines.push(kept.trimEnd());
        [kept, used] = ["", 0];
        // Spaces at a line break are removed.
        if (part.text.trim() === "") continue;
      }
      kept += part.text;
      used += part.width;
    }
  }
  return [...lines, kept];
}

interface Part {
  readonly text: string;
  readonly width: number;
}

/** Returns a word, split into parts if it is wider than a line. */
function partsOf(word: string, most: number): Part[] {
  const whole = widthOf(word);
  if (whole <= most) return [{ text: word, width: whole }];
  const parts: Part[] = [];
  let [text, width] = ["", 0];
  for (const character of word) {
    const more = widthOf(character);
    if (text !== "" && width + more > most) {
      parts.push({ text, width });
      [text, width] = ["", 0];
    }
    text += character;
    width += more;
  }
  return [...parts, { text, width }];
}
