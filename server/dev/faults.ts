import { setTimeout as sleep } from "node:timers/promises";
import type { Context, Next } from "koa";
import { ApiError, type ErrorCode, errorCatalogue } from "../../src/contract/errors.ts";
import type { Deps } from "../deps.ts";
import { pathOf } from "../http/routing.ts";

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

/** A fault injected into the next requests to a path and to all paths below it. */
export interface Fault {
  readonly path: string;
  /** The error that they get; null if they are only delayed. */
  readonly error: { readonly status: number; readonly code: ErrorCode } | null;
  /** How many more requests get the fault. */
  readonly times: number;
  readonly delayMs: number;
}

/** The faults that are still active, in the order in which they were added. */
export interface Faults {
  add(fault: Fault): void;
  /** Returns the first fault for a path and uses it up once. Undefined if there is none. */
  take(path: string): Fault | undefined;
  list(): readonly Fault[];
  clear(): void;
  /** Aborts at the next `clear`. */
  cleared(): AbortSignal;
}

export function createFaults(): Faults {
  let faults: readonly Fault[] = [];
  let clearing = new AbortController();
  return {
    list: () => faults,
    add(fault) {
      faults = [...faults, fault];
    },
    clear() {
      faults = [];
      clearing.abort();
      clearing = new AbortController();
    },
    cleared: () => clearing.signal,
    take(path) {
      const found = faults.find((fault) => isFor(fault, path));
      if (found) faults = faults.flatMap((fault) => (fault === found ? usedOnce(fault) : [fault]));
      return found;
    },
  };
}

const isFor = ({ path: wanted }: Fault, path: string): boolean =>
  path === wanted || path.startsWith(wanted.endsWith("/") ? wanted : `${wanted}/`);

const usedOnce = (fault: Fault): Fault[] => (fault.times > 1 ? [{ ...fault, times: fault.times - 1 }] : []);

const codes: readonly ErrorCode[] = Object.keys(errorCatalogue).filter(isCode);

/** The most common code of each of these statuses. */
const usualCodes: Readonly<Record<number, ErrorCode>> = {
  403: "forbidden",
  409: "wrong_state",
  422: "cycle_not_running",
};

/**
 * The status and code of an error of which one or both are given. Null if neither is given. Undefined if they do not
 * match.
 */
export function errorOf(status: number | undefined, code: string | undefined): Fault["error"] | undefined {
  if (code !== undefined && isCode(code)) {
    const usual = errorCatalogue[code].status;
    return status === undefined || status === usual ? { status: usual, code } : undefined;
  }
  if (status === undefined) return null;
  return { status, code: usualCodes[status] ?? codeOfStatus(status) };
}

const codeOfStatus = (status: number): ErrorCode =>
  codes.find((code) => errorCatalogue[code].status === status) ?? (status < 500 ? "bad_request" : "internal");

function isCode(name: string): name is ErrorCode {
  return Object.hasOwn(errorCatalogue, name);
}

/** The error in the form of the API. A status that the API does not have gets the body of a similar status. */
function apiErrorOf({ status, code }: NonNullable<Fault["error"]>): ApiError {
  const retry = status === 429 || status === 503 ? { retryAfterSeconds: 1 } : {};
  const cause = new Error("A fault was asked for");
  return Object.assign(new ApiError(code, retry, { cause }), { status });
}
