/** For how long after a proof answers may come from memory, in milliseconds. */
const mostAgeMs = 1_000;

/** An instant on the steady clock and on the wall clock, in milliseconds. */
export interface Moment {
  readonly steady: number;
  readonly wall: number;
}

export const presentMoment = (): Moment => ({ steady: performance.now(), wall: Date.now() });

/** Knows whether this process has heard of all changes up to a moment ago. */
export interface MemoryPeriod {
  /** The number of the period; undefined if the last proof is too old. */
  current(): number | undefined;
  /** Notes that everything that had changed at this moment has been heard. */
  prove(at: Moment): void;
  /** Ends the period: changes may have been missed. */
  end(): void;
}

/**
 * A period lasts as long as each proof comes before the last one is too old. The age is taken when somebody asks, so a
 * process that was stopped, or was too busy, knows at its first step that it may have missed something. The steady clock may
 * stand still while the machine sleeps, so both clocks must agree that little time has passed.
 */
export function createMemoryPeriod(now: () => Moment = presentMoment): MemoryPeriod {
  let proven: Moment | undefined;
  let number = 0;

  function isRecent(moment: Moment): boolean {
    const { steady, wall } = now();
    return steady - moment.steady <= mostAgeMs && Math.abs(wall - moment.wall) <= mostAgeMs;
  }

  return {
    current: () => (proven !== undefined && isRecent(proven) ? number : undefined),
    prove(at) {
      if (!isRecent(at)) return;
      if (proven === undefined || !isRecent(proven)) number += 1;
      proven = at;
    },
    end() {
      proven = undefined;
    },
  };
}
