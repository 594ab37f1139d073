import { describe, expect, it } from "vitest";
import { isAnswering, isNoteDue } from "../../../../server/feedback/messages/rules.ts";

const now = new Date("2026-01-01T12:00:00.000Z");
const noted = (seconds: number, feedbackId = "a") => ({
  feedbackId,
  notedAt: new Date(now.getTime() + seconds * 1_000).toISOString(),
});

describe("a person who writes an answer", () => {
  it.each([
    ["is shown immediately", 0, true],
    ["is shown for 45 seconds", -44, true],
    ["is not shown after 45 seconds", -45, false],
    ["is shown by a server whose clock is behind", 5, true],
    ["is not shown if the stored time is days in the future after a jump of the clock", 5 * 86_400, false],
  ])("%s", (_, seconds, shown) => {
    expect(isAnswering(now, noted(seconds))).toBe(shown);
  });

  it.each([
    ["for the first time", undefined, true],
    ["in another thread", noted(-1, "b"), true],
    ["not a second time within 20 seconds", noted(-19), false],
    ["a second time after 20 seconds", noted(-20), true],
    ["not a second time by a server whose clock is slow", noted(5), false],
    ["a second time after a jump of the clock", noted(5 * 86_400), true],
  ])("is stored %s", (_, last, due) => {
    expect(isNoteDue(now, "a", last)).toBe(due);
  });
});
