/** @jsxImportSource react */
import { Box, type Instance, type RenderOptions, render, Text, useApp, useInput, useStdout } from "ink";
import { useEffect, useState } from "react";
import { cutTo, onOneLine, printable, widthOf } from "../core/output/plain-text.ts";
import { relativeTime } from "../core/output/relative-time.ts";
import type { Inbox } from "../feedback/inbox/inbox.ts";
import { press } from "../feedback/inbox/inbox-keys.ts";
import type { InboxState, Writing } from "../feedback/inbox/inbox-state.ts";
import { threadText } from "../feedback/thread-text.ts";

/** What the screen shows, and when it ends. */
export interface InboxScreen {
  readonly inbox: Inbox;
  readonly signal: AbortSignal;
  /** Other streams than those of this process. */
  readonly streams?: Pick<RenderOptions, "stdin" | "stdout" | "debug">;
}

/** Shows the inbox until the person leaves. Throws the reason if the signal aborts. */
export async function showScreen({ inbox, signal, streams }: InboxScreen): Promise<void> {
  const { stdout = process.stdout } = streams ?? {};
  // Some terminals report a width of 0, which would show one letter per line.
  stdout.columns ||= 80;
  const app: Instance = render(<Screen inbox={inbox} signal={signal} />, {
    exitOnCtrlC: false,
    patchConsole: false,
    ...streams,
  });
  await app.waitUntilExit();
  signal.throwIfAborted();
}

/** The lines above and below the list or the thread. */
const frameLines = 5;

function Screen({ inbox, signal }: Pick<InboxScreen, "inbox" | "signal">) {
  const { exit } = useApp();
  const { stdout } = useStdout();
  const state = useInbox(inbox);
  useEffect(() => {
    const end = () => exit();
    signal.addEventListener("abort", end, { once: true });
    return () => signal.removeEventListener("abort", end);
  }, [signal, exit]);
  const width = Math.max(20, (stdout.columns || 80) - 2);
  const rows = Math.max(3, (stdout.rows || 24) - frameLines - (state.writing ? 3 : 0));
  const lines = state.reading ? wrapped(printable(threadText(state.reading)), width) : [];
  const most = Math.max(0, lines.length - rows);
  useInput((input, key) => {
    if (press(inbox, input, { key, room: { most, page: rows } })) exit();
  });
  return (
    <Box flexDirection="column" paddingX={1}>
      <Headline state={state} width={width} />
      {state.reading ? (
        <ThreadLines lines={lines.slice(Math.min(state.scroll, most)).slice(0, rows)} />
      ) : (
        <List state={state} rows={rows} width={width} />
      )}
      {state.writing && <Draft writing={state.writing} width={width} />}
      <Footer state={state} width={width} hidden={Math.max(0, most - state.scroll)} />
    </Box>
  );
}

function useInbox(inbox: Inbox): InboxState {
  const [state, setState] = useState(inbox.state);
  useEffect(() => {
    inbox.watch(() => setState(inbox.state()));
    return () => inbox.watch(() => {});
  }, [inbox]);
  return state;
}

function Headline({ state, width }: { readonly state: InboxState; readonly width: number }) {
  const { threads, nextCursor, reading, selected } = state;
  const count = `${threads.length}${nextCursor === null ? "" : "+"}`;
  const text = reading ? `${selected + 1} of ${count}` : `${count} in the inbox`;
  return (
    <Box marginBottom={1}>
      <Text bold>{cutTo(text, width)}</Text>
    </Box>
  );
}

interface ListPart {
  readonly state: InboxState;
  readonly rows: number;
  readonly width: number;
}

function List({ state: { threads, selected }, rows, width }: ListPart) {
  if (threads.length === 0) return <Text>Nothing is left to do.</Text>;
  const first = Math.max(0, Math.min(selected - Math.floor(rows / 2), threads.length - rows));
  const now = new Date();
  return (
    <Box flexDirection="column">
      {threads.slice(first, first + rows).map((thread, at) => {
        const isSelected = first + at === selected;
        const age = relativeTime(thread.createdAt, now).padEnd(11);
        const times = thread.occurrences > 1 ? ` (${thread.occurrences} times)` : "";
        const sender = thread.senderName ?? thread.senderEmail;
        const text = onOneLine(`${thread.subject}${times}${sender ? `, ${sender}` : ""}`);
        const facts = `${age} ${onOneLine(thread.category).padEnd(8)}`;
        return (
          <Text key={thread.id} inverse={isSelected} wrap="truncate-end">
            {cutTo(`${isSelected ? ">" : " "} ${facts} ${text}`, width)}
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
      <Text key={at}>{line === "" ? " " : line}</Text>
    ))}
  </Box>
);

const questions = { reply: "Reply to the sender", note: "Note for your team", issue: "Address of the issue" };

function Draft({ writing, width }: { readonly writing: Writing; readonly width: number }) {
  const [last = ""] = wrapped(`${writing.text}_`, width).slice(-1);
  return (
    <Box flexDirection="column" marginTop={1}>
      <Text bold>{questions[writing.kind]}: Enter sends, Esc stops</Text>
      <Text>{printable(last)}</Text>
    </Box>
  );
}

const keys = {
  list: "Enter reads  e archive  d done  u undo  r reply  n note  i issue  q leaves",
  thread: "j k scroll  e archive  d done  u undo  r reply  n note  i issue  o console  q back",
};

interface FooterPart {
  readonly state: InboxState;
  readonly width: number;
  /** How many lines are below the screen. */
  readonly hidden: number;
}

function Footer({ state: { said, reading }, width, hidden }: FooterPart) {
  const below = reading && hidden > 0 ? `${hidden} lines below. ` : "";
  return (
    <Box flexDirection="column" marginTop={1}>
      <Text {...(said.isProblem && { color: "red" })} wrap="truncate-end">
        {cutTo(onOneLine(`${below}${said.text}`), width) || " "}
      </Text>
      <Text dimColor wrap="truncate-end">
        {cutTo(reading ? keys.thread : keys.list, width)}
      </Text>
    </Box>
  );
}

/** The lines of a text, cut at spaces to fit a width. */
function wrapped(text: string, width: number): string[] {
  return text.split("\n").flatMap((line) => {
    const lines: string[] = [];
    let rest = line.replaceAll("\t", "  ");
    while (widthOf(rest) > width) {
      const part = cutTo(rest, width + 1).replace(/…$/, "");
      const space = part.lastIndexOf(" ");
      const end = space > width / 2 ? space + 1 : part.length;
      lines.push(rest.slice(0, end).trimEnd());
      rest = rest.slice(end);
    }
    return [...lines, rest];
  });
}
