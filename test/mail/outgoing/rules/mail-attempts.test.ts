import { describe, expect, it } from "vitest";
import {
  longestTryingMilliseconds,
  nextMailAttempt,
  serverPause,
} from "../../../../server/mail/outgoing/rules.ts";

const now = new Date("2026-11-23T10:00:00.000Z");
const later = (milliseconds: number) => new Date(now.getTime() + milliseconds);
const minute = 60_000;

describe("the next attempt to send a mail", () => {
  it.each([
    [1, 30_000],
    [2, minute],
    [3, 2 * minute],
    [7, 32 * minute],
    [8, 60 * minute],
    [5_000, 60 * minute],
  ])("after %i attempts comes after a pause that increases up to one hour", (attempts, pause) => {
    expect(nextMailAttempt(later(100 * 60 * minute), attempts, now)).toEqual(later(pause));
  });

  it("does not exist if the mail is no longer useful at that time", () => {
    expect(nextMailAttempt(later(30_001), 1, now)).toEqual(later(30_000));
    expect(nextMailAttempt(later(30_000), 1, now)).toBeUndefined();
  });
});

it("a mail is tried for three days", () => {
  expect(longestTryingMilliseconds).toBe(72 * 60 * minute);
});

describe("the pause for a mail server that is not available", () => {
  it.each([
    [1, 2_000],
    [2, 4_000],
    [9, 512_000],
    [10, 600_000],
    [9_999, 600_000],
  ])("after %i failures increases up to ten minutes", (failures, pause) => {
    expect(serverPause(failures)).toBe(pause);
  });
});
