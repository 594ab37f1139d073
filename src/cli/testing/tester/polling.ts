import { ServerError } from "../../../client/errors.ts";
import { isTemporary } from "../../../client/waiting/retry.ts";
import type { Clock } from "../../core/program/context.ts";

/** What was seen at one moment, or why nothing was; `nextInMs` is when the next look is due. */
export type Poll<Seen> = { readonly at: Date; readonly nextInMs: number } & (
  | { readonly seen: Seen }
  | { readonly problem: string }
);

const everyMs = 30_000;

/**
 * Looks again and again, every 30 seconds, or when a server that cannot answer asks to be asked. A server that is away
 * is a problem to tell; what stays wrong is thrown. Ends when the signal aborts.
 */
export async function* pollsOf<Seen>(
  ask: (signal: AbortSignal) => Promise<Seen>,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): AsyncGenerator<Poll<Seen>, void, undefined> {
  while (!signal.aborted) {
    const look = await lookOnce(ask, clock, signal);
    yield look;
    await clock.sleep(look.nextInMs, signal);
  }
}

async function lookOnce<Seen>(
  ask: (signal: AbortSignal) => Promise<Seen>,
  clock: Clock,
  signal: AbortSignal,
): Promise<Poll<Seen>> {
  try {
    return { seen: await ask(signal), at: clock.now(), nextInMs: everyMs };
  } catch (error) {
    if (signal.aborted || !(error instanceof Error) || !isTemporary(error)) throw error;
    return { problem: error.message, at: clock.now(), nextInMs: pauseAfter(error) };
  }
}

const pauseAfter = (error: Error): number =>
  error instanceof ServerError && error.retryAfterSeconds !== undefined
    ? Math.max(1, error.retryAfterSeconds) * 1_000
    : everyMs;
