import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Argon2, nativeArgon2, threadArgon2 } from "../../../server/secrets/passwords.ts";
import { innkeepPath } from "../../support/programs/built-program.ts";

const thread = threadArgon2(join(dirname(innkeepPath), "argon2-thread.cjs"));

const native = await nativeArgon2();
const all: readonly (readonly [string, Argon2])[] = [
  ...(native ? [["native", native] as const] : []),
  ["thread", thread],
];

const passwords = ["secret words", "crème brûlée 🍮", "a\u0000b", "x".repeat(200)];

/** Hashes of "secret words" that the package, Node 26 and the thread created. */
const made = [
  "$argon2id$v=19$m=19456,t=2,p=1$9rQyzyWBenkygpvHfT87Ug$7/zBrrGjM/zL7mVWI9DmfyKrB+SRATB6rtGspqjDXKk",
  "$argon2id$v=19$m=19456,t=2,p=1$dao0ujnVlhLn5W8g/37fqw$Ty6rhq/w+VAAMZUFWeplV/Kmc31tCZRMslybVifRk1k",
  "$argon2id$v=19$m=19456,t=2,p=1$MOwVFLjGQMZOlolfQSFQYw$HDGb+NLvmGx35rgKWfuj4AWRFKgxeaEcoQLxZLQSxH0",
];

const salt = "c2FsdHNhbHRzYWx0c2FsdA";
const hash = "A".repeat(43);
const broken = [
  "",
  "secret words",
  "$argon2id$v=19$m=19456,t=2,p=1",
  `$argon2id$v=19$m=19456,t=2,p=1$${salt}`,
  `$argon2id$v=19$m=19456,t=2,p=1$${salt}$`,
  `$argon2id$v=19$m=,t=2,p=1$${salt}$${hash}`,
  `$argon2id$v=19$m=19456,t=0,p=1$${salt}$${hash}`,
  `$argon2id$v=19$m=19456,t=2,p=1$?$${hash}`,
  `$argon2id$v=19$m=19456,t=2,p=1$${salt}$${hash}?`,
  `$2b$12$${"a".repeat(53)}`,
];

describe.each(all)("the Argon2 implementation %s", (_, argon2) => {
  it("creates PHC strings of Argon2id with 19 MiB, two passes, one lane, 16 bytes of salt and 32 of hash", async () => {
    expect(await argon2.hash("secret words")).toMatch(
      /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/,
    );
  });

  it.each(made)("verifies a hash of another implementation: %s", async (stored) => {
    expect(await argon2.verify(stored, "secret words")).toBe(true);
    expect(await argon2.verify(stored, "Secret words")).toBe(false);
    expect(await argon2.verify(stored, "")).toBe(false);
  });

  it.each(passwords)("creates a hash of %j that all other implementations verify", async (password) => {
    const stored = await argon2.hash(password);
    for (const [, other] of all) {
      expect(await other.verify(stored, password)).toBe(true);
      expect(await other.verify(stored, `${password}.`)).toBe(false);
    }
  });

  it("reads the cost of a stored hash from this hash", async () => {
    const cheap =
      "$argon2id$v=19$m=64,t=3,p=2$c2FsdHNhbHRzYWx0c2FsdA$ISnlf+PdoSVe6si8NJLPMu5pp8LXGeW6C6VPW0pvgzU";
    expect(await argon2.verify(cheap, "secret words")).toBe(true);
    expect(await argon2.verify(cheap.replace("t=3", "t=2"), "secret words")).toBe(false);
  });

  it.each(broken)("rejects a broken stored text: %j", async (stored) => {
    await expect(argon2.verify(stored, "secret words")).rejects.toThrow();
  });
});

describe("Argon2 in separate threads", () => {
  it("does not block the main thread, and answers many requests at the same time", async () => {
    let ticks = 0;
    const ticking = setInterval(() => (ticks += 1), 1);
    const hashes = await Promise.all(Array.from({ length: 6 }, () => thread.hash("secret words")));
    clearInterval(ticking);
    expect(new Set(hashes).size).toBe(6);
    expect(ticks).toBeGreaterThan(6);
  });

  it("uses the memory of two hashes even if many are requested", async () => {
    let most = 0;
    const before = process.memoryUsage.rss();
    const looking = setInterval(() => (most = Math.max(most, process.memoryUsage.rss() - before)), 5);
    await Promise.all(Array.from({ length: 24 }, () => thread.verify(made[0] ?? "", "secret words")));
    clearInterval(looking);
    // Each thread needs about 15 MiB for its JavaScript engine and 19 MiB for the hash. Without a queue there would be
    // 24 threads.
    expect(most).toBeLessThan(200 * 1_048_576);
  });

  it("reports an error if the thread fails, and continues to work", async () => {
    const failing = threadArgon2(join(dirname(innkeepPath), "nothing-here.cjs"));
    for (let attempt = 0; attempt < 4; attempt += 1)
      await expect(failing.hash("secret words")).rejects.toThrow("nothing-here.cjs");
  });
});
