import { ApiError } from "../../../src/contract/errors.ts";
import type { Database, Transaction } from "../../store/engine/database.ts";
import { consume, giveBackUses, type LimitedUse, lastUse } from "../../store/requests/rate-limits.ts";

/** Takes back what a request has used up of its limit. */
export type GiveBack = () => Promise<void>;

/** Uses up one use of a limit in a transaction of its own. Throws `rate_limited` with the seconds to wait. */
export const spendExactly = (database: Database, use: LimitedUse): Promise<void> =>
  database.write((tx) => consumeOrRefuse(tx, use));

/** The same for a request that may be held, so that its use can be given back. */
export async function spendExactlyOnWait(database: Database, use: LimitedUse): Promise<GiveBack> {
  const at = await database.write(async (tx) => {
    await consumeOrRefuse(tx, use);
    return lastUse(tx, use.key);
  });
  return () => (at === undefined ? Promise.resolve() : giveBackTogether(database, use.key, at));
}

/** Uses up one use of a limit as part of a transaction. Throws `rate_limited`. */
export async function consumeOrRefuse(tx: Transaction, use: LimitedUse): Promise<void> {
  const verdict = await consume(tx, use);
  if (!verdict.allowed) throw new ApiError("rate_limited", { retryAfterSeconds: verdict.retryAfterSeconds });
}

interface Returning {
  /** Ends when the uses that are being given back are. */
  ended: Promise<unknown>;
  /** The uses that come next, together. */
  next: { readonly uses: string[]; readonly done: Promise<void> } | undefined;
}

const returning = new WeakMap<Database, Map<string, Returning>>();

/** When the server stops, hundreds of waits of a token end at once. One write after the other takes all back that came meanwhile. */
function giveBackTogether(database: Database, key: string, at: string): Promise<void> {
  const keys = returning.get(database) ?? new Map<string, Returning>();
  returning.set(database, keys);
  const current = keys.get(key) ?? { ended: Promise.resolve(), next: undefined };
  keys.set(key, current);
  if (current.next) {
    current.next.uses.push(at);
    return current.next.done;
  }
  const uses = [at];
  const done = current.ended.then(async () => {
    current.next = undefined;
    await database.write((tx) => giveBackUses(tx, key, uses));
  });
  current.next = { uses, done };
  current.ended = done
    .catch(() => undefined)
    .then(() => {
      if (!current.next) keys.delete(key);
    });
  return done;
}
