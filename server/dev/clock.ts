import { Temporal } from "temporal-polyfill";
import { badRequest } from "../../src/contract/errors.ts";
import type { Clock } from "../clock.ts";

/** A clock that runs at the speed of real time, with an offset. */
export interface MovableClock extends Clock {
  /** Sets the difference from the real time in milliseconds. A negative number sets the clock back. */
  setOffset(milliseconds: number): void;
}

export function createMovableClock(): MovableClock {
  let offsetMs = 0;
  return {
    now: () => new Date(Date.now() + offsetMs),
    steadyMs: () => performance.now(),
    get offsetMs() {
      return offsetMs;
    },
    setOffset(milliseconds) {
      offsetMs = milliseconds;
    },
  };
}

export const isMovable = (clock: Clock): clock is MovableClock => "setOffset" in clock;

/** A move of the clock: by an ISO 8601 duration, which may be negative, or to an instant. */
export interface ClockMove {
  readonly advance?: string | undefined;
  readonly set?: string | undefined;
}

// Instants are compared as text with four-digit years. Years after `latest` remain for the expiry times of
// records.
const earliest = Date.UTC(1970, 0, 1);

const latest = Date.UTC(9000, 0, 1);

const parts = /^([+-]?)((?:\d{1,9}[wdhms])+)$/i;

const unitSeconds: Readonly<Record<string, number>> = { w: 604_800, d: 86_400, h: 3_600, m: 60, s: 1 };

/** Returns the move for a text that a person typed: `+1d`, `-2h30m`, an ISO 8601 duration, or an instant. */
export function clockMoveOf(typed: string): ClockMove {
  const text = typed.trim();
  const [, sign = "", rest = ""] = parts.exec(text) ?? [];
  if (rest === "") return isDuration(text) ? { advance: text } : { set: text };
  const seconds = [...rest.toLowerCase().matchAll(/(\d+)([wdhms])/g)].reduce(
    (sum, [, count, unit = ""]) => sum + Number(count) * (unitSeconds[unit] ?? 0),
    0,
  );
  return { advance: `${sign === "-" ? "-" : ""}PT${seconds}S` };
}

export function isDuration(text: string): boolean {
  try {
    Temporal.Duration.from(text);
    return true;
  } catch {
    return false;
  }
}

/** Returns the instant to which a clock is moved, in UTC. Throws `bad_request` outside 1970 to 8999. */
export function targetOf({ advance, set }: ClockMove, now: Date): Date {
  const target = set === undefined ? later(now, advance ?? "PT0S") : Date.parse(set);
  if (target >= earliest && target < latest) return new Date(target);
  throw badRequest(set === undefined ? "advance" : "set", "must stay within the years 1970 to 8999");
}

/**
 * Returns `now` plus `duration` in milliseconds since 1970. Returns NaN if the result is outside the range of the
 * calendar.
 */
function later(now: Date, duration: string): number {
  const start = Temporal.Instant.fromEpochMilliseconds(now.getTime()).toZonedDateTimeISO("UTC");
  try {
    return start.add(duration).epochMilliseconds;
  } catch {
    return Number.NaN;
  }
}
