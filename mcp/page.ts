import type { MessageParts } from "./thread-parts.ts";

/** As much of a thread's text as one answer may hold, newest messages first, in the order they were written. */
export interface Page {
  readonly message: string | undefined;
  readonly metadata: Readonly<Record<string, unknown>> | undefined;
  readonly messages: readonly MessageParts[];
  readonly omitted: { readonly messages: number; readonly chars: number };
  /** Where the older messages start; null where there are none. */
  readonly nextCursor: string | null;
}

export interface PageParts {
  readonly message: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly messages: readonly MessageParts[];
}

/**
 * Fits a thread into so many UTF-16 units. Only the first page (no `before`) has the report itself. Each page has at
 * least one message, cut if need be, so that paging comes to an end.
 */
export function pageOf(thread: PageParts, before: number | undefined, maxChars: number): Page {
  const first = before === undefined;
  const message = first ? cut(thread.message, maxChars) : undefined;
  let left = maxChars - (message?.length ?? 0);
  const metadata = first ? fittingEntries(thread.metadata, left) : undefined;
  left -= metadata ? sizeOf(metadata) : 0;

  const older = thread.messages.slice(0, before);
  const messages = newestFitting(older, first ? left : maxChars, first ? 0 : 1);
  const hidden = older.length - messages.length;
  const chars =
    (first ? thread.message.length - (message ?? "").length : 0) +
    (first ? sizeOf(thread.metadata) - sizeOf(metadata ?? {}) : 0) +
    lengthOf(older) -
    lengthOf(messages);
  return {
    message,
    metadata,
    messages,
    omitted: { messages: hidden, chars },
    nextCursor: hidden > 0 ? String(hidden) : null,
  };
}

function newestFitting(messages: readonly MessageParts[], room: number, atLeast: number): MessageParts[] {
  const kept: MessageParts[] = [];
  let left = room;
  for (const message of messages.toReversed()) {
    const size = sizeOfMessage(message);
    if (size > left && kept.length >= atLeast) break;
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

/** Never in the middle of a surrogate pair. */
function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  const end = /[\uD800-\uDBFF]$/.test(text.slice(0, length)) ? length - 1 : length;
  return text.slice(0, Math.max(0, end));
}

const lengthOf = (messages: readonly MessageParts[]): number =>
  messages.reduce((sum, message) => sum + sizeOfMessage(message), 0);
