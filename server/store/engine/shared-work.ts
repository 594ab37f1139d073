import type { RunShared, SharedWork, Transaction } from "./database.ts";

/** Makes a work of `run`. It is made once: callers of the same work share it. */
export const sharedWork = <Item, Result>(run: RunShared<Item, Result>): SharedWork<Item, Result> => ({
  run,
  waiting: new WeakMap(),
});

/** The work for one item, as a work of its own transaction. Throws the error of its outcome. */
export const aloneOf =
  <Item, Result>(work: SharedWork<Item, Result>, item: Item) =>
  async (tx: Transaction): Promise<Result> => {
    const [outcome] = await work.run(tx, [item]);
    if (outcome === undefined) throw new Error("A shared work gave no outcome for its item.");
    if ("error" in outcome) throw outcome.error;
    return outcome.value;
  };
