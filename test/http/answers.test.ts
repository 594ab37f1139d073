import { describe, expect, it } from "vitest";
import { createSignals } from "../../server/database/transaction.ts";
import { createAnswers, prepareAnswer } from "../../server/http/answers.ts";
import { createMemory } from "../../server/http/memory.ts";

/** The cache of a process that gets the signals of changes in its database, or does not get them. */
function hearing(caches = true) {
  const signals = createSignals();
  const database = { caches, onSignal: signals.subscribe, onForeignChange: () => () => {} };
  return { memory: createMemory(database, 64 * 1_048_576), signal: (topic: string) => signals.emit([topic]) };
}

function recalling(megabytes: number, caches = true) {
  const { memory, signal } = hearing(caches);
  const answers = createAnswers(memory);
  const made: string[] = [];
  const recall = (name: string, version = 1) =>
    answers.recall({ name, version, now: new Date(0) }, async () => {
      made.push(name);
      // A little less, because its name also needs memory.
      return { answer: prepareAnswer("x".repeat(Math.max(0, megabytes * 1_048_576 - 2_000))) };
    });
  return { made, recall, signal };
}

describe("stored answers", () => {
  it("are created once for each version of the data", async () => {
    const { made, recall } = recalling(0);
    for (const version of [1, 1, 2, 2]) await recall("faqs", version);
    expect(made).toEqual(["faqs", "faqs"]);
  });

  it("are created once for twenty requests at the same time, which share the text", async () => {
    const { made, recall } = recalling(1);
    const bodies = await Promise.all(Array.from({ length: 20 }, async () => (await recall("faqs")).body));
    expect(made).toEqual(["faqs"]);
    expect(new Set(bodies).size).toBe(1);
  });

  it("are created again for a newer version even while an older one is created", async () => {
    const { made, recall } = recalling(0);
    await Promise.all([recall("faqs", 1), recall("faqs", 2), recall("faqs", 2)]);
    expect(made).toEqual(["faqs", "faqs"]);
  });

  it("are created again once if the first attempt failed", async () => {
    const answers = createAnswers(hearing().memory);
    let attempts = 0;
    const recall = () =>
      answers.recall({ name: "faqs", version: 1, now: new Date(0) }, async () => {
        attempts += 1;
        if (attempts === 1) throw new Error("The database does not answer.");
        return { answer: prepareAnswer("[]") };
      });
    const results = await Promise.allSettled([recall(), recall(), recall()]);
    expect(results.map(({ status }) => status)).toEqual(["rejected", "fulfilled", "fulfilled"]);
    expect(attempts).toBe(2);
  });

  it("are created again for the same version after anything may have changed", async () => {
    const { made, recall, signal } = recalling(0);
    for (const topic of ["app:1", "*"]) {
      await recall("faqs");
      signal(topic);
    }
    await recall("faqs");
    expect(made).toEqual(["faqs", "faqs"]);
  });

  it("are created for each request if a server does not learn of each change in time", async () => {
    const { made, recall } = recalling(0, false);
    for (let time = 0; time < 3; time += 1) await recall("faqs");
    expect(made).toHaveLength(3);
  });

  it("are not kept if anything may have changed during their creation", async () => {
    const { made, recall, signal } = recalling(0);
    const first = recall("faqs");
    signal("*");
    await first;
    await recall("faqs");
    expect(made).toHaveLength(2);
  });

  it("use a limited amount of memory: those that were not used for the longest time are deleted", async () => {
    const { made, recall } = recalling(8);
    for (let n = 0; n < 8; n++) await recall(`since ${n}`);
    await recall("since 0");
    await recall("since 8");
    expect(made).toHaveLength(9);
    await recall("since 0");
    expect(made).toHaveLength(9);
    await recall("since 1");
    expect(made).toHaveLength(10);
  });

  it("use no memory for versions that were replaced", async () => {
    const { made, recall } = recalling(8);
    for (let version = 1; version <= 9; version++) await recall("faqs", version);
    for (let n = 0; n < 7; n++) await recall(`since ${n}`);
    await recall("faqs", 9);
    expect(made).toHaveLength(16);
  });
});
