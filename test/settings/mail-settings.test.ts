import { describe, expect, it } from "vitest";
import { mailInOf, mailOutOf } from "../../server/settings/read-settings.ts";

const INNKEEP_SMTP_URL = "smtps://smtp.example.com";
const INNKEEP_MAIL_FROM = "Larder <feedback@larder.example>";
const inOf = (INNKEEP_IMAP_URL: string) =>
  mailInOf({ INNKEEP_IMAP_URL, INNKEEP_SMTP_URL, INNKEEP_MAIL_FROM });

describe("the setting INNKEEP_SMTP_URL", () => {
  it.each([
    [
      "smtps://smtp.example.com",
      { port: 465, encryption: "immediate", verified: true, user: "", password: "" },
    ],
    [
      "smtp://a%40b:p%3Aw@smtp.example.com",
      { port: 587, encryption: "starttls", user: "a@b", password: "p:w" },
    ],
    ["smtp://smtp.example.com:25/?tls=off", { port: 25, encryption: "off" }],
    ["smtps://[::1]?tls=unverified", { host: "::1", verified: false, encryption: "immediate" }],
  ])("with the value %s says how mail is sent", (url, wanted) => {
    expect(mailOutOf({ INNKEEP_SMTP_URL: url, INNKEEP_MAIL_FROM })).toMatchObject({
      ...wanted,
      from: { name: "Larder", address: "feedback@larder.example" },
    });
  });
});

describe("the setting INNKEEP_IMAP_URL", () => {
  it.each([
    ["imaps://ada:pw@imap.example.com", { port: 993, encryption: "immediate", folder: "INBOX", user: "ada" }],
    ["imap://imap.example.com/Feed%20back", { port: 143, encryption: "starttls", folder: "Feed back" }],
    ["imap://127.0.0.1:1143?tls=off", { port: 1143, encryption: "off", folder: "INBOX" }],
  ])("with the value %s says where answers arrive", (url, wanted) => {
    expect(inOf(url)).toMatchObject(wanted);
  });

  it.each(["http://a:hunter2@x", "imap://a:hunter2@", "imaps://a:hunter2@x?tls=off", "hunter2"])(
    "with a wrong value is refused, and the error does not contain it: %s",
    (url) => {
      const read = () => inOf(url);
      expect(read).toThrow("INNKEEP_IMAP_URL must be");
      expect(read).not.toThrow("hunter2");
    },
  );

  it("also needs INNKEEP_SMTP_URL", () => {
    expect(() => mailInOf({ INNKEEP_IMAP_URL: "imaps://x" })).toThrow("INNKEEP_SMTP_URL must be set");
    expect(mailInOf({})).toBeUndefined();
  });
});
