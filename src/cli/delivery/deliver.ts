import type { CallOptions, Client, Content } from "../../client/call.ts";
import { isRefusedHere } from "../../client/connection.ts";
import { ServerError, UnexpectedAnswerError } from "../../client/errors.ts";
import type { FileContent } from "../../client/file-content.ts";
import type { Invocation } from "../core/context.ts";
import { showProgress } from "./progress.ts";
import type { LastTry, SpooledItem } from "./spooled-item.ts";

export type Delivery<Answer> =
  | { readonly delivered: true; readonly answer: Answer }
  | { readonly delivered: false; readonly lastTry: LastTry; readonly error: Error };

export type Failed = Extract<Delivery<unknown>, { delivered: false }>;

/** How items of a kind are sent. */
export interface Way<I extends SpooledItem, Answer> {
  /** The body, the same bytes each time. */
  readonly bodyOf: (item: I) => FileContent;
  /** The call that sends it. */
  readonly send: (client: Client, given: CallOptions & { readonly content: Content }) => Promise<Answer>;
}

/**
 * Sends an item with its files and shows the progress on standard error. Repeats with the same Idempotency-Key after a
 * temporary failure, but not where nothing listens on this machine and a copy is kept. If one try may have arrived, a later failure does not change that.
 */
export async function deliver<I extends SpooledItem, Answer>(
  invocation: Invocation,
  item: I,
  { bodyOf, send, isKept }: Way<I, Answer> & { readonly isKept: boolean },
): Promise<Delivery<Answer>> {
  const body = counted(bodyOf(item));
  const progress = showProgress(invocation, body.content);
  let mayHaveArrived = false;
  const outcomeAfter = (error: Error) => {
    const outcome = outcomeOf(error, body.isOut());
    mayHaveArrived ||= outcome === "unknown";
    return mayHaveArrived ? "unknown" : outcome;
  };
  const mayRepeat = (error: Error) => {
    progress.end();
    outcomeAfter(error);
    // Nothing is lost where a copy is kept, and nobody waits for a server of this machine that is not there.
    const isAway = isKept && isRefusedHere(error, invocation.baseUrl());
    return !isAway && !body.failure();
  };
  try {
    const answer = await send(invocation.client(), {
      content: body.content,
      idempotencyKey: item.idempotencyKey,
      signal: invocation.context.signal,
      onProgress: progress.update,
      repeatAfter: mayRepeat,
    });
    return { delivered: true, answer };
  } catch (cause) {
    const error = body.failure() ?? asError(cause);
    const at = invocation.context.clock.now().toISOString();
    return { delivered: false, error, lastTry: { at, outcome: outcomeAfter(error), why: error.message } };
  } finally {
    progress.end();
  }
}

function outcomeOf(error: Error, isOut: boolean): LastTry["outcome"] {
  if (error instanceof ServerError) return isRefusal(error) ? "refused" : "unknown";
  if (error instanceof UnexpectedAnswerError) return error.status >= 300 ? "refused" : "unknown";
  return isOut ? "unknown" : "unsent";
}

// The request may have arrived: a gateway may fail after the server has it, and a server while it stores it.
const isRefusal = (error: ServerError): boolean =>
  !isInProgress(error) && (error.status < 500 || error.status === 501 || error.status === 503);

// Only a server that knows the key says this. It answers the next try with the stored answer.
const isInProgress = (error: Error): boolean =>
  error instanceof ServerError && error.code === "idempotency_in_progress";

const asError = (cause: unknown): Error => (cause instanceof Error ? cause : new Error(String(cause)));

/**
 * The content; whether its last byte was handed over, because before that no server can have it; and what went
 * wrong while it was read.
 */
function counted(content: FileContent) {
  let left = content.bytes;
  let failure: Error | undefined;
  const read = async function* () {
    left = content.bytes;
    try {
      for await (const chunk of content.read()) {
        left -= chunk.length;
        yield chunk;
      }
    } catch (cause) {
      failure = asError(cause);
      throw cause;
    }
  };
  return { content: { ...content, read }, isOut: () => left <= 0, failure: () => failure };
}
