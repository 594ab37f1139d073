import { expect, it } from "vitest";
import { programName } from "../../../../server/access/oauth/rules.ts";

it.each<[unknown, string]>([
  [" Kettle bot ", "Kettle bot"],
  ["Ket\u0000t\u001b\u0085le\r\n", "Kettle"],
  ["Kettle \ud83e", "Kettle"],
  ["Kettle \u{1fad6}", "Kettle \u{1fad6}"],
  ["\u0000 ", ""],
  [undefined, ""],
  [7, ""],
  [["Kettle"], ""],
  [`${"x".repeat(99)}\u{1fad6}y`, `${"x".repeat(99)}\u{1fad6}`],
  [`${"x".repeat(99)} y`, "x".repeat(99)],
  [` ${"x".repeat(101)}`, "x".repeat(100)],
])("the name of a program that calls itself %j is shown as %j", (given, name) => {
  expect(programName(given)).toBe(name);
});
