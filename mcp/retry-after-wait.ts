import { ServerError } from "../src/client/errors.ts";
import type { Deps } from "./deps.ts";

const mostSeconds = 20;

/** Calls the server. If the server asks for a short wait, waits and tries once more. */
export async function retryAfterWait<T>(
  { clock }: Pick<Deps, "clock">,
  signal: AbortSignal,
  act: () => Promise<T>,
): Promise<T> {
  try {
    return await act();
  } catch (error) {
    const seconds = secondsAskedFor(error);
    if (seconds === undefined || seconds > mostSeconds) throw error;
    await clock.sleep(seconds * 1_000, signal);
    return act();
  }
}

const secondsAskedFor = (error: unknown): number | undefined =>
  error instanceof ServerError && error.status === 429 ? error.retryAfterSeconds : undefined;
