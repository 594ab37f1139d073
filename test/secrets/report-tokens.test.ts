import { describe, expect, it } from "vitest";
import { readReportToken, reportTokenOf } from "../../server/mail/sender-page/links.ts";
import { createSealer } from "../../server/secrets/secrets.ts";

const reportId = "01a1fda3-dcee-7447-b6de-42c8c3c82f1d";
const token = { reportId, counter: 4_294_967_295, mailed: true };

describe("the token of a sender's page", () => {
  it.each([token, { reportId, counter: 0, mailed: false }])(
    "contains the values from which it was created: %j",
    (given) => {
      const sealer = createSealer("s".repeat(32));
      expect(readReportToken(sealer, reportTokenOf(sealer, given))).toEqual(given);
    },
  );

  it("is valid after the secret of the server was changed, while the old secret is known", () => {
    const made = reportTokenOf(createSealer("a".repeat(32)), token);
    expect(readReportToken(createSealer("b".repeat(32), ["a".repeat(32)]), made)).toEqual(token);
    expect(readReportToken(createSealer("b".repeat(32)), made)).toBeUndefined();
  });

  it("differs from marks of other uses, and is not shorter than a mark", () => {
    const sealer = createSealer("s".repeat(32));
    expect(sealer.isMark("text", sealer.mark("text"))).toBe(true);
    expect(sealer.isMark("text", sealer.mark("text").slice(0, 20))).toBe(true);
    expect(sealer.isMark("text", sealer.mark("text").slice(0, 19))).toBe(false);
    expect(sealer.isMark("text", "")).toBe(false);
    expect(sealer.isMark("text", sealer.mark("other"))).toBe(false);
  });
});
