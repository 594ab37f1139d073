import type { Clock } from "../clock.ts";

/** Tells whether the clock's time can be relied on. Nothing that cannot be undone happens while it cannot. */
export interface TimeWatch {
  /** Whether time has jumped, and has not held for ten minutes since. */
  isDoubtful(): boolean;
  /** By how many milliseconds the clock may be behind: 0 unless it was set back, and is in doubt. */
  behindMs(): number;
  /** Compares the time at the start with the last one that was written. */
  begin(lastWritten: string): void;
}

/** So far may the wall clock depart from the monotonic one: corrections of a network's time are smaller. */
const agreeMilliseconds = 60_000;
const holdMilliseconds = 600_000;
/** A server that starts so long after it last wrote may have a wrong clock. */
const longestPauseMilliseconds = 86_400_000;

/** The wall clock and the monotonic one at one moment. */
interface Mark {
  readonly wall: number;
  readonly steady: number;
}

interface Doubt {
  /** When it began, on the monotonic clock. */
  readonly since: number;
  last: Mark;
}

/** Watches a clock. `onJump` hears by how many milliseconds it jumped, each time that it does. */
export function createTimeWatch(clock: Clock, onJump: (milliseconds: number) => void): TimeWatch {
  // How far a development server's clock was moved is no jump.
  const look = (): Mark => ({ wall: clock.now().getTime() - clock.offsetMs, steady: clock.steadyMs() });
  let trusted = look();
  let slack = agreeMilliseconds;
  let doubt: Doubt | undefined;

  const trust = (now: Mark) => {
    trusted = now;
    slack = agreeMilliseconds;
    doubt = undefined;
  };
  const isTrusted = (now: Mark): boolean => {
    const ahead = departure(trusted, now);
    return ahead >= -agreeMilliseconds && ahead <= slack;
  };
  const doubtIt = (now: Mark) => {
    onJump(departure(doubt?.last ?? trusted, now));
    doubt = { since: now.steady, last: now };
  };

  const isDoubtful = () => {
    const now = look();
    if (isTrusted(now)) trust(now);
    else if (!doubt || Math.abs(departure(doubt.last, now)) > agreeMilliseconds) doubtIt(now);
    else if (now.steady - doubt.since >= holdMilliseconds) trust(now);
    else doubt.last = now;
    return doubt !== undefined;
  };

  return {
    isDoubtful,
    behindMs: () => (isDoubtful() ? Math.max(0, -departure(trusted, look())) : 0),
    begin(lastWritten) {
      trusted = { wall: Date.parse(lastWritten), steady: look().steady };
      slack = longestPauseMilliseconds;
      doubt = undefined;
    },
  };
}

/** By how many milliseconds the wall clock has gone further than the monotonic one. */
const departure = (from: Mark, to: Mark): number => to.wall - from.wall - (to.steady - from.steady);
