import { textOf, type Use } from "./use-text.ts";

/** At most `limit` uses in any `windowSeconds`. */
export interface RateLimit {
  readonly limit: number;
  readonly windowSeconds: number;
}

export type UseVerdict =
  /** `at`: the time, in milliseconds since 1970, at which the use is counted. */
  | { readonly allowed: true; readonly at: number }
  /** The smallest number of whole seconds after which a use is allowed. */
  | { readonly allowed: false; readonly retryAfterSeconds: number };

/** The uses of one key, in memory. Plain data, because a server holds very many. */
export interface UseLog {
  /** Oldest first. Those before the place `start` no longer count. */
  uses: Use[];
  start: number;
  /** How many uses count. */
  total: number;
}

/** Up to this limit the time of each use is exact. A higher limit divides its window into this many parts. */
const mostTimes = 2_048;
/** So many uses may be forgotten before their memory is freed. */
const mostForgotten = 32;

/** The log of some uses. */
export const createUseLog = (uses: Use[] = []): UseLog => ({
  uses,
  start: 0,
  total: uses.reduce((sum, { count }) => sum + count, 0),
});

/** Counts one use if the rule allows it. `now` is in milliseconds since 1970. (rule H16) */
export function takeUse(log: UseLog, now: number, rule: RateLimit): UseVerdict {
  const verdict = lookAtUses(log, now, rule);
  if (verdict.allowed) add(log, verdict.at);
  return verdict;
}

/** The verdict that `takeUse` would give. Counts nothing. */
export function lookAtUses(log: UseLog, now: number, { limit, windowSeconds }: RateLimit): UseVerdict {
  const windowMs = windowSeconds * 1_000;
  forgetOld(log, now, windowMs);
  if (log.total < limit) return { allowed: true, at: timeOf(log, now, { limit, windowMs }) };
  const retryAfterSeconds = Math.ceil((decidingOf(log, limit) + windowMs - now) / 1_000);
  return { allowed: false, retryAfterSeconds: Math.max(1, retryAfterSeconds) };
}

/** Takes back one use that `takeUse` counted at `at`. Gives whether it was still remembered. */
export function giveUseBack(log: UseLog, at: number): boolean {
  const place = log.uses.findLastIndex((use) => use.at === at);
  const use = log.uses[place];
  if (!use || place < log.start) return false;
  use.count -= 1;
  log.total -= 1;
  if (use.count === 0) log.uses.splice(place, 1);
  return true;
}

/** How many different times a log holds in memory. */
export const sizeOf = ({ uses }: UseLog): number => uses.length;

/** What is stored of a log: a text, and how many parts it has, which is what making it costs. */
export function usesToStore({ uses, start }: UseLog): { readonly text: string; readonly parts: number } {
  const counting = uses.slice(start);
  return { text: textOf(counting), parts: counting.length };
}

function forgetOld(log: UseLog, now: number, windowMs: number): void {
  const last = log.uses.at(-1)?.at ?? 0;
  // The clock was set back by more than a window. A part of a window is the most by which a time lies ahead.
  if (last > now + windowMs + Math.ceil(windowMs / mostTimes)) Object.assign(log, createUseLog());
  for (let use = log.uses[log.start]; use && use.at <= now - windowMs; use = log.uses[log.start]) {
    log.total -= use.count;
    log.start += 1;
  }
  if (log.start <= mostForgotten || log.start * 2 <= log.uses.length) return;
  log.uses = log.uses.slice(log.start);
  log.start = 0;
}

interface Limited {
  readonly limit: number;
  readonly windowMs: number;
}

/** A use is never earlier than the one before it, even if the clock was set back a little. */
function timeOf({ uses }: UseLog, now: number, { limit, windowMs }: Limited): number {
  const part = limit <= mostTimes ? 1 : Math.ceil(windowMs / mostTimes);
  return Math.max(uses.at(-1)?.at ?? 0, Math.ceil(now / part) * part);
}

/** The time of the use that must leave the window before the next one is allowed. */
function decidingOf({ uses, start, total }: UseLog, limit: number): number {
  let over = total - limit;
  for (let place = start; place < uses.length; place += 1) {
    const use = uses[place];
    over -= use?.count ?? 0;
    if (use && over < 0) return use.at;
  }
  return 0;
}

function add(log: UseLog, at: number): void {
  const last = log.uses.at(-1);
  if (last?.at === at && log.uses.length > log.start) last.count += 1;
  else log.uses.push({ at, count: 1 });
  log.total += 1;
}
