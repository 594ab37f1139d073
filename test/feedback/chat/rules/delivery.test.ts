import { describe, expect, it } from "vitest";
import { nextAttempt } from "../../../../server/feedback/chat/worker.ts";

const created = new Date("2026-05-01T00:00:00.000Z");
const hours = (count: number) => new Date(created.getTime() + count * 3_600_000);

describe("the next attempt at a delivery", () => {
  it.each([
    [1, 5],
    [2, 10],
    [3, 20],
    [10, 2_560],
    [11, 3_600],
    [40, 3_600],
  ])("after %i failures comes %i seconds later", (attempts, seconds) => {
    expect(nextAttempt(created, attempts, created)).toEqual(new Date(created.getTime() + seconds * 1_000));
  });

  it("is at most 24 hours after the first", () => {
    expect(nextAttempt(created, 40, hours(23))).toEqual(hours(24));
    expect(nextAttempt(created, 40, new Date(hours(23).getTime() + 1))).toBeUndefined();
  });
});
