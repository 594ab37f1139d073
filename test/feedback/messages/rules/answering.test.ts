import { describe, expect, it } from "vitest";
import { isAnswering, isNoteDue } from "../../../../server/feedback/messages/rules.ts";

const now = new Date("2026-01-01T12:00:00.000Z");
const noted = (seconds: number, feedbackId = "a") => ({
  feedbackId,
  notedAt: new Date(now.getTime() + seconds * 1_000).toISOString(),
});

describe("a person who writes an answer", () => {
  it.each([
    ["is shown right away", 0, true],
    ["is shown for 45 seconds", -44, true],
    ["is not shown after that", -45, false],
    ["is shown by a server whose clock is behind", 5, true],
    ["is not shown at a time far ahead, from a clock that jumped", 5 * 86_400, false],
  ])("%s", (_, seconds, shown) => {
    expect(isAnswering(now, noted(seconds))).toBe(shown);
  });

  it.each([
    ["the first time", undefined, true],
    ["in another thread", noted(-1, "b"), true],
    ["not again within 20 seconds", noted(-19), false],
    ["again after 20 seconds", noted(-20), true],
    ["not again by a server whose clock is behind", noted(5), false],
    ["again after a clock that jumped", noted(5 * 86_400), true],
  ])("is noted: %s", (_, last, due) => {
    expect(isNoteDue(now, "a", last)).toBe(due);
  });
});
