import type { ServerResponse } from "node:http";
import { ApiError } from "../../src/contract/errors.ts";
import type { Settings } from "../settings/settings.ts";

/** Smaller answers are not counted. */
const largeBytes = 1_048_576;
/** In this time the server never cuts an answer, even if others need the memory. */
const graceMilliseconds = 10_000;

/** A large answer that the client has not read completely. */
interface Waiting {
  /** Answers with the same object share their memory. */
  readonly memory: object;
  readonly bytes: number;
  readonly since: number;
}

export interface NewAnswer {
  readonly body: string | Buffer;
  /** False if the request has changed something: then its answer must be sent. */
  readonly canRefuse: boolean;
}

/**
 * Counts the memory of large answers until their clients have read them. If one more needs too much, cuts the connections of
 * the slowest clients. Throws `busy` if that does not help.
 */
export type HoldAnswer = (response: ServerResponse, answer: NewAnswer) => void;

export function createHoldAnswer({ settings }: { readonly settings: Settings }): HoldAnswer {
  const most = settings.budgets.answerBytes;
  const waiting = new Map<ServerResponse, Waiting>();
  const readers = new Map<object, number>();
  let held = 0;

  function release(response: ServerResponse): void {
    const answer = waiting.get(response);
    if (!answer) return;
    waiting.delete(response);
    const left = (readers.get(answer.memory) ?? 1) - 1;
    if (left > 0) readers.set(answer.memory, left);
    else {
      readers.delete(answer.memory);
      held -= answer.bytes;
    }
  }

  /** Cuts the connection whose answer has waited for the longest time. Returns false if all have just begun. */
  function cutSlowest(): boolean {
    const [slowest] = waiting;
    if (!slowest || performance.now() - slowest[1].since < graceMilliseconds) return false;
    release(slowest[0]);
    slowest[0].destroy();
    return true;
  }

  return (response, { body, canRefuse }) => {
    // A character has at most three bytes, so a short text need not be counted.
    if (body.length * 3 < largeBytes || response.closed) return;
    const bytes = typeof body === "string" ? Buffer.byteLength(body) : body.length;
    if (bytes < largeBytes) return;
    const memory = typeof body === "string" ? {} : body;
    const isOver = () => held > 0 && held + (readers.has(memory) ? 0 : bytes) > most;
    while (isOver() && cutSlowest());
    if (isOver() && canRefuse)
      throw new ApiError("busy", {
        message: "Too many large answers wait for their readers. Try again in a moment.",
        retryAfterSeconds: 5,
      });
    if (!readers.has(memory)) held += bytes;
    readers.set(memory, (readers.get(memory) ?? 0) + 1);
    waiting.set(response, { memory, bytes, since: performance.now() });
    response.once("close", () => release(response));
  };
}
