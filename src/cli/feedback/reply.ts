import { ServerError } from "../../client/errors.ts";
import type { OwnedThread } from "../../contract/threads.ts";
import { deliveryWords, hasRepeats, probableReceiver, senderOf } from "../../words/thread.ts";
import { oneLine } from "../../words/visible.ts";
import { CliError, usageError } from "../core/cli-error.ts";
import type { Invocation } from "../core/context.ts";
import { failureOf } from "../core/failures.ts";
import { agrees, canAsk, textOf } from "../core/input.ts";
import { note, printOne } from "../core/output.ts";
import { wholeThreadId } from "./thread-ids.ts";
import { newestMessageIn } from "./thread-text.ts";

/** The flags of a command that sends a message. */
export interface BodyFlags {
  readonly body: string;
}

export interface ReplyFlags extends BodyFlags {
  readonly everyone?: boolean;
  /** The id of the report whose sender gets the reply. */
  readonly report?: string;
  readonly resolve?: boolean;
  readonly force?: boolean;
  /** The id of the newest message that the person has read, or `none`. */
  readonly expectMessage?: string;
  /**
   * The value from `feedback view` that stands for the receivers that the person saw. Used for a reply to everyone.
   */
  readonly expectReceivers?: string;
}

/**
 * Replies to the sender. If somebody else has replied already, asks the person first. With `--expect-message` the
 * server refuses the reply if there is a newer message. (rule L55)
 */
export async function replyToSender(
  invocation: Invocation,
  flags: ReplyFlags,
  given: string,
): Promise<undefined> {
  const body = await textOf(invocation, "--body", flags.body);
  const id = await wholeThreadId(invocation, given);
  const { threads } = invocation.client();
  const read = () => threads.read({ params: { id } });
  const { force, expectMessage, expectReceivers } = flags;
  const asks = canAsk(invocation) && !force && (expectMessage ?? expectReceivers) === undefined;
  const isOpen = flags.everyone !== true && flags.report === undefined;
  // A dry run also works without the server. Then the request names no receiver.
  const ifUnread = invocation.flags.dryRun ? () => undefined : ifUnreadable;
  const thread = asks || isOpen ? await read().catch(ifUnread) : undefined;
  const reportId = isOpen ? receiverIn(thread) : flags.report;
  const send = (seen: Seen, idempotencyKey?: string) =>
    threads.addMessage({
      params: { id },
      body: {
        direction: "outbound",
        body,
        ...(flags.everyone ? { everyone: true } : {}),
        ...(reportId === undefined ? {} : { reportId }),
        ...(flags.resolve ? { change: { status: "resolved" } } : {}),
        ...seen,
      },
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    });
  const known = asks ? seenBeforeReply(thread) : expectedOf(flags);
  const message = await send(known).catch(async (error) => {
    if (!hasNewerReply(error)) throw error;
    const newest = asks ? seenIn(await read()) : {};
    if (!(asks && (await wantsToReply(invocation, error)))) throw notSent(error, id);
    const { idempotencyKey: key } = invocation.flags;
    return send(newest, key === undefined ? undefined : `${key}-again`);
  });
  const resolved = flags.resolve ? " and resolved it" : "";
  const { delivery } = message;
  const deliveryTexts = delivery ? deliveryWords(delivery).map((words) => ` ${oneLine(words)}`) : [];
  const advice =
    delivery && delivery.missed > 0 ? " An owner can turn on sender pages in the settings of the app." : "";
  const receiver = thread && reportId !== undefined ? ` To ${senderText(thread, reportId)}.` : "";
  note(invocation, `Replied to feedback ${id}${resolved}.${receiver}${deliveryTexts.join("")}${advice}`);
  printOne(invocation, message, () => message.id);
}

function senderText(thread: OwnedThread, reportId: string): string {
  const { name, email } = senderOf(thread, reportId);
  return oneLine(name ?? email ?? "an anonymous sender");
}

/** The state of the thread when the person read it. The server refuses the reply if the thread has changed. */
interface Seen {
  readonly expectedMessageId?: string | null;
  readonly expectedMergeId?: string | null;
  readonly expectedReceivers?: string;
}

/**
 * Returns the state that the person read, according to the flags. A message does not show who would get a reply to
 * everyone, so `--everyone` also needs the receivers.
 */
function expectedOf({ everyone, expectMessage, expectReceivers, force }: ReplyFlags): Seen {
  if (force) return {};
  if (everyone && expectMessage !== undefined && expectReceivers === undefined)
    throw usageError(
      "--everyone with --expect-message also needs --expect-receivers, because the receivers may have changed.",
      "`innkeep feedback view` shows both values.",
    );
  return {
    ...(expectMessage === undefined
      ? {}
      : { expectedMessageId: expectMessage === "none" ? null : expectMessage }),
    ...(expectReceivers === undefined ? {} : { expectedReceivers: expectReceivers }),
  };
}

const seenIn = ({ messages, merged, receivers }: OwnedThread): Seen => ({
  expectedMessageId: newestMessageIn(messages),
  expectedMergeId: merged.at(-1)?.id ?? null,
  ...(receivers === undefined ? {} : { expectedReceivers: receivers }),
});

/**
 * Returns the state that the person read. If somebody has replied since the sender's last message, names the message
 * before that reply, so that the server reports the existing reply.
 */
function seenBeforeReply(thread: OwnedThread | undefined): Seen {
  if (thread === undefined) return {};
  const { messages } = thread;
  const word = messages.findLastIndex(({ direction }) => direction === "inbound");
  const reply = messages.findIndex(({ direction }, at) => at > word && direction === "outbound");
  return seenIn(reply === -1 ? thread : { ...thread, messages: messages.slice(0, reply) });
}

/**
 * Ignores the error if the token may not read the thread. Then the reply goes to the first sender, without a check.
 */
function ifUnreadable(error: unknown): undefined {
  if (!(error instanceof ServerError) || error.status !== 403) throw error;
}

/**
 * Returns the report that a reply without `--report` answers. Returns undefined if the thread has only one report, or
 * if the given id belongs to a merged thread. Then the sender of the given thread gets the reply. (rule M10)
 */
const receiverIn = (thread: OwnedThread | undefined): string | undefined =>
  thread !== undefined && thread.feedback.mergedInto === undefined && hasRepeats(thread)
    ? probableReceiver(thread)
    : undefined;

const hasNewerReply = (error: unknown): error is ServerError =>
  error instanceof ServerError && error.code === "answered";

const wantsToReply = ({ context }: Invocation, { message }: ServerError): Promise<boolean> =>
  agrees(context, `${message} Send your reply anyway?`);

const notSent = (error: ServerError, id: string): CliError =>
  new CliError({
    ...failureOf(error),
    message: `Nothing was sent. ${error.message}`,
    next: `\`innkeep feedback view ${id}\` shows the thread. --force sends your reply anyway.`,
  });
