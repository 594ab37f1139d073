import { describe, expect, it } from "vitest";
import { isMailAddress } from "../../../../server/mail/address.ts";

const longLocal = "a".repeat(64);
const longLabel = "b".repeat(63);
const longest = `a@${[longLabel, longLabel, longLabel, "c".repeat(58), "d"].join(".")}`;

describe("an address for mail", () => {
  it.each([
    "ada@kitchen.example",
    "a@b.c",
    "ada+inn@kitchen.example",
    "Ada.B_C-d!#$%&'*/=?^`{|}~@kitchen.example",
    "ada@küche.example",
    "ada@k-1.example",
    `${longLocal}@kitchen.example`,
    `a@${longLabel}.example`,
    longest,
  ])("can be %s", (text) => {
    expect(isMailAddress(text)).toBe(true);
  });

  it.each([
    "",
    "@",
    "@kitchen.example",
    "ada",
    "ada@",
    "ada@kitchen",
    "ada@.example",
    "ada@kitchen.",
    "ada@-kitchen.example",
    "ada@kitchen-.example",
    "ada@kit_chen.example",
    "ada@kitchen..example",
    ".ada@kitchen.example",
    "ada.@kitchen.example",
    "a..b@kitchen.example",
    "a b@kitchen.example",
    "a@b@kitchen.example",
    "äda@kitchen.example",
    "Ada <ada@kitchen.example>",
    "ada@kitchen.example,eve@evil.example",
    "ada@kitchen.example\n",
    "ada\r\n@kitchen.example",
    "ada@[127.0.0.1]",
    `a${longLocal}@kitchen.example`,
    `a@b${longLabel}.example`,
    `a${longest}`,
  ])("cannot be %j", (text) => {
    expect(isMailAddress(text)).toBe(false);
  });

  it("has at most 254 characters", () => {
    expect(longest).toHaveLength(254);
  });
});
