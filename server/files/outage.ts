/** Knows whether the store answers, so that requests do not wait for a store that is known to hang. */
export interface Outage {
  /** Whether a request may go to the store now. During an outage only one request each quarter of a second may try. */
  mayTry(): boolean;
  /** Whether the store is known to hang. */
  lasts(): boolean;
  worked(): void;
  /** Says that a request that began at `startedAt` got no answer. */
  failed(startedAt: number): void;
}

const pauseMs = 250;

export function createOutage(now: () => number = () => performance.now()): Outage {
  let lasts = false;
  let lastAnswerAt = Number.NEGATIVE_INFINITY;
  let lastTryAt = Number.NEGATIVE_INFINITY;
  return {
    lasts: () => lasts,
    mayTry() {
      if (lasts && now() - lastTryAt < pauseMs) return false;
      lastTryAt = now();
      return true;
    },
    worked() {
      lasts = false;
      lastAnswerAt = now();
    },
    failed(startedAt) {
      // Others were answered in the meantime: the store works.
      if (lastAnswerAt > startedAt) return;
      lasts = true;
      lastTryAt = now();
    },
  };
}
