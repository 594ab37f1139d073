import { describe, expect, it } from "vitest";
import {
  codeLifetimeMilliseconds,
  judgeCode,
  tokenLifetimeDays,
} from "../../../../server/access/sign-in/rules.ts";

const minted = Date.UTC(2026, 4, 1, 12);
const code = {
  deviceId: "a phone",
  challenge: "the hash of the verifier",
  expiresAt: new Date(minted + codeLifetimeMilliseconds).toISOString(),
  usedAt: null,
  replacedAt: null,
};
const shown = { deviceId: code.deviceId, challenge: code.challenge };
const aged = (milliseconds: number) => new Date(minted + milliseconds);
const soon = aged(1_000);
const fiveMinutes = 5 * 60_000;

describe("a sign-in code", () => {
  it("is valid for five minutes, and its token for 90 days", () => {
    expect([codeLifetimeMilliseconds, tokenLifetimeDays]).toEqual([fiveMinutes, 90]);
  });

  it.each([0, 1_000, fiveMinutes - 1])("is valid %d ms after its creation", (age) => {
    expect(judgeCode(code, shown, aged(age))).toEqual({ accepted: true });
  });

  it.each([
    ["is unknown", undefined, shown, soon, "unknown code"],
    ["is five minutes old", code, shown, aged(fiveMinutes), "expired"],
    ["is older than five minutes", code, shown, aged(fiveMinutes + 1), "expired"],
    ["is used already", { ...code, usedAt: soon.toISOString() }, shown, soon, "used before"],
    [
      "comes from another device",
      code,
      { ...shown, deviceId: "a thief" },
      soon,
      "presented by another device",
    ],
    [
      "comes with another verifier",
      code,
      { ...shown, challenge: "a guess" },
      soon,
      "verifier does not match the challenge",
    ],
    [
      "was replaced by a newer one",
      { ...code, replacedAt: soon.toISOString() },
      shown,
      soon,
      "replaced by a newer code",
    ],
  ])("is refused if it %s", (_, known, presented, now, why) => {
    expect(judgeCode(known, presented, now)).toEqual({ accepted: false, why });
  });
});
