import { describe, expect, it } from "vitest";
import { hashPassword, normaliseEmail, verifyPassword } from "../../../../server/secrets/passwords.ts";

describe("the stored hashes of passwords", () => {
  it("are created with Argon2id with 19 MiB, two passes and one lane", async () => {
    expect(await hashPassword("secret words")).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  });

  it("of two accounts are never equal", async () => {
    expect(await hashPassword("secret words")).not.toBe(await hashPassword("secret words"));
  });

  it.each([undefined, ""])("never match an account without a password: %j", async (stored) => {
    expect(await verifyPassword(stored, "secret words")).toBe(false);
  });

  it("match the password in every Unicode form of its accents", async () => {
    const stored = await hashPassword("cre\u0300me bru\u0302le\u0301e");
    expect(await verifyPassword(stored, "crème brûlée")).toBe(true);
    expect(await verifyPassword(stored, "creme brulee")).toBe(false);
  });
});

describe("the e-mail addresses of accounts", () => {
  it("have one spelling for each account", () => {
    expect(normaliseEmail("  Ada@Example.ORG ")).toBe("ada@example.org");
  });

  it.each(["J\u030coe@example.org", "\u1e9e@example.org", "H\u0331@example.org", "\u0130@example.org"])(
    "are compared without case and in any Unicode form: %s",
    (typed) => {
      const spelling = normaliseEmail(typed);
      for (const again of [spelling, spelling.normalize("NFC"), spelling.normalize("NFD")])
        expect(normaliseEmail(again)).toBe(spelling);
    },
  );
});
