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

/**
 * The uses of one key, in memory. They are two lists of numbers, because an object for each of very many uses would
 * slow down the garbage collector.
 */
export interface UseLog {
  /** The times of uses, oldest first, in milliseconds since 1970. Times before the index `start` no longer count. */
  times: number[];
  /** The number of uses at each of these times. */
  counts: number[];
  start: number;
  /** The number of uses that count. */
  total: number;
}

/**
 * For limits up to this number, the time of each use is exact. For a higher limit, its window is divided into this many
 * parts, and times are rounded to them.
 */
const mostTimes = 2_048;
/** The number of old uses that may stay in memory before they are all removed in one step. */
const mostForgotten = 32;

export const createUseLog = (): UseLog => ({ times: [], counts: [], start: 0, total: 0 });

/** Counts one use if the rule allows it. `now` is in milliseconds since 1970. (rule H16) */
export function takeUse(log: UseLog, now: number, rule: RateLimit): UseVerdict {
  const verdict = lookAtUses(log, now, rule);
  if (verdict.allowed) add(log, verdict.at);
  return verdict;
}

/**
 * Returns the verdict that `takeUse` would return. Counts nothing. A use that reaches the limit is allowed, the next
 * one is not. (rule H31)
 */
export function lookAtUses(log: UseLog, now: number, { limit, windowSeconds }: RateLimit): UseVerdict {
  const windowMs = windowSeconds * 1_000;
  forgetOld(log, now, windowMs);
  if (log.total < limit) return { allowed: true, at: timeOf(log, now, limit, windowMs) };
  const retryAfterSeconds = Math.ceil((decidingOf(log, limit) + windowMs - now) / 1_000);
  return { allowed: false, retryAfterSeconds: Math.max(1, retryAfterSeconds) };
}

/** Removes one use that `takeUse` counted at `at`. Returns whether it was still in memory. */
export function giveUseBack(log: UseLog, at: number): boolean {
  const { times, counts } = log;
  const place = times.lastIndexOf(at);
  if (place < log.start) return false;
  const left = (counts[place] ?? 0) - 1;
  counts[place] = left;
  log.total -= 1;
  if (left > 0) return true;
  times.splice(place, 1);
  counts.splice(place, 1);
  return true;
}

/**
 * Returns the most bytes that the two lists of a log can use. An array allocates memory for more numbers than it has.
 */
export const bytesOf = ({ times }: UseLog): number => 2 * (16 + 8 * (2 * times.length + 18));

function forgetOld(log: UseLog, now: number, windowMs: number): void {
  const { times, counts } = log;
  const last = times.at(-1) ?? 0;
  // The clock was set back by more than a window. `timeOf` rounds up by at most one part of the window.
  if (last > now + windowMs + Math.ceil(windowMs / mostTimes)) return void Object.assign(log, createUseLog());
  const oldest = now - windowMs;
  for (; log.start < times.length && (times[log.start] ?? 0) <= oldest; log.start += 1)
    log.total -= counts[log.start] ?? 0;
  if (log.start <= mostForgotten || log.start * 2 <= times.length) return;
  log.times = times.slice(log.start);
  log.counts = counts.slice(log.start);
  log.start = 0;
}

/**
 * Returns the time to record for a use. It is never earlier than the use before it, even if the clock was set back a
 * little.
 */
function timeOf({ times }: UseLog, now: number, limit: number, windowMs: number): number {
  const part = limit <= mostTimes ? 1 : Math.ceil(windowMs / mostTimes);
  return Math.max(times.at(-1) ?? 0, Math.ceil(now / part) * part);
}

/** Returns the time of the use that must leave the window before the next use is allowed. */
function decidingOf({ times, counts, start, total }: UseLog, limit: number): number {
  let over = total - limit;
  for (let place = start; place < times.length; place += 1) {
    over -= counts[place] ?? 0;
    if (over < 0) return times[place] ?? 0;
  }
  return 0;
}

function add(log: UseLog, at: number): void {
  const { times, counts, start } = log;
  const last = times.length - 1;
  if (last >= start && times[last] === at) counts[last] = (counts[last] ?? 0) + 1;
  else {
    times.push(at);
    counts.push(1);
  }
  log.total += 1;
}
