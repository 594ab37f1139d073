import { Decrypter, Encrypter, generateX25519Identity, identityToRecipient } from "age-encryption";
import { describe, expect, it } from "vitest";
import { AgeFault, encryptStream, readRecipients } from "../../../server/secrets/age.ts";
import { decryptedBytes as decrypted } from "../../support/files/decrypted-bytes.ts";
import { fc } from "../../support/property.ts";

const chunk = 65_536;
const lengths = [0, 1, chunk - 1, chunk, chunk + 1, 2 * chunk, 3 * chunk + 17];

async function newKey() {
  const secretKey = await generateX25519Identity();
  const publicKey = await identityToRecipient(secretKey);
  return { secretKey, publicKey };
}

async function* inParts(bytes: Buffer, length = 10_007) {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}

async function all(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of chunks) parts.push(part);
  return Buffer.concat(parts);
}

const encrypted = (bytes: Buffer, ...keys: readonly string[]) =>
  all(encryptStream(inParts(bytes), readRecipients(keys.join(","))));
const sample = (length: number) =>
  Buffer.from(Array.from({ length }, (_, at) => (at * 31 + (at >> 8)) & 255));

describe("an encrypted stream", () => {
  it.each(lengths)(
    "of %i bytes can be decrypted with its key, also by other programs that support age",
    async (n) => {
      const { secretKey, publicKey } = await newKey();
      const bytes = await encrypted(sample(n), publicKey);
      expect((await decrypted(bytes, secretKey)).equals(sample(n))).toBe(true);
      const decrypter = new Decrypter();
      decrypter.addIdentity(secretKey);
      expect(Buffer.from(await decrypter.decrypt(bytes)).equals(sample(n))).toBe(true);
    },
  );

  it.each(lengths)("of %i bytes that another program created is decrypted", async (n) => {
    const { secretKey, publicKey } = await newKey();
    const encrypter = new Encrypter();
    encrypter.addRecipient(publicKey);
    const bytes = Buffer.from(await encrypter.encrypt(sample(n)));
    expect((await decrypted(bytes, secretKey)).equals(sample(n))).toBe(true);
  });

  it("for several keys can be decrypted with each of them", async () => {
    const keys = await Promise.all([newKey(), newKey(), newKey()]);
    const bytes = await encrypted(sample(100), ...keys.map(({ publicKey }) => publicKey));
    for (const { secretKey } of keys) expect(await decrypted(bytes, secretKey)).toEqual(sample(100));
  });

  it("can be decrypted with a file of several keys, of which one is right", async () => {
    const [first, second] = [await newKey(), await newKey()];
    const bytes = await encrypted(sample(100), second.publicKey);
    const file = `# created: today\n${first.secretKey}\n\n# another\r\n${second.secretKey}\r\n`;
    expect(await decrypted(bytes, file)).toEqual(sample(100));
  });

  it("differs each time, and does not contain the text", async () => {
    const { publicKey } = await newKey();
    const text = Buffer.from("Ada Lovelace ".repeat(10_000));
    const [first, second] = [await encrypted(text, publicKey), await encrypted(text, publicKey)];
    expect(first.equals(second)).toBe(false);
    // Not only the first name: in one of a hundred runs, random bytes of this length contain a certain text of three
    // letters.
    expect(first.includes("Ada Lovelace")).toBe(false);
  });

  it("is refused with another key", async () => {
    const bytes = await encrypted(sample(100), (await newKey()).publicKey);
    await expect(decrypted(bytes, (await newKey()).secretKey)).rejects.toMatchObject({ kind: "other key" });
  });

  it("is refused if any byte has changed", async () => {
    const { secretKey, publicKey } = await newKey();
    const bytes = await encrypted(sample(2 * chunk + 500), publicKey);
    const changes = fc.record({
      at: fc.oneof(fc.nat(bytes.length - 1), fc.nat(220)),
      by: fc.integer({ min: 1, max: 255 }),
    });
    await fc.assert(
      fc.asyncProperty(changes, async ({ at, by }) => {
        const changed = Buffer.from(bytes);
        changed.writeUInt8(bytes.readUInt8(at) ^ by, at);
        await expect(decrypted(changed, secretKey)).rejects.toBeInstanceOf(AgeFault);
      }),
      { numRuns: 150 },
    );
  });

  it("is refused if it is incomplete, or has chunks in a different order", async () => {
    const { secretKey, publicKey } = await newKey();
    const bytes = await encrypted(sample(3 * chunk), publicKey);
    const begin = bytes.length - 3 * (chunk + 16);
    const ends = fc.oneof(
      fc.nat(bytes.length - 1),
      fc.constantFrom(0, 1, 2).map((n) => begin + n * (chunk + 16)),
    );
    await fc.assert(
      fc.asyncProperty(ends, async (end) => {
        await expect(decrypted(bytes.subarray(0, end), secretKey)).rejects.toBeInstanceOf(AgeFault);
      }),
      { numRuns: 60 },
    );
    const part = (n: number) => bytes.subarray(begin + n * (chunk + 16), begin + (n + 1) * (chunk + 16));
    const swapped = Buffer.concat([bytes.subarray(0, begin), part(1), part(0), part(2)]);
    await expect(decrypted(swapped, secretKey)).rejects.toMatchObject({ kind: "content" });
  });
});
