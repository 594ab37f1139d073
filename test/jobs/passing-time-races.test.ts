import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { cyclesTopic } from "../../server/database/transaction.ts";
import { startPassingTime } from "../../server/jobs/time.ts";
import { databases, sharedDatabases } from "../support/database/databases.ts";
import { eventually } from "../support/eventually.ts";
import { fc } from "../support/property.ts";
import { type Service, startService } from "../support/service/service.ts";
import { rounds } from "../support/torture.ts";
import { makeUpcomingCycle, type UpcomingCycle } from "../support/worlds/cycle-starting-in-three-days.ts";

const hour = 3_600_000;
const long = { timeout: rounds(60_000, 900_000) };

describe.each(sharedDatabases)("two servers with one PostgreSQL database", (postgres) => {
  let one: Service;
  let other: Service;
  beforeAll(async () => {
    one = await startService({ engine: postgres });
    other = await startService({ database: one.database });
  });
  afterAll(async () => {
    await other.stop();
    await one.stop();
  });

  it("that make up for missed time at the same time apply every change exactly once", long, async () => {
    for (let round = 0; round < rounds(40, 400); round += 1) {
      one.clock.setOffset(0);
      const test = await makeUpcomingCycle(one, { seats: 4, durationDays: 6 });
      for (const index of [0, 1, 2]) await test.giveSlot(index);
      await test.ask(3, 48);
      const offset = Date.parse(test.dayStarts[5] ?? "") - Date.now();
      for (const { clock } of [one, other]) clock.setOffset(offset);
      await Promise.all([one, other, one, other].map(({ deps }) => deps.passingTime.catchUp()));
      expect(await test.cycle()).toMatchObject({ status: "running", closedDays: 5 });
      const slots = await test.slots();
      expect(slots.map(({ seat, status, missedDays }) => `${seat} ${status} ${missedDays}`)).toEqual([
        ...["1 removed 3", "1 open 0", "2 removed 3", "2 open 0", "3 removed 3", "3 open 0", "4 open 0"],
      ]);
    }
  });

  it("either accept a request or end it, if both happen at the same time", long, async () => {
    for (let round = 0; round < rounds(40, 400); round += 1) {
      for (const { clock } of [one, other]) clock.setOffset(0);
      const test = await makeUpcomingCycle(one, { seats: 1, durationDays: 6 });
      await test.ask(0, 48);
      other.clock.setOffset(48 * hour);
      const [accepted] = await Promise.all([test.accept(0), other.deps.passingTime.catchUp()]);
      const [slot] = await test.slots();
      expect([slot?.status, slot?.tester === null]).toEqual(accepted ? ["active", false] : ["open", true]);
    }
  });
});

describe.each(databases)("a server that was suspended on $name", (engine) => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ engine });
  });
  afterAll(() => service.stop());

  /** For each of three slots: the day on which its tester gets it (0 for before the cycle), and the days that count. */
  const life = fc.record({
    from: fc.integer({ min: 0, max: 3 }),
    counted: fc.uniqueArray(fc.integer({ min: 1, max: 3 }), { maxLength: 3 }),
  });

  async function live(
    lives: readonly { from: number; counted: readonly number[] }[],
    awake: readonly number[],
  ) {
    service.clock.setOffset(0);
    const test = await makeUpcomingCycle(service, { seats: 3, durationDays: 9 });
    for (let day = 0; day <= 3; day += 1) {
      if (day > 0) await test.goTo(day, hour);
      for (const [index, { from, counted }] of lives.entries()) {
        if (from === day) await test.giveSlot(index);
        if (from < day && counted.includes(day)) await test.count(index, day);
      }
    }
    for (const day of awake) await test.goTo(day, hour);
    const found = await test.slots();
    const told = found.map(({ seat: number, status, missedDays, endedAt }) => {
      const ended = endedAt === null ? null : test.dayStarts.indexOf(endedAt);
      return { number, status, missedDays, ended };
    });
    return { told, cycle: { ...(await test.cycle()), nextAt: undefined } };
  }

  it("for five days has the same state as a server that ran each day", long, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(life, { minLength: 3, maxLength: 3 }), async (lives) => {
        const awake = await live(lives, [4, 5, 6, 7, 8]);
        expect(await live(lives, [8])).toEqual(awake);
      }),
      { numRuns: rounds(12, 300) },
    );
  });

  it("until after the end of a cycle has completed the cycle one day after its last day", async () => {
    service.clock.setOffset(0);
    const test = await makeUpcomingCycle(service, { seats: 1, durationDays: 3 });
    await test.giveSlot(0);
    await test.pass(60 * 24 * hour);
    expect(await test.cycle()).toEqual({ status: "completed", closedDays: 3, nextAt: null });
    expect(await test.slots()).toMatchObject([{ status: "removed", missedDays: 3, endedAt: test.dayAfter }]);
  });
});

describe.each(databases)("the job of closed tests on $name", (engine) => {
  let service: Service;
  let test: UpcomingCycle;
  beforeEach(async () => {
    service = await startService({ engine });
    test = await makeUpcomingCycle(service, { seats: 1, durationDays: 6 });
    await test.giveSlot(0);
  });
  afterEach(() => service.stop());

  const atEndOf = (day: number, before: number) =>
    service.clock.setOffset(Date.parse(test.dayStarts[day] ?? "") - before - Date.now());
  const wake = () => service.deps.database.write(async (tx) => tx.signal(cyclesTopic));
  const comesTo = (closedDays: number) =>
    eventually(async () => expect(await test.cycle()).toMatchObject({ status: "running", closedDays }));

  it("applies all due changes immediately, and later changes when they become due, without a request", async () => {
    atEndOf(1, hour);
    const stop = startPassingTime(service.deps);
    onTestFinished(stop);
    await comesTo(0);
    atEndOf(1, 300);
    await wake();
    await comesTo(1);
  });

  it("does nothing after it was stopped", async () => {
    const stop = startPassingTime(service.deps);
    await stop();
    const caughtUp = vi.spyOn(service.deps.passingTime, "catchUp");
    atEndOf(2, 0);
    await wake();
    expect(await test.cycle()).toMatchObject({ status: "recruiting" });
    expect(caughtUp).not.toHaveBeenCalled();
  });

  it("logs a failure, and tries again", async () => {
    const outcomes = [Promise.reject(new Error("the disk is full")), Promise.resolve()];
    const catchUp = () => outcomes.shift() ?? Promise.resolve();
    const stop = startPassingTime({
      ...service.deps,
      passingTime: { ...service.deps.passingTime, next: () => null, catchUp },
    });
    onTestFinished(stop);
    await eventually(() => expect(service.logged()).toContain("days were not closed"));
    await wake();
    await eventually(() => expect(outcomes).toEqual([]));
  });
});
