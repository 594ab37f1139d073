import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { type Service, startService } from "../../support/service/service.ts";
import {
  approve,
  bearerOf,
  exchange,
  type NewDevice,
  newDevice,
  slotsOf,
} from "../../support/sign-in/device-sign-in.ts";
import {
  goodVerdict,
  makePlayKeys,
  makePlayToken,
  playEnvironment,
} from "../../support/sign-in/play-integrity.ts";

const day = 86_400_000;

describe("a device", () => {
  let service: Service;
  let one: { cookie: string; origin: string };
  let other: { cookie: string; origin: string };
  let device: NewDevice;
  beforeAll(async () => {
    service = await startService({ environment: { INNKEEP_RATE_LIMITS: "off" } });
  });
  beforeEach(async () => {
    one = await service.signIn(await service.makeUser());
    other = await service.signIn(await service.makeUser());
    device = await newDevice();
  });
  afterAll(() => service.stop());

  /** Signs the device in again, with a new verifier, as after a reinstall. */
  const link = async (person: typeof one) => {
    const installed = await newDevice(device.deviceId);
    return exchange(service, installed, await approve(service, person, installed));
  };
  const devicesOf = (person: typeof one) =>
    service.request("GET", "/api/v1/console/devices", { headers: person });

  it("that belongs to another testing account is refused with 409 device_taken", async () => {
    const held = await link(one);
    expect(await link(other)).toMatchObject({ status: 409, body: { code: "device_taken" } });
    expect((await slotsOf(service, bearerOf(held))).status).toBe(200);
  });

  it("can be signed in again by the same account, and its old token becomes invalid", async () => {
    const [first, second] = [await link(one), await link(one)];
    expect(second.status).toBe(201);
    expect((await slotsOf(service, bearerOf(first))).status).toBe(401);
    expect((await slotsOf(service, bearerOf(second))).status).toBe(200);
    expect(await devicesOf(one)).toMatchObject({ body: { items: [{ name: "Pixel 9" }] } });
  });

  it("counts as in use again after a new sign-in", async () => {
    const hour = `${service.clock.now().toISOString().slice(0, 13)}:00:00.000Z`;
    const use = async () => {
      await slotsOf(service, bearerOf(await link(one)));
      await eventually(async () => {
        expect((await devicesOf(one)).field("items.0.lastUsedAt")).toBe(hour);
      });
    };
    await use();
    await use();
  });

  it("leaves the code valid when it is refused, so that the exchange succeeds after its release", async () => {
    await link(one);
    const code = await approve(service, other, device);
    expect((await exchange(service, device, code)).status).toBe(409);
    const id = (await devicesOf(one)).field("items.0.id");
    await service.request("DELETE", `/api/v1/console/devices/${id}`, { headers: one });
    expect((await exchange(service, device, code)).status).toBe(201);
  });

  it("can be used by another account after the token of its account has expired", async () => {
    await link(one);
    service.clock.advance(90 * day + 1_000);
    const person = await service.signIn(await service.makeUser());
    const linked = await link(person);
    service.clock.advance(-90 * day - 1_000);
    expect(linked.status).toBe(201);
    expect((await devicesOf(one)).body).toEqual({ items: [] });
  });

  it("is refused immediately after its token has expired", async () => {
    const headers = bearerOf(await link(one));
    expect((await slotsOf(service, headers)).status).toBe(200);
    service.clock.advance(90 * day);
    const late = await slotsOf(service, headers);
    service.clock.advance(-90 * day);
    expect(late).toMatchObject({ status: 401, body: { code: "invalid_token" } });
  });

  it("is listed with the details that identify it, and without secrets", async () => {
    const linked = await link(one);
    const answer = await devicesOf(one);
    expect(answer.body).toEqual({
      items: [
        {
          id: expect.any(String),
          name: "Pixel 9",
          prefix: linked.field("token").slice(0, 10),
          scopes: ["testing:read", "testing:profile:write", "testing:slots:write", "testing:proofs:write"],
          createdAt: expect.any(String),
          expiresAt: linked.field("expiresAt"),
          lastUsedAt: null,
        },
      ],
    });
    expect(answer.text).not.toContain(linked.field("token"));
  });

  it("is refused immediately after it is signed out in the console", async () => {
    const headers = bearerOf(await link(one));
    expect((await slotsOf(service, headers)).status).toBe(200);
    const id = (await devicesOf(one)).field("items.0.id");
    const path = `/api/v1/console/devices/${id}`;
    expect((await service.request("DELETE", path, { headers: other })).status).toBe(404);
    expect((await service.request("DELETE", path, { headers: one })).status).toBe(204);
    expect(await slotsOf(service, headers)).toMatchObject({ status: 401, body: { code: "invalid_token" } });
    const { body } = await service.request("GET", "/api/v1/console/audit", { headers: one });
    expect(body).toMatchObject({
      items: [{ action: "device.delete", target: id }, { action: "device.create" }],
    });
  });
});

describe("a device that needs attestation", () => {
  const keys = makePlayKeys();
  let service: Service;
  let person: { cookie: string; origin: string };
  let device: NewDevice;
  beforeAll(async () => {
    service = await startService({ environment: playEnvironment(keys) });
    person = await service.signIn(await service.makeUser());
    device = await newDevice();
  });
  afterAll(() => service.stop());

  const verdictFor = (code: string) =>
    goodVerdict({ code, deviceId: device.deviceId, now: service.clock.now() });

  it("is refused with 403 integrity_failed and the reasons, and the code stays valid for an attested device", async () => {
    const code = await approve(service, person, device);
    const weak = { ...verdictFor(code), deviceIntegrity: { deviceRecognitionVerdict: [] } };
    const integrityToken = await makePlayToken(weak, keys);
    expect(await exchange(service, device, code, { integrityToken })).toMatchObject({
      status: 403,
      body: { error: expect.any(String), code: "integrity_failed", reasons: ["device_integrity_failed"] },
    });
    const missing = await exchange(service, device, code);
    expect(missing.body).toMatchObject({ code: "integrity_failed", reasons: ["app_not_recognized"] });
    const good = await makePlayToken(verdictFor(code), keys);
    expect((await exchange(service, device, code, { integrityToken: good })).status).toBe(201);
  });

  it("gets the error about a wrong code before the error about its attestation", async () => {
    expect(await exchange(service, device, "unknown")).toMatchObject({ body: { code: "invalid_code" } });
  });

  it("gets the error about its attestation before device_taken", async () => {
    const code = await approve(service, await service.signIn(await service.makeUser()), device);
    expect(await exchange(service, device, code)).toMatchObject({ body: { code: "integrity_failed" } });
    const integrityToken = await makePlayToken(verdictFor(code), keys);
    expect(await exchange(service, device, code, { integrityToken })).toMatchObject({
      body: { code: "device_taken" },
    });
  });
});
