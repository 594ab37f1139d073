import { ApiError } from "../../src/contract/errors.ts";
import type { Budgets } from "../budgets.ts";

/** One large body that is taken in. */
export interface Turn {
  /** Hears that others have waited for its place long enough. */
  onCut(tell: (why: ApiError) => void): void;
  /** It is over: the next one has its place. */
  over(): void;
}

interface Running {
  readonly key: string;
  readonly since: number;
  tell: ((why: ApiError) => void) | undefined;
  isCut: boolean;
}

interface Waiter {
  readonly key: string;
  readonly start: () => void;
}

/** One that has run for so long may have to go for a key that has none. */
const longMilliseconds = 30_000;

/**
 * Gives turns to large bodies: so many at once, and so many of one key. What finds no place waits for a moment; a place
 * that is free goes to the key that has the fewest. Where all places are taken, the key with the most loses its longest
 * one to a key that has two fewer, or to one that has one fewer once it has run for half a minute. Throws `busy`.
 */
export function createTurns(budgets: Pick<Budgets, "uploads" | "uploadsPerKey" | "uploadTurnMilliseconds">) {
  const { uploads, uploadsPerKey, uploadTurnMilliseconds } = budgets;
  const running = new Set<Running>();
  const waiting = new Set<Waiter>();

  const countOf = (key: string): number => {
    let count = 0;
    for (const turn of running) if (turn.key === key) count += 1;
    return count;
  };
  const start = (key: string): Turn => {
    const turn: Running = { key, since: performance.now(), tell: undefined, isCut: false };
    running.add(turn);
    return {
      onCut(tell) {
        turn.tell = tell;
        if (turn.isCut) tell(fair());
      },
      over() {
        if (running.delete(turn)) startNext();
      },
    };
  };
  const startNext = () => {
    let next: Waiter | undefined;
    let fewest = uploadsPerKey;
    for (const waiter of waiting) {
      const count = countOf(waiter.key);
      if (count >= fewest) continue;
      fewest = count;
      next = waiter;
    }
    if (next) next.start();
  };
  const makeRoom = (key: string) => {
    const loser = longestOf(running);
    if (!loser) return;
    const ahead = countOf(loser.key) - countOf(key);
    const isLong = performance.now() - loser.since > longMilliseconds;
    if (ahead < 1 || (ahead === 1 && !isLong)) return;
    loser.isCut = true;
    loser.tell?.(fair());
  };

  return (key: string): Promise<Turn> => {
    if (running.size < uploads && countOf(key) < uploadsPerKey) return Promise.resolve(start(key));
    const queued = [...waiting].filter((waiter) => waiter.key === key).length;
    if (queued >= uploadsPerKey || waiting.size >= uploads * 4) return Promise.reject(busy());
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        key,
        start() {
          waiting.delete(waiter);
          clearTimeout(timer);
          resolve(start(key));
        },
      };
      const timer = setTimeout(() => {
        waiting.delete(waiter);
        reject(busy());
      }, uploadTurnMilliseconds);
      waiting.add(waiter);
      if (running.size >= uploads && countOf(key) < uploadsPerKey) makeRoom(key);
    });
  };
}

/** The longest running one of the key that has the most. */
function longestOf(running: ReadonlySet<Running>): Running | undefined {
  const byKey = new Map<string, Running[]>();
  for (const turn of running) {
    if (turn.isCut) continue;
    const turns = byKey.get(turn.key);
    if (turns) turns.push(turn);
    else byKey.set(turn.key, [turn]);
  }
  let most: Running[] = [];
  for (const turns of byKey.values()) if (turns.length > most.length) most = turns;
  return most[0];
}

const busy = () => new ApiError("busy", { retryAfterSeconds: 2 });

const fair = () =>
  new ApiError("busy", {
    message: "Others waited for this upload's place. Nothing was changed; send it again shortly.",
    retryAfterSeconds: 5,
  });
