import { ServerError } from "../../client/errors.ts";
import { isTemporary } from "../../client/retry.ts";
import type { Pauses } from "../../client/wait.ts";
import type { Context } from "../core/context.ts";

/** The pauses of a worker whose server is away. */
export const pauses: Pauses = { firstMs: 1_000, growth: 1.5, mostMs: 30_000 };

/**
 * Calls until the server answers, however long it is away. Pauses as the server asks. Throws what will not pass, and the
 * signal's reason.
 */
export async function patiently<T>(
  { clock, signal }: Pick<Context, "clock"> & { readonly signal?: AbortSignal },
  call: () => Promise<T>,
): Promise<T> {
  for (let pauseMs = pauses.firstMs; ; pauseMs = Math.min(pauses.mostMs, pauseMs * pauses.growth)) {
    try {
      return await call();
    } catch (error) {
      if (signal?.aborted || !isTemporary(error)) throw error;
      const asked = error instanceof ServerError ? error.retryAfterSeconds : undefined;
      await clock.sleep(Math.max(pauseMs, (asked ?? 0) * 1_000), signal);
    }
  }
}
