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

describe("the report of a cycle", () => {
  let service: Service;
  let world: OwnerWithOneOfEach;
  let test: PlannedCycle;
  beforeAll(async () => {
    service = await startService();
    world = await makeOwnerWithOneOfEach(service);
  });
  beforeEach(async () => {
    test = await makePlannedCycle(service, world, { durationDays: 3, maxMissedDays: 2 });
  });
  afterEach(() => resetClock(service));
  afterAll(() => service.stop());

  const report = async () => Object((await world.call("GET", `/cycles/${test.cycleId}/report`)).body);
  const slotOf = async (slotId: string) =>
    (await report()).seats.find((slot: { slotId: string }) => slot.slotId === slotId);
  const join = async (slotId: string) => {
    const tester = await test.ask(slotId);
    await test.change(slotId, "accept");
    return tester;
  };
  const count = (slotId: string, dayIndex: number) =>
    recordSession(service, slotId, { dayIndex, reason: null });

  it("has no results for a cycle that nobody has joined", async () => {
    const { body } = await world.call("GET", `/cycles/${test.cycleId}`);
    expect(await report()).toEqual({
      cycle: Object(body).cycle,
      appName: "Lantern",
      packageName: "com.example.lantern",
      testers: 0,
      testersWithEveryDay: 0,
      finishedDays: 0,
      testersWithEveryFinishedDay: 0,
      testersPerDay: [1, 2, 3].map((dayIndex) => ({ dayIndex, testers: 0 })),
      seats: test.slotIds.map((slotId, at) => ({
        slotId,
        seat: at + 1,
        status: "open",
        daysCounted: 0,
        daysBySession: 0,
        daysByProof: 0,
        missedDays: 0,
        sessions: 0,
        secondsTested: 0,
        activatedAt: null,
        endedAt: null,
      })),
      statement: expect.stringMatching(/^The test is on day 1 of 3\. 0 testers have a slot\. /),
    });
  });

  it("counts testers and their days by sessions and by proofs", async () => {
    const [faithful, lapsed] = test.slotIds;
    await join(faithful);
    await join(lapsed);
    for (const day of [1, 2, 3]) {
      test.toDay(day);
      if (day === 2) {
        const images = [`${faithful}.png`];
        await recordProof(service, faithful, { dayIndex: 2, appId: world.app.id, images });
      } else await count(faithful, day);
      if (day < 3) await count(lapsed, day);
    }
    test.toDay(5, 0);
    expect(await report()).toMatchObject({
      cycle: { status: "completed", dayIndex: 3 },
      testers: 2,
      testersWithEveryDay: 1,
      testersPerDay: [
        { dayIndex: 1, testers: 2 },
        { dayIndex: 2, testers: 2 },
        { dayIndex: 3, testers: 1 },
      ],
      seats: [
        { slotId: faithful, status: "completed", daysCounted: 3, daysBySession: 2, daysByProof: 1 },
        { slotId: lapsed, status: "completed", daysCounted: 2, daysBySession: 2, missedDays: 1 },
        { status: "open" },
      ],
    });
  });

  it("counts all sessions, and the seconds only of the sessions that the server confirms", async () => {
    const [slotId] = test.slotIds;
    await join(slotId);
    await recordSession(service, slotId, { dayIndex: null, reason: "session_stale", seconds: 1_000 });
    await recordSession(service, slotId, { dayIndex: 1, reason: "session_in_future", seconds: 1_000 });
    await recordSession(service, slotId, { dayIndex: 1, reason: "session_below_bar", seconds: 20 });
    await recordSession(service, slotId, { dayIndex: 1, reason: null, seconds: 60 });
    await recordSession(service, slotId, { dayIndex: 1, reason: "already_submitted", seconds: 100 });
    expect(await slotOf(slotId)).toMatchObject({ sessions: 5, secondsTested: 180, daysCounted: 1 });
  });

  it("counts no seconds of a session after the time when the server received it", async () => {
    const [slotId] = test.slotIds;
    await join(slotId);
    const startedAt = new Date(service.clock.now().getTime() - 10_000).toISOString();
    const claim = { dayIndex: 1, startedAt, receivedAt: service.clock.now().toISOString() };
    await recordSession(service, slotId, { ...claim, reason: null, seconds: 80_000 });
    const { secondsTested } = await slotOf(slotId);
    expect(secondsTested).toBeGreaterThanOrEqual(10);
    expect(secondsTested).toBeLessThanOrEqual(10 + 121);
  });

  it("keeps the work of a tester who left, but counts the successor as the tester", async () => {
    const [slotId] = test.slotIds;
    await join(slotId);
    await count(slotId, 1);
    await test.change(slotId, "remove");
    const [, successor] = await test.slots();
    await join(successor.slotId);
    await count(successor.slotId, 1);
    expect(await report()).toMatchObject({
      testers: 1,
      testersPerDay: [{ testers: 2 }, { testers: 0 }, { testers: 0 }],
      seats: [
        { slotId, seat: 1, status: "removed", daysCounted: 1, endedAt: expect.any(String) },
        { slotId: successor.slotId, seat: 1, status: "active", daysCounted: 1 },
        { seat: 2 },
        { seat: 3 },
      ],
    });
  });

  it("counts the testers of a cancelled cycle who had a slot at the time of the cancellation", async () => {
    const [dropout, held] = test.slotIds;
    await join(dropout);
    await join(held);
    await test.change(dropout, "remove");
    await test.cancel();
    expect(await report()).toMatchObject({ cycle: { status: "cancelled" }, testers: 1 });
  });

  it.each([
    ["recruiting", { startsIn: 2 }, /^The test has not started\. 1 tester has a slot\. /],
    ["running", {}, /^The test is on day 1 of 14\. 1 tester has a slot\. /],
    [
      "completed",
      { durationDays: 1 },
      /^The test ran for 1 day\. 1 tester had a slot when it ended; 0 of them/,
    ],
    [
      "cancelled",
      {},
      /^The test was cancelled before its end\. 1 tester had a slot when it ended; 0 of them/,
    ],
  ])("says how far a cycle is that is %s, and claims only what is known", async (status, plan, start) => {
    test = await makePlannedCycle(service, world, plan);
    await join(test.slotIds[0]);
    if (status === "completed") test.toDay(3, 0);
    if (status === "cancelled") await test.cancel();
    const { cycle, statement } = await report();
    expect(cycle).toMatchObject({ status });
    expect(statement).toMatch(start);
    expect(statement).toContain("a session of at least 45 seconds reached at least 2 screens on that day");
    expect(statement).toContain("the reporter had the key of that slot");
    expect(statement).toContain("This report does not say how an app store will decide.");
  });

  it("says after the last day of a cycle that late sessions still count", async () => {
    test = await makePlannedCycle(service, world, { durationDays: 1 });
    test.toDay(2);
    const { cycle, statement } = await report();
    expect(cycle).toMatchObject({ status: "running" });
    expect(statement).toMatch(/^The last day of the test is over; late sessions of that day still count\. /);
  });

  it("contains no name of a tester", async () => {
    const tester = await join(test.slotIds[0]);
    const { text } = await world.call("GET", `/cycles/${test.cycleId}/report`);
    expect(text).not.toContain(tester.id);
    expect(text).not.toContain(tester.email);
  });
});
