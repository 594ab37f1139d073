import { describe, expect, it } from "vitest";
import { readReplyToken, replyTokenOf } from "../../server/mail/outgoing/queue.ts";
import { readReportToken } from "../../server/mail/sender-page/links.ts";
import { createSealer } from "../../server/secrets/secrets.ts";

const id = "01a1fda3-dcee-7447-b6de-42c8c3c82f1d";
const sealer = createSealer("s".repeat(32));
const token = replyTokenOf(sealer, id);

describe("the token in a reply address", () => {
  it("identifies the mail that was answered, in upper and lower case", () => {
    expect(token).toMatch(/^[a-z2-7]{42}$/);
    expect(readReplyToken(sealer, token)).toBe(id);
    expect(readReplyToken(sealer, token.toUpperCase())).toBe(id);
  });

  it("cannot be read by another deployment, unless that deployment knows the secret as an old one", () => {
    expect(readReplyToken(createSealer("t".repeat(32)), token)).toBeUndefined();
    expect(readReplyToken(createSealer("t".repeat(32), ["s".repeat(32)]), token)).toBe(id);
  });

  it("cannot be changed, because each other digit makes it invalid", () => {
    for (const at of token.split("").keys()) {
      const other = token[at] === "a" ? "b" : "a";
      expect(readReplyToken(sealer, token.slice(0, at) + other + token.slice(at + 1))).toBeUndefined();
    }
    for (const text of ["", "x", `${token}a`, token.slice(1), token.replace(/./, "1")])
      expect(readReplyToken(sealer, text)).toBeUndefined();
  });

  it("is not valid as the secret of a page", () => {
    expect(readReportToken(sealer, token)).toBeUndefined();
  });
});
