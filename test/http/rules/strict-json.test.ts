import { describe, expect, it } from "vitest";
import { anything, parseStrictJson } from "../../../server/http/body/strict-json.ts";

const read = (json: string) => parseStrictJson(Buffer.from(json), anything);

describe("a number in metadata", () => {
  it.each([
    "0",
    "-0.0",
    "10000000000000000000000",
    "12345678901234568000000",
    "0.10000000000000000000000000000000",
    "0.0000001",
    "-0.00000012345678901",
    "2.5E-7",
    "1e308",
    "1.7976931348623157e308",
    "5e-324",
    "0.00000000000000000000000012345678901234566",
    `1${"0".repeat(300)}`,
    `0.${"0".repeat(300)}1`,
    `1.5${"0".repeat(900)}`,
  ])("stays a number if a double keeps all of its digits: %s", (number) => {
    expect(read(`[${number}]`)).toEqual([Number(number)]);
  });

  it.each([
    "12345678901234567890",
    "9007199254740993",
    "0.1000000000000000000000000000000001",
    "1e309",
    "1e-400",
    `1${"0".repeat(300)}1`,
    `1.${"0".repeat(997)}1`,
    `1.5${"0".repeat(1_000)}`,
  ])("becomes a text if a double does not: %s", (number) => {
    expect(read(`[${number}]`)).toEqual([number]);
  });
});
