import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type BrowserWithoutScripts,
  createBrowserWithoutScripts,
  readingOf,
} from "../../support/browser/browser-without-scripts.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { makeCycleWithTwelveSlots } from "../../support/worlds/cycle-with-twelve-slots.ts";
import { recordProof, recordSession } from "../../support/worlds/listing-and-slot-activity.ts";

describe("the evidence of a day", () => {
  let service: Service;
  let test: Awaited<ReturnType<typeof makeCycleWithTwelveSlots>>;
  let owner: BrowserWithoutScripts;
  beforeAll(async () => {
    service = await startService();
    test = await makeCycleWithTwelveSlots(service);
    owner = createBrowserWithoutScripts(service, test.world.headers);
  });
  afterAll(() => service.stop());

  it.each([
    ["session_below_bar", "The session was shorter than 45 seconds or reached fewer than 2 screens."],
    ["already_submitted", "The day was already counted."],
    [
      "cycle_not_running",
      "The session arrived before the test started or after the test ended, or it began after the last day.",
    ],
    ["slot_not_active", "The slot was no longer active when the session arrived."],
    ["session_stale", "The server cannot confirm the day of the session"],
    ["session_in_future", "According to the server’s clock, the session began in the future."],
  ])("explains why a session did not count: %s", async (reason, words) => {
    const { slotId, evidence } = await test.giveSlot();
    await recordSession(service, slotId, { dayIndex: 1, reason });
    expect(readingOf(await owner.open(evidence))).toContain(`The session did not count. ${words}`);
  });

  it("contains the session that counted the day", async () => {
    const { slotId, seat, evidence } = await test.giveSlot();
    await recordSession(service, slotId, {
      dayIndex: 1,
      reason: null,
      seconds: 133,
      screens: ["Home", "Map"],
    });
    await recordSession(service, slotId, { dayIndex: 1, reason: "already_submitted" });
    const page = readingOf(await owner.open(evidence));
    expect(page).toMatch(
      new RegExp(
        `Slot ${seat}, day 1 .* Counted by a session .* Length 2 min 13 s, .* Screens Home Map App version 1\\.4\\.0`,
      ),
    );
    expect(page).toContain("2 reported for this day");
    expect(page).not.toContain("did not count");
  });

  it("contains the images and the note of a proof, and images only from the server's uploads", async () => {
    const { slotId, evidence } = await test.giveSlot();
    await recordProof(service, slotId, {
      dayIndex: 1,
      appId: test.world.app.id,
      images: ["one.png", "two.png"],
    });
    const page = await owner.open(evidence);
    expect(readingOf(page)).toMatch(/Counted by a proof .* The map is empty\./);
    const images = [...page.text.matchAll(/<img src="([^"]+)" alt="(Proof[^"]+)"/g)].map(
      ([, ...image]) => image,
    );
    expect(images).toEqual([
      [`${service.baseUrl}/uploads/one.png`, "Proof, 1 of 2"],
      [`${service.baseUrl}/uploads/one.png`, "Proof, 1 of 2, in full"],
      [`${service.baseUrl}/uploads/two.png`, "Proof, 2 of 2"],
      [`${service.baseUrl}/uploads/two.png`, "Proof, 2 of 2, in full"],
    ]);
  });

  it.each(["?slot=nothing&day=1", "?slot=&day=", "?day=3"])("is not shown at %s", async (query) => {
    const page = await owner.open(test.path + query);
    expect([page.status, readingOf(page)]).toEqual([
      200,
      expect.stringContaining("Choose a day to see its evidence"),
    ]);
  });
});
