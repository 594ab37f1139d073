import { createHmac, hkdfSync } from "node:crypto";
import { describe, expect, it } from "vitest";
import { type CredentialPrefix, createSealer, mintCredential } from "../../server/secrets/secrets.ts";

describe("a credential", () => {
  it.each<CredentialPrefix>(["sdk_", "sdt_", "sda_", "sdm_", "stk_"])(
    "of the kind %s has its prefix, 32 random Base62 characters and a checksum of 6 characters",
    (prefix) => {
      expect(mintCredential(prefix)).toMatch(new RegExp(`^${prefix}[0-9A-Za-z]{38}$`));
    },
  );

  it("is never created a second time", () => {
    const made = Array.from({ length: 1_000 }, () => mintCredential("sdk_"));
    expect(new Set(made).size).toBe(1_000);
  });
});

describe("an encrypted text", () => {
  const sealer = createSealer("a secret of the deployment, long enough");

  it("can be decrypted, and is different each time", () => {
    expect(sealer.open(sealer.seal("stk_1"))).toBe("stk_1");
    expect(sealer.seal("stk_1")).not.toBe(sealer.seal("stk_1"));
  });

  it("cannot be decrypted by another deployment", () => {
    const other = createSealer("another secret of another deployment");
    expect(() => other.open(sealer.seal("stk_1"))).toThrow();
  });

  it("has an authentication code that only its deployment can create", () => {
    const other = createSealer("another secret of another deployment");
    expect(sealer.mark("a password")).toBe(sealer.mark("a password"));
    expect(sealer.mark("a password")).not.toBe(sealer.mark("another password"));
    expect(sealer.mark("a password")).not.toBe(other.mark("a password"));
  });

  it.each(["", "a password", "ü".repeat(200)])(
    "has for %j its HMAC-SHA-256 as the authentication code",
    (text) => {
      const keys = hkdfSync("sha256", "a secret", "", "innkeep sealed text v1", 64);
      const mark = createHmac("sha256", Buffer.from(keys, 32)).update(text).digest("hex");
      expect(createSealer("a secret").mark(text)).toBe(mark);
    },
  );

  it("cannot be decrypted after one bit has changed", () => {
    const bytes = Buffer.from(sealer.seal("stk_1"), "base64");
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
    expect(() => sealer.open(bytes.toString("base64"))).toThrow();
  });
});
