import { expect, it } from "vitest";
import { markedInWords, replyInWords } from "../../src/words/thread.ts";

const words = "(link to the sender's page)";

it("a reply is shown with words in place of the link to the sender's page", () => {
  expect(replyInWords("See {statusUrl} or {statusUrl}.")).toBe(`See ${words} or ${words}.`);
});

it.each([
  ["before the link", "See {statusUrl}", "See", `See ${words}`],
  ["after the link", "{statusUrl} See {statusUrl} here", "here", `${words} See ${words} here`],
  ["in the link, which stays", "Go {statusUrl}", "statusUrl", "Go {statusUrl}"],
])("the found part of a reply stays marked %s", (_, text, found, shown) => {
  const start = text.lastIndexOf(found);
  const line = markedInWords({ text, marks: [{ start, end: start + found.length }] });
  expect(line.text).toBe(shown);
  expect(line.marks.map((mark) => line.text.slice(mark.start, mark.end))).toEqual([found]);
});
