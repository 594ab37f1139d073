import type { Caller, Outcome } from "./database.ts";

/** The maximum number of items in one statement. It limits memory, and how long the statement blocks the event loop. */
const mostItems = 32;

/** `one` reads a single item. `many` returns an outcome for each item in the same order. */
export interface Reads<Item, Found> {
  readonly one: (item: Item) => Promise<Found>;
  readonly many: (items: readonly Item[]) => Promise<readonly Outcome<Found>[]>;
}

interface Waiting<Item, Found> {
  readonly item: Item;
  readonly caller: Caller<Found>;
}

/** Reads all items of the same turn of the event loop together. If this fails, reads each item alone. */
export function readTogether<Item, Found>({ one, many }: Reads<Item, Found>): (item: Item) => Promise<Found> {
  let waiting: Waiting<Item, Found>[] = [];

  const readAlone = ({ item, caller }: Waiting<Item, Found>) => one(item).then(caller.resolve, caller.reject);

  async function readMany(all: readonly Waiting<Item, Found>[]): Promise<void> {
    const outcomes = await many(all.map(({ item }) => item)).catch(() => []);
    for (const [place, each] of all.entries()) {
      const outcome = outcomes[place];
      if (outcome === undefined) void readAlone(each);
      else if ("error" in outcome) each.caller.reject(outcome.error);
      else each.caller.resolve(outcome.value);
    }
  }

  function readAll(): void {
    const taken = waiting;
    waiting = [];
    for (let first = 0; first < taken.length; first += mostItems) {
      const together = taken.slice(first, first + mostItems);
      void (together.length === 1 ? together.map(readAlone) : readMany(together));
    }
  }

  return (item) =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) setImmediate(readAll);
      waiting.push({ item, caller: { resolve, reject } });
    });
}
