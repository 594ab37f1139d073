import type { Proposal, Thread } from "../../../src/contract/agent.ts";
import { limits } from "../../../src/contract/limits.ts";
import { eachReportText } from "../../../src/contract/report-texts.ts";
import type { OwnedMessage, OwnedThread } from "../../../src/contract/threads.ts";
import type { Settings } from "../../settings/settings.ts";
import type { NewMessage, RepeatedReport } from "../messages/store.ts";
import { type RunState, stateAt } from "../proposals/rules.ts";
import type { ThreadRow } from "./store/threads.ts";

/** A stored file of a thread. */
export interface ThreadFile {
  /** The name in the public address of the file. */
  readonly upload: string;
  /** The name that the sender gave to the file. */
  readonly name: string;
  readonly mediaType: string;
  readonly size: number;
}

export interface ThreadFiles {
  readonly images: readonly ThreadFile[];
  readonly videos: readonly ThreadFile[];
  readonly attachments: readonly ThreadFile[];
}

type Addresses = Pick<Settings, "baseUrl" | "consoleUrl">;

/** Returns the address of a thread in the console. (rule F20) */
export const threadUrl = ({ consoleUrl }: Addresses, appId: string, id: string): string =>
  `${consoleUrl}/feedback/${appId}/${id}`;

export type StoredProposal = Proposal & RunState & { readonly firstReadAt: string | null };

/** Returns all stored proposals of a thread, oldest first. */
export const storedProposals = (row: ThreadRow): StoredProposal[] => JSON.parse(row.proposals);

/** Returns all proposals of a thread in their state at `now`, oldest first. */
export const proposalsOf = (row: ThreadRow, now: Date): StoredProposal[] =>
  storedProposals(row).map((proposal) => stateAt(proposal, now));

/** The thread and the messages that a reader requested. */
export interface AskedThread {
  /** The id in the request. It may be the id of a merged thread. */
  readonly id: string;
  /**
   * The id of a message if only older messages are requested. Undefined if the newest messages are requested.
   */
  readonly before?: string | undefined;
}

/**
 * Returns a thread with the senders of repeated reports. The schema of the contract hides these senders from
 * agents.
 */
export function threadAnswer(
  addresses: Addresses,
  row: ThreadRow,
  now: Date,
  asked: AskedThread,
): Thread & Pick<OwnedThread, "messages"> {
  const messages: MessageRow[] = JSON.parse(row.messages);
  const omittedMessages = Math.max(0, row.messageCount - messages.length);
  const nextBefore = omittedMessages === 0 ? undefined : nextBeforeOf(messages, row, asked);
  return {
    app: { id: row.appId, name: row.appName },
    feedback: {
      ...threadFeedback(addresses, row),
      ...(asked.id.toLowerCase() === row.id ? {} : { mergedInto: row.id }),
    },
    messages: messages.map((message) => messageAnswer(addresses, message)),
    omittedMessages,
    ...(nextBefore === undefined ? {} : { nextBefore }),
    latestProposal: proposalsOf(row, now).at(-1) ?? null,
  };
}

/**
 * Returns the value of `before` for the next request. If `messages` has gaps, this is usually the id of the
 * oldest report.
 */
function nextBeforeOf(
  messages: readonly MessageRow[],
  { messageCount }: ThreadRow,
  { before }: AskedThread,
): string | undefined {
  const isWithoutGaps =
    before !== undefined || messages.length === Math.min(messageCount, limits.threadMessages);
  const oldest = isWithoutGaps
    ? messages.at(0)
    : (messages.find(({ category }) => category !== null) ?? messages.at(-1));
  return oldest?.id;
}

type MessageRow = Required<Omit<NewMessage, "feedbackId">> &
  PlaceOfMessage &
  (RepeatedReport | { readonly category: null });

/** The thread from which a message came, if that thread was merged into another thread. */
interface PlaceOfMessage {
  readonly originId: string | null;
  /** The number of the first merge after the message, if the message is a reply to everyone; otherwise null. */
  readonly beforeMerge: number | null;
}

/** Returns the threads from which the messages of a thread came, by the ids of the messages. */
export function placesOf(row: ThreadRow): ReadonlyMap<string, PlaceOfMessage> {
  const messages: MessageRow[] = JSON.parse(row.messages);
  return new Map(messages.map(({ id, originId, beforeMerge }) => [id, { originId, beforeMerge }]));
}

function messageAnswer(addresses: Addresses, row: MessageRow): OwnedMessage {
  const { id, direction, author, body, createdAt } = row;
  const message = {
    ...{ id, direction, author, body, createdAt },
    ...(row.reportId === null ? {} : { reportId: row.reportId }),
    ...(row.everyone === 1 ? { everyone: true } : {}),
    ...(row.foreignFrom === null ? {} : { foreignFrom: row.foreignFrom }),
    ...(row.originId === null ? {} : { mergedFrom: row.originId }),
  };
  if (row.category === null)
    return row.files === null ? message : { ...message, ...fileAddresses(addresses, row.files) };
  const { category, subject, senderName, senderEmail } = row;
  return {
    ...message,
    category,
    subject,
    ...eachReportText((name) => row[name]),
    sender: { name: senderName, email: senderEmail },
    metadata: JSON.parse(row.metadata),
    ...droppedOf(row),
    ...fileAddresses(addresses, row.files),
  };
}

/** Returns the field `metadataDropped`. It contains the names of metadata entries that were not stored. */
export const droppedOf = ({
  metadataDropped,
}: {
  readonly metadataDropped?: string | null | undefined;
}): Pick<OwnedMessage, "metadataDropped"> =>
  metadataDropped ? { metadataDropped: JSON.parse(metadataDropped) } : {};

function threadFeedback(addresses: Addresses, row: ThreadRow): Thread["feedback"] {
  return {
    id: row.id,
    consoleUrl: threadUrl(addresses, row.appId, row.id),
    subject: row.subject,
    message: row.message,
    category: row.category,
    status: row.status,
    metadata: JSON.parse(row.metadata),
    ...fileAddresses(addresses, row.files),
    githubIssueUrl: row.githubIssueUrl,
    ...eachReportText((name) => row[name]),
    occurrences: row.occurrences,
    createdAt: row.createdAt,
  };
}

/** Returns the public addresses of the files of a report or a message. `json` contains `ThreadFiles`. */
export function fileAddresses({ baseUrl }: Pick<Addresses, "baseUrl">, json: string) {
  const files: ThreadFiles = JSON.parse(json);
  const urlOf = ({ upload }: ThreadFile) => `${baseUrl}/uploads/${upload}`;
  return {
    images: files.images.map(urlOf),
    videos: files.videos.map(urlOf),
    attachments: files.attachments.map((file) => ({
      name: file.name,
      url: urlOf(file),
      mediaType: file.mediaType,
      size: file.size,
    })),
  };
}
