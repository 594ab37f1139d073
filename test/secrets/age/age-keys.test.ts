import { generateX25519Identity, identityToRecipient } from "age-encryption";
import { describe, expect, it } from "vitest";
import { readBech32, readIdentities, readRecipients } from "../../../server/secrets/age.ts";

const messageOf = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    return error instanceof Error ? error.message : "";
  }
  return "no error";
};

describe("age public keys", () => {
  it("can be separated by commas, spaces or lines", async () => {
    const secretKey = await generateX25519Identity();
    const key = await identityToRecipient(secretKey);
    expect(readRecipients(` ${key},${key} ,\n${key}`)).toHaveLength(3);
    expect(readRecipients(key)[0]?.publicKey).toEqual(readIdentities(secretKey)[0]?.publicKey);
  });

  it("with a typing error are refused", async () => {
    const key = await identityToRecipient(await generateX25519Identity());
    const last = key.at(-1) === "q" ? "p" : "q";
    for (const wrong of ["key", key.slice(0, -1), key.slice(0, -1) + last, key.toUpperCase(), "age1"])
      expect(messageOf(() => readRecipients(wrong))).toMatch(/^A public key of age begins with age1/);
    expect(messageOf(() => readRecipients(" , "))).toBe("There is no public key.");
    expect(messageOf(() => readRecipients(`${key} `.repeat(21)))).toMatch(/more than 20/);
  });

  it("with a weak value, from which everybody could compute the secret, are refused", () => {
    const zero = "age1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq5cu47z";
    expect(readBech32(zero)?.bytes).toEqual(Buffer.alloc(32));
    expect(messageOf(() => readRecipients(zero))).toMatch(/^A public key of age begins with age1/);
  });

  it("of other kinds are refused with the name of their kind", () => {
    for (const other of ["age1pq1xyz", "age1tag1xyz", "ssh-ed25519"])
      expect(messageOf(() => readRecipients(other))).toMatch(/^Only X25519 keys/);
  });

  it("that are secret keys are refused, and the error does not contain them", async () => {
    const secretKey = await generateX25519Identity();
    const message = messageOf(() => readRecipients(secretKey));
    expect(message).toMatch(/^This is a secret key/);
    expect(message).not.toContain(secretKey);
  });
});

describe("a file of age secret keys", () => {
  it("can contain comments, empty lines and Windows line ends", async () => {
    const key = await generateX25519Identity();
    expect(readIdentities(`# public key: age1…\r\n\r\n${key}\r\n${key}`)).toHaveLength(2);
  });

  it("is refused with the reason if it contains no key, a public key, or other text", async () => {
    const secretKey = await generateX25519Identity();
    const key = await identityToRecipient(secretKey);
    expect(messageOf(() => readIdentities("# nothing\n"))).toMatch(/contains no secret key/);
    expect(messageOf(() => readIdentities(key))).toMatch(/^This is a public key/);
    expect(messageOf(() => readIdentities("age-encryption.org/v1\n-> scrypt"))).toMatch(/itself encrypted/);
    for (const wrong of [secretKey.slice(0, -1), secretKey.toLowerCase(), "AGE-SECRET-KEY-PQ-1Q"]) {
      const message = messageOf(() => readIdentities(wrong));
      expect(message).toMatch(/not an X25519 secret key/);
      expect(message).not.toContain(wrong);
    }
  });
});
