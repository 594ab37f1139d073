import { describe, expect, it } from "vitest";
import { acceptedSteps, givenCode } from "../../../../server/access/sign-in-methods/rules.ts";

describe("a typed code", () => {
  it.each(["123456", " 123 456 ", "123-456"])("%j is of an authenticator app", (typed) => {
    expect(givenCode(typed)).toEqual({ kind: "totp", digits: "123456" });
  });

  it.each([
    ["abcd-efgh-jkmn-pqrs", "abcdefghjkmnpqrs"],
    ["ABCD EFGH\tJKMN PQRS", "abcdefghjkmnpqrs"],
    ["12345", "12345"],
    ["1234567", "1234567"],
    ["１２３４５６", "１２３４５６"],
    ["", ""],
  ])("%j is a recovery code", (typed, code) => {
    expect(givenCode(typed)).toEqual({ kind: "recovery", code });
  });
});

describe("the time steps whose codes are accepted", () => {
  const now = new Date(1_000 * 30_000 + 29_999);

  it("are the present one, one before and one after", () => {
    expect(acceptedSteps(now, 0)).toEqual([999, 1_000, 1_001]);
  });

  it.each([
    [998, [999, 1_000, 1_001]],
    [999, [1_000, 1_001]],
    [1_000, [1_001]],
    [1_001, []],
    [5_000, []],
  ])("are later than %i if that one was used", (lastStep, steps) => {
    expect(acceptedSteps(now, lastStep)).toEqual(steps);
  });
});
