import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { randomName } from "../../../server/secrets/secrets.ts";
import { keyed } from "../../support/service/mutations.ts";
import type { Answer } from "../../support/service/request.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { approve, exchange, type NewDevice, newDevice } from "../../support/sign-in/device-sign-in.ts";

const minutes = 60_000;

describe("exchanges of sign-in codes", () => {
  let service: Service;
  let device: NewDevice;
  beforeEach(async () => {
    service = await startService({ environment: { INNKEEP_TRUSTED_PROXIES: "127.0.0.0/8" } });
    device = await newDevice();
  });
  afterEach(() => service.stop());

  const guess = (from: string, sent: NewDevice = device) =>
    exchange(service, sent, randomName(), { headers: { "x-forwarded-for": from } });
  const guesses = async (count: number, from: (at: number) => string, sent?: () => NewDevice) => {
    const answers: Answer[] = [];
    for (let at = 0; at < count; at++) answers.push(await guess(from(at), sent?.()));
    return answers.map(({ status }) => status);
  };
  const own = async () => approve(service, await service.signIn(await service.makeUser()), device);

  it("are limited to 30 per 15 minutes and device, over all addresses", async () => {
    const code = await own();
    expect(await guesses(29, (at) => `203.0.113.${at}`)).toEqual(Array(29).fill(400));
    expect((await exchange(service, device, code)).status).toBe(201);
    const refused = await guess("203.0.113.99");
    expect(refused).toMatchObject({ status: 429, body: { code: "rate_limited" } });
    expect(refused.headers.get("cache-control")).toBe("no-store");
    const seconds = Number(refused.headers.get("retry-after"));
    expect(seconds).toBeGreaterThan(14 * 60);
    service.clock.advance((seconds - 2) * 1_000);
    expect((await guess("203.0.113.99")).status).toBe(429);
    service.clock.advance(2_000);
    expect((await guess("203.0.113.99")).status).toBe(400);
  });

  it("above the limit are refused even with the right code, and the code stays valid", async () => {
    await guesses(30, (at) => `203.0.113.${at}`);
    expect((await exchange(service, device, await own())).status).toBe(429);
    service.clock.advance(15 * minutes);
    expect((await exchange(service, device, await own())).status).toBe(201);
  });

  it("of one device do not affect other devices", async () => {
    await guesses(31, () => "203.0.113.1");
    expect((await guess("203.0.113.1", await newDevice())).status).toBe(400);
  });

  it("are limited to 120 per 15 minutes and address, over all devices", async () => {
    const others = () => ({ ...device, deviceId: randomName() });
    expect(new Set(await guesses(120, () => "203.0.113.7", others))).toEqual(new Set([400]));
    expect((await guess("203.0.113.7", others())).status).toBe(429);
    expect((await guess("203.0.113.8", others())).status).toBe(400);
    service.clock.advance(15 * minutes);
    expect((await guess("203.0.113.7", others())).status).toBe(400);
  });

  it("that only repeat a response are not counted", async () => {
    const code = await own();
    for (let at = 0; at < 35; at++) {
      expect((await exchange(service, device, code, { headers: keyed("k") })).status).toBe(201);
    }
    expect((await guess("203.0.113.1")).status).toBe(400);
  });

  it("are also counted if they are malformed", async () => {
    for (let at = 0; at < 30; at++) await exchange(service, device, "");
    expect((await exchange(service, device, "x")).status).toBe(429);
  });

  it("are accepted at most 30 times if 100 arrive at the same time", async () => {
    const answers = await Promise.all(Array.from({ length: 100 }, (_, at) => guess(`198.51.100.${at}`)));
    const statuses = answers.map(({ status }) => status);
    expect([400, 429].map((wanted) => statuses.filter((status) => status === wanted).length)).toEqual([
      30, 70,
    ]);
  });
});
