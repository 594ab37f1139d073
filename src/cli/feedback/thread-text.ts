import { reportTexts } from "../../contract/report-texts.ts";
import type { OwnedThread } from "../../contract/threads.ts";
import {
  deliveryWords,
  differenceOf,
  droppedWords,
  foldedWords,
  foldRepeats,
  hasRepeats,
  olderWords,
  replyInWords,
  runsOf,
  senderOf,
} from "../../words/thread.ts";
import { oneLine, visibleText } from "../../words/visible.ts";

type Message = OwnedThread["messages"][number];

type Proposal = OwnedThread["proposals"][number];

export interface ThreadTextOptions {
  /** True to print each repeated report. By default, one line replaces many repeated reports. */
  readonly repeats?: boolean | undefined;
  /** The id of a message, if only the messages before this message were read. */
  readonly before?: string | undefined;
}

/** Returns a thread as text for a person. One line replaces many repeated reports in a row. */
export function threadText(thread: OwnedThread, { repeats = false, before }: ThreadTextOptions = {}): string {
  const {
    app,
    feedback,
    sender,
    assignee,
    earlier = null,
    tags = [],
    merged = [],
    messages,
    omittedMessages,
    nextBefore,
    proposals,
  } = thread;
  const shown = repeats ? messages : foldRepeats(messages);
  return [
    feedback.consoleUrl,
    line("Number", feedback.number ? `#${feedback.number}` : null),
    line("Reported by the public", feedback.subject),
    line("App", app.name),
    line("Status", `${feedback.status}, ${feedback.category}${times(feedback.occurrences)}`),
    line("From", `${nameOf(sender)}, ${feedback.createdAt}`),
    ...reportTexts.map(({ name, label }) => line(label, feedback[name])),
    line("Issue", feedback.githubIssueUrl),
    line("Earlier thread about this failure, now resolved", earlier?.consoleUrl ?? null),
    line("Assigned to", assignee?.email ?? null),
    line("Snoozed until", feedback.snoozedUntil ?? null),
    ...merged.map(({ number, subject }) =>
      line("Merged from", `${number === null ? "" : `#${number} `}${subject ?? "a report that was erased"}`),
    ),
    line("Tags", tags.length === 0 ? null : tags.map(({ name }) => name).join(", ")),
    ...factLines(feedback),
    droppedLine(feedback),
    `\n${quotation(feedback.message)}`,
    omittedMessages > 0 ? `\n${line("Older messages", olderWords(omittedMessages, nextBefore))}` : undefined,
    ...shown.map((each) => ("folded" in each ? foldedText(thread, each.folded) : messageText(thread, each))),
    ...proposals.map(proposalText),
    // `feedback reply` accepts these values with the flags `--expect-message` and `--expect-receivers`.
    ...(before === undefined ? [newestLine(messages), receiversLine(thread)] : [newerLine(before)]),
  ]
    .filter((text) => text !== undefined)
    .join("\n");
}

/** Returns the line that says that the newer messages are not shown. */
const newerLine = (before: string): string =>
  `\n${line("Newer messages", `not shown from ${before} on; without --before, the newest messages are shown`)}`;

/** Returns a line with the value for `feedback reply --expect-message`. */
function newestLine(messages: readonly Message[]): string | undefined {
  const newest = newestMessageIn(messages);
  return newest === null ? undefined : `\n${line("Newest message", newest)}`;
}

/** Returns a line with the value for `feedback reply --expect-receivers` if the thread has several reports. */
const receiversLine = ({ messages, receivers }: OwnedThread): string | undefined =>
  messages.some(({ sender }) => sender !== undefined) ? line("Receivers", receivers ?? null) : undefined;

const line = (label: string, value: string | null): string | undefined =>
  value === null ? undefined : `${oneLine(label)}: ${oneLine(value)}`;

/** Puts `>` before each line of a stranger's text. No line can look like Innkeep's output. (rule W2) */
const quotation = (text: string): string => visibleText(text).text.replace(/^/gm, "> ");

const times = (occurrences: number): string => (occurrences > 1 ? `, ${occurrences} times` : "");

const plain = (value: unknown): string =>
  typeof value === "string"
    ? value
    : JSON.stringify(value, (_, part: unknown) => (part === undefined ? absent : part));

/** The text that replaces a missing value of a repeated report, if the first report has this value. */
const absent = "not in this report";

const directions: Readonly<Record<string, string>> = { inbound: "Sender", outbound: "Reply", note: "Note" };

function foldedText(thread: OwnedThread, folded: readonly Message[]): string {
  const span = `from ${folded.at(0)?.createdAt} to ${folded.at(-1)?.createdAt}`;
  const runs = runsOf(folded);
  const words = [foldedWords(thread, folded), span, ...(runs === undefined ? [] : [oneLine(runs)])];
  return `\n-- ${words.join(", ")}. --repeats prints them.`;
}

function messageText(thread: OwnedThread, message: Message): string {
  const { id, direction, author, body, createdAt, sender, writtenBy, mergedFrom } = message;
  if (!sender) {
    const by = writtenBy === undefined ? "" : ` by ${writtenBy}`;
    const head = `\n-- ${directions[direction] ?? direction}${by}, ${createdAt}`;
    const shown = direction === "outbound" ? replyInWords(body) : body;
    const words = author === "team" ? visibleText(shown).text : quotation(shown);
    return [head, partnerLine(thread, message), ...factLines(message), words, deliveryLine(message)]
      .filter((text) => text !== undefined)
      .join("\n");
  }
  const { category = null, subject = null } = message;
  const { text, isPartOfText, facts } = differenceOf(thread, message);
  const { feedback } = thread;
  const ifOther = (value: string | null, first: string | null) => (value === first ? null : value);
  const metadata = Object.fromEntries(
    facts.map(([name, value]) => [name, value === undefined ? absent : value]),
  );
  return [
    `\n-- ${mergedFrom === id ? "Report of a merged thread" : "Reported again"}, ${createdAt}`,
    line("From", nameOf(sender)),
    line("Report", id),
    line("Type", ifOther(category, feedback.category)),
    line("Subject", ifOther(subject, feedback.subject)),
    ...reportTexts.map(({ name, label }) => line(label, ifOther(message[name] ?? null, feedback[name]))),
    ...factLines({ ...message, metadata }),
    droppedLine(message),
    ...(text === undefined ? ["The same text as the report."] : []),
    ...(isPartOfText ? ["The same text as the report, except these lines:"] : []),
    ...(text === undefined ? [] : [quotation(text)]),
  ]
    .filter((text) => text !== undefined)
    .join("\n");
}

/** Returns a line with the sender or recipient of a message. Undefined for notes and for threads with one sender. */
function partnerLine(thread: OwnedThread, message: Message): string | undefined {
  const { direction, everyone, reportId = message.mergedFrom ?? thread.feedback.id } = message;
  if (direction === "note" || !hasRepeats(thread)) return undefined;
  if (everyone) return line("To", "everyone who reported it before");
  return line(direction === "inbound" ? "From" : "To", nameOf(senderOf(thread, reportId)));
}

const deliveryLine = ({ delivery, mails }: Message): string | undefined =>
  delivery && line("Delivery", deliveryWords(delivery, mails).join(" "));

type Facts = Partial<Pick<OwnedThread["feedback"], "metadata" | "images" | "videos" | "attachments">>;

const factLines = ({ metadata = {}, images = [], videos = [], attachments = [] }: Facts) => [
  ...Object.entries(metadata).map(([key, value]) => `> ${line(key, plain(value))}`),
  ...[...images, ...videos].map((url) => line("File", url)),
  ...attachments.map(({ name, url }) => line("File", `${name} ${url}`)),
];

/** Returns a line that lists the entries of metadata that the server did not store. */
const droppedLine = ({ metadataDropped = [] }: Pick<Message, "metadataDropped">): string | undefined =>
  metadataDropped.length === 0 ? undefined : line("Metadata that was dropped", droppedWords(metadataDropped));

const nameOf = ({ name, email }: OwnedThread["sender"]): string =>
  [name, email && `<${email}>`].filter(Boolean).join(" ") || "unknown";

const proposalText = ({ status, summary, plan, decisionNote, createdAt }: Proposal): string =>
  [
    `\n-- Proposal, ${status}, ${createdAt}`,
    quotation(summary),
    "",
    quotation(plan),
    ...(decisionNote ? ["", `Decision: ${decisionNote}`] : []),
  ].join("\n");

export type Messages = readonly OwnedThread["messages"][number][];

/** Returns the id of the newest message in the thread. Null if nobody has written since the report. */
export const newestMessageIn = (messages: Messages): string | null => messages.at(-1)?.id ?? null;
