import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { cyclesTopic } from "../../server/database/transaction.ts";
import { databases } from "../support/database/databases.ts";
import { tracedDatabase } from "../support/database/traced-database.ts";
import { type Service, startService } from "../support/service/service.ts";
import { makeUpcomingCycle, type UpcomingCycle } from "../support/worlds/cycle-starting-in-three-days.ts";

const minute = 60_000;

describe.each(databases)("the job of closed tests on $name", (engine) => {
  let service: Service;
  let test: UpcomingCycle;
  const traced = tracedDatabase(engine);
  beforeAll(async () => {
    service = await startService({ engine: traced.engine });
  });
  beforeEach(async () => {
    service.clock.setOffset(0);
    test = await makeUpcomingCycle(service, { seats: 2, durationDays: 5 });
  });
  afterAll(() => service.stop());

  it("starts a cycle at the start of its first day", async () => {
    await test.goTo(1, -minute);
    expect(await test.cycle()).toMatchObject({ status: "recruiting", closedDays: 0 });
    await test.goTo(1);
    expect(await test.cycle()).toMatchObject({ status: "running", closedDays: 0, nextAt: test.dayStarts[1] });
  });

  it("closes each day when it ends, and completes the cycle one day after the last day", async () => {
    await test.goTo(2, -minute);
    expect(await test.cycle()).toMatchObject({ status: "running", closedDays: 0 });
    await test.goTo(3);
    expect(await test.cycle()).toMatchObject({ status: "running", closedDays: 2, nextAt: test.dayStarts[3] });
    await test.goTo(6, -minute);
    expect(await test.cycle()).toMatchObject({ status: "running", closedDays: 4 });
    await test.goTo(6);
    expect(await test.cycle()).toMatchObject({ status: "running", closedDays: 5, nextAt: test.dayAfter });
    await test.goTo(7, -minute);
    expect(await test.cycle()).toMatchObject({ status: "running", closedDays: 5 });
    await test.goTo(7);
    expect(await test.cycle()).toMatchObject({ status: "completed", closedDays: 5, nextAt: null });
  });

  it("puts an active slot at risk if a day ends uncounted", async () => {
    await test.giveSlot(0);
    await test.goTo(2);
    expect(await test.slots()).toMatchObject([{ status: "at_risk", missedDays: 1 }, { status: "open" }]);
  });

  it("does not change a slot whose day is counted", async () => {
    await test.giveSlot(0);
    await test.goTo(1, 3_600_000);
    await test.count(0, 1);
    await test.goTo(2);
    expect(await test.slots()).toMatchObject([{ status: "active", missedDays: 0 }, {}]);
  });

  it("keeps the missed days of a slot that is active again", async () => {
    await test.giveSlot(0);
    await test.goTo(2, 3_600_000);
    await test.count(0, 2);
    await test.goTo(3);
    expect(await test.slots()).toMatchObject([{ status: "active", missedDays: 1 }, {}]);
  });

  it("removes a slot after the time for late sessions of its third missed day, and opens a new slot", async () => {
    await test.giveSlot(0);
    await test.goTo(4);
    expect(await test.slots()).toMatchObject([{ status: "at_risk", missedDays: 3 }, { status: "open" }]);
    await test.goTo(5, -minute);
    expect(await test.slots()).toMatchObject([{ status: "at_risk", missedDays: 3 }, { status: "open" }]);
    await test.goTo(5);
    expect(await test.slots()).toMatchObject([
      { seat: 1, status: "removed", missedDays: 3, endedAt: test.dayStarts[4] },
      { seat: 1, status: "open", tester: null, missedDays: 0 },
      { seat: 2, status: "open" },
    ]);
  });

  it("removes a slot that misses every second day after the third missed day", async () => {
    const long = await makeUpcomingCycle(service, { seats: 1, durationDays: 9 });
    await long.giveSlot(0);
    for (const day of [2, 4, 6]) {
      await long.goTo(day, minute);
      await long.count(0, day);
    }
    expect(await long.slots()).toMatchObject([{ status: "at_risk", missedDays: 3 }]);
    await long.goTo(7);
    expect(await long.slots()).toMatchObject([{ status: "removed", missedDays: 3 }, { status: "open" }]);
  });

  it("keeps a slot if a late session counts for the third missed day", async () => {
    await test.giveSlot(0);
    await test.goTo(4, minute);
    await test.count(0, 3);
    expect(await test.slots()).toMatchObject([{ status: "active", missedDays: 2 }, {}]);
    await test.goTo(5);
    expect(await test.slots()).toMatchObject([{ status: "at_risk", missedDays: 3 }, {}]);
  });

  it("never marks the day on which a slot became active as missed", async () => {
    await test.goTo(2, 1);
    await test.giveSlot(0);
    await test.goTo(3);
    expect(await test.slots()).toMatchObject([{ status: "active", missedDays: 0 }, {}]);
    await test.goTo(4);
    expect(await test.slots()).toMatchObject([{ status: "at_risk", missedDays: 1 }, {}]);
  });

  it("does not change a slot that became active on the last day", async () => {
    await test.goTo(5, 1);
    await test.giveSlot(0);
    await test.goTo(7);
    expect(await test.slots()).toMatchObject([{ status: "completed", missedDays: 0 }, { status: "open" }]);
  });

  it("ends open requests when the last day is over, and completes slots one day later", async () => {
    await test.goTo(4, 1);
    await test.giveSlot(0);
    await test.goTo(5, 1);
    await test.ask(1, 48);
    await test.goTo(6);
    expect(await test.slots()).toMatchObject([
      { status: "at_risk", endedAt: null, missedDays: 1 },
      { status: "open", tester: null, expiresAt: null },
    ]);
    await test.goTo(7);
    expect(await test.slots()).toMatchObject([
      { status: "completed", endedAt: test.dayAfter, missedDays: 1 },
      { status: "open" },
    ]);
  });

  it("allows a late session that counts for the last day", async () => {
    await test.goTo(4, 1);
    await test.giveSlot(0);
    await test.goTo(6, minute);
    await test.count(0, 5);
    expect(await test.slots()).toMatchObject([{ status: "active", missedDays: 0 }, {}]);
    await test.goTo(7);
    expect(await test.slots()).toMatchObject([{ status: "completed", missedDays: 0 }, {}]);
  });

  it("opens no new slot if a slot is removed at the end of the last day or later", async () => {
    await test.goTo(1, 1);
    await test.giveSlot(0);
    await test.goTo(2, 1);
    await test.giveSlot(1);
    await test.goTo(7);
    expect(await test.slots()).toMatchObject([
      { seat: 1, status: "removed", missedDays: 3, endedAt: test.dayStarts[5] },
      { seat: 2, status: "removed", missedDays: 3, endedAt: test.dayAfter },
    ]);
  });

  it("removes a slot after the first missed day if the limit is one missed day", async () => {
    const strict = await makeUpcomingCycle(service, { seats: 1, durationDays: 5, maxMissedDays: 1 });
    await strict.giveSlot(0);
    await strict.goTo(2);
    expect(await strict.slots()).toMatchObject([{ status: "at_risk", missedDays: 1 }]);
    await strict.goTo(3);
    expect(await strict.slots()).toMatchObject([{ status: "removed", missedDays: 1 }, { status: "open" }]);
  });

  it("opens a slot again if its request is 48 hours old", async () => {
    await test.ask(0, 48);
    await test.pass(48 * 3_600_000 - 60_000);
    expect(await test.slots()).toMatchObject([{ status: "requested" }, {}]);
    await test.pass(60_000);
    expect(await test.slots()).toMatchObject([{ status: "open", tester: null, expiresAt: null }, {}]);
  });

  it("does not change a cancelled cycle", async () => {
    await test.giveSlot(0);
    await test.callOff();
    await test.goTo(7);
    expect(await test.cycle()).toMatchObject({ status: "cancelled", closedDays: 0 });
    expect(await test.slots()).toMatchObject([{ status: "removed", missedDays: 0 }, { status: "open" }]);
  });

  it("applies no change twice if the clock is set back", async () => {
    await test.giveSlot(0);
    await test.goTo(3);
    const before = await test.slots();
    await test.goTo(1);
    await test.goTo(3);
    expect(await test.slots()).toEqual(before);
    expect(await test.cycle()).toMatchObject({ closedDays: 2 });
  });

  it("updates for a request only the cycle that the request is about", async () => {
    const other = await makeUpcomingCycle(service, { seats: 1, durationDays: 5 });
    await test.giveSlot(0);
    await other.giveSlot(0);
    service.clock.setOffset(Date.parse(test.dayStarts[2] ?? "") - Date.now());
    await service.deps.passingTime.catchUpOf("cycle", test.id);
    expect(await test.cycle()).toMatchObject({ closedDays: 2 });
    expect(await other.cycle()).toMatchObject({ status: "recruiting", closedDays: 0 });
    await service.deps.passingTime.catchUp();
    expect(await other.cycle()).toMatchObject({ closedDays: 2 });
  });

  it("closes a day with one SQL statement for all slots that miss it", async () => {
    const crowd = await makeUpcomingCycle(service, { seats: 12, durationDays: 5 });
    for (let index = 0; index < 12; index += 1) await crowd.giveSlot(index);
    await crowd.goTo(2, -minute);
    service.clock.advance(minute);
    const ran = await traced.during(() => service.deps.passingTime.catchUpOf("cycle", crowd.id));
    expect((await crowd.slots()).map(({ missedDays }) => missedDays)).toEqual(Array(12).fill(1));
    expect(ran.filter((sql) => sql.startsWith("UPDATE slots"))).toHaveLength(2);
    expect(ran.filter((sql) => sql.includes("missed_days + 1"))).toHaveLength(1);
  });

  it("sends no query to the database if nothing is due, and sends one after a change", async () => {
    const { passingTime, database } = service.deps;
    await passingTime.catchUp();
    const asked = vi.spyOn(database, "get");
    onTestFinished(() => asked.mockRestore());
    // Other jobs of the server read at the same time.
    const timesRead = () => asked.mock.calls.filter(([sql]) => String(sql).includes("min(next_at)"));
    await passingTime.catchUp();
    expect(timesRead()).toHaveLength(0);
    await database.write(async (tx) => tx.signal(cyclesTopic));
    await passingTime.catchUp();
    expect(timesRead()).toHaveLength(1);
  });

  it("also changes a cycle that was planned just before, even with many requests at the same time", async () => {
    const late = await makeUpcomingCycle(service, { seats: 1, durationDays: 1 });
    service.clock.setOffset(Date.parse(late.dayAfter) - Date.now());
    await Promise.all(Array.from({ length: 20 }, () => service.deps.passingTime.catchUp()));
    expect(await late.cycle()).toMatchObject({ status: "completed" });
  });
});
