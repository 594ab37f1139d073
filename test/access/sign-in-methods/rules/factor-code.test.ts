import { describe, expect, it } from "vitest";
import { acceptedSteps, givenCode } from "../../../../server/access/sign-in/rules.ts";

describe("a code that a person typed", () => {
  it.each(["123456", " 123 456 ", "123-456"])("is read as a code of an authenticator app: %j", (typed) => {
    expect(givenCode(typed)).toEqual({ kind: "totp", digits: "123456" });
  });

  it.each([
    ["abcd-efgh-jkmn-pqrs", "abcdefghjkmnpqrs"],
    ["ABCD EFGH\tJKMN PQRS", "abcdefghjkmnpqrs"],
    ["12345", "12345"],
    ["1234567", "1234567"],
    ["１２３４５６", "１２３４５６"],
    ["", ""],
  ])("is read as a recovery code: %j as %j", (typed, code) => {
    expect(givenCode(typed)).toEqual({ kind: "recovery", code });
  });
});

describe("the time steps whose codes are valid", () => {
  const now = new Date(1_000 * 30_000 + 29_999);

  it("are the present step, the step before and the step after", () => {
    expect(acceptedSteps(now, 0)).toEqual([999, 1_000, 1_001]);
  });

  it.each([
    [998, [999, 1_000, 1_001]],
    [999, [1_000, 1_001]],
    [1_000, [1_001]],
    [1_001, []],
    [5_000, []],
  ])("are later than step %i if its code was used: %j", (lastStep, steps) => {
    expect(acceptedSteps(now, lastStep)).toEqual(steps);
  });
});
