import { describe, expect, it } from "vitest";
import { withQuotationsMarked } from "../../../../server/mail/incoming/rules.ts";

const marked = (...lines: string[]) => withQuotationsMarked(lines.join("\n")).split("\n");

describe("the detection of quotations in a mail", () => {
  it.each([
    "2026年11月26日(木) 10:00 Team <team@inn.example>:",
    "Team <team@inn.example> 于2026年11月26日周四 10:00写道:",
    "чт, 26 нояб. 2026 г. в 10:00, Team <team@inn.example>:",
    "В чт, 26 нояб. 2026 г. в 10:00, Team <team@inn.example>：",
  ])("treats the line before a quotation as a part of it: %j", (line) => {
    expect(marked("No.", "", line, "> Does it work?")).toEqual(["No.", "", `> ${line}`, "> Does it work?"]);
    expect(marked("No.", "", line, "", "> Does it work?")[2]).toBe(`> ${line}`);
    expect(marked(line, "> Does it work?", "", "No.")[0]).toBe(`> ${line}`);
  });

  it("treats that line as a part of the quotation even if it is broken at the address", () => {
    const lines = ["No.", "", "2026年11月26日(木) 10:00 Team", "<team@inn.example>:", "> Does it work?"];
    expect(marked(...lines)).toEqual(["No.", "", ...lines.slice(2, 4).map((line) => `> ${line}`), lines[4]]);
  });

  it.each([
    ["See the log:", "> npm ERR!"],
    ["It crashed at 10:00 and said:", "> npm ERR!"],
    ["Ask <me@kitchen.example>:", "> Who knows?"],
    ["It crashed at 10:00, ask <me@kitchen.example>:", "", "Or Bo."],
  ])("keeps other lines before a quotation: %j", (...lines) => {
    expect(marked(...lines)).toEqual(lines);
  });

  it.each([
    [
      "Od: Team <team@inn.example>",
      "Wysłano: czwartek, 26 listopada 2026 10:00",
      "Do: Ada",
      "Temat: RE: Awaria",
    ],
    ["差出人: Team <team@inn.example>", "送信日時: 2026年11月26日 10:00", "宛先: Ada", "件名: RE: 不具合"],
    ["发件人：Team <team@inn.example>", "发送时间：2026年11月26日 10:00", "收件人：Ada", "主题：回复"],
  ])("treats everything below the header of a mail as a quotation: %j", (...head) => {
    const below = [...head, "", "Does it work?"];
    expect(marked("No.", "", ...below)).toEqual(["No.", "", ...below.map((line) => `> ${line}`)]);
  });

  it.each(["------------------ 原始邮件 ------------------", "________________________________"])(
    "treats a separator above that header as a part of the quotation: %s",
    (line) => {
      const below = [
        line,
        "发件人: Team <team@inn.example>;",
        "发送时间: 2026年11月26日 10:00",
        "收件人: Ada",
        "主题: Re",
      ];
      expect(marked("不行。", "", ...below)).toEqual(["不行。", "", ...below.map((each) => `> ${each}`)]);
    },
  );

  it.each([
    [["Device: Pixel", "Version: 2026", "Mail: me@kitchen.example", "Log: none"]],
    [["Mail: me@kitchen.example", "Device: Pixel"]],
  ])("treats no other list as the header of a mail: %j", (lines) => {
    expect(marked("It fails.", "", ...lines)).toEqual(["It fails.", "", ...lines]);
  });

  it("keeps short quotations, and the first lines of each quotation if the text is too long to be searched", () => {
    const quotation = Array.from({ length: 500 }, (_, at) => `> line ${at} of what you wrote`);
    expect(marked("a", ...quotation.slice(0, 50), "b")).toHaveLength(52);
    const answer = marked("You wrote:", ...quotation, "", "No.", ...quotation, "Not at all.");
    expect(answer.slice(-1)).toEqual(["Not at all."]);
    expect(answer).toContain("No.");
    expect(answer.length).toBeLessThan(20);
  });
});
