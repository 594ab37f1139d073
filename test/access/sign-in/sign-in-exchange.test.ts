import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { tidy } from "../../../server/jobs/housekeeping.ts";
import { randomName } from "../../../server/secrets/secrets.ts";
import { challengeOf } from "../../../src/contract/pkce.ts";
import { issuesOf } from "../../support/service/issues.ts";
import type { Answer } from "../../support/service/request.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { storedText } from "../../support/service/stored-content.ts";
import {
  approve,
  bearerOf,
  exchange,
  type NewDevice,
  newDevice,
  slotsOf,
} from "../../support/sign-in/device-sign-in.ts";

const minute = 60_000;
const day = 86_400_000;

describe("POST /api/v1/testing/auth/exchange", () => {
  let service: Service;
  let person: { cookie: string; origin: string };
  let device: NewDevice;
  let code: string;
  beforeAll(async () => {
    service = await startService({ environment: { INNKEEP_RATE_LIMITS: "off" } });
  });
  beforeEach(async () => {
    person = await service.signIn(await service.makeUser());
    device = await newDevice();
    code = await approve(service, person, device);
  });
  afterAll(() => service.stop());

  it("answers 201 with token, expiresAt, scopes and profile", async () => {
    const before = service.clock.now().getTime();
    const answer = await exchange(service, device, code);
    expect(answer).toMatchObject({
      status: 201,
      body: {
        token: expect.stringMatching(/^sdt_[0-9A-Za-z]{38}$/),
        scopes: ["testing:read", "testing:profile:write", "testing:slots:write", "testing:proofs:write"],
        profile: { timezone: "UTC", isTester: false },
      },
    });
    expect(answer.headers.get("cache-control")).toBe("no-store");
    const lifetime = Date.parse(answer.field("expiresAt")) - before;
    expect(Math.round(lifetime / minute)).toBe((90 * day) / minute);
    expect((await slotsOf(service, bearerOf(answer))).status).toBe(200);
  });

  it("stores the time zone of the request, and returns it later", async () => {
    const answer = await exchange(service, device, code, { timezone: "Asia/Kolkata", pushToken: "push-1" });
    expect(answer.body).toMatchObject({ profile: { timezone: "Asia/Kolkata" } });
    const again = await newDevice(device.deviceId);
    const later = await exchange(service, again, await approve(service, person, again));
    expect(later.body).toMatchObject({ profile: { timezone: "Asia/Kolkata" } });
  });

  it("says whether the account is a tester", async () => {
    const tester = await service.makeUser();
    const cycle = await service.makeCycle(await service.makeListing(await service.makeApp()));
    await service.giveSlot(cycle, cycle.slotIds[0] ?? "", tester);
    code = await approve(service, await service.signIn(tester), device);
    expect((await exchange(service, device, code)).body).toMatchObject({ profile: { isTester: true } });
  });

  describe("answers 400 invalid_code for a code that", () => {
    const wrongs: [string, () => Promise<Answer>][] = [
      ["is unknown", () => exchange(service, device, randomName())],
      [
        "is expired",
        async () => {
          service.clock.advance(5 * minute);
          const answer = await exchange(service, device, code);
          service.clock.advance(-5 * minute);
          return answer;
        },
      ],
      [
        "is already used",
        async () => {
          await exchange(service, device, code);
          return exchange(service, device, code);
        },
      ],
      [
        "is presented from a different device",
        async () => exchange(service, { ...(await newDevice()), verifier: device.verifier }, code),
      ],
      [
        "comes with a verifier that does not match the challenge",
        () => exchange(service, { ...device, verifier: randomName() }, code),
      ],
      [
        "was replaced by a newer one",
        async () => {
          await approve(service, person, device);
          return exchange(service, device, code);
        },
      ],
    ];

    it.each(wrongs)("%s", async (_, make) => {
      expect(await make()).toMatchObject({ status: 400, body: { code: "invalid_code" } });
    });

    it("is wrong in any way, with the same bytes", async () => {
      const seen = new Set<string>();
      for (const [, make] of wrongs) {
        device = await newDevice();
        code = await approve(service, person, device);
        seen.add(plainOf(await make()));
      }
      expect([...seen]).toEqual([plainOf(await exchange(service, device, "x"))]);
    });
  });

  it("accepts a code until immediately before its five minutes end", async () => {
    const { expires_at: at } = (await service.deps.database.get<{ expires_at: string }>(
      "SELECT expires_at FROM sign_in_codes WHERE device_id = ?",
      device.deviceId,
    )) ?? { expires_at: "" };
    const left = Date.parse(at) - service.clock.now().getTime();
    expect(Math.ceil(left / minute)).toBe(5);
    service.clock.advance(left - 2_000);
    const answer = await exchange(service, device, code);
    service.clock.advance(2_000 - left);
    expect(answer.status).toBe(201);
  });

  it.each([
    ["a wrong verifier", () => exchange(service, { ...device, verifier: randomName() }, code)],
    [
      "another device",
      async () => exchange(service, { ...(await newDevice()), verifier: device.verifier }, code),
    ],
  ])("leaves the code valid after %s", async (_, make) => {
    expect((await make()).status).toBe(400);
    expect((await exchange(service, device, code)).status).toBe(201);
  });

  it("keeps the issued token valid if its code is sent again", async () => {
    const answer = await exchange(service, device, code);
    await exchange(service, device, code);
    expect((await slotsOf(service, bearerOf(answer))).status).toBe(200);
  });

  describe("answers 400 bad_request for", () => {
    it.each([
      ["a verifier of 42 characters", { verifier: "a".repeat(42) }, "verifier"],
      ["a verifier of 129 characters", { verifier: "a".repeat(129) }, "verifier"],
      ["a verifier with another character", { verifier: `${"a".repeat(42)}+` }, "verifier"],
      ["no verifier", { verifier: undefined }, "verifier"],
      ["an empty code", { code: "" }, "code"],
      ["a code that is not a string", { code: 7 }, "code"],
      ["no device", { deviceId: undefined }, "deviceId"],
      ["a device of 201 characters", { deviceId: "d".repeat(201) }, "deviceId"],
      ["a time zone that is not a text", { timezone: 7 }, "timezone"],
    ])("%s", async (_, wrong, path) => {
      const answer = await exchange(service, device, code, wrong);
      expect(answer).toMatchObject({ status: 400, body: { code: "bad_request" } });
      expect(issuesOf(answer).map((issue) => issue.split(":")[0])).toEqual([path]);
      expect((await exchange(service, device, code)).status).toBe(201);
    });
  });

  it.each(["a".repeat(43), "a".repeat(128), `${"Aa0".repeat(14)}-._~`])(
    "accepts every verifier of 43 to 128 characters of RFC 7636: %s",
    async (verifier) => {
      const own = { ...device, verifier, challenge: await challengeOf(verifier) };
      expect((await exchange(service, own, await approve(service, person, own))).status).toBe(201);
    },
  );

  it.each([
    ["GMT+03:00", "+03:00"],
    ["UTC+3", "+03:00"],
    ["UTC-0330", "-03:30"],
    ["+02:00", "+02:00"],
    ["GMT", "GMT"],
    ["Mars/Olympus", "UTC"],
    ["x".repeat(300), "UTC"],
    ["Ada\0", "UTC"],
  ])("stores the time zone %j as %s", async (timezone, stored) => {
    const answer = await exchange(service, device, code, { timezone });
    expect(answer).toMatchObject({ status: 201, body: { profile: { timezone: stored } } });
  });

  it("ignores a push token that is too long", async () => {
    expect((await exchange(service, device, code, { pushToken: "p".repeat(1_001) })).status).toBe(201);
  });

  it("treats null in an optional field as missing", async () => {
    const nothing = { timezone: null, pushToken: null, integrityToken: null };
    expect((await exchange(service, device, code, nothing)).status).toBe(201);
  });

  it("writes an audit entry about the device and the address of the sign-in", async () => {
    await exchange(service, device, code);
    const { body } = await service.request("GET", "/api/v1/console/audit", { headers: person });
    expect(body).toMatchObject({ items: [{ action: "device.create", address: "127.0.0.1" }] });
  });

  it("deletes a code after it has expired", async () => {
    const held = () =>
      service.deps.database.all("SELECT 1 AS one FROM sign_in_codes WHERE device_id = ?", device.deviceId);
    await tidy(service.deps);
    expect(await held()).toHaveLength(1);
    service.clock.advance(5 * minute);
    await tidy(service.deps);
    service.clock.advance(-5 * minute);
    expect(await held()).toEqual([]);
  });

  it("writes the reason why a code was refused only to the log", async () => {
    const before = service.logged().length;
    await exchange(service, { ...device, verifier: randomName() }, code);
    expect(service.logged().slice(before)).toContain("verifier does not match the challenge");
  });

  it("stores no token and no code in clear text", async () => {
    const answer = await exchange(service, device, code, { headers: { "idempotency-key": "k" } });
    const stored = await storedText(service);
    expect([answer.field("token"), code].filter((secret) => stored.includes(secret))).toEqual([]);
  });
});

/** Returns an answer without the parts that differ in every answer. */
function plainOf({ status, headers, text }: Answer): string {
  const kept = [...headers].filter(([name]) => !["x-request-id", "date"].includes(name));
  return JSON.stringify([status, kept, text]);
}
