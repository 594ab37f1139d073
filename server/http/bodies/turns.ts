import { ApiError } from "../../../src/contract/errors.ts";
import type { Budgets } from "../../settings/budgets.ts";
import {
  countOfKey,
  countOfOwner,
  type LargeBody,
  loserIn,
  newestOfMost,
  type Running,
  type TurnSender,
} from "./turn-order.ts";

/** One large body that is taken in. */
export interface Turn {
  /** Hears that others have waited for its place long enough. */
  onCut(tell: (why: ApiError) => void): void;
  /** It is over: the next one has its place. */
  over(): void;
}

interface Waiter {
  readonly sender: TurnSender;
  start(): void;
  refuse(): void;
}

/**
 * Gives turns to large bodies: so many at once, and so many of one key. What finds no place waits for a moment; a place
 * that is free goes to the owner who has the fewest. Where all places are taken, the owner with the most loses the
 * longest one to an owner who has two fewer. To an owner who has one fewer, a body gives way after half a minute: the one
 * that would take the longest, if the other body takes less time at twice the least rate; else one that comes too slowly.
 * Without this condition honest senders would cut each other, and no body would come to its end. Where too many wait, the
 * newest of the owner with the most gives way to an owner who has two fewer. Throws `busy`.
 */
export function createTurns(budgets: UploadBudgets) {
  const { uploads, uploadsPerKey, uploadTurnMilliseconds, bodyBytesPerSecond } = budgets;
  const running = new Set<Running>();
  const waiting = new Set<Waiter>();

  const start = (sender: TurnSender, body: LargeBody): Turn => {
    const turn: Running = { sender, body, since: performance.now(), tell: undefined, isCut: false };
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
  const hasPlace = ({ key }: TurnSender) =>
    running.size < uploads && countOfKey(running, key) < uploadsPerKey;
  const startNext = () => {
    const ready = [...waiting].filter(({ sender }) => hasPlace(sender));
    const [next] = ready.sort((a, b) => countOf(running, a) - countOf(running, b));
    next?.start();
  };
  const makeRoom = ({ key, owner }: TurnSender, body: LargeBody) => {
    if (running.size < uploads || countOfKey(running, key) >= uploadsPerKey) return;
    const ownMs = (body.bytes * 1_000) / (2 * bodyBytesPerSecond);
    const loser = loserIn(running, owner, { ownMs, leastRate: bodyBytesPerSecond });
    if (!loser) return;
    loser.isCut = true;
    loser.tell?.(fair());
  };
  const mayWait = ({ key, owner }: TurnSender): boolean =>
    countOfKey(waiting, key) < uploadsPerKey &&
    (waiting.size < uploads * mostWaitingOfEach || displaceFor(owner, waiting));

  return (sender: TurnSender, body: LargeBody): Promise<Turn> => {
    if (hasPlace(sender)) return Promise.resolve(start(sender, body));
    if (!mayWait(sender)) return Promise.reject(busy());
    return new Promise((resolve, reject) => {
      const leave = () => {
        waiting.delete(waiter);
        clearTimeout(timer);
      };
      const waiter: Waiter = {
        sender,
        start() {
          leave();
          resolve(start(sender, body));
        },
        refuse() {
          leave();
          reject(busy());
        },
      };
      const timer = setTimeout(() => waiter.refuse(), uploadTurnMilliseconds);
      waiting.add(waiter);
      makeRoom(sender, body);
    });
  };
}

const countOf = (running: ReadonlySet<Running>, { sender }: Waiter): number =>
  countOfOwner(running, sender.owner);

/** For each place so many may wait. */
const mostWaitingOfEach = 4;

/** Takes the newest that waits of the owner with the most out of the queue. Gives whether that leaves the owner room. */
function displaceFor(owner: string, waiting: ReadonlySet<Waiter>): boolean {
  const [newest, most] = newestOfMost(waiting);
  if (!newest || most < countOfOwner(waiting, owner) + 2) return false;
  newest.refuse();
  return true;
}

type UploadBudgets = Pick<
  Budgets,
  "uploads" | "uploadsPerKey" | "uploadTurnMilliseconds" | "bodyBytesPerSecond"
>;

const busy = () => new ApiError("busy", { retryAfterSeconds: 2 });

const fair = () =>
  new ApiError("busy", {
    message: "Others waited for this upload's place. Nothing was changed; send it again shortly.",
    retryAfterSeconds: 5,
  });
