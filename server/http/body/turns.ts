import { ApiError } from "../../../src/contract/errors.ts";
import type { Budgets } from "../../settings/limits.ts";
import {
  bodyToCut,
  countOfKey,
  countOfOwner,
  type LargeBody,
  newestOfBusiestOwner,
  type Running,
  type TurnSender,
} from "./turn-order.ts";

/** One large body that is being read. */
export interface Turn {
  /** Calls `listener` when the body must give its place to another one. */
  onCut(listener: (why: ApiError) => void): void;
  /** Ends the turn: the next body gets the place. */
  over(): void;
}

interface Waiter {
  readonly sender: TurnSender;
  start(): void;
  refuse(): void;
}

/**
 * Gives turns to large bodies: a limited number at once, and a limited number for each key. A body without a place waits
 * for a moment. A free place goes to the owner with the fewest bodies. While all places are taken, an owner with two
 * bodies fewer than the owner with the most takes the place of that owner's longest-running body. An owner with only one
 * body fewer takes a place after half a minute: that of the body that would take the longest, if the new body takes less
 * time at twice the least rate, else that of a body that comes too slowly. Without this condition honest senders would
 * cut each other, and no body would be completed. When too many bodies wait, the newest of the owner with the most gives
 * way to an owner with two fewer. Throws `busy`.
 */
export function createTurns(budgets: UploadBudgets) {
  const { uploads, uploadsPerKey, uploadTurnMilliseconds, bodyBytesPerSecond } = budgets;
  const running = new Set<Running>();
  const waiting = new Set<Waiter>();

  const start = (sender: TurnSender, body: LargeBody): Turn => {
    const turn: Running = { sender, body, since: performance.now(), listener: undefined, isCut: false };
    running.add(turn);
    return {
      onCut(listener) {
        turn.listener = listener;
        if (turn.isCut) listener(fair());
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
    const toCut = bodyToCut(running, owner, { ownMs, leastRate: bodyBytesPerSecond });
    if (!toCut) return;
    toCut.isCut = true;
    toCut.listener?.(fair());
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

/** This many bodies may wait for each place. */
const mostWaitingOfEach = 4;

/**
 * Removes the newest waiting body of the owner with the most from the queue. Gives whether `owner` then has room.
 */
function displaceFor(owner: string, waiting: ReadonlySet<Waiter>): boolean {
  const [newest, most] = newestOfBusiestOwner(waiting);
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
    message: "Other uploads waited for this upload's place. Nothing was changed; send it again shortly.",
    retryAfterSeconds: 5,
  });
