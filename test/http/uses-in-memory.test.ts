import { describe, expect, it } from "vitest";
import { createUsesInMemory } from "../../server/http/rate-limits/rate-limits.ts";
import type { Spending } from "../../server/http/rate-limits/store.ts";
import { rateLimitsOf } from "../../server/settings/settings.ts";
import type { RateLimitName } from "../../src/contract/limits.ts";
import { movableClock } from "../support/service/movable-clock.ts";

const mostBytes = 1_000_000;
const { rateLimits } = rateLimitsOf("feedback=1/60,faqWrites=1/60,drafts=1/60,feedbackRepeats=2000/3600");

/** The minimum memory of a list of numbers: its header, and eight bytes for each number. V8 allocates 17 at once. */
const listBytes = (length: number): number => 16 + 8 * Math.max(17, length);

/** The minimum memory of a key: its text, the objects of its log, and its entries in a map and in a list. */
const keyBytes = (key: string, uses: number): number =>
  16 + key.length * (/[^\0-\xff]/.test(key) ? 2 : 1) + 200 + 2 * listBytes(uses);

interface Filling {
  readonly spendings: readonly Spending[];
  readonly uses: number;
}

/** Records all uses. Returns the keys that are kept in memory, and their minimum memory. */
function filled({ spendings, uses }: Filling) {
  const clock = movableClock();
  const memory = createUsesInMemory({ clock, settings: { rateLimits } }, mostBytes);
  for (const spending of spendings)
    for (let use = 0; use < uses; use += 1) {
      memory.take(spending);
      if (uses > 1) clock.advance(1);
    }
  const remembered = spendings.filter((spending) => !memory.look(spending).allowed);
  const bytes = remembered.reduce(
    (sum, { who, rateLimit }) => sum + keyBytes(`${rateLimit}:${who}`, uses),
    0,
  );
  return { remembered, bytes };
}

const many = (count: number, who: (at: number) => string, names: readonly RateLimitName[] = ["feedback"]) =>
  Array.from({ length: count }, (_, at) => names.map((rateLimit) => ({ who: who(at), rateLimit }))).flat();

describe("the uses of rate limits in memory", () => {
  it.each<[string, Filling]>([
    ["many keys", { spendings: many(5_000, (at) => `token ${at}`), uses: 1 }],
    ["long keys", { spendings: many(500, (at) => `${at}`.padEnd(16_000, "x")), uses: 1 }],
    ["long keys of other letters", { spendings: many(500, (at) => `${at}`.padEnd(16_000, "界")), uses: 1 }],
    [
      "keys of many limits",
      { spendings: many(2_000, (at) => `token ${at}`, ["feedback", "faqWrites", "drafts"]), uses: 1 },
    ],
    [
      "many uses of each key",
      { spendings: many(200, (at) => `token ${at}`, ["feedbackRepeats"]), uses: 2_000 },
    ],
  ])("stay within their limit of memory with %s, and the last used keys are kept", (_, filling) => {
    const { remembered, bytes } = filled(filling);
    expect(bytes).toBeLessThanOrEqual(mostBytes);
    // Almost as much as fits is kept.
    expect(bytes).toBeGreaterThan(mostBytes / 3);
    expect(remembered).toEqual(filling.spendings.slice(-remembered.length));
  });

  it("do not contain a key that alone would fill the memory, and that key is not counted", () => {
    const spendings = [{ who: "x".repeat(mostBytes), rateLimit: "feedback" }] as const;
    expect(filled({ spendings, uses: 1 }).remembered).toEqual([]);
  });
});
