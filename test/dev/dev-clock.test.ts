import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { faultyPaths } from "../support/service/issues.ts";
import { type Service, startService } from "../support/service/service.ts";
import { makeAppWithAgent, writeNote } from "../support/worlds/app-with-owner-and-agent.ts";

describe("POST /dev/clock", () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ settings: { dev: true } });
  });
  beforeEach(() => void service.clock.setOffset(0));
  afterAll(() => service.stop());

  const move = (body: object) => service.request("POST", "/dev/clock", { body });
  const hoursAhead = () => Math.round(service.clock.offsetMs / 3_600_000);

  it.each([
    ["P1D", 24],
    ["PT90M", 1.5],
    ["P2W", 336],
    ["-P1D", -24],
    ["-PT36H", -36],
  ])("moves the clock by %s and returns the new time", async (advance, hours) => {
    const before = Date.now();
    const answer = await move({ advance });
    expect(answer.status).toBe(200);
    const moved = Date.parse(answer.field("now")) - before;
    expect(Math.abs(moved - hours * 3_600_000)).toBeLessThan(60_000);
    expect(Math.abs(service.clock.now().getTime() - Date.parse(answer.field("now")))).toBeLessThan(60_000);
  });

  it("sets the clock to an instant, and the clock continues from there", async () => {
    const answer = await move({ set: "2027-03-01T09:00:00+01:00" });
    expect(answer.body).toEqual({ now: "2027-03-01T08:00:00.000Z" });
    expect(service.clock.now().getTime()).toBeGreaterThanOrEqual(Date.UTC(2027, 2, 1, 8));
  });

  it("moves the clock from its present time", async () => {
    await move({ advance: "P1D" });
    await move({ advance: "PT12H" });
    expect(hoursAhead()).toBe(36);
  });

  it.each([
    ["neither is given", {}, "advance"],
    ["both are given", { advance: "P1D", set: "2027-03-01T09:00:00Z" }, "advance"],
    ["the duration is invalid", { advance: "tomorrow" }, "advance"],
    ["the duration is a number", { advance: 86_400 }, "advance"],
    ["the new time would be too late", { advance: "P8000Y" }, "advance"],
    ["the new time would be beyond all dates", { advance: "P999999999D" }, "advance"],
    ["the new time would be before 1970", { advance: "-P100Y" }, "advance"],
    ["the instant has no offset", { set: "2027-03-01T09:00:00" }, "set"],
    ["the instant is too late", { set: "9000-01-01T00:00:00Z" }, "set"],
  ])("answers 400 and names the field if %s, and does not move the clock", async (_, body, field) => {
    const answer = await move(body);
    expect(answer.status).toBe(400);
    expect(faultyPaths(answer)).toEqual([field]);
    expect(service.clock.offsetMs).toBe(0);
  });

  it("ends days and requests that are due before it answers", async () => {
    const listing = await service.makeListing(await service.makeApp(), { durationDays: 3, seats: 2 });
    const cycle = await service.makeCycle(listing);
    const [held = "", asked = ""] = cycle.slotIds;
    await service.giveSlot(cycle, held, await service.makeUser());
    const expiry = new Date(Date.now() + 3_600_000).toISOString();
    await service.deps.database.write((tx) =>
      tx.run("UPDATE slots SET status = 'requested', request_expires_at = ? WHERE id = ?", expiry, asked),
    );
    await move({ advance: "P2D" });
    const slots = await service.deps.database.all(
      `SELECT status, missed_days AS missed FROM slots WHERE cycle_id = ? ORDER BY seat`,
      cycle.id,
    );
    expect(slots).toEqual([
      { status: "at_risk", missed: 1 },
      { status: "open", missed: 0 },
    ]);
  });

  it("publishes entries that are due, and hides them again if the clock is set back", async () => {
    const cast = await makeAppWithAgent(service);
    const publishedAt = new Date(Date.now() + 3_600_000).toISOString();
    await writeNote(service, cast, { title: "Tomorrow", publishedAt });
    const entries = async () =>
      (await service.request("GET", "/api/v1/changelog/remote", { headers: cast.key })).text;
    expect(await entries()).toBe('{"entries":[]}');
    await move({ advance: "P1D" });
    expect(await entries()).toContain("Tomorrow");
    await move({ advance: "-P1D" });
    expect(await entries()).toBe('{"entries":[]}');
  });

  it("makes devices expire, and makes them valid again if the clock is set back", async () => {
    const headers = await service.makeDevice(await service.makeUser());
    const tasks = async () => (await service.request("GET", "/api/v1/testing/me/tasks", { headers })).status;
    expect(await tasks()).toBe(200);
    await move({ advance: "P91D" });
    expect(await tasks()).toBe(401);
    await move({ advance: "-P91D" });
    expect(await tasks()).toBe(200);
  });

  it("resets rate limits whose time has passed", async () => {
    const { key } = await service.makeApp();
    const testKey = "a key that nobody has";
    const at = "2027-03-01T09:00:00Z";
    const body = { testKey, startedAt: at, endedAt: at, screens: ["Home"] };
    const report = () =>
      service.request("POST", "/api/v1/testing/sdk/session", { headers: { "x-api-key": key }, body });
    for (let used = 0; used < 60; used += 1) await report();
    expect((await report()).status).toBe(429);
    await move({ advance: "PT1H1S" });
    expect((await report()).status).toBe(200);
  });
});
