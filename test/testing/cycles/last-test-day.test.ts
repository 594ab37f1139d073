import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { refusal } from "../../support/service/refusals.ts";
import { type Service, startService } from "../../support/service/service.ts";
import {
  dayMilliseconds,
  listOf,
  makeTesterInCycle,
  sendProof,
  setClock,
  type TesterInCycle,
} from "../../support/worlds/tester-in-running-cycle.ts";

const minute = 60_000;

describe("the day after the last day of a cycle", () => {
  let service: Service;
  let world: TesterInCycle;
  let owner: Record<string, string>;
  beforeAll(async () => {
    service = await startService();
  });
  beforeEach(async () => {
    service.clock.setOffset(0);
    setClock(service, "2027-03-01T12:00:00.000Z");
    world = await makeTesterInCycle(service, { seats: 3, durationDays: 2 });
    owner = await service.signIn(world.owner);
    setClock(service, "2027-03-03T00:00:30.000Z");
  });
  afterAll(() => service.stop());

  const get = (path: string, headers = world.device) =>
    service.request("GET", `/api/v1/testing${path}`, { headers });
  const change = (slotId: string | undefined, verb: string, body = {}) =>
    service.request("POST", `/api/v1/console/slots/${slotId}/${verb}`, { headers: owner, body });
  const report = (startedAt: string) => {
    const endedAt = new Date(Date.parse(startedAt) + minute).toISOString();
    const body = { testKey: world.testKey, startedAt, endedAt, screens: ["Home", "Map"] };
    return service.request("POST", "/api/v1/testing/sdk/session", {
      headers: { "x-api-key": world.app.key },
      body,
    });
  };
  const slot = async () => listOf(await get("/me/slots"), "slots")[0];

  it("allows a late session of the last day, which then counts and is no longer missed", async () => {
    expect(await slot()).toMatchObject({ status: "at_risk", missedDays: 1 });
    const { body } = await report("2027-03-02T23:55:00.000Z");
    expect(body).toEqual({ matched: true, counted: true, dayIndex: 2, reason: null });
    expect(await slot()).toMatchObject({ status: "active", missedDays: 0, lastProofDayIndex: 2 });
  });

  it("counts no session that begins on that day", async () => {
    service.clock.advance(10 * minute);
    const { body } = await report("2027-03-03T00:05:00.000Z");
    expect(body).toEqual({ matched: true, counted: false, dayIndex: 0, reason: "cycle_not_running" });
  });

  it("has no tasks", async () => {
    expect((await get("/me/tasks")).body).toEqual({ tasks: [], outstanding: 0 });
  });

  it("refuses proofs for other days", async () => {
    const now = service.clock.now().getTime();
    for (const [capturedAt, dayIndex] of [
      [new Date(now - 5 * minute).toISOString(), 2],
      [new Date(now).toISOString(), 3],
    ] as const)
      expect(await sendProof(service, world.device, { slotId: world.slotId, capturedAt })).toMatchObject(
        refusal(422, "out_of_window", {
          dayIndex,
          error: expect.stringMatching(/days of the test are over.*session of the last day still counts/),
        }),
      );
  });

  it("mentions no session in the refusal of a proof if the app does not report sessions", async () => {
    await service.deps.database.write((tx) =>
      tx.run("UPDATE listings SET verification_tier = 'screenshot' WHERE app_id = ?", world.app.id),
    );
    expect(await sendProof(service, world.device, { slotId: world.slotId })).toMatchObject(
      refusal(422, "out_of_window", { error: "The days of the test are over, so no proof is accepted." }),
    );
  });

  it("refuses proofs and sessions in the same way when it is over", async () => {
    service.clock.advance(dayMilliseconds);
    expect((await report("2027-03-03T23:55:00.000Z")).body).toMatchObject({ reason: "cycle_not_running" });
    expect(await sendProof(service, world.device, { slotId: world.slotId })).toMatchObject(
      refusal(422, "cycle_not_running"),
    );
  });

  it("shows the test key of a slot until the cycle ends, and not afterwards", async () => {
    expect(await slot()).toMatchObject({ cycleStatus: "running", dayIndex: 2, testKey: world.testKey });
    service.clock.advance(dayMilliseconds - minute);
    expect(await slot()).toMatchObject({ cycleStatus: "running", testKey: world.testKey });
    service.clock.advance(minute);
    expect(await slot()).toMatchObject({ cycleStatus: "completed", status: "completed", dayIndex: 2 });
    expect(await slot()).not.toHaveProperty("testKey");
  });

  it("offers no slot, and allows no request for a slot", async () => {
    const device = await service.makeDevice(await service.makeUser());
    const offers = listOf(await get("/listings", device), "listings");
    expect(offers.filter(({ cycleId }) => cycleId === world.cycle.id)).toEqual([]);
    const path = `/api/v1/testing/slots/${world.open[0]}/request`;
    expect(await service.request("POST", path, { headers: device, body: {} })).toMatchObject(
      refusal(422, "cycle_not_open"),
    );
  });

  it("allows the owner no accepted or assigned tester, and a removed tester gets no successor", async () => {
    const { email } = await service.makeUser();
    expect(await change(world.open[0], "accept")).toMatchObject(refusal(409, "wrong_state"));
    expect(await change(world.open[0], "assign", { email })).toMatchObject(refusal(422, "cycle_not_open"));
    expect(await change(world.slotId, "remove")).toMatchObject({ status: 200, body: { status: "removed" } });
    const cycle = await service.request("GET", `/api/v1/console/cycles/${world.cycle.id}`, {
      headers: owner,
    });
    expect(listOf(cycle, "slots").map(({ status }) => status)).toEqual(["removed", "open", "open"]);
  });
});
