import { describe, expect, it } from "vitest";
import { createWaiting } from "../../server/http/handler.ts";
import { eventually } from "../support/eventually.ts";

function fakeSignals(engine: "sqlite" | "postgres" = "sqlite", freshMilliseconds?: number) {
  let heard: (topic: string) => void = () => {};
  let changed: () => void = () => {};
  const database = {
    engine,
    onSignal(listener: typeof heard) {
      heard = listener;
      return () => {};
    },
    onForeignChange(listener: typeof changed) {
      changed = listener;
      return () => {};
    },
  };
  const waiting = createWaiting(database, freshMilliseconds);
  return { waiting, signal: (topic: string) => heard(topic), change: () => changed() };
}

const never = new AbortController().signal;
const options = { enough: (found: number) => found > 1, milliseconds: 60_000, signal: () => never };

describe("a waiting request", () => {
  it("ends immediately if the first result is sufficient", async () => {
    const { waiting } = fakeSignals();
    expect(await waiting.until(["a"], async () => 2, options)).toBe(2);
  });

  it("checks only once if it has no time to wait", async () => {
    const { waiting } = fakeSignals();
    expect(await waiting.until(["a"], async () => 1, { ...options, milliseconds: 0 })).toBe(1);
  });

  it.each(["a", "b", "*"])("checks again at the signal %s", async (topic) => {
    const { waiting, signal } = fakeSignals();
    let found = 1;
    const waited = waiting.until(["a", "b"], async () => found, options);
    found = 2;
    signal(topic);
    expect(await waited).toBe(2);
  });

  it("checks again when another process has changed the database", async () => {
    const { waiting, change } = fakeSignals();
    let found = 1;
    const waited = waiting.until(["a"], async () => found, options);
    found = 2;
    change();
    expect(await waited).toBe(2);
  });

  it("misses no signal that arrives during a check", async () => {
    const { waiting, signal } = fakeSignals();
    let found = 0;
    const look = async () => {
      found += 1;
      if (found === 1) signal("a");
      return found;
    };
    expect(await waiting.until(["a"], look, options)).toBe(2);
  });

  it("finds on PostgreSQL a change of another server that sent no signal", async () => {
    const { waiting } = fakeSignals("postgres", 1);
    let found = 0;
    const look = async () => ++found;
    expect(await waiting.until(["a"], look, options)).toBe(2);
  });

  it("checks only at the beginning and at the end on SQLite, which only one process writes", async () => {
    const { waiting } = fakeSignals("sqlite", 1);
    let looks = 0;
    const look = async () => ++looks;
    await waiting.until(["a"], look, { ...options, enough: () => false, milliseconds: 30 });
    expect(looks).toBe(2);
  });

  it("ends with the last result when its time is over", async () => {
    const { waiting } = fakeSignals();
    expect(await waiting.until(["a"], async () => 1, { ...options, milliseconds: 5 })).toBe(1);
  });

  it("ends when its caller stops waiting", async () => {
    const { waiting } = fakeSignals();
    const gone = AbortSignal.abort();
    expect(await waiting.until(["a"], async () => 1, { ...options, signal: () => gone })).toBe(1);
  });

  it("is reported as idle after each check, until there is a signal or its client disconnects", async () => {
    const { waiting, signal } = fakeSignals();
    const client = new AbortController();
    const asked: boolean[] = [];
    let isResting = () => false;
    let attended = true;
    const attend = (ask: () => boolean) => {
      isResting = ask;
      return () => {
        attended = false;
      };
    };
    const look = async () => {
      asked.push(isResting());
      return 1;
    };
    const waited = waiting.until(["a"], look, { ...options, attend, signal: () => client.signal });
    await eventually(() => expect(isResting()).toBe(true));
    signal("a");
    expect(isResting()).toBe(false);
    await eventually(() => expect(isResting()).toBe(true));
    client.abort();
    expect(isResting()).toBe(false);
    await waited;
    expect([asked, attended]).toEqual([[false, false, false], false]);
  });
});
