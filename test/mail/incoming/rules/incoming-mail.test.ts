import { describe, expect, it } from "vitest";
import {
  failsAuthentication,
  kindOfMail,
  replyTokensIn,
  saysFailed,
  tidyText,
} from "../../../../server/mail/incoming/rules.ts";

const token = "abcdefghijklmnopqrstuvwxyz234567abcdefghij";
const ada = "ada@kitchen.example";

describe("the tokens in the lines of the receivers", () => {
  it.each([
    [`To: <reply+${token}@larder.example>`, [token]],
    [`To: REPLY+${token.toUpperCase()}@LARDER.EXAMPLE`, [token]],
    [`To: a@b.example\r\nDelivered-To: reply+${token}@larder.example, reply+${token}@x`, [token]],
    [`To: reply+${token.slice(1)}@larder.example`, []],
    [`To: reply+1${token.slice(1)}@larder.example`, []],
    ["To: feedback@larder.example", []],
  ])("are read from %j", (text, found) => {
    expect(replyTokensIn(text)).toEqual(found);
  });

  it("are at most 20, because each of them is looked up", () => {
    const letters = [..."abcdefghijklmnopqrstuvwxyz"];
    const many = letters.map((letter) => `To: reply+${letter}${token.slice(1)}@larder.example`);
    expect(replyTokensIn(many.join("\r\n"))).toHaveLength(20);
  });
});

describe("the kind of a mail", () => {
  it("is an answer if a person wrote the mail", () => {
    const headers = [
      { key: "auto-submitted", value: "No" },
      { key: "precedence", value: "first-class" },
      { key: "return-path", value: "<ada@kitchen.example>" },
      { key: "content-type", value: "multipart/alternative; boundary=x" },
    ];
    expect(kindOfMail(headers, ada)).toBe("answer");
    expect(kindOfMail([], ada)).toBe("answer");
  });

  it.each([
    ["auto-submitted", "auto-replied"],
    ["auto-submitted", " AUTO-generated"],
    ["auto-submitted", "(no) auto-notified"],
    ["precedence", "bulk"],
    ["precedence", "list"],
    ["precedence", "junk"],
    ["return-path", "<>"],
  ])("is automatic with the header %s: %s", (key, value) => {
    expect(kindOfMail([{ key, value }], ada)).toBe("automatic");
  });

  it("is automatic if the mail has no sender", () => {
    expect(kindOfMail([], "")).toBe("automatic");
  });

  it.each([
    ["x-auto-response-suppress", "All"],
    ["auto-submitted", ""],
    ["auto-submitted", "(by hand) no"],
    ["x-autoreply", "yes"],
    ["list-unsubscribe", "<https://x>"],
    ["feedback-id", "1"],
    ["precedence", "bulky"],
  ])("is an answer with the header %s: %s, because people's mail can have it", (key, value) => {
    expect(kindOfMail([{ key, value }], ada)).toBe("answer");
  });

  it("is a delivery report if the mail has the type multipart/report", () => {
    const headers = [{ key: "content-type", value: "Multipart/Report; report-type=delivery-status" }];
    expect(kindOfMail(headers, "mailer-daemon@mx.example")).toBe("report");
  });

  it.each([
    ["Final-Recipient: rfc822; a\nAction: failed\nStatus: 5.1.1", true],
    ["action:FAILED", true],
    ["Action: delayed\nStatus: 4.4.1", false],
    ["Action: failedish", false],
    ["", false],
  ])("says whether a mail will never be delivered: %j", (status, failed) => {
    expect(saysFailed(status)).toBe(failed);
  });
});

describe("the check of the mail server's results about a sender", () => {
  it.each([
    ["mx.example; dmarc=fail header.from=kitchen.example; spf=pass; dkim=pass", true],
    ["mx.example; spf=fail smtp.mailfrom=evil.example; dkim=none", true],
    ["mx.example;\r\n DKIM=Fail", true],
    ["mx.example; dmarc=pass; spf=fail", false],
    ["mx.example; spf=fail; dkim=pass header.d=kitchen.example", false],
    ["mx.example; spf=softfail; dkim=none", false],
    ["mx.example; none", false],
    ["", false],
  ])("says whether the address is forged: %j", (value, fails) => {
    expect(failsAuthentication([{ key: "authentication-results", value }])).toBe(fails);
  });

  it("reads only the first header, because the sender can have written the others", () => {
    const headers = ["mx.example; dmarc=fail", "evil.example; dmarc=pass"].map((value) => ({
      key: "authentication-results",
      value,
    }));
    expect(failsAuthentication(headers)).toBe(true);
    expect(failsAuthentication([])).toBe(false);
  });
});

describe("a text that is searched for quotations", () => {
  it.each([
    ["a  \r\nb\t\rc", "a\nb\nc"],
    ["\n\na\n\n\n \n\nb\n\nc\n", "a\n\nb\n\nc"],
    [" ", ""],
  ])("has no spaces at the ends of lines and no two empty lines in sequence: %j", (text, wanted) => {
    expect(tidyText(text)).toBe(wanted);
  });
});
