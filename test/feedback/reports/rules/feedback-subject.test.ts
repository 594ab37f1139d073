import { expect, it } from "vitest";
import { subjectOf } from "../../../../server/feedback/reports/rules.ts";

const words = "word ".repeat(15);
it.each([
  ["It crashes. Then it is gone.", "It crashes."],
  ["It crashes\nwhen I save", "It crashes"],
  ["  Version 1.2 hangs!  Why?", "Version 1.2 hangs!"],
  ["… it hangs. Again.", "… it hangs. Again."],
  ["!!!", "bug: !!!"],
  ["?\nIt hangs", "?"],
  [`${words}12345`, `${words}12345`],
  [`${words}123456`, `${words.trimEnd()}…`],
  ["x".repeat(80), "x".repeat(80)],
  ["x".repeat(81), `${"x".repeat(79)}…`],
  [`${"x".repeat(40)} ${"y".repeat(60)}`, `${"x".repeat(40)} ${"y".repeat(38)}…`],
  [`${"x".repeat(41)} ${"y".repeat(60)}`, `${"x".repeat(41)}…`],
  ["!".repeat(90), `bug: ${"!".repeat(74)}…`],
])("a report with the message %j gets the subject %j", (message, subject) => {
  expect(subjectOf("bug", message)).toBe(subject);
});
