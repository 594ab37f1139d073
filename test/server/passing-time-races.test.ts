import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { startPassingTime } from "../../server/passing-time.ts";
import { databases, postgres } from "../support/databases.ts";
import { type Service, startService } from "../support/service.ts";
import { timedTest } from "../support/timed-test.ts";

const hour = 3_600_000;

describe("two servers of one PostgreSQL database", () => {
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

  it("that catch up at once bring every change about exactly once", async () => {
    for (let round = 0; round < 15; round += 1) {
      one.clock.setOffset(0);
      const test = await timedTest(one, { seats: 4, durationDays: 6 });
      for (const seat of [0, 1, 2]) await test.seat(seat);
      await test.ask(3, 48);
      const offset = Date.parse(test.dayStarts[5] ?? "") - Date.now();
      for (const { clock } of [one, other]) clock.setOffset(offset);
      await Promise.all([one, other, one, other].map(({ deps }) => deps.passingTime.catchUp()));
      expect(await test.cycle()).toMatchObject({ status: "running", closedDays: 5 });
      const seats = await test.seats();
      expect(seats.map(({ seat, status, missedDays }) => `${seat} ${status} ${missedDays}`)).toEqual([
        ...["1 removed 3", "1 open 0", "2 removed 3", "2 open 0", "3 removed 3", "3 open 0", "4 open 0"],
      ]);
    }
  });

  it("let either the owner accept a request or time end it, when both happen at once", async () => {
    for (let round = 0; round < 20; round += 1) {
      for (const { clock } of [one, other]) clock.setOffset(0);
      const test = await timedTest(one, { seats: 1, durationDays: 6 });
      await test.ask(0, 48);
      other.clock.setOffset(48 * hour);
      const [accepted] = await Promise.all([test.accept(0), other.deps.passingTime.catchUp()]);
      const [seat] = await test.seats();
      expect([seat?.status, seat?.tester === null]).toEqual(accepted ? ["active", false] : ["open", true]);
    }
  });
});

describe.each(databases)("a server that slept on $name", (engine) => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ engine });
  });
  afterAll(() => service.stop());

  /** For each of three seats the day on which its tester sits down, 0 for before the test, and the days that count. */
  const seat = fc.record({
    from: fc.integer({ min: 0, max: 3 }),
    counted: fc.uniqueArray(fc.integer({ min: 1, max: 3 }), { maxLength: 3 }),
  });

  async function live(
    seats: readonly { from: number; counted: readonly number[] }[],
    awake: readonly number[],
  ) {
    service.clock.setOffset(0);
    const test = await timedTest(service, { seats: 3, durationDays: 9 });
    for (let day = 0; day <= 3; day += 1) {
      if (day > 0) await test.goTo(day, hour);
      for (const [index, { from, counted }] of seats.entries()) {
        if (from === day) await test.seat(index);
        if (from < day && counted.includes(day)) await test.count(index, day);
      }
    }
    for (const day of awake) await test.goTo(day, hour);
    const found = await test.seats();
    const told = found.map(({ seat: number, status, missedDays, endedAt }) => {
      const ended = endedAt === null ? null : test.dayStarts.indexOf(endedAt);
      return { number, status, missedDays, ended };
    });
    return { told, cycle: { ...(await test.cycle()), nextAt: undefined } };
  }

  it("for five days stands where it would if it had been awake each day", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(seat, { minLength: 3, maxLength: 3 }), async (seats) => {
        const awake = await live(seats, [4, 5, 6, 7, 8]);
        expect(await live(seats, [8])).toEqual(awake);
      }),
      { numRuns: 12 },
    );
  });

  it("to the end and beyond has completed the cycle at the end of its last day", async () => {
    service.clock.setOffset(0);
    const test = await timedTest(service, { seats: 1, durationDays: 3 });
    await test.seat(0);
    await test.pass(60 * 24 * hour);
    expect(await test.cycle()).toEqual({ status: "completed", closedDays: 3, nextAt: null });
    expect(await test.seats()).toMatchObject([{ status: "removed", endedAt: test.dayStarts[3] }]);
  });
});

describe.each(databases)("the worker on $name", (engine) => {
  it("brings about what is due at once, and what becomes due, without a request; and nothing once it is stopped", async () => {
    const service = await startService({ engine });
    onTestFinished(() => service.stop());
    const test = await timedTest(service, { seats: 1, durationDays: 6 });
    await test.seat(0);
    const atEndOf = (day: number, before = 0) =>
      service.clock.setOffset(Date.parse(test.dayStarts[day] ?? "") - before - Date.now());
    atEndOf(1, 300);
    const stop = startPassingTime(service.deps);
    await vi.waitFor(async () =>
      expect(await test.cycle()).toMatchObject({ status: "running", closedDays: 0 }),
    );
    await vi.waitFor(async () => expect(await test.cycle()).toMatchObject({ closedDays: 1 }), 10_000);
    await stop();
    atEndOf(2);
    await service.deps.database.write(async (tx) => tx.signal("cycles"));
    expect(await test.cycle()).toMatchObject({ closedDays: 1 });
  });

  it("tells the log when it cannot, and goes on", async () => {
    const service = await startService({ engine });
    onTestFinished(() => service.stop());
    const broken = { next: () => null, catchUp: () => Promise.reject(new Error("the disk is full")) };
    const stop = startPassingTime({ ...service.deps, passingTime: broken });
    await vi.waitFor(() => expect(service.logged()).toContain("days were not closed"));
    await stop();
  });
});
