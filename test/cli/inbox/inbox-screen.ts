import { PassThrough } from "node:stream";
import { expect } from "vitest";
import { showScreen } from "../../../src/cli/feedback/inbox/screen.lazy.tsx";
import { createInbox, type InboxCalls } from "../../../src/cli/feedback/inbox/state.ts";
import { eachReportText } from "../../../src/contract/report-texts.ts";
import type { OwnedThread, ThreadSummary } from "../../../src/contract/threads.ts";
import { eventually } from "../../support/eventually.ts";

/** A row of the list. From the ninth on it is unread. */
export const summary = (at: number): ThreadSummary => ({
  number: at,
  ...{ id: `t${at}`, appId: "a", subject: `Subject ${at}\u001b[2J`, category: "bug", status: "open" },
  ...{ senderName: "Ada", senderEmail: null, source: null, occurrences: 1, proposalStatus: null },
  ...{ createdAt: "2026-11-21T09:00:00.000Z", activeAt: "2026-11-21T09:00:00.000Z", unread: at >= 9 },
  tags: [],
  assignee: null,
  snoozedUntil: null,
  lastMessage: {
    ...{ direction: "inbound", author: "sender", sender: { name: "Ada", email: null } },
    ...{ writtenBy: null, writtenByName: null },
    ...{ text: "It broke.", createdAt: "2026-11-21T09:00:00.000Z" },
  },
});

const proposal = {
  ...{
    id: "p",
    status: "awaiting_approval" as const,
    summary: "Guard it.",
    plan: "1. Guard.",
    decisionNote: null,
  },
  ...{ decidedAt: null, createdAt: "2026-11-21T10:00:00.000Z", replacedBy: null, decision: null },
};

/** A thread in the form in which the server returns it. */
export const thread = (id: string): OwnedThread => ({
  app: { id: "a", name: "Larder" },
  feedback: {
    ...{
      id,
      consoleUrl: `https://inn.example/${id}`,
      subject: `Subject of ${id}`,
      category: "bug",
      status: "open",
    },
    snoozedUntil: null,
    message: `Words of ${id} \u001b]0;evil\u0007.\n${"A long line. ".repeat(40)}\nThe end of ${id}.`,
    ...{ metadata: {}, images: [], videos: [], attachments: [], githubIssueUrl: null },
    ...{ number: 12, ...eachReportText(() => null) },
    ...{ occurrences: 1, createdAt: "2026-11-21T09:00:00.000Z" },
  },
  tags: [],
  assignee: null,
  earlier: null,
  merged: [],
  sender: { name: "Ada", email: "ada@example.org" },
  messages: [],
  omittedMessages: 0,
  latestProposal: proposal,
  proposals: [proposal],
});

/** The screen with a server that has three threads. `frame` returns the current content of the screen. */
export function open(changes: Partial<InboxCalls> = {}, first = [0, 1, 2], nextCursor: string | null = null) {
  const asked: unknown[] = [];
  const calls: InboxCalls = {
    list: async (cursor) => ({ items: [summary(Number(cursor))], nextCursor: null }),
    read: async (id) => thread(id),
    markRead: async (id) => void asked.push(`read ${id}`),
    change: async (id, change) => {
      asked.push([id, change]);
      return thread(id);
    },
    file: async ({ id }, status) => {
      asked.push([id, { status }]);
      return async () => void asked.push(["undo", id]);
    },
    send: async (...sent) => {
      asked.push(sent);
      return {};
    },
    open: async (address) => void asked.push(address),
    ...changes,
  };
  const inbox = createInbox(calls, { items: first.map(summary), nextCursor });
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => {}, ref() {}, unref() {} });
  const stdout = Object.assign(new PassThrough(), { isTTY: true, columns: 80, rows: 24 });
  let frame = "";
  stdout.on("data", (chunk: Buffer) => {
    if (chunk.length > 20) frame = String(chunk);
  });
  const streams: object = { stdin, stdout, debug: true };
  const ended = showScreen({ inbox, signal: new AbortController().signal, streams });
  const shows = (text: string) => eventually(() => expect(frame).toContain(text));
  const resize = (columns: number, rows: number) =>
    void Object.assign(stdout, { columns, rows }).emit("resize");
  return {
    asked,
    resize,
    ended,
    inbox,
    shows,
    frame: () => frame,
    type: (keys: string) => void stdin.write(keys),
  };
}
