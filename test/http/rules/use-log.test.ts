import { describe, expect, it } from "vitest";
import {
  bytesOf,
  createUseLog,
  giveUseBack,
  lookAtUses,
  takeUse,
} from "../../../server/http/rate-limits/rate-limits.ts";
import type { RateLimit } from "../../../server/http/rate-limits/store.ts";
import { fc } from "../../support/property.ts";
import { rounds } from "../../support/torture.ts";

const start = 1_763_900_000_000;
const three: RateLimit = { limit: 3, windowSeconds: 60 };
const many: RateLimit = { limit: 1_000_000, windowSeconds: 3_600 };

const useUp = (log = createUseLog()) => {
  for (let n = 0; n < three.limit; n++) takeUse(log, start + n, three);
  return log;
};

describe("the record of the uses of a rate limit", () => {
  it("allows uses up to the limit, and refuses one more with the seconds to wait", () => {
    const log = useUp();
    expect(takeUse(log, start + 10_000, three)).toEqual({ allowed: false, retryAfterSeconds: 50 });
    expect(log.total).toBe(3);
  });

  it("loses its uses one after another", () => {
    const log = useUp();
    expect(takeUse(log, start + 59_999, three)).toMatchObject({ allowed: false, retryAfterSeconds: 1 });
    expect(takeUse(log, start + 60_000, three)).toMatchObject({ allowed: true });
    expect(takeUse(log, start + 60_000, three)).toMatchObject({ allowed: false });
    expect(takeUse(log, start + 60_001, three)).toMatchObject({ allowed: true });
  });

  it("can return a use by its time", () => {
    const log = useUp();
    expect(giveUseBack(log, start + 1)).toBe(true);
    expect(takeUse(log, start + 20, three)).toMatchObject({ allowed: true });
    expect(takeUse(log, start + 20, three)).toMatchObject({ allowed: false });
  });

  it("cannot return a use that is too old", () => {
    const log = useUp();
    takeUse(log, start + 61_000, three);
    expect(giveUseBack(log, start)).toBe(false);
    expect(log.total).toBe(1);
  });

  it("can be read without counting a use", () => {
    const log = createUseLog();
    expect(lookAtUses(log, start, three)).toEqual({ allowed: true, at: start });
    expect(log.total).toBe(0);
  });

  it("stores no earlier time than the last one if the clock was set back a little", () => {
    const log = useUp();
    expect(takeUse(log, start + 60_000, three)).toEqual({ allowed: true, at: start + 60_000 });
    expect(takeUse(log, start + 60_000, three)).toMatchObject({ allowed: false });
    giveUseBack(log, start + 1);
    expect(takeUse(log, start + 30_000, three)).toEqual({ allowed: true, at: start + 60_000 });
  });

  it("ignores its uses after the clock was set back by more than a window", () => {
    expect(takeUse(useUp(), start - 120_000, three)).toMatchObject({ allowed: true, at: start - 120_000 });
  });

  it("respects a limit that was lowered", () => {
    const log = useUp();
    const one = { limit: 1, windowSeconds: 60 };
    expect(takeUse(log, start + 10_000, one)).toEqual({ allowed: false, retryAfterSeconds: 51 });
    expect(takeUse(log, start + 60_002, one)).toMatchObject({ allowed: true });
  });

  it("needs little memory even for many uses", () => {
    const log = createUseLog();
    for (let n = 0; n < 10_000; n++) takeUse(log, start + n * 30_000, three);
    expect(bytesOf(log)).toBeLessThan(10_000);
  });

  it("needs few different times for a high limit", () => {
    const log = createUseLog();
    for (let n = 0; n < 100_000; n++) takeUse(log, start + n * 36, many);
    expect(log.total).toBe(100_000);
    expect(log.times.length).toBeLessThanOrEqual(2_100);
  });
});

/** A step: `pass` milliseconds pass, and then this number of uses is requested at once. */
const steps = fc.array(
  fc.record({ pass: fc.integer({ min: 0, max: 40_000 }), uses: fc.integer({ min: 1, max: 9 }) }),
  {
    maxLength: 60,
  },
);

it("the record of a rate limit never allows more uses in a window than the limit, and refuses no use within the limit", () => {
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 12 }), (happened, limit) => {
      const rule = { limit, windowSeconds: 60 };
      const log = createUseLog();
      let now = start;
      const allowed: number[] = [];
      for (const { pass, uses } of happened) {
        now += pass;
        for (let n = 0; n < uses; n++) {
          const before = allowed.filter((at) => at > now - 60_000).length;
          const verdict = takeUse(log, now, rule);
          expect(verdict.allowed).toBe(before < limit);
          if (verdict.allowed) allowed.push(now);
          else {
            const later = now + verdict.retryAfterSeconds * 1_000;
            expect(lookAtUses(structuredClone(log), later, rule).allowed).toBe(true);
          }
        }
      }
    }),
    { numRuns: rounds(200, 5_000) },
  );
});

it("the record of a high limit never allows more uses in a window than the limit, and counts a use too long by at most one part of the window", () => {
  fc.assert(
    fc.property(steps, (happened) => {
      const rule = { limit: 4_000, windowSeconds: 60 };
      const log = createUseLog();
      const part = Math.ceil(60_000 / 2_048);
      let now = start;
      const allowed: number[] = [];
      for (const { pass, uses } of happened) {
        now += pass;
        for (let n = 0; n < uses * 700; n++) {
          const inWindow = (since: number) => allowed.filter((at) => at > since).length;
          const verdict = takeUse(log, now, rule);
          if (verdict.allowed) allowed.push(now);
          else {
            expect(inWindow(now - 60_000 - part)).toBe(4_000);
            break;
          }
        }
        expect(allowed.filter((at) => at > now - 60_000).length).toBeLessThanOrEqual(4_000);
      }
    }),
    { numRuns: rounds(20, 500) },
  );
});
