import { describe, expect, it } from "vitest";
import { judgeProof, type TestedSlot, wouldHaveBeenAccepted } from "../../../../server/testing/days/rules.ts";
import { activeSlot, secondsAfter, slotInCycle } from "../../../support/worlds/active-slot.ts";

/** Day 5, at noon. */
const noon = "2026-05-05T12:00:00.000Z";
const sound = [undefined];
const broken = [undefined, "is no image"];

interface Sent {
  readonly capturedAt?: string;
  readonly imageFaults?: readonly (string | undefined)[];
}

function judge(
  { capturedAt = secondsAfter(noon, -60), imageFaults = sound }: Sent = {},
  slot: TestedSlot = activeSlot,
  now = noon,
) {
  return judgeProof({ capturedAt, imageFaults }, slot, new Date(now));
}

const refused = (code: string, dayIndex = 5) => ({ accepted: false, code, dayIndex });

describe("a proof of today with valid images", () => {
  it("is accepted for the day on which it was captured", () => {
    expect(judge()).toEqual({ accepted: true, dayIndex: 5 });
  });

  it("is accepted for a slot at risk", () => {
    expect(judge({}, { ...activeSlot, status: "at_risk" }).accepted).toBe(true);
  });
});

describe("a proof", () => {
  it.each(["open", "requested", "removed", "completed"])(
    "for a slot that is %s is refused with slot_not_active",
    (status) => {
      expect(judge({}, { ...activeSlot, status })).toEqual(refused("slot_not_active"));
    },
  );

  it.each(["recruiting", "completed", "cancelled"])(
    "in a cycle that is %s is refused with cycle_not_running",
    (status) => {
      expect(judge({}, slotInCycle(status))).toEqual(refused("cycle_not_running"));
    },
  );

  it.each([
    ["the last moment of yesterday", "2026-05-04T23:59:59.999Z", 4],
    ["the day before the cycle", "2026-04-30T12:00:00.000Z", 0],
    ["tomorrow", "2026-05-06T00:00:00.000Z", 6],
  ])("from %s is refused with out_of_window and the day of the proof", (_, capturedAt, dayIndex) => {
    expect(judge({ capturedAt })).toEqual(refused("out_of_window", dayIndex));
  });

  it("from tomorrow is refused even if the clocks differ by less than 120 seconds", () => {
    const capturedAt = "2026-05-06T00:00:10.000Z";
    expect(judge({ capturedAt }, activeSlot, "2026-05-05T23:59:50.000Z")).toEqual(
      refused("out_of_window", 6),
    );
  });

  it.each(["2026-05-05T00:00:00.000Z", noon, secondsAfter(noon, 121), "2026-05-05T23:59:59.999Z"])(
    "from %s counts for today",
    (capturedAt) => {
      expect(judge({ capturedAt }).accepted).toBe(true);
    },
  );

  it("for a counted day is refused with already_submitted", () => {
    expect(judge({}, { ...activeSlot, countedDays: new Set([5]) })).toEqual(refused("already_submitted"));
    expect(judge({}, { ...activeSlot, countedDays: new Set([4]) }).accepted).toBe(true);
  });

  it("without an image is refused with no_images", () => {
    expect(judge({ imageFaults: [] })).toEqual(refused("no_images"));
  });

  it("with one bad image is refused with bad_image", () => {
    expect(judge({ imageFaults: broken })).toEqual(refused("bad_image"));
  });
});

describe("the reasons against a proof", () => {
  const early = "2026-05-04T12:00:00.000Z";
  const counted = new Set([4, 5]);
  const over = { ...slotInCycle("completed"), status: "removed", countedDays: counted };
  const gone = { ...activeSlot, status: "removed", countedDays: counted };
  const done = { ...activeSlot, countedDays: counted };

  it.each([
    ["cycle_not_running", { capturedAt: early, imageFaults: [] }, over],
    ["slot_not_active", { capturedAt: early, imageFaults: [] }, gone],
    ["out_of_window", { capturedAt: early, imageFaults: [] }, done],
    ["already_submitted", { imageFaults: [] }, done],
    ["already_submitted", { imageFaults: broken }, done],
    ["no_images", { imageFaults: [] }, activeSlot],
    ["bad_image", { imageFaults: broken }, activeSlot],
  ])("have an order: %s has priority over all later reasons", (code, proof, slot) => {
    expect(judge(proof, slot)).toMatchObject({ accepted: false, code });
  });
});

describe("a proof that is refused only because of its time", () => {
  const asked = (slot: TestedSlot, { capturedAt = noon, imageFaults = sound }: Sent = {}) =>
    wouldHaveBeenAccepted({ capturedAt, imageFaults }, slot);

  it.each(["running", "recruiting"])(
    "would have been accepted when it was captured, in a cycle that is %s",
    (status) => {
      expect(asked(slotInCycle(status))).toBe(true);
    },
  );

  it.each([
    ["a completed cycle", asked(slotInCycle("completed"))],
    ["a removed slot", asked({ ...activeSlot, status: "removed" })],
    ["the first moment after the cycle", asked(activeSlot, { capturedAt: "2026-05-15T00:00:00.000Z" })],
    ["the last moment before the cycle", asked(activeSlot, { capturedAt: "2026-04-30T23:59:59.999Z" })],
    ["a broken image", asked(activeSlot, { imageFaults: broken })],
  ])("is not a proof with %s", (_, accepted) => {
    expect(accepted).toBe(false);
  });

  it("can be from the first and the last moment of the cycle", () => {
    for (const capturedAt of ["2026-05-01T00:00:00.000Z", "2026-05-14T23:59:59.999Z"])
      expect(asked(activeSlot, { capturedAt })).toBe(true);
  });
});
