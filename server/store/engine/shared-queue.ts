/** Bounds the memory of a shared statement, and how many callers fail together with a connection. */
const mostItems = 100;
/** Work that takes longer does not hold up the items that came after it. */
const slowMs = 50;

export interface SharedQueue<Item> {
  add(item: Item): void;
}

/**
 * Items wait while `run` works, so that they share its next call. `run` must not reject: it tells each caller the result.
 * Two items with the same name, if `nameOf` gives one, are never in the same call.
 */
export function createSharedQueue<Item>(
  run: (items: readonly Item[]) => Promise<void>,
  nameOf?: (item: Item) => string,
): SharedQueue<Item> {
  let waiting: Item[] = [];
  let awaited: object | undefined;

  async function start(): Promise<void> {
    if (waiting.length === 0 || awaited) return;
    const { taken, left } = takeFrom(waiting, nameOf);
    waiting = left;
    const self = {};
    const goOn = () => {
      if (awaited !== self) return;
      awaited = undefined;
      void start();
    };
    awaited = self;
    const slow = setTimeout(goOn, slowMs);
    await run(taken);
    clearTimeout(slow);
    goOn();
  }

  return {
    add(item) {
      waiting.push(item);
      void start();
    },
  };
}

function takeFrom<Item>(waiting: readonly Item[], nameOf?: (item: Item) => string) {
  if (!nameOf) return { taken: waiting.slice(0, mostItems), left: waiting.slice(mostItems) };
  const names = new Set<string>();
  const taken: Item[] = [];
  const left: Item[] = [];
  for (const item of waiting) {
    const name = nameOf(item);
    const isNext = taken.length < mostItems && !names.has(name);
    names.add(name);
    (isNext ? taken : left).push(item);
  }
  return { taken, left };
}
