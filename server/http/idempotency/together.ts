import type { Caller, Database, Transaction } from "../../store/engine/database.ts";
import { isRefused } from "../../store/engine/errors.ts";
import { createSharedQueue, type SharedQueue } from "../../store/engine/shared-queue.ts";
import { consumeAll, type LimitedUse } from "../../store/requests/rate-limits.ts";

/** Work that requests which wait at the same time can do in one transaction. */
export interface Together<Item, Answer> {
  /** The work of one request. */
  one(tx: Transaction, item: Item): Promise<Answer>;
  /** PostgreSQL: does the work of a request together with others that wait. */
  share(database: Database, waiting: Waiting<Item, Answer>): Promise<Answer>;
}

/** How several requests do their work together. `many` is called on PostgreSQL only. It gives what gives, after the commit, an answer for each. */
interface Works<Item, Answer> {
  readonly one: Together<Item, Answer>["one"];
  readonly many: (tx: Transaction, items: readonly Item[]) => Promise<() => readonly Answer[]>;
}

/** One request that waits. `alone` does its work in a transaction of its own. */
interface Waiting<Item, Answer> {
  readonly item: Item;
  readonly use: LimitedUse;
  readonly alone: () => Promise<Answer>;
}

/** Makes work that requests can do together: one queue for each database. */
export function doTogether<Item, Answer>({ one, many }: Works<Item, Answer>): Together<Item, Answer> {
  const shares = new WeakMap<Database, (waiting: Waiting<Item, Answer>) => Promise<Answer>>();
  return {
    one,
    share(database, waiting) {
      const share = shares.get(database) ?? createShare(database, many);
      shares.set(database, share);
      return share(waiting);
    },
  };
}

type Called<Item, Answer> = Waiting<Item, Answer> & { readonly caller: Caller<Answer> };

/**
 * Each request uses up its limit in the shared transaction. One that its limit refuses is done alone, and so is each if
 * PostgreSQL refuses the transaction.
 */
function createShare<Item, Answer>(
  database: Database,
  many: Works<Item, Answer>["many"],
): (waiting: Waiting<Item, Answer>) => Promise<Answer> {
  const queue: SharedQueue<Called<Item, Answer>> = createSharedQueue(run, ({ use }) => use.key);

  async function run(all: readonly Called<Item, Answer>[]): Promise<void> {
    const [first, second] = all;
    if (first && !second) return doAlone(first);
    const done = await share(all).catch((error: unknown) => {
      if (!isRefused(error)) for (const { caller } of all) caller.reject(error);
      return isRefused(error) ? new Map<string, Answer>() : undefined;
    });
    if (!done) return;
    const refused = all.filter(({ use, caller }) => {
      const answer = done.get(use.key);
      if (answer !== undefined) caller.resolve(answer);
      return answer === undefined;
    });
    await Promise.all(refused.map(doAlone));
  }

  /** The answers by the keys of their limits. */
  async function share(all: readonly Called<Item, Answer>[]): Promise<Map<string, Answer>> {
    const { taken, answers } = await database.write(async (tx) => {
      const allowed = await consumeAll(
        tx,
        all.map(({ use }) => use),
      );
      const taken = all.filter(({ use }) => allowed.has(use.key));
      const answers = await many(
        tx,
        taken.map(({ item }) => item),
      );
      return { taken, answers };
    });
    const done = new Map<string, Answer>();
    for (const [at, answer] of answers().entries()) {
      const use = taken[at]?.use;
      if (use) done.set(use.key, answer);
    }
    return done;
  }

  return (waiting) =>
    new Promise((resolve, reject) => queue.add({ ...waiting, caller: { resolve, reject } }));
}

const doAlone = <Item, Answer>({ alone, caller }: Called<Item, Answer>): Promise<void> =>
  alone().then(caller.resolve, caller.reject);
