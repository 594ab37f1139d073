import { describe, expect, it } from "vitest";
import { targetScreen } from "../../../../server/testing/days/rules.ts";
import { fc } from "../../../support/property.ts";

const screensOf = (count: number) => Array.from({ length: count }, (_, at) => `Screen ${at + 1}`);
const slots = Array.from(
  { length: 300 },
  (_, at) => `0199c7f2-0000-7000-8000-${String(at).padStart(12, "0")}`,
);
const days = Array.from({ length: 14 }, (_, at) => at + 1);

const counts = (names: readonly string[], screens: readonly string[]) =>
  screens.map((screen) => names.filter((name) => name === screen).length);

describe("the target screen of a slot and a day", () => {
  it("is one of the screens of the listing, and is always the same", () => {
    fc.assert(
      fc.property(
        fc.uuid(),
        fc.integer({ min: 1, max: 90 }),
        fc.integer({ min: 1, max: 50 }),
        (slot, day, count) => {
          const screens = screensOf(count);
          const screen = targetScreen(screens, slot, day);
          expect(screens).toContain(screen);
          expect(targetScreen(screens, slot, day)).toBe(screen);
        },
      ),
    );
  });

  it("is the same in each release of the program", () => {
    const screens = screensOf(5);
    const drawn = (slot: string) =>
      days.map((day) => screens.indexOf(targetScreen(screens, slot, day))).join("");
    expect([drawn("a seat"), drawn(slots[1] ?? "")]).toEqual(["03123401431043", "34324303120342"]);
    expect(targetScreen([], "a slot", 1)).toBe("");
  });

  it("differs from the screen of the previous day if there are two screens", () => {
    fc.assert(
      fc.property(
        fc.uuid(),
        fc.integer({ min: 2, max: 90 }),
        fc.integer({ min: 2, max: 50 }),
        (slot, day, count) => {
          const screens = screensOf(count);
          expect(targetScreen(screens, slot, day)).not.toBe(targetScreen(screens, slot, day - 1));
        },
      ),
    );
  });

  it("is always the only screen of a listing with one screen", () => {
    expect(days.map((day) => targetScreen(["Home"], "a slot", day))).toEqual(days.map(() => "Home"));
  });

  it.each([2, 3, 4, 5, 7, 10])(
    "is distributed evenly over %d screens, and over the slots on each day",
    (count) => {
      const screens = screensOf(count);
      for (const day of days) {
        const drawn = counts(
          slots.map((slot) => targetScreen(screens, slot, day)),
          screens,
        );
        expect(Math.min(...drawn)).toBeGreaterThan((slots.length / count) * 0.4);
      }
    },
  );

  it.each([
    [2, 2],
    [3, 7],
    [4, 14],
    [5, 14],
  ])("includes for nearly every tester all of %d screens within %d days", (count, within) => {
    const screens = screensOf(count);
    const seen = slots.map(
      (slot) => new Set(days.slice(0, within).map((day) => targetScreen(screens, slot, day))).size,
    );
    expect(seen.filter((size) => size === count).length).toBeGreaterThan(slots.length * 0.75);
  });
});
