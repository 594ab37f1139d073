import { setTimeout as sleep } from "node:timers/promises";
import type { Context, Next } from "koa";
import type { Deps } from "../deps.ts";
import { pathOf } from "../http/routing.ts";
import { apiErrorOf, type Faults } from "./faults.ts";

/**
 * Delays and fails requests by the injected faults, before anything else reads them. A request that waits when the faults
 * are cleared goes on at once, without its fault.
 */
export function applyFaults(faults: Faults, { stopping }: Pick<Deps, "stopping">) {
  return async (ctx: Context, next: Next): Promise<void> => {
    const fault = faults.take(pathOf(ctx) ?? "");
    if (!fault) return next();
    const cleared = faults.cleared();
    const signal = AbortSignal.any([stopping, cleared]);
    if (fault.delayMs > 0) await sleep(fault.delayMs, undefined, { signal }).catch(() => undefined);
    ctx.state.isWanted = true;
    if (fault.error && !cleared.aborted) throw apiErrorOf(fault.error);
    return next();
  };
}
