import { describe, expect, it } from "vitest";
import { createUseLog, giveUseBack, lookAtUses, takeUse } from "../../../server/domain/limits/use-log.ts";
import {
  storeWhole,
  type UseLog,
  type UsesToStore,
  usesIn,
  usesToStore,
} from "../../../server/domain/limits/use-text.ts";
import { fc } from "../../support/property.ts";
import { rounds } from "../../support/torture.ts";

const start = 1_763_900_000_000;
const rule = { limit: 120, windowSeconds: 60 };

/** What the database has of a log after each storing. */
function stored() {
  let row = "";
  const written: UsesToStore[] = [];
  return {
    written,
    row: () => row,
    store(log: UseLog) {
      const uses = usesToStore(log);
      if (!uses) return;
      row = uses.isWhole ? uses.text : row + uses.text;
      written.push(uses);
    },
  };
}

const live = ({ uses, start: first }: UseLog) => uses.slice(first);

describe("what is stored of the uses of a key", () => {
  it("is nothing if nothing has changed", () => {
    const log = createUseLog();
    expect(usesToStore(log)).toBeUndefined();
    takeUse(log, start, rule);
    expect(usesToStore(log)).toMatchObject({ isWhole: false, parts: 1 });
    expect(usesToStore(log)).toBeUndefined();
    lookAtUses(log, start + 1, rule);
    expect(usesToStore(log)).toBeUndefined();
  });

  it("is nothing if all that has changed was taken back", () => {
    const log = createUseLog();
    takeUse(log, start, rule);
    giveUseBack(log, start);
    expect(usesToStore(log)).toBeUndefined();
  });

  it("is only what is new, however many uses there are", () => {
    const log = createUseLog();
    const { row, store, written } = stored();
    for (let n = 0; n < 2_000; n++) takeUse(log, start + n, { limit: 2_048, windowSeconds: 3_600 });
    store(log);
    takeUse(log, start + 5_000, { limit: 2_048, windowSeconds: 3_600 });
    store(log);
    giveUseBack(log, start + 7);
    store(log);
    expect(written.map(({ parts }) => parts)).toEqual([2_000, 1, 1]);
    expect(usesIn(row()).uses).toEqual(live(log));
  });

  it("is everything after a failure, and in place of the text of an older server", () => {
    const log = createUseLog();
    takeUse(log, start, rule);
    usesToStore(log);
    storeWhole(log);
    expect(usesToStore(log)).toMatchObject({ isWhole: true, parts: 1 });
    for (const older of [`${start}${start + 5}`, `u${start.toString(36)} 5`]) {
      const read = createUseLog(older);
      takeUse(read, start + 9, rule);
      expect(usesToStore(read)).toMatchObject({ isWhole: true, parts: 3 });
    }
  });
});

/** Time passes, so many uses come, the newest or an older one is taken back, and the log may be stored or read again. */
const steps = fc.array(
  fc.record({
    pass: fc.integer({ min: 0, max: 20_000 }),
    uses: fc.integer({ min: 0, max: 9 }),
    back: fc.option(fc.nat({ max: 12 }), { nil: undefined }),
    next: fc.constantFrom("stored", "stored", "nothing", "failed", "restarted"),
  }),
  { maxLength: 80 },
);

it("what is stored gives the same uses, and its size is bounded by theirs", () => {
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 40 }), (happened, limit) => {
      let log = createUseLog();
      let now = start;
      const { row, store } = stored();
      for (const { pass, uses, back, next } of happened) {
        now += pass;
        for (let n = 0; n < uses; n++) takeUse(log, now, { limit, windowSeconds: 60 });
        const use = back === undefined ? undefined : log.uses[log.uses.length - 1 - back];
        if (use) giveUseBack(log, use.at);
        if (next === "failed") {
          usesToStore(log);
          storeWhole(log);
        }
        if (next !== "stored" && next !== "restarted") continue;
        store(log);
        const read = createUseLog(row());
        lookAtUses(read, now, { limit, windowSeconds: 60 });
        lookAtUses(log, now, { limit, windowSeconds: 60 });
        expect(live(read)).toEqual(live(log));
        expect(usesIn(row()).parts).toBeLessThanOrEqual(2 * log.uses.length + 16);
        if (next === "restarted") log = read;
      }
    }),
    { numRuns: rounds(300, 5_000) },
  );
});

it("what is stored in all is at most a few times what was used", () => {
  const log = createUseLog();
  const { written, store } = stored();
  let allowed = 0;
  for (let n = 0; n < 20_000; n++) {
    if (takeUse(log, start + n * 490, rule).allowed) allowed += 1;
    store(log);
  }
  expect(written.reduce((sum, { parts }) => sum + parts, 0)).toBeLessThan(3 * allowed);
});
