import type { Database } from "../store/engine/database.ts";
import { giveBackUses, lastUse } from "../store/requests/rate-limits.ts";
import { type Limiting, type Spending, spendRateLimit } from "./request-limits.ts";

/** Takes back what a request has used up of its limit. */
export type GiveBack = () => Promise<void>;

/** Uses up one request of an endpoint's rate limit for a request that may be held, so that it can be given back. */
export async function spendOnWait(deps: Limiting, spending: Spending): Promise<GiveBack> {
  const key = `${spending.rateLimit}:${spending.who}`;
  const at = await deps.database.write(async (tx) => {
    await spendRateLimit(deps, tx, spending);
    return lastUse(tx, key);
  });
  return () => (at === undefined ? Promise.resolve() : giveBackTogether(deps.database, key, at));
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
