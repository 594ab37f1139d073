import { ServerError } from "../../client/errors.ts";
import { deliveryWords } from "../../words/delivery.ts";
import { oneLine } from "../../words/visible.ts";
import { CliError } from "../core/cli-error.ts";
import { canAsk } from "../core/confirm.ts";
import type { Invocation } from "../core/context.ts";
import { failureOf } from "../core/failures.ts";
import { textOf } from "../core/input.ts";
import { note, printOne } from "../core/output.ts";
import { newestBeforeReply, newestMessageIn } from "./newest-message.ts";
import { type BodyFlags, wholeThreadId } from "./threads.ts";

export interface ReplyFlags extends BodyFlags {
  readonly everyone?: boolean;
  readonly resolve?: boolean;
  readonly force?: boolean;
  /** The newest message that was read, or `none`. */
  readonly expectMessage?: string;
}

/**
 * Answers the sender. If somebody else has replied already, a person is asked first. Whoever names an older message than the
 * newest one is refused. (rule L55)
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
  const send = (expectedMessageId: string | null | undefined, idempotencyKey?: string) =>
    threads.addMessage({
      params: { id },
      body: {
        direction: "outbound",
        body,
        ...(flags.everyone ? { everyone: true } : {}),
        ...(flags.resolve ? { change: { status: "resolved" } } : {}),
        expectedMessageId,
      },
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    });
  const asks = canAsk(invocation) && !flags.force && flags.expectMessage === undefined;
  const known = asks ? await read().then(newestBeforeReply, ifUnreadable) : expectedOf(flags);
  const message = await send(known).catch(async (error) => {
    if (!isAnswered(error)) throw error;
    const newest = asks ? newestMessageIn(await read()) : undefined;
    if (!(asks && (await isWanted(invocation, error)))) throw notSent(error, id);
    const { idempotencyKey: key } = invocation.flags;
    return send(newest, key === undefined ? undefined : `${key}-again`);
  });
  const resolved = flags.resolve ? " and resolved it" : "";
  const { delivery } = message;
  const said = delivery ? deliveryWords(delivery).map((words) => ` ${oneLine(words)}`) : [];
  const wayOut =
    delivery && delivery.missed > 0 ? " An owner can turn on sender pages in the settings of the app." : "";
  note(invocation, `Replied to feedback ${id}${resolved}.${said.join("")}${wayOut}`);
  printOne(invocation, message, () => message.id);
}

const expectedOf = ({ expectMessage, force }: ReplyFlags): string | null | undefined => {
  if (force || expectMessage === undefined) return undefined;
  return expectMessage === "none" ? null : expectMessage;
};

/** A token that may write and not read sends the reply without the look. */
function ifUnreadable(error: unknown): undefined {
  if (!(error instanceof ServerError) || error.status !== 403) throw error;
}

const isAnswered = (error: unknown): error is ServerError =>
  error instanceof ServerError && error.code === "answered";

async function isWanted({ context }: Invocation, { message }: ServerError): Promise<boolean> {
  return /^y(es)?$/i.test((await context.io.ask(`${message} Send your reply, too? [y/N] `)).trim());
}

const notSent = (error: ServerError, id: string): CliError =>
  new CliError({
    ...failureOf(error),
    message: `Nothing was sent. ${error.message}`,
    next: `\`innkeep feedback view ${id}\` shows it. --force sends your reply, too.`,
  });
