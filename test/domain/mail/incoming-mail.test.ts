import { describe, expect, it } from "vitest";
import {
  kindOfMail,
  replyTokensIn,
  saysFailed,
  writtenPart,
} from "../../../server/domain/mail/incoming-mail.ts";

const token = "abcdefghijklmnopqrstuvwxyz234567abcdefghij";
const own = "feedback@larder.example";
const ada = "ada@kitchen.example";

describe("the tokens in the lines with receivers", () => {
  it.each([
    [`To: <reply+${token}@larder.example>`, [token]],
    [`To: REPLY+${token.toUpperCase()}@LARDER.EXAMPLE`, [token]],
    [`To: a@b.example\r\nDelivered-To: reply+${token}@larder.example, reply+${token}@x`, [token]],
    [`To: reply+${token.slice(1)}@larder.example`, []],
    [`To: reply+1${token.slice(1)}@larder.example`, []],
    ["To: feedback@larder.example", []],
  ])("are found in %j", (text, found) => {
    expect(replyTokensIn(text)).toEqual(found);
  });
});

describe("what arrived", () => {
  it("is an answer if a person wrote it", () => {
    const headers = [
      { key: "auto-submitted", value: "No" },
      { key: "precedence", value: "first-class" },
      { key: "return-path", value: "<ada@kitchen.example>" },
      { key: "content-type", value: "multipart/alternative; boundary=x" },
    ];
    expect(kindOfMail(headers, ada, own)).toBe("answer");
    expect(kindOfMail([], ada, own)).toBe("answer");
  });

  it.each([
    ["auto-submitted", "auto-replied"],
    ["auto-submitted", " AUTO-generated"],
    ["precedence", "bulk"],
    ["precedence", "auto_reply"],
    ["precedence", "list"],
    ["precedence", "junk"],
    ["return-path", "<>"],
    ["x-autoreply", "yes"],
    ["x-auto-response-suppress", "All"],
    ["list-id", "<cooks>"],
    ["list-unsubscribe", "<https://x>"],
  ])("is automatic with %s: %s", (key, value) => {
    expect(kindOfMail([{ key, value }], ada, own)).toBe("automatic");
  });

  it.each([
    "",
    own,
    own.toUpperCase(),
    "MAILER-DAEMON@mx.example",
    "postmaster@x",
    "noreply@x",
    "no-reply@x",
  ])("is automatic from %j", (from) => {
    expect(kindOfMail([], from, own)).toBe("automatic");
  });

  it("is a report about a mail with multipart/report", () => {
    const headers = [{ key: "content-type", value: "Multipart/Report; report-type=delivery-status" }];
    expect(kindOfMail(headers, "mailer-daemon@mx.example", own)).toBe("report");
  });

  it.each([
    ["Final-Recipient: rfc822; a\nAction: failed\nStatus: 5.1.1", true],
    ["action:FAILED", true],
    ["Action: delayed\nStatus: 4.4.1", false],
    ["Action: failedish", false],
    ["", false],
  ])("says that a mail never arrives, or not: %j", (status, failed) => {
    expect(saysFailed(status)).toBe(failed);
  });
});

describe("what a person wrote", () => {
  it.each([
    ["Thanks!", "Thanks!"],
    ["Thanks!\r\n\r\nOn Monday Larder wrote:\r\n> Fixed.\r\n> Bye\r\n\r\n", "Thanks!"],
    ["Danke.\n\nAm 23.11.2026 um 10:00 schrieb Larder:\n> Fixed.", "Danke."],
    ["Yes.\n\nLarder <reply+x@larder.example> wrote:\n\n> Fixed.", "Yes."],
    ["Yes:\n> Fixed.", "Yes:"],
    ["> What?\nThis.\n> And?\nThat.", "> What?\nThis.\n> And?\nThat."],
    ["> only a quotation", "> only a quotation"],
    ["a\n\nb\n", "a\n\nb"],
    ["I wrote 2026:", "I wrote 2026:"],
  ])("is without what it quotes at its end: %j", (text, wanted) => {
    expect(writtenPart(text)).toBe(wanted);
  });
});
