import { setTimeout as sleep } from "node:timers/promises";
import type { Context, Next } from "koa";
import type { Deps } from "../deps.ts";
import { pathOf } from "../http/routing.ts";
import { apiErrorOf, type Faults } from "./faults.ts";

/** Delays and fails requests by the injected faults, before anything else reads them. */
export function applyFaults(faults: Faults, { stopping }: Pick<Deps, "stopping">) {
  return async (ctx: Context, next: Next): Promise<void> => {
    const fault = faults.take(pathOf(ctx) ?? "");
    if (!fault) return next();
    if (fault.delayMs > 0) await sleep(fault.delayMs, undefined, { signal: stopping }).catch(() => undefined);
    ctx.state.isWanted = true;
    if (fault.error) throw apiErrorOf(fault.error);
    return next();
  };
}
