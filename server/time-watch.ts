import type { Clock } from "./clock.ts";

/** Says whether the clock's time can be trusted. While it cannot, the server does nothing that cannot be undone. */
export interface TimeWatch {
  /** Whether the clock has jumped and has not been steady for ten minutes since. */
  isDoubtful(): boolean;
  /** By how many milliseconds the clock may be behind. 0 unless the clock was set back and is in doubt. */
  behindMs(): number;
  /** Compares the time at the start with the time that was last stored. */
  begin(lastWritten: string): void;
}

/** How far the wall clock may differ from the monotonic clock. Corrections by network time are smaller. */
const agreeMilliseconds = 60_000;
const holdMilliseconds = 600_000;
/** If the stored time is older than this at the start, the clock may be wrong. */
const longestPauseMilliseconds = 86_400_000;

/** The wall clock and the monotonic clock at the same moment. */
interface ClockReading {
  readonly wall: number;
  readonly steady: number;
}

interface Doubt {
  /** When the doubt began, on the monotonic clock. */
  readonly since: number;
  last: ClockReading;
}

/** Watches a clock. Calls `onJump` at each jump with its length in milliseconds. */
export function createTimeWatch(clock: Clock, onJump: (milliseconds: number) => void): TimeWatch {
  // Moving the clock of a development server is not a jump.
  const look = (): ClockReading => ({
    wall: clock.now().getTime() - clock.offsetMs,
    steady: clock.steadyMs(),
  });
  let trusted = look();
  let slack = agreeMilliseconds;
  let doubt: Doubt | undefined;

  const trust = (now: ClockReading) => {
    trusted = now;
    slack = agreeMilliseconds;
    doubt = undefined;
  };
  const isTrusted = (now: ClockReading): boolean => {
    const ahead = driftBetween(trusted, now);
    return ahead >= -agreeMilliseconds && ahead <= slack;
  };
  const doubtIt = (now: ClockReading) => {
    onJump(driftBetween(doubt?.last ?? trusted, now));
    doubt = { since: now.steady, last: now };
  };

  const isDoubtful = () => {
    const now = look();
    if (isTrusted(now)) trust(now);
    else if (!doubt || Math.abs(driftBetween(doubt.last, now)) > agreeMilliseconds) doubtIt(now);
    else if (now.steady - doubt.since >= holdMilliseconds) trust(now);
    else doubt.last = now;
    return doubt !== undefined;
  };

  return {
    isDoubtful,
    behindMs: () => (isDoubtful() ? Math.max(0, -driftBetween(trusted, look())) : 0),
    begin(lastWritten) {
      trusted = { wall: Date.parse(lastWritten), steady: look().steady };
      slack = longestPauseMilliseconds;
      doubt = undefined;
    },
  };
}

/** By how many milliseconds the wall clock has advanced more than the monotonic clock. */
const driftBetween = (from: ClockReading, to: ClockReading): number =>
  to.wall - from.wall - (to.steady - from.steady);
