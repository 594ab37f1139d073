import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { tidy } from "../../../server/jobs/housekeeping.ts";
import { startTimeKeeper } from "../../../server/jobs/time.ts";
import { databases, type TestDatabase } from "../../support/database/databases.ts";
import { refusal } from "../../support/service/refusals.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { cookieOf, makeAccount, postSession } from "../../support/sign-in/password-accounts.ts";
import {
  dayMilliseconds,
  makeTesterInCycle,
  sendProof,
  setClock,
  type TesterInCycle,
} from "../../support/worlds/tester-in-running-cycle.ts";

const minute = 60_000;
const hour = 60 * minute;
const environment = { INNKEEP_RATE_LIMITS: "off" };

describe.each(databases)("a clock that jumps on $name", (engine) => {
  let database: TestDatabase;
  let service: Service;
  let world: TesterInCycle;
  beforeEach(async () => {
    database = await engine.create();
    service = await startService({ database, environment });
    setClock(service, "2027-03-01T12:00:00.000Z");
    world = await makeTesterInCycle(service, { seats: 2, durationDays: 4 });
    service.clock.advance(10 * minute);
  });
  afterEach(async () => {
    await service.stop();
    await database.remove();
  });

  /** Reads the slots directly from the database, because a read through the API would first update them. */
  const slots = () =>
    service.deps.database.all<{ status: string; missedDays: number }>(
      `SELECT status, missed_days AS "missedDays" FROM slots WHERE cycle_id = ? ORDER BY seat, created_at, id`,
      world.cycle.id,
    );
  const untouched = [
    { status: "active", missedDays: 0 },
    { status: "open", missedDays: 0 },
  ];
  /** Everything that applies the clock's time: a tester's requests, the worker and housekeeping. */
  async function everything() {
    for (const path of ["me/tasks", "me/slots", "listings"])
      await service.request("GET", `/api/v1/testing/${path}`, { headers: world.device });
    await service.deps.passingTime.catchUp();
    await tidy(service.deps);
  }
  function report(secondsAgo: number, now = service.clock.now()) {
    const startedAt = new Date(now.getTime() - secondsAgo * 1_000).toISOString();
    const endedAt = new Date(now.getTime() - secondsAgo * 1_000 + minute).toISOString();
    const body = { testKey: world.testKey, startedAt, endedAt, screens: ["Home", "Map"] };
    return service.request("POST", "/api/v1/testing/sdk/session", {
      headers: { "x-api-key": world.app.key },
      body,
    });
  }

  const sendOnce = () =>
    service.request("PATCH", "/api/v1/testing/me/profile", {
      headers: { ...world.device, "idempotency-key": "once" },
      body: { timezone: "Europe/Berlin" },
    });

  it.each([
    ["five days ahead", 5 * dayMilliseconds],
    ["a year ahead", 365 * dayMilliseconds],
    ["five days back", -5 * dayMilliseconds],
    ["past midnight", 11 * hour + 51 * minute],
  ])("%s for a moment changes no slot", async (_, jump) => {
    service.clock.jump(jump);
    await everything();
    expect(await slots()).toEqual(untouched);
    service.clock.jump(-jump);
    await everything();
    expect(await slots()).toEqual(untouched);
    expect((await report(90)).body).toMatchObject({ counted: true, dayIndex: 1 });
  });

  it("ahead takes effect after it has lasted for ten minutes", async () => {
    service.clock.jump(5 * dayMilliseconds);
    await everything();
    service.clock.pass(9 * minute);
    await everything();
    expect(await slots()).toEqual(untouched);
    service.clock.pass(2 * minute);
    await everything();
    expect(await slots()).toMatchObject([{ status: "removed", missedDays: 3 }, { status: "open" }]);
  });

  it("a second time within the ten minutes starts the ten minutes again", async () => {
    service.clock.jump(5 * dayMilliseconds);
    await everything();
    service.clock.pass(9 * minute);
    service.clock.jump(dayMilliseconds);
    await everything();
    service.clock.pass(9 * minute);
    await everything();
    expect(await slots()).toEqual(untouched);
  });

  it("by less than a minute is a correction, and takes effect immediately", async () => {
    service.clock.advance(11 * hour + 49 * minute + 30_000);
    await everything();
    service.clock.jump(50_000);
    await everything();
    expect(await slots()).toMatchObject([{ status: "active" }, {}]);
    service.clock.advance(dayMilliseconds);
    await everything();
    expect(await slots()).toMatchObject([{ status: "at_risk", missedDays: 1 }, {}]);
  });

  it("is logged once", async () => {
    service.clock.jump(5 * dayMilliseconds);
    await everything();
    await everything();
    expect(service.logged().match(/the clock has jumped/g)).toHaveLength(1);
  });

  it.each([
    ["ahead before its housekeeping", 5 * dayMilliseconds, 0],
    ["ahead and back again", 5 * dayMilliseconds, -5 * dayMilliseconds],
  ])("%s does not end the time of an Idempotency-Key", async (_, jump, later) => {
    await sendOnce();
    service.clock.jump(jump);
    await tidy(service.deps);
    service.clock.jump(later);
    expect((await sendOnce()).headers.get("idempotent-replay")).toBe("true");
  });

  it("back keeps the Idempotency-Keys of that time until the clock is right again", async () => {
    service.clock.jump(-5 * dayMilliseconds);
    await sendOnce();
    service.clock.jump(5 * dayMilliseconds);
    expect((await sendOnce()).headers.get("idempotent-replay")).toBe("true");
  });

  it("ahead does not delete a session if its account signs in again", async () => {
    const account = await makeAccount(service);
    const signIn = async () => ({ cookie: cookieOf(await postSession(service, account)) });
    const headers = await signIn();
    service.clock.jump(40 * dayMilliseconds);
    await signIn();
    service.clock.jump(-40 * dayMilliseconds);
    expect((await service.request("GET", "/api/v1/console/apps", { headers })).status).toBe(200);
  });

  it("counts a refused session report in the limit of its test key", async () => {
    const phone = service.clock.now();
    service.clock.jump(2 * dayMilliseconds);
    for (let sent = 0; sent < 60; sent += 1) expect((await report(90, phone)).status).toBe(503);
    expect(await report(90, phone)).toMatchObject(refusal(429, "rate_limited"));
  });

  it.each([
    ["ahead", 2 * dayMilliseconds],
    ["ahead past the end of the test", 30 * dayMilliseconds],
    ["back", -3 * hour],
    ["back before the first day", -3 * dayMilliseconds],
  ])("%s causes a session report to be refused with 503, and to be accepted afterwards", async (_, jump) => {
    const phone = service.clock.now();
    service.clock.jump(jump);
    const refused = await report(90, phone);
    expect(refused).toMatchObject(refusal(503, "busy"));
    expect(refused.headers.get("retry-after")).toBe("60");
    service.clock.jump(-jump);
    expect((await report(90, phone)).body).toMatchObject({ counted: true, dayIndex: 1 });
  });

  it("does not change answers that do not depend on the time", async () => {
    const phone = service.clock.now();
    expect((await report(90)).body).toMatchObject({ counted: true });
    service.clock.jump(2 * dayMilliseconds);
    expect((await report(90, phone)).body).toMatchObject({ counted: false });
    const proof = { slotId: world.slotId, capturedAt: phone.toISOString() };
    expect((await sendProof(service, world.device, proof)).status).toBe(422);
  });

  it("causes a proof to be refused with 503 that would be accepted at another time", async () => {
    const proof = { slotId: world.slotId, capturedAt: service.clock.now().toISOString() };
    service.clock.jump(2 * dayMilliseconds);
    expect(await sendProof(service, world.device, proof)).toMatchObject(refusal(503, "busy"));
    service.clock.jump(-2 * dayMilliseconds);
    expect((await sendProof(service, world.device, proof)).status).toBe(201);
  });

  it("is not assumed if a person moves the clock of a development server", async () => {
    service.clock.advance(5 * dayMilliseconds);
    await everything();
    expect(await slots()).toMatchObject([{ status: "removed" }, { status: "open" }]);
  });
});

describe.each(databases)("a server at its start on $name", (engine) => {
  let database: TestDatabase;
  let service: Service;
  beforeEach(async () => {
    database = await engine.create();
    service = await startService({ database });
    (await startTimeKeeper(service.deps))();
  });
  afterEach(async () => {
    await service.stop();
    await database.remove();
  });

  /** Starts another server with a different clock. Returns the server, and whether it doubts the time. */
  async function startLater(milliseconds: number, dev = false) {
    const later = await startService({ database, settings: { dev } });
    later.clock.jump(milliseconds);
    later.deps.time.isDoubtful();
    later.clock.pass(11 * minute);
    // A server that starts does not know that this test has moved the clock.
    expect(later.deps.time.isDoubtful()).toBe(false);
    (await startTimeKeeper(later.deps))();
    const doubts = later.deps.time.isDoubtful();
    later.clock.pass(11 * minute);
    const doubtsLater = later.deps.time.isDoubtful();
    await later.stop();
    return [doubts, doubtsLater];
  }

  it.each([
    [
      "does not use its clock for ten minutes if the last written time is a day and an hour ago",
      25 * hour,
      true,
    ],
    ["uses its clock if the last written time is less than a day ago", 23 * hour, false],
    ["does not use its clock if the last written time is an hour in the future", -hour, true],
  ])("%s", async (_, milliseconds, doubts) => {
    expect(await startLater(milliseconds)).toEqual([doubts, false]);
  });

  it("for development uses its clock in every case", async () => {
    expect(await startLater(90 * dayMilliseconds, true)).toEqual([false, false]);
  });

  it("does not store a time of a clock that it does not use", async () => {
    await startLater(25 * hour);
    expect(await startLater(25 * hour)).toEqual([true, false]);
  });
});
