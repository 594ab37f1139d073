import { describe, expect, it } from "vitest";
import { createMemoryPeriod } from "../../../server/store/engine/drivers/memory-period.ts";

/** A period on clocks that the test moves. */
function begin() {
  let [steady, wall] = [0, 1_000_000];
  const now = () => ({ steady, wall });
  const period = createMemoryPeriod(now);
  return {
    ...period,
    now,
    /** Proves what had changed by now. */
    proveNow: () => period.prove(now()),
    pass(milliseconds: number) {
      steady += milliseconds;
      wall += milliseconds;
    },
    setWallClock(milliseconds: number) {
      wall += milliseconds;
    },
  };
}

describe("the period in which answers may come from memory", () => {
  it("begins with the first proof", () => {
    const { current, proveNow } = begin();
    expect(current()).toBeUndefined();
    proveNow();
    expect(current()).toBe(1);
  });

  it("goes on while proofs follow each other within a second", () => {
    const { current, proveNow, pass } = begin();
    for (let time = 0; time < 5; time += 1) {
      proveNow();
      pass(1_000);
      expect(current()).toBe(1);
    }
  });

  it("is over more than a second after the last proof, and the next proof begins another one", () => {
    const { current, proveNow, pass } = begin();
    proveNow();
    pass(1_001);
    expect(current()).toBeUndefined();
    proveNow();
    expect(current()).toBe(2);
  });

  it("is another one even if nobody asked during the gap", () => {
    const { current, proveNow, pass } = begin();
    proveNow();
    pass(60_000);
    proveNow();
    expect(current()).toBe(2);
  });

  it("counts a proof from the time at which it was asked for, so an old answer proves nothing", () => {
    const { current, prove, now, pass } = begin();
    const asked = now();
    pass(700);
    prove(asked);
    expect(current()).toBe(1);
    pass(400);
    expect(current()).toBeUndefined();
    prove(asked);
    expect(current()).toBeUndefined();
  });

  it("is over at once when the connection ends", () => {
    const { current, proveNow, end } = begin();
    proveNow();
    end();
    expect(current()).toBeUndefined();
    proveNow();
    expect(current()).toBe(2);
  });

  it.each([-60_000, 60_000])("is over when the wall clock has moved by %i ms", (milliseconds) => {
    const { current, proveNow, setWallClock } = begin();
    proveNow();
    setWallClock(milliseconds);
    expect(current()).toBeUndefined();
  });
});
