import { expect, it } from "vitest";
import { replyText } from "../../../server/mail/outgoing/replies.ts";

const report = {
  reply: "Fixed.",
  appName: "Larder",
  createdAt: "2026-11-23T10:00:00.000Z",
  message: "It broke.",
};

it("the mail with a reply contains the link to the page, and quotes the report", () => {
  expect(replyText({ ...report, statusUrl: "https://inn.example/p/t/x" })).toBe(
    [
      ...["Fixed.", "", "-- ", "Answer, and see all replies, on your page:", "https://inn.example/p/t/x", ""],
      ...["You wrote to Larder on 2026-11-23:", "> It broke."],
    ].join("\n"),
  );
});

it("the mail with a reply contains no link if there is no page", () => {
  expect(replyText({ ...report, statusUrl: undefined })).toBe(
    "Fixed.\n\n-- \nYou wrote to Larder on 2026-11-23:\n> It broke.",
  );
});

it.each([
  ["one\r\ntwo\rthree", "> one\n> two\n> three"],
  ["a\n".repeat(11).concat("b"), `${"> a\n".repeat(11)}> b`],
  ["a\n".repeat(12).concat("b"), `${"> a\n".repeat(12)}> …`],
  ["c".repeat(1_000), `> ${"c".repeat(1_000)}`],
  ["c".repeat(1_001), `> ${"c".repeat(1_000)}\n> …`],
])("the mail with a reply quotes the beginning of %j", (message, quoted) => {
  const text = replyText({ ...report, message, statusUrl: undefined });
  expect(text.slice(text.indexOf(">"))).toBe(quoted);
});
