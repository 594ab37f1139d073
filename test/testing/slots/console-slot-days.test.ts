import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Service, startService } from "../../support/service/service.ts";
import {
  makePlannedCycle,
  type PlannedCycle,
  resetClock,
} from "../../support/worlds/cycle-planned-by-owner.ts";
import { recordProof, recordSession } from "../../support/worlds/listing-and-slot-activity.ts";
import {
  makeOwnerWithOneOfEach,
  type OwnerWithOneOfEach,
} from "../../support/worlds/owner-with-one-of-each.ts";

describe("the days of a slot", () => {
  let service: Service;
  let world: OwnerWithOneOfEach;
  let test: PlannedCycle;
  let slotId: string;
  beforeAll(async () => {
    service = await startService();
    world = await makeOwnerWithOneOfEach(service);
  });
  beforeEach(async () => {
    test = await makePlannedCycle(service, world, { durationDays: 5, startsIn: 2 });
    slotId = test.slotIds[0];
    await test.ask(slotId);
    await test.change(slotId, "accept");
  });
  afterEach(() => resetClock(service));
  afterAll(() => service.stop());

  const days = async (id = slotId) => (await test.slot(id)).days;
  const states = async (id = slotId) => (await days(id)).map(({ state }: { state: string }) => state);
  const nothing = { countedBy: null, countedAt: null, reason: null, sessions: 0, session: null, proof: null };
  const bare = (day: number, state: string) => ({ dayIndex: day, state, ...nothing });

  it("are all in the future before the first day", async () => {
    expect(await days()).toEqual([1, 2, 3, 4, 5].map((day) => bare(day, "ahead")));
  });

  it("are empty for a slot without a tester", async () => {
    expect(await states(test.slotIds[1])).toEqual(["none", "none", "none", "none", "none"]);
    test.toDay(3);
    await test.ask(test.slotIds[1]);
    expect(await states(test.slotIds[1])).toEqual(["none", "none", "none", "none", "none"]);
  });

  it("are missed if they end uncounted, open today, and in the future from tomorrow", async () => {
    test.toDay(3);
    expect(await states()).toEqual(["missed", "missed", "open", "ahead", "ahead"]);
    expect(await test.slot(slotId)).toMatchObject({ status: "at_risk", missedDays: 2 });
  });

  it("begin with the day after the slot became active", async () => {
    test.toDay(2);
    await test.ask(test.slotIds[1]);
    await test.change(test.slotIds[1], "accept");
    expect(await states(test.slotIds[1])).toEqual(["none", "open", "ahead", "ahead", "ahead"]);
    test.toDay(4);
    expect(await states(test.slotIds[1])).toEqual(["none", "none", "missed", "open", "ahead"]);
  });

  it("show the session that counted, even if other sessions were longer", async () => {
    test.toDay(1);
    await recordSession(service, slotId, { dayIndex: 1, reason: "session_below_bar", seconds: 20 });
    const startedAt = new Date(service.clock.now().getTime() - 60_000).toISOString();
    await recordSession(service, slotId, { dayIndex: 1, reason: null, startedAt });
    await recordSession(service, slotId, { dayIndex: 1, reason: "already_submitted", seconds: 900 });
    const [day] = await days();
    expect(day).toEqual({
      dayIndex: 1,
      state: "counted",
      countedBy: "session",
      countedAt: expect.stringMatching(/Z$/),
      reason: null,
      sessions: 3,
      session: {
        startedAt,
        endedAt: new Date(Date.parse(startedAt) + 60_000).toISOString(),
        screens: ["Home", "Map"],
        appVersion: "1.4.0",
        receivedAt: expect.stringMatching(/Z$/),
      },
      proof: null,
    });
    expect(await test.slot(slotId)).toMatchObject({ daysCounted: 1, joinCheckPending: false });
  });

  it("show the longest session, and the reason of the last session, if no session counted", async () => {
    test.toDay(1);
    const below = { dayIndex: 1, reason: "session_below_bar" };
    await recordSession(service, slotId, { ...below, seconds: 20 });
    await recordSession(service, slotId, { ...below, seconds: 40, screens: ["Home"] });
    await recordSession(service, slotId, { dayIndex: 1, reason: "session_in_future", seconds: 5 });
    expect((await days())[0]).toMatchObject({
      state: "open",
      countedBy: null,
      reason: "session_in_future",
      sessions: 3,
      session: { screens: ["Home"] },
    });
  });

  it("count a session that lasts past midnight only until the time when the server received it", async () => {
    test.toDay(1, 24);
    const startedAt = `${test.startsOn}T23:59:30.500Z`;
    const below = { dayIndex: 1, reason: "session_below_bar", startedAt };
    await recordSession(service, slotId, { ...below, seconds: 44, screens: ["Across"] });
    await recordSession(service, slotId, { ...below, seconds: 30 });
    expect((await days())[0]).toMatchObject({ sessions: 2, session: { screens: ["Across"] } });
    const received = { receivedAt: new Date(Date.parse(startedAt) - 119_000).toISOString() };
    await recordSession(service, slotId, { ...below, ...received, seconds: 80_000 });
    expect((await days())[0]).toMatchObject({ sessions: 3, session: { screens: ["Across"] } });
  });

  it("show a proof with the addresses of its images, and the session that was too short", async () => {
    test.toDay(2);
    await recordSession(service, slotId, { dayIndex: 2, reason: "session_below_bar", seconds: 20 });
    const images = [`a-${slotId}.png`, `b-${slotId}.png`];
    await recordProof(service, slotId, { dayIndex: 2, appId: world.app.id, images });
    expect((await days())[1]).toMatchObject({
      state: "counted",
      countedBy: "proof",
      reason: null,
      sessions: 1,
      session: { screens: ["Home", "Map"] },
      proof: {
        proofId: expect.any(String),
        capturedAt: expect.any(String),
        queuedAt: null,
        note: "The map is empty.",
        images: images.map((name) => `${service.baseUrl}/uploads/${name}`),
      },
    });
  });

  it("are corrected by a late upload: a missed day counts, and the slot is active again", async () => {
    test.toDay(2);
    expect(await test.slot(slotId)).toMatchObject({ status: "at_risk", missedDays: 1 });
    await recordSession(service, slotId, { dayIndex: 1, reason: null });
    expect(await states()).toEqual(["counted", "open", "ahead", "ahead", "ahead"]);
    expect(await test.slot(slotId)).toMatchObject({ status: "active", missedDays: 0 });
  });

  it("do not contain sessions outside the days of the cycle", async () => {
    await recordSession(service, slotId, { dayIndex: null, reason: "cycle_not_running" });
    expect(await days()).toEqual([1, 2, 3, 4, 5].map((day) => bare(day, "ahead")));
  });

  it("end for a removed slot, and begin for its successor", async () => {
    test.toDay(1);
    await recordSession(service, slotId, { dayIndex: 1, reason: null });
    test.toDay(3);
    await test.change(slotId, "remove");
    const [, successor] = await test.slots();
    await test.ask(successor.slotId);
    await test.change(successor.slotId, "accept");
    test.toDay(5);
    expect(await states()).toEqual(["counted", "missed", "none", "none", "none"]);
    expect(await states(successor.slotId)).toEqual(["none", "none", "none", "missed", "open"]);
  });

  it("are missed up to the third missed day if three missed days end the slot", async () => {
    test.toDay(5);
    const [removed, successor] = await test.slots();
    expect(removed).toMatchObject({ slotId, status: "removed", missedDays: 3 });
    expect(successor).toMatchObject({ seat: 1, status: "open" });
    expect(await states()).toEqual(["missed", "missed", "missed", "none", "none"]);
  });

  it("are all closed after the end of the cycle", async () => {
    for (const day of [1, 2, 4]) {
      test.toDay(day);
      await recordSession(service, slotId, { dayIndex: day, reason: null });
    }
    test.toDay(6, 0);
    expect(await states()).toEqual(["counted", "counted", "missed", "counted", "missed"]);
    expect(await test.slot(slotId)).toMatchObject({ status: "at_risk", missedDays: 2 });
    test.toDay(7, 0);
    expect(await states()).toEqual(["counted", "counted", "missed", "counted", "missed"]);
    expect(await test.slot(slotId)).toMatchObject({ status: "completed", missedDays: 2, daysCounted: 3 });
  });
});
