import { ServerError } from "../../client/errors.ts";
import { CliError } from "../core/failures/cli-error.ts";
import { failureOf } from "../core/failures/failure.ts";
import { canAsk } from "../core/input/confirm.ts";
import { textOf } from "../core/input/text-flag.ts";
import { note, printOne } from "../core/output/output.ts";
import type { Invocation } from "../core/program/context.ts";
import { newestAnsweredReply, newestReplyIn } from "./newest-reply.ts";
import { type BodyFlags, wholeThreadId } from "./threads.ts";

export interface ReplyFlags extends BodyFlags {
  readonly everyone?: boolean;
  readonly force?: boolean;
  /** The newest reply that was read, or `none`. */
  readonly expectedReply?: string;
}

/**
 * Answers the sender. If somebody else has answered already, a person is asked first, and a program that names an older reply
 * is refused. (rule L55)
 */
export async function replyToSender(
  invocation: Invocation,
  flags: ReplyFlags,
  given: string,
): Promise<undefined> {
  const body = await textOf(invocation, "--body", flags.body);
  const id = await wholeThreadId(invocation, given);
  const { threads } = invocation.client();
  const read = async () => (await threads.read({ params: { id } })).messages;
  const send = (expectedReplyId: string | null | undefined, idempotencyKey?: string) =>
    threads.addMessage({
      params: { id },
      body: { direction: "outbound", body, ...(flags.everyone ? { everyone: true } : {}), expectedReplyId },
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    });
  const asks = canAsk(invocation) && !flags.force && flags.expectedReply === undefined;
  const known = asks ? await read().then(newestAnsweredReply, ifUnreadable) : expectedOf(flags);
  const message = await send(known).catch(async (error) => {
    if (!isAdded(error)) throw error;
    const newest = asks ? newestReplyIn(await read()) : undefined;
    if (!(asks && (await isWanted(invocation, error)))) throw notSent(error, id);
    const { idempotencyKey: key } = invocation.flags;
    return send(newest, key === undefined ? undefined : `${key}-again`);
  });
  note(invocation, `Replied to feedback ${id}.`);
  printOne(invocation, message, () => message.id);
}

const expectedOf = ({ expectedReply, force }: ReplyFlags): string | null | undefined => {
  if (force || expectedReply === undefined) return undefined;
  return expectedReply === "none" ? null : expectedReply;
};

/** A token that may write and not read sends the reply without the look. */
function ifUnreadable(error: unknown): undefined {
  if (!(error instanceof ServerError) || error.status !== 403) throw error;
}

const isAdded = (error: unknown): error is ServerError =>
  error instanceof ServerError && error.code === "reply_added";

async function isWanted({ context }: Invocation, { message }: ServerError): Promise<boolean> {
  return /^y(es)?$/i.test((await context.io.ask(`${message} Send your reply, too? [y/N] `)).trim());
}

const notSent = (error: ServerError, id: string): CliError =>
  new CliError({
    ...failureOf(error),
    message: `Nothing was sent. ${error.message}`,
    next: `\`innkeep feedback view ${id}\` shows it. --force sends your reply, too.`,
  });
