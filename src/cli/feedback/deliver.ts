import type { Client } from "../../client/call.ts";
import { ServerError, UnexpectedAnswerError } from "../../client/errors.ts";
import { type FeedbackContent, feedbackBody } from "../../client/feedback-body.ts";
import type { Invocation } from "../context.ts";
import { showProgress } from "./progress.ts";
import type { LastTry, Report } from "./report.ts";

/** What the server answered. One that keeps the specification and no more names neither id nor address. */
export type Answer = Partial<Awaited<ReturnType<Client["feedback"]["submit"]>>>;

export type Delivery =
  | { readonly delivered: true; readonly answer: Answer }
  | { readonly delivered: false; readonly lastTry: LastTry; readonly error: Error };

/**
 * Sends a report. Repeats it only where the server cannot have taken it: it said so (429, 503), or it has not got the
 * whole body. A server of the specification alone knows no Idempotency-Key here, and would post it twice.
 */
export async function deliver(invocation: Invocation, report: Report): Promise<Delivery> {
  const body = counted(feedbackBody(report.fields, report.files));
  const progress = showProgress(invocation, body.content);
  const mayRepeat = (error: Error) => {
    progress.end();
    if (body.failure()) return false;
    return isInProgress(error) || outcomeOf(error, body.isOut()) !== "unknown";
  };
  try {
    const answer: Answer = await invocation.client().feedback.submit({
      content: body.content,
      idempotencyKey: report.idempotencyKey,
      signal: invocation.context.signal,
      onProgress: progress.update,
      repeatAfter: mayRepeat,
    });
    if (answer.success === false)
      throw new ServerError({ status: 200, code: "not_taken", message: notTaken });
    return { delivered: true, answer };
  } catch (cause) {
    const error = body.failure() ?? asError(cause);
    const at = invocation.context.clock.now().toISOString();
    return {
      delivered: false,
      error,
      lastTry: { at, outcome: outcomeOf(error, body.isOut()), why: error.message },
    };
  } finally {
    progress.end();
  }
}

const notTaken = "The server answered that it did not take the feedback.";

function outcomeOf(error: Error, isOut: boolean): LastTry["outcome"] {
  if (error instanceof ServerError) return isRefusal(error) ? "refused" : "unknown";
  if (error instanceof UnexpectedAnswerError) return error.status >= 300 ? "refused" : "unknown";
  return isOut ? "unknown" : "unsent";
}

// A gateway may fail after the server has taken it, and a server while it does.
const isRefusal = (error: ServerError): boolean =>
  !isInProgress(error) && (error.status < 500 || error.status === 501 || error.status === 503);

// Only a server that knows the key says this; it answers the next try from what it stored.
const isInProgress = (error: Error): boolean =>
  error instanceof ServerError && error.code === "idempotency_in_progress";

const asError = (cause: unknown): Error => (cause instanceof Error ? cause : new Error(String(cause)));

/**
 * The content, whether its last byte was handed over (before that no server can have all of it), and what went wrong
 * while it was read.
 */
function counted(content: FeedbackContent) {
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
