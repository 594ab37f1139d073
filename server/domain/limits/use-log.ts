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

/** The uses of one key, in memory. */
export interface UseLog {
  /** Counts one use if the rule allows it. `now` is in milliseconds since 1970. (rule H16) */
  take(now: number, rule: RateLimit): UseVerdict;
  /** The verdict that `take` would give. Counts nothing. */
  look(now: number, rule: RateLimit): UseVerdict;
  /** Takes back one use that `take` counted at `at`. Does nothing if it is too old to be remembered. */
  giveBack(at: number): void;
  /** The uses as text, for `createUseLog`. */
  text(): string;
  /** How many uses count, and at how many different times they were. */
  total(): number;
  size(): number;
}

/** Up to this limit the time of each use is exact. A higher limit divides its window into this many parts. */
const mostTimes = 2_048;

/** Marks a text of `text()`. An older server stored 13 digits for each use. */
const mark = "u";

/**
 * The log of the uses in a text, or an empty one. The text is one that `text()` gave, or times of 13 digits one after
 * another.
 */
export function createUseLog(stored = ""): UseLog {
  const window = windowOf(parse(stored));

  function look(now: number, { limit, windowSeconds }: RateLimit): UseVerdict {
    const windowMs = windowSeconds * 1_000;
    forgetOld(window, now, windowMs);
    if (window.total < limit) return { allowed: true, at: timeOf(window, now, { limit, windowMs }) };
    const retryAfterSeconds = Math.ceil((decidingOf(window, limit) + windowMs - now) / 1_000);
    return { allowed: false, retryAfterSeconds: Math.max(1, retryAfterSeconds) };
  }

  return {
    look,
    take(now, rule) {
      const verdict = look(now, rule);
      if (verdict.allowed) add(window, verdict.at);
      return verdict;
    },
    giveBack: (at) => remove(window, at),
    text: () => textOf(window.uses.slice(window.start)),
    total: () => window.total,
    size: () => window.uses.length,
  };
}

/** The uses of a window, oldest first. Those before the place `start` no longer count. */
interface Window {
  uses: Use[];
  start: number;
  total: number;
}

const windowOf = (uses: Use[]): Window => ({
  uses,
  start: 0,
  total: uses.reduce((sum, { count }) => sum + count, 0),
});

function forgetOld(window: Window, now: number, windowMs: number): void {
  const last = window.uses.at(-1)?.at ?? 0;
  // The clock was set back by more than a window. A part of a window is the most by which a time lies ahead.
  if (last > now + windowMs + Math.ceil(windowMs / mostTimes)) Object.assign(window, windowOf([]));
  for (
    let use = window.uses[window.start];
    use && use.at <= now - windowMs;
    use = window.uses[window.start]
  ) {
    window.total -= use.count;
    window.start += 1;
  }
  if (window.start <= 1_024 || window.start * 2 <= window.uses.length) return;
  window.uses = window.uses.slice(window.start);
  window.start = 0;
}

interface Limited {
  readonly limit: number;
  readonly windowMs: number;
}

/** A use is never earlier than the one before it, even if the clock was set back a little. */
function timeOf({ uses }: Window, now: number, { limit, windowMs }: Limited): number {
  const part = limit <= mostTimes ? 1 : Math.ceil(windowMs / mostTimes);
  return Math.max(uses.at(-1)?.at ?? 0, Math.ceil(now / part) * part);
}

/** The time of the use that must leave the window before the next one is allowed. */
function decidingOf({ uses, start, total }: Window, limit: number): number {
  let over = total - limit;
  for (const { at, count } of uses.slice(start)) {
    over -= count;
    if (over < 0) return at;
  }
  return 0;
}

function add(window: Window, at: number): void {
  const last = window.uses.at(-1);
  if (last?.at === at && window.uses.length > window.start) last.count += 1;
  else window.uses.push({ at, count: 1 });
  window.total += 1;
}

function remove(window: Window, at: number): void {
  const place = window.uses.findLastIndex((use) => use.at === at);
  const use = window.uses[place];
  if (!use || place < window.start) return;
  use.count -= 1;
  window.total -= 1;
  if (use.count === 0) window.uses.splice(place, 1);
}

interface Use {
  readonly at: number;
  count: number;
}

/** Each use as the distance from the one before it, in base 36, and its count if that is not 1. */
function textOf(uses: readonly Use[]): string {
  let before = 0;
  const parts = uses.map(({ at, count }) => {
    const distance = (at - before).toString(36);
    before = at;
    return count === 1 ? distance : `${distance}.${count.toString(36)}`;
  });
  return mark + parts.join(" ");
}

function parse(text: string): Use[] {
  if (!text.startsWith(mark))
    return (text.match(/\d{13}/g) ?? []).map((at) => ({ at: Number(at), count: 1 }));
  let before = 0;
  return text
    .slice(mark.length)
    .split(" ")
    .filter((part) => part !== "")
    .map((part) => {
      const [distance = "", count = "1"] = part.split(".");
      before += Number.parseInt(distance, 36);
      return { at: before, count: Number.parseInt(count, 36) };
    });
}
