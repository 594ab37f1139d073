import type { Thread } from "../src/contract/agent.ts";
import {
  fieldsOf,
  idAt,
  instantAt,
  isText,
  linkAt,
  listAt,
  numberAt,
  oneOf,
  textAt,
  uuidAt,
  valueAt,
  wordAt,
} from "../src/contract/json.ts";
import { type ReportTextName, reportTexts } from "../src/contract/report-texts.ts";
import { runDecisions } from "../src/contract/runs.ts";
import type { Deps } from "./deps.ts";
import { Refusal, retryAfterWait } from "./refusals.ts";

export type ReadThreadDeps = Pick<Deps, "clock" | "connection" | "consoleUrl" | "threadOfRun">;

/**
 * Reads a thread with its newest messages, or those before `before`. Stores its latest proposal in
 * `threadOfRun`.
 */
export async function readThread(
  id: string,
  deps: ReadThreadDeps,
  signal: AbortSignal,
  before?: string,
): Promise<ThreadParts> {
  const query = before === undefined ? {} : { before };
  const thread = await retryAfterWait(deps, signal, () =>
    deps.connection.call((client) => client.agent.readThread({ params: { id }, query, signal })),
  );
  const parts = withLink(partsOf(thread), deps);
  if (parts.latestProposal) deps.threadOfRun.set(parts.latestProposal.id, parts.id);
  return parts;
}

/** Returns the thread. If an address of the console is configured, the link of the thread uses this address. */
const withLink = (thread: ThreadParts, { consoleUrl }: Pick<Deps, "consoleUrl">): ThreadParts =>
  consoleUrl ? { ...thread, consoleUrl: `${consoleUrl}/feedback/${thread.app.id}/${thread.id}` } : thread;

/** The part of a thread that fits into one answer. The messages are the newest ones, oldest first. */
export interface ThreadPage {
  readonly message: string | undefined;
  readonly metadata: Readonly<Record<string, unknown>> | undefined;
  readonly messages: readonly MessageParts[];
  /** The part of the latest proposal that fits into the remaining space. */
  readonly proposal: ProposalText | undefined;
  readonly omitted: { readonly messages: number; readonly chars: number };
  /** The position where the next page of older messages begins; null if there are no older messages. */
  readonly nextCursor: string | null;
}

/** The id of a message, or a number of earlier messages. A page has the messages before this position. */
export type Position = string | number;

type ProposalText = Pick<ProposalParts, "summary" | "plan">;

/** If a thread is too long, notes of agents are shortened to this length. Texts of people are more important. */
const mostOfNote = 500;

/** The maximum number of messages in an answer. Each message also adds fields, not only its text. */
const mostMessages = 200;

/**
 * Limits a page to `maxChars` UTF-16 units. With `before`, a page has at least one message, but no first
 * report. (rule L17)
 */
export function threadPageOf(
  thread: {
    readonly message: string;
    readonly metadata: Readonly<Record<string, unknown>>;
    readonly messages: readonly MessageParts[];
    readonly latestProposal?: ProposalText | null;
    /** How many older messages the server did not send. */
    readonly omittedMessages?: number;
    readonly nextBefore?: string | null;
  },
  before: Position | undefined,
  maxChars: number,
): ThreadPage {
  const first = before === undefined;
  const message = first ? cut(thread.message, maxChars) : undefined;
  let left = maxChars - (message?.length ?? 0);
  const { omittedMessages = 0, nextBefore = null } = thread;
  const older = first ? thread.messages : messagesBefore(thread, before);
  const metadataSpace = Math.max(left - lengthOf(older), Math.floor(left / 2));
  const metadata = first ? fittingEntries(thread.metadata, metadataSpace) : undefined;
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
    omitted: { messages: hidden + omittedMessages, chars },
    nextCursor: nextPosition(older, { hidden, omittedMessages, nextBefore }),
  };
}

type SentPart = Parameters<typeof threadPageOf>[0];

/** Returns the messages that the server sent and that are before the position. */
function messagesBefore(
  { messages, omittedMessages = 0, nextBefore = null }: SentPart,
  before: Position,
): readonly MessageParts[] {
  // The number `before` counts from the first message, so it does not change if the server later omits more
  // messages.
  if (typeof before === "number") return messages.slice(0, Math.max(0, before - omittedMessages));
  // A server of an older version ignores `before` and sends the newest messages.
  const at = messages.findIndex(({ id }) => id === before);
  if (at !== -1) return messages.slice(0, at);
  return omittedMessages > 0 && nextBefore === null ? [] : messages;
}

/** Returns the position of the next older page; null if there is none. */
function nextPosition(
  older: readonly MessageParts[],
  {
    hidden,
    omittedMessages,
    nextBefore,
  }: { readonly hidden: number; readonly omittedMessages: number; readonly nextBefore: string | null },
): string | null {
  if (hidden === 0 && nextBefore === null) return null;
  // If the server omitted large reports, the next page begins at the message `nextBefore`.
  const named = nextBefore === null ? -1 : older.findIndex(({ id }) => id === nextBefore);
  return older[Math.max(hidden, named)]?.id ?? String(omittedMessages + hidden);
}

function fittingProposal({ summary, plan }: ProposalText, space: number): ProposalText {
  const shown = cut(summary, Math.max(0, space));
  return { summary: shown, plan: cut(plan, Math.max(0, space - shown.length)) };
}

const textLength = (proposal: ProposalText | null | undefined): number =>
  proposal ? proposal.summary.length + proposal.plan.length : 0;

const shortIfNote = (message: MessageParts): MessageParts =>
  message.author === "agent" ? { ...message, body: cut(message.body, mostOfNote) } : message;

function newestFitting(messages: readonly MessageParts[], space: number, atLeast: number): MessageParts[] {
  const kept: MessageParts[] = [];
  let left = space;
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

function fittingEntries(record: Readonly<Record<string, unknown>>, space: number): Record<string, unknown> {
  let left = space;
  const entries = Object.entries(record).filter((entry) => {
    const length = JSON.stringify(entry).length;
    if (length > left) return false;
    left -= length;
    return true;
  });
  return Object.fromEntries(entries);
}

/** Shortens a text, but never inside a surrogate pair. */
function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  const end = /[\uD800-\uDBFF]$/.test(text.slice(0, length)) ? length - 1 : length;
  return text.slice(0, Math.max(0, end));
}

const lengthOf = (messages: readonly MessageParts[]): number =>
  messages.reduce((sum, message) => sum + sizeOfMessage(message), 0);

/** The checked parts of a thread. A server may omit fields that the API does not guarantee. */
export interface ThreadParts {
  readonly app: { readonly id: string; readonly name: string };
  readonly id: string;
  /** The id of this thread, if the requested thread was merged into it; null otherwise. */
  readonly mergedInto: string | null;
  readonly consoleUrl: string | null;
  readonly category: string;
  readonly status: string;
  readonly createdAt: string | null;
  readonly githubIssueUrl: string | null;
  readonly subject: string;
  readonly message: string;
  /** The short texts of the report, in the order in which they are shown. */
  readonly texts: readonly GivenReportText[];
  readonly occurrences: number;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly images: readonly string[];
  readonly videos: readonly string[];
  readonly attachments: readonly AttachmentParts[];
  readonly messages: readonly MessageParts[];
  readonly latestProposal: ProposalParts | null;
  /** How many older messages the server did not send. */
  readonly omittedMessages: number;
  /** The next older messages are before the message with this id; null if there are no older messages. */
  readonly nextBefore: string | null;
  /** Whether the server can refuse a proposal if the thread has a newer proposal than `expectedRunId`. */
  readonly takesExpectedRun: boolean;
}

interface GivenReportText {
  readonly name: ReportTextName;
  /** The maximum length in the API. A server may send a longer text. */
  readonly longest: number;
  readonly value: string;
}

interface AttachmentParts {
  readonly name: string;
  readonly url: string;
  readonly mediaType: string;
  readonly size: number | null;
}

export interface MessageParts {
  /** The id of the message; null if the server does not send it. */
  readonly id?: string | null;
  readonly direction: string;
  /** `sender`, `team` or `agent`; `unknown` if the server does not send it. */
  readonly author: string;
  readonly body: string;
  readonly createdAt: string | null;
  /** The fields of a repeated report, without its text. They are not checked. */
  readonly report?: Readonly<Record<string, unknown>> | null;
}

export interface ProposalParts {
  readonly id: string;
  readonly status: string;
  readonly summary: string;
  readonly plan: string;
  readonly decision: string | null;
  readonly decisionNote: string | null;
  readonly decidedAt: string | null;
  readonly createdAt: string | null;
  readonly replacedBy: string | null;
}

/** The maximum number of files in an answer. The API allows fewer files, but a server could ignore that limit. */
const mostFiles = 20;

/** Reads the parts of a thread. Throws a Refusal if the value is not a thread. */
function partsOf(thread: Thread): ThreadParts {
  const feedback = valueAt(thread, "feedback");
  const id = idAt(feedback, "id");
  if (id === null) throw new Refusal(noThread);
  const latestProposal = proposalOf(valueAt(thread, "latestProposal"));
  return {
    app: { id: idAt(valueAt(thread, "app"), "id") ?? "unknown", name: textAt(thread, "app", "name") },
    id,
    mergedInto: idAt(feedback, "mergedInto"),
    consoleUrl: linkAt(feedback, "consoleUrl"),
    category: wordAt(feedback, "category"),
    status: wordAt(feedback, "status"),
    createdAt: instantAt(feedback, "createdAt"),
    githubIssueUrl: linkAt(feedback, "githubIssueUrl"),
    subject: textAt(feedback, "subject"),
    message: textAt(feedback, "message"),
    texts: reportTexts
      .map(({ name, longest }) => ({ name, longest, value: textAt(feedback, name) }))
      .filter(({ value }) => value !== ""),
    occurrences: numberAt(feedback, "occurrences") ?? 1,
    metadata: fieldsOf(valueAt(feedback, "metadata")),
    images: listAt(feedback, "images").filter(isText).slice(0, mostFiles),
    videos: listAt(feedback, "videos").filter(isText).slice(0, mostFiles),
    attachments: listAt(feedback, "attachments").slice(0, mostFiles).map(attachmentOf),
    messages: listAt(thread, "messages").map(messageOf(latestProposal)),
    latestProposal,
    omittedMessages: Math.max(0, numberAt(thread, "omittedMessages") ?? 0),
    nextBefore: uuidAt(thread, "nextBefore"),
    takesExpectedRun: numberAt(thread, "omittedMessages") !== null,
  };
}

const noThread =
  "The server answered with something that is not a feedback thread. Tell the user to check INNKEEP_BASE_URL and to update innkeep.";

const attachmentOf = (attachment: unknown): AttachmentParts => ({
  name: textAt(attachment, "name"),
  url: textAt(attachment, "url"),
  mediaType: wordAt(attachment, "mediaType"),
  size: numberAt(attachment, "size"),
});

const messageOf =
  (latest: ProposalParts | null) =>
  (message: unknown): MessageParts => {
    const parts = {
      id: uuidAt(message, "id"),
      direction: wordAt(message, "direction"),
      author: wordAt(message, "author"),
      body: textAt(message, "body"),
      createdAt: instantAt(message, "createdAt"),
      report: reportOf(message),
    };
    return latest && isNoteOf(latest, parts) ? { ...parts, body: textOfLatest } : parts;
  };

/** This text replaces a note that repeats the plan. It says where the reader finds the plan. */
const textOfLatest =
  "This note repeats the latest proposal. Read it on the first page: in `agents.proposal`, or in the plan of the latest proposal.";

/** Whether a message is a note that repeats the latest proposal. The text of such a note is replaced. */
function isNoteOf({ summary, plan }: ProposalParts, { direction, author, body }: MessageParts): boolean {
  if (direction !== "note" || author === "team" || plan === "") return false;
  const frame = body.length - summary.length - plan.length;
  return frame >= 0 && frame <= 100 && body.includes(summary) && body.includes(plan);
}

const reportFields = [
  ...["category", "subject", ...reportTexts.map(({ name }) => name)],
  ...["metadata", "images", "videos", "attachments"],
];

function reportOf(message: unknown): MessageParts["report"] {
  const entries = reportFields
    .map((name) => [name, valueAt(message, name)] as const)
    .filter(([, part]) => isGiven(part));
  return entries.length === 0 ? null : Object.fromEntries(entries);
}

const isGiven = (part: unknown): boolean =>
  part !== null && (typeof part === "object" ? Object.keys(part).length > 0 : part !== undefined);

function proposalOf(proposal: unknown): ProposalParts | null {
  const id = idAt(proposal, "id") ?? idAt(proposal, "runId");
  if (id === null) return null;
  return {
    id,
    status: wordAt(proposal, "status"),
    summary: textAt(proposal, "summary"),
    plan: textAt(proposal, "plan"),
    decision: oneOf(runDecisions, textAt(proposal, "decision")),
    decisionNote: textAt(proposal, "decisionNote") || null,
    decidedAt: instantAt(proposal, "decidedAt"),
    createdAt: instantAt(proposal, "createdAt"),
    replacedBy: idAt(proposal, "replacedBy"),
  };
}
