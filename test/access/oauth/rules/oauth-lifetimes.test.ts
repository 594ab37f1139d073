import { describe, expect, it } from "vitest";
import { lifetimes, refreshVerdict } from "../../../../server/access/oauth/rules.ts";

const now = new Date("2026-11-22T12:00:00.000Z");
const from = (milliseconds: number) => new Date(now.getTime() + milliseconds).toISOString();

describe("a refresh token", () => {
  it.each([
    [null, from(1), "fresh"],
    [null, from(0), "expired"],
    [from(0), from(1), "repeat"],
    [from(-60_000), from(1), "repeat"],
    [from(-60_001), from(1), "replay"],
    [from(-60_001), from(-1), "replay"],
    [from(-1), from(-1), "repeat"],
  ])("that was used at %s and ends at %s counts as %s", (usedAt, expiresAt, verdict) => {
    expect(refreshVerdict({ usedAt, expiresAt }, now)).toBe(verdict);
  });

  it("ends at the time that the rules define", () => {
    expect(lifetimes).toEqual({
      code: 300_000,
      access: 3_600_000,
      refresh: 7_776_000_000,
      grace: 60_000,
      endedConnection: 15_552_000_000,
      unusedClient: 86_400_000,
    });
  });
});
