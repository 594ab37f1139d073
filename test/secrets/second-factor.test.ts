import { describe, expect, it } from "vitest";
import {
  isTotpCode,
  newRecoveryCodes,
  newTotpSecret,
  recoveryHash,
  totpCode,
  totpUri,
} from "../../server/secrets/second-factor.ts";

describe("the codes of an authenticator app", () => {
  const secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";

  it.each([
    [59, "287082"],
    [1_111_111_109, "081804"],
    [1_111_111_111, "050471"],
    [1_234_567_890, "005924"],
    [2_000_000_000, "279037"],
    [20_000_000_000, "353130"],
  ])("are the codes of RFC 6238 after %i seconds: %s", (seconds, code) => {
    expect(totpCode(secret, Math.floor(seconds / 30))).toBe(code);
    expect(isTotpCode(secret, Math.floor(seconds / 30), code)).toBe(true);
  });

  it.each(["287083", "28708", "2870820", "", "２８７０８２"])("are not a similar text: %j", (code) => {
    expect(isTotpCode(secret, 1, code)).toBe(false);
  });
});

it("a secret of the second factor has 160 bits in base32, and each is different", () => {
  const secrets = Array.from({ length: 50 }, newTotpSecret);
  expect(secrets.every((one) => /^[A-Z2-7]{32}$/.test(one))).toBe(true);
  expect(new Set(secrets).size).toBe(50);
});

it("the address for the authenticator app encodes the account and the server", () => {
  const uri = totpUri("ABC", { account: "a&b@example.org", issuer: "Innkeep inn.example:8080" });
  expect(uri).toBe(
    "otpauth://totp/Innkeep%20inn.example%3A8080:a%26b%40example.org?secret=ABC&issuer=Innkeep%20inn.example%3A8080",
  );
});

it("the recovery codes are ten different codes that a person can read from paper", () => {
  const codes = newRecoveryCodes();
  expect(new Set(codes).size).toBe(10);
  for (const code of codes) expect(code).toMatch(/^([a-hjkmnp-z2-9]{4}-){3}[a-hjkmnp-z2-9]{4}$/);
});

it("the hash of a recovery code belongs to one account, with or without hyphens", () => {
  expect(recoveryHash("a", "abcd-efgh")).toBe(recoveryHash("a", "abcdefgh"));
  expect(recoveryHash("a", "abcd-efgh")).not.toBe(recoveryHash("b", "abcd-efgh"));
});
