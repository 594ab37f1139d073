import { ApiError } from "../../src/contract/errors.ts";
import type { Budgets } from "../budgets.ts";

/** One large body that is taken in. */
export interface Turn {
  /** Hears that others have waited for its place long enough. */
  onCut(tell: (why: ApiError) => void): void;
  /** It is over: the next one has its place. */
  over(): void;
}

/** A large body, as far as its end can be foreseen. */
export interface LargeBody {
  /** How long it is; Infinity where that is unknown. */
  readonly bytes: number;
  /** How much of it has come. */
  came(): number;
}

interface Running {
  readonly key: string;
  readonly body: LargeBody;
  readonly since: number;
  tell: ((why: ApiError) => void) | undefined;
  isCut: boolean;
}

interface Waiter {
  readonly key: string;
  readonly start: () => void;
}

/** One that has run for so long may have to go for a key that has one fewer. */
const longMilliseconds = 30_000;

/**
 * Gives turns to large bodies: so many at once, and so many of one key. What finds no place waits for a moment; a place
 * that is free goes to the key that has the fewest. Where all places are taken, the key with the most loses its longest
 * one to a key that has two fewer. Among keys that have one more, the one that would take the longest has to go once it
 * has run for half a minute, but only for a body that takes less time at twice the least rate: otherwise honest senders
 * would cut each other, and none would come to its end. Throws `busy`.
 */
export function createTurns(budgets: UploadBudgets) {
  const { uploads, uploadsPerKey, uploadTurnMilliseconds, bodyBytesPerSecond } = budgets;
  const running = new Set<Running>();
  const waiting = new Set<Waiter>();

  const start = (key: string, body: LargeBody): Turn => {
    const turn: Running = { key, body, since: performance.now(), tell: undefined, isCut: false };
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
      const count = countOf(running, waiter.key);
      if (count >= fewest) continue;
      fewest = count;
      next = waiter;
    }
    if (next) next.start();
  };
  const makeRoom = (key: string, body: LargeBody) => {
    const ownMs = (body.bytes * 1_000) / (2 * bodyBytesPerSecond);
    const loser = loserIn(running, key, ownMs);
    if (!loser) return;
    loser.isCut = true;
    loser.tell?.(fair());
  };

  return (key: string, body: LargeBody): Promise<Turn> => {
    if (running.size < uploads && countOf(running, key) < uploadsPerKey)
      return Promise.resolve(start(key, body));
    const queued = [...waiting].filter((waiter) => waiter.key === key).length;
    if (queued >= uploadsPerKey || waiting.size >= uploads * 4) return Promise.reject(busy());
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        key,
        start() {
          waiting.delete(waiter);
          clearTimeout(timer);
          resolve(start(key, body));
        },
      };
      const timer = setTimeout(() => {
        waiting.delete(waiter);
        reject(busy());
      }, uploadTurnMilliseconds);
      waiting.add(waiter);
      if (running.size >= uploads && countOf(running, key) < uploadsPerKey) makeRoom(key, body);
    });
  };
}

type UploadBudgets = Pick<
  Budgets,
  "uploads" | "uploadsPerKey" | "uploadTurnMilliseconds" | "bodyBytesPerSecond"
>;

function countOf(running: ReadonlySet<Running>, key: string): number {
  let count = 0;
  for (const turn of running) if (turn.key === key) count += 1;
  return count;
}

/** Which has to go for a key whose own body takes so long. */
function loserIn(running: ReadonlySet<Running>, key: string, ownMs: number): Running | undefined {
  const now = performance.now();
  const most = turnsOfMost(running);
  const ahead = (most[0]?.length ?? 0) - countOf(running, key);
  if (ahead !== 1) return ahead > 1 ? most[0]?.[0] : undefined;
  const [slowest] = most
    .flat()
    .filter(({ since }) => now - since > longMilliseconds)
    .sort((a, b) => compare(remainingMs(b, now), remainingMs(a, now)));
  return slowest && remainingMs(slowest, now) > ownMs ? slowest : undefined;
}

/** Those of each key that has the most, the longest running first. */
function turnsOfMost(running: ReadonlySet<Running>): Running[][] {
  const byKey = new Map<string, Running[]>();
  for (const turn of running) {
    if (turn.isCut) continue;
    const turns = byKey.get(turn.key);
    if (turns) turns.push(turn);
    else byKey.set(turn.key, [turn]);
  }
  const most = Math.max(0, ...[...byKey.values()].map(({ length }) => length));
  return [...byKey.values()].filter(({ length }) => length === most);
}

/** How long a body will still take if it goes on as before. */
function remainingMs({ body, since }: Running, now: number): number {
  const came = body.came();
  return came <= 0 ? Number.POSITIVE_INFINITY : ((body.bytes - came) * (now - since)) / came;
}

/** Infinity minus Infinity is no number. */
const compare = (a: number, b: number): number => (a === b ? 0 : a - b);

const busy = () => new ApiError("busy", { retryAfterSeconds: 2 });

const fair = () =>
  new ApiError("busy", {
    message: "Others waited for this upload's place. Nothing was changed; send it again shortly.",
    retryAfterSeconds: 5,
  });
