import { setImmediate as nextImmediate } from "node:timers/promises";
import { beforeEach, describe, expect, it } from "vitest";
import { noteLongWork, waitIfTurnIsLong } from "../../server/event-loop.ts";
import { stopMeasuredTime } from "../support/measured-time.ts";

let pass: (milliseconds: number) => void;

beforeEach(async () => {
  pass = stopMeasuredTime();
  // The turn of the previous test has ended.
  for (let time = 0; time < 3; time += 1) await nextImmediate();
});

describe("a long work that is divided into parts", () => {
  it("alternates with other long work", async () => {
    const done: string[] = [];
    await Promise.all([longWork(done, "a"), longWork(done, "b")]);
    expect(done).toEqual(["a1", "b1", "a2", "b2", "a3", "b3"]);
  });

  it("does several short parts without a pause", async () => {
    const others = countTurns();
    for (let piece = 0; piece < 20; piece += 1) await waitIfTurnIsLong();
    expect(others.stop()).toBe(0);
  });

  it("pauses if work without parts has used the present time slice", async () => {
    const others = countTurns();
    noteLongWork();
    fillTurn();
    await waitIfTurnIsLong();
    expect(others.stop()).toBeGreaterThan(0);
  });

  it("does one part at a time if each part uses a whole time slice", async () => {
    const others = countTurns();
    const turns: number[] = [];
    for (let piece = 0; piece < 5; piece += 1) {
      await waitIfTurnIsLong();
      turns.push(others.now());
      fillTurn();
    }
    others.stop();
    expect(new Set(turns).size).toBe(5);
  });
});

async function longWork(done: string[], name: string): Promise<void> {
  for (const piece of [1, 2, 3]) {
    await waitIfTurnIsLong();
    done.push(`${name}${piece}`);
    fillTurn();
  }
}

/** Works for longer than one turn of the event loop may take. */
const fillTurn = (): void => pass(6);

function countTurns() {
  let turns = 0;
  let next = setImmediate(count);
  function count() {
    turns += 1;
    next = setImmediate(count);
  }
  return {
    now: () => turns,
    stop() {
      clearImmediate(next);
      return turns;
    },
  };
}
