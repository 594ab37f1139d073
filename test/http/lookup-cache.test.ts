import { describe, expect, it } from "vitest";
import { createSignals } from "../../server/database/transaction.ts";
import { cachedLookup, createMemory } from "../../server/http/memory.ts";

/** A lookup that counts how often rows are loaded, and a function that removes them from the cache. */
function begin({ mostBytes = 1_000_000, caches = true } = {}) {
  const signals = createSignals();
  let foreign = () => {};
  let loads = 0;
  /** Ends a load that waits. */
  const held: (() => void)[] = [];
  let isHolding = false;
  const memory = createMemory(
    {
      caches,
      onSignal: signals.subscribe,
      onForeignChange(listener) {
        foreign = listener;
        return () => {};
      },
    },
    mostBytes,
  );
  const find = cachedLookup({
    memory,
    async load(name) {
      loads += 1;
      const row = { name, load: loads };
      if (isHolding) await new Promise<void>((resolve) => held.push(resolve));
      return name === "nothing" ? undefined : row;
    },
    dropAll: ["everything"],
    topicsOf: ({ name }) => [`row:${name}`],
    stored: { topic: "stored:", find: (name) => ({ name, load: 0 }) },
    bytesOf: ({ name }) => name.length,
  });
  return {
    find,
    signal: (topic: string) => signals.emit([topic]),
    changeElsewhere: () => foreign(),
    loads: () => loads,
    /** Starts the load of a row, calls a function before the row is loaded, and returns the row. */
    async findDuring(name: string, act: () => void) {
      isHolding = true;
      const finding = find(name);
      isHolding = false;
      act();
      for (const end of held.splice(0)) end();
      return finding;
    },
  };
}

describe("the cache of database rows", () => {
  it("loads a row once, and loads it again only after a signal about this row", async () => {
    const { find, signal, loads } = begin();
    for (let time = 0; time < 3; time += 1) await find("a");
    await find("b");
    expect(loads()).toBe(2);
    signal("row:a");
    await find("b");
    expect(loads()).toBe(2);
    expect(await find("a")).toEqual({ name: "a", load: 3 });
  });

  it("contains a row that a transaction has stored without loading it, until the row changes", async () => {
    const { find, signal, loads } = begin();
    await find("a");
    signal("row:a");
    signal("stored:a");
    expect(await find("a")).toEqual({ name: "a", load: 0 });
    signal("row:a");
    expect(await find("a")).toEqual({ name: "a", load: 2 });
    expect(loads()).toBe(2);
  });

  it("keeps a row that a transaction has stored, and not a row whose loading began before", async () => {
    const { find, findDuring, signal } = begin();
    const loaded = await findDuring("a", () => {
      signal("row:a");
      signal("stored:a");
    });
    expect(loaded).toEqual({ name: "a", load: 1 });
    expect(await find("a")).toEqual({ name: "a", load: 0 });
  });

  it.each(["everything", "*"])("loads all rows again after the signal %s", async (topic) => {
    const { find, signal, loads } = begin();
    for (const name of ["a", "b"]) await find(name);
    signal(topic);
    for (const name of ["a", "b"]) await find(name);
    expect(loads()).toBe(4);
  });

  it("loads all rows again after another process has written", async () => {
    const { find, changeElsewhere, loads } = begin();
    await find("a");
    changeElsewhere();
    await find("a");
    expect(loads()).toBe(2);
  });

  it.each(["row:a", "everything", "*"])(
    "does not keep a row that was read before the signal %s",
    async (topic) => {
      const { find, findDuring, signal, loads } = begin();
      expect(await findDuring("a", () => signal(topic))).toEqual({ name: "a", load: 1 });
      await find("a");
      expect(loads()).toBe(2);
    },
  );

  it("keeps a row if another row was signalled during the read", async () => {
    const { find, findDuring, signal, loads } = begin();
    await findDuring("a", () => signal("row:b"));
    await find("a");
    expect(loads()).toBe(1);
  });

  it("returns a row without loading it, if the caller asks for this", async () => {
    const { find, signal, loads } = begin();
    expect(find.peek("a")).toBeUndefined();
    const row = await find("a");
    expect(find.peek("a")).toBe(row);
    signal("row:a");
    expect(find.peek("a")).toBeUndefined();
    expect(loads()).toBe(1);
  });

  it("does not store that a row is missing", async () => {
    const { find, loads } = begin();
    for (let time = 0; time < 2; time += 1) expect(await find("nothing")).toBeUndefined();
    expect(loads()).toBe(2);
  });

  it("deletes the rows that were not used for the longest time when it is full, and never keeps a row larger than its limit", async () => {
    // Two rows with their names and topics need less memory, and three need more.
    const { find, loads } = begin({ mostBytes: 3_000 });
    for (const name of ["four", "five", "six"]) await find(name);
    expect(loads()).toBe(3);
    for (const name of ["five", "six"]) await find(name);
    expect(loads()).toBe(3);
    await find("four");
    expect(loads()).toBe(4);
    await find("x".repeat(3_000));
    for (const name of ["six", "four"]) await find(name);
    expect(loads()).toBe(5);
  });

  it("loads a row each time if a server does not learn of each change in time", async () => {
    const { find, loads } = begin({ caches: false });
    for (let time = 0; time < 3; time += 1) await find("a");
    expect(loads()).toBe(3);
    expect(find.peek("a")).toBeUndefined();
  });
});
