import type { Message, Thread } from "../contract/agent.ts";
import type { OldThreads } from "../contract/apps.ts";
import type { DroppedEntry } from "../contract/feedback.ts";
import type {
  MissingValue,
  OwnedThread,
  ReplyDelivery,
  ReplyMail,
  UnknownValue,
} from "../contract/threads.ts";
import { countOf } from "./phrases.ts";
import { visibleLine } from "./visible.ts";

type Report = Partial<Pick<Thread["feedback"], "message" | "metadata">>;

type Repeat = Pick<Message, "body" | "metadata">;

/** The part of a thread with its first report. The first report is compared with the repeated reports. */
interface Repeated {
  readonly feedback: Report;
}

/** How a repeated report differs from the first report. */
interface RepeatDifference {
  /** The text of the repeated report, or only the different lines. Undefined if the texts are the same. */
  readonly text: string | undefined;
  /** Whether `text` contains only the lines that differ. */
  readonly isPartOfText: boolean;
  /**
   * The metadata entries that differ from the first report, with the values of the repeated report. Undefined
   * stands for a missing entry.
   */
  readonly facts: readonly (readonly [name: string, value: unknown])[];
}

/** If at least this share of the lines is the same, only the different lines are shown. */
const mostlySame = 0.75;

/** Returns how a repeated report differs from the report that it repeats. (rule F39) */
export function differenceOf({ feedback }: Repeated, repeat: Repeat): RepeatDifference {
  const text = hasOtherText({ feedback }, repeat)
    ? textDifference(feedback.message ?? "", repeat.body)
    : { text: undefined, isPartOfText: false };
  const before: Values = feedback.metadata ?? {};
  const after: Values = repeat.metadata ?? {};
  return { ...text, facts: changedEntries(before, after) };
}

/** Whether a repeated report has another text than the report that it repeats. */
export const hasOtherText = ({ feedback }: Repeated, { body }: Pick<Repeat, "body">): boolean =>
  (feedback.message ?? "").trim() !== body.trim();

type Values = Readonly<Record<string, unknown>>;

function changedEntries(before: Values, after: Values): [name: string, value: unknown][] {
  const [earlier, later] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  const names = [...new Set([...later.keys(), ...earlier.keys()])];
  return names.flatMap((name): [string, unknown][] => {
    const [was, is] = [earlier.get(name), later.get(name)];
    if (JSON.stringify(was) === JSON.stringify(is)) return [];
    if (!isObject(was) || !isObject(is)) return [[name, is]];
    const within = changedEntries(was, is);
    return within.length === 0 ? [] : [[name, Object.fromEntries(within)]];
  });
}

const isObject = (value: unknown): value is Values =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function textDifference(report: string, repeat: string): Pick<RepeatDifference, "text" | "isPartOfText"> {
  const known = new Set(linesOf(report));
  const lines = linesOf(repeat);
  const others = lines.filter((line) => !known.has(line));
  const isPartOfText = others.length > 0 && others.length <= lines.length * (1 - mostlySame);
  return { text: isPartOfText ? others.join("\n") : repeat, isPartOfText };
}

const linesOf = (text: string): string[] => text.split("\n").map((line) => line.trimEnd());

type Foldable = Pick<Message, "category"> & {
  readonly id?: string;
  readonly mergedFrom?: string | undefined;
};

/**
 * Whether a message repeats a report. A merged thread's first report is no repeat. Only reports have a
 * `category`.
 */
const isRepeat = ({ category, id, mergedFrom }: Foldable): boolean =>
  category !== undefined && (mergedFrom === undefined || mergedFrom !== id);

/** A message, or a group of repeated reports that is shown as one line (`folded`). */
type Folded<One> = One | { readonly folded: readonly One[] };

/** The maximum number of repeated reports in a row that are all shown. */
const shownInRow = 3;

/** If there are many repeated reports in a row, groups the reports between the first and the last. (rule F39) */
export function foldRepeats<One extends Foldable>(messages: readonly One[]): readonly Folded<One>[] {
  const shown: Folded<One>[] = [];
  let row: One[] = [];
  const endRow = () => {
    const [first, ...more] = row;
    const last = more.pop();
    if (first !== undefined) shown.push(first);
    if (row.length > shownInRow) shown.push({ folded: more });
    else shown.push(...more);
    if (last !== undefined) shown.push(last);
    row = [];
  };
  for (const message of messages) {
    if (isRepeat(message)) row.push(message);
    else {
      endRow();
      shown.push(message);
    }
  }
  endRow();
  return shown;
}

/**
 * Returns the line for a group of repeated reports. The line says how many there are, and how many have another
 * text.
 */
export function foldedWords(report: Repeated, repeats: readonly Pick<Repeat, "body">[]): string {
  const others = repeats.filter((repeat) => hasOtherText(report, repeat)).length;
  if (others === 0) return `${countOf(repeats.length, "more report")} with the same text`;
  return `${countOf(repeats.length, "more report")}, ${others} of them with other text`;
}

/** Returns the CI runs of the first and the last of these repeated reports, from their metadata. */
export function runsOf(repeats: readonly Repeat[]): string | undefined {
  const [first, last] = [repeats.at(0), repeats.at(-1)].map((repeat) => runOf(repeat?.metadata));
  if (first === undefined || last === undefined) return undefined;
  return first === last ? `run ${first}` : `runs ${first} to ${last}`;
}

/** Returns the CI run of a report. `feedback send` adds `runUrl` in CI; other tools write a number. */
function runOf(metadata: Message["metadata"]): string | undefined {
  const { runUrl, run, runId, buildNumber } = metadata ?? {};
  const inAddress = typeof runUrl === "string" ? /(?<!\d)\d{1,40}(?=\/?$)/.exec(runUrl)?.[0] : undefined;
  const given = [run, runId, buildNumber].find(
    (value) => typeof value === "string" || typeof value === "number",
  );
  const name = inAddress ?? given;
  return name === undefined ? undefined : String(name).slice(0, 40);
}

/**
 * The maximum number of addresses that a sentence lists. If there are more, the sentence states only their number.
 */
const mostNamed = 5;

/** Returns sentences about the delivery of a reply. Without `mails`, they say that the mails will be sent. */
export const deliveryWords = (
  delivery: ReplyDelivery,
  mails: readonly ReplyMail[] = [],
): readonly string[] => [
  ...mailWords(delivery.mailedTo, mails),
  ...(delivery.onPage ? [pageWords(delivery)] : []),
  ...(delivery.missed === 0 ? [] : [missedWords(delivery)]),
];

/** Returns a sentence for each state that the mails to these addresses have. A mail without a state is queued. */
function mailWords(addresses: readonly string[], mails: readonly ReplyMail[]): string[] {
  const groups = new Map<string, { readonly mail: ReplyMail | undefined; readonly named: string[] }>();
  const byAddress = new Map(mails.toReversed().map((mail) => [mail.to, mail]));
  for (const address of addresses) {
    const mail = byAddress.get(address);
    const state = mailSentence(mail, "");
    const group = groups.get(state);
    groups.set(state, { mail, named: group?.named ?? [] });
    groups.get(state)?.named.push(address);
  }
  return [...groups.values()].map(({ mail, named }) => mailSentence(mail, namesOf(named)));
}

function mailSentence(mail: ReplyMail | undefined, names: string): string {
  const { status = "waiting", reason = null } = mail ?? {};
  const why = reason === null ? "" : `: ${visibleLine(reason).replace(/\.$/, "")}`;
  if (status === "sent") return `Mailed to ${names}.`;
  if (status === "waiting")
    return why === "" ? `Will be mailed to ${names}.` : `Waits to be mailed to ${names}${why}.`;
  return `Could not be mailed to ${names}${why}.`;
}

/** Whether a mail with a reply was not sent, and the reason is known. */
export const isMailFailing = ({ status, reason }: ReplyMail): boolean => status !== "sent" && reason !== null;

/** Returns the sentence that says that the sender's page shows the reply. */
export const pageWords = ({ mailedTo }: ReplyDelivery): string =>
  mailedTo.length === 0
    ? "The reply is only on the sender's page."
    : "The sender's page shows the reply, too.";

/** Returns the sentence about a reply that does not reach all of its receivers. */
export function missedWords({ mailedTo, missed, reason }: ReplyDelivery): string {
  const others = `Not delivered to ${missed} other ${missed === 1 ? "sender" : "senders"}`;
  const why = reason === "no_mail" ? "this server sends no mail" : "the sender has given no address for mail";
  return `${mailedTo.length === 0 ? "Not delivered" : others}: ${why}, and sender pages are off.`;
}

const namesOf = (addresses: readonly string[]): string =>
  addresses.length > mostNamed ? `${addresses.length} addresses` : addresses.join(", ");

const dropReasons: Readonly<Record<DroppedEntry["reason"], string>> = {
  depth: "nested too deep",
  count: "too many entries",
  size: "too large",
  name: "a name that occurs twice",
};

/** Returns in words why an entry of metadata was not stored. Returns an unknown reason of a newer server unchanged. */
export const reasonWords = (reason: string): string =>
  Object.entries(dropReasons).find(([name]) => name === reason)?.[1] ?? reason;

/** Returns entries of metadata that were not stored, as text: `trace (nested too deep), log (too large)`. */
export const droppedWords = (
  dropped: readonly { readonly name: string; readonly reason: string }[],
): string => dropped.map(({ name, reason }) => `${name} (${reasonWords(reason)})`).join(", ");

/** The part of a thread that decides who receives a reply. */
interface AnsweredThread {
  readonly feedback: Pick<OwnedThread["feedback"], "id" | "createdAt">;
  readonly messages: OwnedThread["messages"];
}

/**
 * Returns the report whose sender a reply probably answers: the newest report or answer of a sender. (rule M10)
 */
export function probableReceiver({ feedback, messages }: AnsweredThread): string {
  const last = messages.findLast(({ direction }) => direction === "inbound");
  // After a merge, `feedback` can be newer than all inbound messages.
  if (last === undefined || last.createdAt < feedback.createdAt) return feedback.id;
  if (last.sender !== undefined) return last.id;
  return last.reportId ?? last.mergedFrom ?? feedback.id;
}

/** Whether the thread has repeated reports. In such a thread, a reply must name the report that it answers. */
export const hasRepeats = ({ messages }: Pick<AnsweredThread, "messages">): boolean =>
  messages.some(({ sender }) => sender !== undefined);

/** Returns the sender of a report of the thread. */
export const senderOf = (
  { sender, messages }: Pick<OwnedThread, "sender" | "messages">,
  reportId: string,
): OwnedThread["sender"] => messages.find(({ id }) => id === reportId)?.sender ?? sender;

type Sender = OwnedThread["sender"];

/** Returns the name that pages show for a sender. */
export const senderName = (sender: Sender | undefined): string =>
  sender?.name ?? sender?.email ?? "Anonymous";

/** Returns the name and the address of a sender, as far as they are known. */
export const nameAndAddress = (sender: Sender | undefined): string =>
  sender?.name && sender.email ? `${sender.name} (${sender.email})` : senderName(sender);

/** Returns what a page or a command says about an unknown operator, or an operator with an unknown value. */
export const unknownValueText = ({ operator, value, allowed }: UnknownValue): string =>
  `${operator}:${value} is not a known filter, so the search looked for these words. Possible: ${allowed.join(", ")}.`;

/** Returns what a page or a command says about an unknown tag or assignee in a query. */
export const missingValueText = ({ operator, value }: MissingValue): string =>
  operator === "tag"
    ? `There is no tag ${value}.`
    : `No thread is assigned to ${value}. Possible are assignee:me, assignee:none and the address of an assignee.`;

/**
 * Explains that `OR`, `AND` and `NOT` are ordinary words. Undefined without these words, or for a query in
 * capitals.
 */
export function logicWordsText(query: string): string | undefined {
  const unquoted = query.replaceAll(/"[^"]*"/g, " ");
  const words = unquoted.split(/\s+/).filter((word) => ["OR", "AND", "NOT"].includes(word));
  if (words.length === 0 || query === query.toUpperCase()) return undefined;
  return `The search looks for ${[...new Set(words)].join(", ")} as ordinary words, and finds threads that contain all words of a query. To leave out threads with a word, put a minus before that word.`;
}

/** Returns the beginning of a sentence that states the number of old threads. */
export function oldThreadsText({ threads, more }: OldThreads): string {
  if (threads === 1) return "1 resolved thread is";
  const count = threads.toLocaleString("en");
  return `${more ? `More than ${count}` : count} resolved threads are`;
}

const statusUrl = "{statusUrl}";

const linkWords = "(link to the sender's page)";

/** Returns a reply as members read it. Only its receiver may see the link to the page. (rule F32) */
export const replyInWords = (body: string): string => body.replaceAll(statusUrl, linkWords);

interface MarkedText {
  readonly text: string;
  readonly marks: readonly { readonly start: number; readonly end: number }[];
}

/**
 * Replaces `{statusUrl}` as `replyInWords` does, but not where `{statusUrl}` overlaps with a mark. Moves the
 * later marks.
 */
export function markedInWords(line: MarkedText): MarkedText {
  const added = linkWords.length - statusUrl.length;
  return [...line.text.matchAll(/\{statusUrl\}/g)].reduceRight<MarkedText>(({ text, marks }, { index }) => {
    const end = index + statusUrl.length;
    if (marks.some((mark) => mark.start < end && mark.end > index)) return { text, marks };
    return {
      text: text.slice(0, index) + linkWords + text.slice(end),
      marks: marks.map((mark) =>
        mark.start < end ? mark : { start: mark.start + added, end: mark.end + added },
      ),
    };
  }, line);
}

/**
 * Returns how many older messages are not shown, and the flag for the next messages. Older servers omit
 * `nextBefore`.
 */
export const olderWords = (omittedMessages: number, nextBefore: string | undefined): string =>
  `${omittedMessages}, not shown${nextBefore === undefined ? "" : `; --before ${nextBefore} shows the next of them`}`;
