import type { MessageParts, ProposalParts } from "./thread.ts";

/** The part of a thread that fits into one answer: the newest messages, in the order they were written. */
export interface ThreadPage {
  readonly message: string | undefined;
  readonly metadata: Readonly<Record<string, unknown>> | undefined;
  readonly messages: readonly MessageParts[];
  /** The part of the latest proposal that fits into the rest. */
  readonly proposal: ProposalText | undefined;
  readonly omitted: { readonly messages: number; readonly chars: number };
  /** The position at which the older messages end; null if there are none. */
  readonly nextCursor: string | null;
}

type ProposalText = Pick<ProposalParts, "summary" | "plan">;

export interface ThreadPageParts {
  readonly message: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly messages: readonly MessageParts[];
  readonly latestProposal?: ProposalText | null;
  /** How many older messages the server did not send. */
  readonly omittedMessages?: number;
}

/** The longest note of an agent if the thread does not fit: what people wrote is more important than older plans. */
const mostOfNote = 500;
/** Short messages cost an answer more than their text. */
const mostMessages = 200;

/**
 * Fits a thread into a number of UTF-16 units. Only the first page (no `before`) has the report. Its metadata leaves
 * the messages at least half of the room. Each further page has at least one message, cut if needed, so that paging ends.
 */
export function threadPageOf(
  thread: ThreadPageParts,
  before: number | undefined,
  maxChars: number,
): ThreadPage {
  const first = before === undefined;
  const message = first ? cut(thread.message, maxChars) : undefined;
  let left = maxChars - (message?.length ?? 0);
  const older = thread.messages.slice(0, before);
  const metadataRoom = Math.max(left - lengthOf(older), Math.floor(left / 2));
  const metadata = first ? fittingEntries(thread.metadata, metadataRoom) : undefined;
  left -= metadata ? sizeOf(metadata) : 0;

  const given = lengthOf(older) <= left ? older : older.map(shortIfNote);
  const messages = newestFitting(given, left, first ? 0 : 1);
  left -= lengthOf(messages);
  const proposal = first && thread.latestProposal ? fittingProposal(thread.latestProposal, left) : undefined;
  const hidden = older.length - messages.length;
  const chars =
    (first ? textLength(thread.latestProposal) - textLength(proposal) : 0) +
    (first ? thread.message.length - (message ?? "").length : 0) +
    (first ? sizeOf(thread.metadata) - sizeOf(metadata ?? {}) : 0) +
    lengthOf(older) -
    lengthOf(messages);
  return {
    message,
    metadata,
    messages,
    proposal,
    omitted: { messages: hidden + (thread.omittedMessages ?? 0), chars },
    nextCursor: hidden > 0 ? String(hidden) : null,
  };
}

function fittingProposal({ summary, plan }: ProposalText, room: number): ProposalText {
  const shown = cut(summary, Math.max(0, room));
  return { summary: shown, plan: cut(plan, Math.max(0, room - shown.length)) };
}

const textLength = (proposal: ProposalText | null | undefined): number =>
  proposal ? proposal.summary.length + proposal.plan.length : 0;

const shortIfNote = (message: MessageParts): MessageParts =>
  message.author === "agent" ? { ...message, body: cut(message.body, mostOfNote) } : message;

function newestFitting(messages: readonly MessageParts[], room: number, atLeast: number): MessageParts[] {
  const kept: MessageParts[] = [];
  let left = room;
  for (const message of messages.toReversed()) {
    const size = sizeOfMessage(message);
    if ((size > left && kept.length >= atLeast) || kept.length === mostMessages) break;
    kept.unshift(size > left ? { ...message, body: cut(message.body, left), report: null } : message);
    left -= size;
  }
  return kept;
}

const sizeOfMessage = ({ body, report }: MessageParts): number => body.length + (report ? sizeOf(report) : 0);

const sizeOf = (record: Readonly<Record<string, unknown>>): number =>
  Object.entries(record).reduce((sum, entry) => sum + JSON.stringify(entry).length, 0);

function fittingEntries(record: Readonly<Record<string, unknown>>, room: number): Record<string, unknown> {
  let left = room;
  const entries = Object.entries(record).filter((entry) => {
    const length = JSON.stringify(entry).length;
    if (length > left) return false;
    left -= length;
    return true;
  });
  return Object.fromEntries(entries);
}

/** Cuts a text, but never inside a surrogate pair. */
function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  const end = /[\uD800-\uDBFF]$/.test(text.slice(0, length)) ? length - 1 : length;
  return text.slice(0, Math.max(0, end));
}

const lengthOf = (messages: readonly MessageParts[]): number =>
  messages.reduce((sum, message) => sum + sizeOfMessage(message), 0);
