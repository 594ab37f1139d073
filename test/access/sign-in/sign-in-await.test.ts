import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { sharedDatabases } from "../../support/database/databases.ts";
import { eventually } from "../../support/eventually.ts";
import { connectRaw, headOf } from "../../support/network/raw-connection.ts";
import { faultyPaths } from "../../support/service/issues.ts";
import { type Service, startService } from "../../support/service/service.ts";
import {
  approve,
  codeOf,
  decide,
  exchange,
  type NewDevice,
  newDevice,
} from "../../support/sign-in/device-sign-in.ts";

const path = "/api/v1/testing/auth/await";

/** Records when a promise is settled. */
function watch<Value>(promise: Promise<Value>) {
  const watched = { settled: false, promise: promise.finally(() => (watched.settled = true)) };
  return watched;
}

const waitFor = ({ request }: Service, { deviceId, challenge }: NewDevice, wait?: unknown) =>
  request("POST", path, { body: { deviceId, challenge, wait } });

describe("POST /api/v1/testing/auth/await", () => {
  let service: Service;
  let person: { cookie: string; origin: string };
  let device: NewDevice;
  beforeAll(async () => {
    service = await startService({ environment: { INNKEEP_RATE_LIMITS: "off" } });
  });
  beforeEach(async () => {
    person = await service.signIn(await service.makeUser());
    device = await newDevice();
  });
  afterAll(() => service.stop());

  const heldWait = async () => {
    const held = watch(waitFor(service, device, 55));
    for (let at = 0; at < 5; at++) await waitFor(service, device);
    expect(held.settled).toBe(false);
    return held;
  };

  it("answers 202 with {} immediately if nobody has decided", async () => {
    expect(await waitFor(service, device)).toMatchObject({ status: 202, text: "{}" });
    expect(await waitFor(service, device, 0)).toMatchObject({ status: 202, text: "{}" });
  });

  it("answers 200 with the code after the person has approved, and the code is valid", async () => {
    const held = await heldWait();
    const code = await approve(service, person, device);
    expect(await held.promise).toMatchObject({ status: 200, body: { code } });
    expect((await waitFor(service, device)).headers.get("cache-control")).toBe("no-store");
    expect((await exchange(service, device, code)).status).toBe(201);
  });

  it("answers 403 access_denied after the person has refused", async () => {
    const held = await heldWait();
    await decide(service, person, device, { decision: "refuse" });
    expect(await held.promise).toMatchObject({ status: 403, body: { code: "access_denied" } });
  });

  it("uses the latest decision of the person", async () => {
    const first = await approve(service, person, device);
    await decide(service, person, device, { decision: "refuse" });
    expect((await waitFor(service, device)).status).toBe(403);
    expect((await exchange(service, device, first)).status).toBe(400);
    const code = await approve(service, person, device);
    expect(await waitFor(service, device)).toMatchObject({ status: 200, body: { code } });
  });

  it.each<[string, () => Promise<NewDevice>]>([
    ["of another device", async () => ({ ...device, deviceId: (await newDevice()).deviceId })],
    ["with another challenge", () => newDevice(device.deviceId)],
  ])("returns no code to a request %s", async (_, make) => {
    await approve(service, person, device);
    expect(await waitFor(service, await make())).toMatchObject({ status: 202, text: "{}" });
  });

  it("returns no code that is used, replaced or expired", async () => {
    const code = await approve(service, person, device);
    await exchange(service, device, code);
    expect((await waitFor(service, device)).status).toBe(202);
    const [older, newer] = [await newDevice(device.deviceId), await newDevice(device.deviceId)];
    await approve(service, person, older);
    await approve(service, person, newer);
    expect((await waitFor(service, older)).status).toBe(202);
    service.clock.advance(300_000);
    expect((await waitFor(service, newer)).status).toBe(202);
    service.clock.advance(-300_000);
  });

  it("answers 202 when the time of the request is over", async () => {
    expect(await waitFor(service, device, 1)).toMatchObject({ status: 202, text: "{}" });
  });

  it.each([
    ["wait", { wait: 56 }],
    ["wait", { wait: -1 }],
    ["wait", { wait: 1.5 }],
    ["wait", { wait: "5" }],
    ["challenge", { challenge: "a".repeat(42) }],
    ["challenge", { challenge: `${"a".repeat(42)}=` }],
    ["deviceId", { deviceId: "" }],
  ])("answers 400 for a wrong %s: %j", async (field, wrong) => {
    const { deviceId, challenge } = device;
    const answer = await service.request("POST", path, { body: { deviceId, challenge, ...wrong } });
    expect(faultyPaths(answer)).toEqual([field]);
  });

  it("ends when its client disconnects", async () => {
    const connection = await connectRaw(service.baseUrl);
    const body = JSON.stringify({ deviceId: device.deviceId, challenge: device.challenge, wait: 55 });
    const headers = { "content-type": "application/json", "content-length": body.length };
    const logged = service.logged().length;
    connection.write(headOf("POST", path, headers) + body);
    await waitFor(service, device);
    await connection.cut();
    const waited = /"route":"\/api\/v1\/testing\/auth\/await"/g;
    await eventually(() => expect(service.logged().slice(logged).match(waited)).toHaveLength(2));
  });
});

it("POST /api/v1/testing/auth/await is limited to 300 requests per 15 minutes and device", async () => {
  const service = await startService();
  const device = await newDevice();
  for (let at = 0; at < 300; at++) await waitFor(service, device);
  expect((await waitFor(service, device)).status).toBe(429);
  expect((await waitFor(service, await newDevice())).status).toBe(202);
  await service.stop();
});

it("POST /api/v1/testing/auth/await is limited to 1,200 requests per 15 minutes and address, over all devices", async () => {
  const service = await startService();
  const ask = async () => (await waitFor(service, await newDevice())).status;
  expect(await ask()).toBe(202);
  await service.deps.database.write((tx) =>
    tx.run(
      "UPDATE rate_limits SET times = replace(?, '.', times) WHERE key LIKE 'awaitByAddress:%'",
      ".".repeat(1_199),
    ),
  );
  expect([await ask(), await ask()]).toEqual([202, 429]);
  await service.stop();
});

it.each(sharedDatabases)(
  "POST /api/v1/testing/auth/await answers when the person approves on another server",
  async (postgres) => {
    const database = await postgres.create();
    const secret = "the secret of one deployment";
    const [one, two] = [await startService({ database, secret }), await startService({ database, secret })];
    const device = await newDevice();
    const held = watch(waitFor(one, device, 55));
    for (let at = 0; at < 5; at++) await waitFor(one, device);
    expect(held.settled).toBe(false);
    const decided = await decide(two, await two.signIn(await two.makeUser()), device);
    expect(await held.promise).toMatchObject({ status: 200, body: { code: codeOf(decided) } });
    await Promise.all([one.stop(), two.stop()]);
    await database.remove();
  },
);
