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
  ["1. Open app. 2. Crash", "1. Open app."],
  ["2.1. Open app. 2.2. Crash", "2.1. Open app."],
  ["1.", "1."],
  ["e.g. the list is empty", "e.g. the list is empty"],
  ["z.B. die Liste ist leer. Schade.", "z.B. die Liste ist leer."],
  ["Mr. Smith cannot log in. Help!", "Mr. Smith cannot log in."],
  ["The chat (Dr. J. R. Jones) hangs. Help!", "The chat (Dr. J. R. Jones) hangs."],
  ["Page No. 5 is empty. Help!", "Page No. 5 is empty."],
  ["No. It hangs.", "No."],
  ["Names, dates etc. are lost. Help!", "Names, dates etc. are lost."],
  ["It lost names etc. Help!", "It lost names etc."],
  ["It hangs since version 3. Help!", "It hangs since version 3."],
  ["It crashes. then it is gone", "It crashes."],
  ["アプリが落ちる。助けて！", "アプリが落ちる。"],
  ["登录失败！？请修复。", "登录失败！？"],
  ["「保存できません。」と表示される。助けて", "「保存できません。」と表示される。"],
  ["هل يعمل؟ لا", "هل يعمل؟"],
  ["!".repeat(90), `bug: ${"!".repeat(74)}…`],
])("a report with the message %j gets the subject %j", (message, subject) => {
  expect(subjectOf("bug", message)).toBe(subject);
});

it("finds the subject of a long message with thousands of abbreviations in at most a second", () => {
  const started = performance.now();
  expect(subjectOf("bug", "e.g. ".repeat(2_000))).toMatch(/^e\.g\. .*…$/);
  expect(performance.now() - started).toBeLessThan(1_000);
});
