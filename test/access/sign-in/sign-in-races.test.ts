import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createBrowserWithoutScripts } from "../../support/browser/browser-without-scripts.ts";
import { databases, sharedDatabases, type TestDatabase } from "../../support/database/databases.ts";
import type { Answer } from "../../support/service/request.ts";
import { type Service, startService } from "../../support/service/service.ts";
import {
  approve,
  authorizeAddress,
  bearerOf,
  codeOf,
  exchange,
  newDevice,
  slotsOf,
} from "../../support/sign-in/device-sign-in.ts";
import { rounds } from "../../support/torture.ts";

const environment = { INNKEEP_RATE_LIMITS: "exchangeByDevice=100000/900,exchangeByAddress=100000/900" };
const long = { timeout: rounds(60_000, 900_000) };
const hundred = Array.from({ length: 100 }, (_, at) => at);
const countOf = (answers: readonly Answer[], wanted: number) =>
  answers.filter(({ status }) => status === wanted).length;

describe.each(databases)("100 exchanges at the same time on $name", (engine) => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ engine, environment });
  });
  afterAll(() => service.stop());

  it("of one code return exactly one token, and the others are refused with invalid_code", long, async () => {
    const person = await service.signIn(await service.makeUser());
    for (let round = 0; round < rounds(2, 50); round += 1) {
      const device = await newDevice();
      const code = await approve(service, person, device);
      const answers = await Promise.all(hundred.map(() => exchange(service, device, code)));
      expect(countOf(answers, 201)).toBe(1);
      const others = answers.filter(({ status }) => status !== 201);
      expect(new Set(others.map(({ text }) => text)).size).toBe(1);
      expect(others[0]).toMatchObject({ status: 400, body: { code: "invalid_code" } });
      const [won] = answers.filter(({ status }) => status === 201);
      expect(won && (await slotsOf(service, bearerOf(won))).status).toBe(200);
    }
  });

  it("with the verifier of another code return no token and leave the code valid", async () => {
    const [device, other] = [await newDevice(), await newDevice()];
    const code = await approve(service, await service.signIn(await service.makeUser()), device);
    const wrong = { ...device, verifier: other.verifier };
    const answers = await Promise.all(hundred.map(() => exchange(service, wrong, code)));
    expect(countOf(answers, 400)).toBe(100);
    expect((await exchange(service, device, code)).status).toBe(201);
  });
});

describe.each(databases)("one device with many approvals at the same time on $name", (engine) => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ engine, environment });
  });
  afterAll(() => service.stop());

  it("gets one valid code, which is the newest", async () => {
    const device = await newDevice();
    const person = await service.signIn(await service.makeUser());
    const codes = await Promise.all(hundred.slice(0, 20).map(() => approve(service, person, device)));
    expect(new Set(codes).size).toBe(20);
    const answers: Answer[] = [];
    for (const code of codes) answers.push(await exchange(service, device, code));
    expect([countOf(answers, 201), countOf(answers, 400)]).toEqual([1, 19]);
  });

  it("gets one code for a form that is sent twice", async () => {
    const device = await newDevice();
    const person = createBrowserWithoutScripts(service, await service.signIn(await service.makeUser()));
    const page = await person.open(authorizeAddress(device));
    const send = () => person.send(page, "/tavern/authorize", { decision: "approve" });
    const [first, second] = await Promise.all([send(), send()]);
    expect(first.status).toBe(303);
    expect(second.headers.get("location")).toBe(first.headers.get("location"));
    expect((await exchange(service, device, codeOf(second))).status).toBe(201);
  });
});

describe.each(sharedDatabases)("on two servers with one PostgreSQL database,", (postgres) => {
  let database: TestDatabase;
  let servers: [Service, Service];
  beforeAll(async () => {
    database = await postgres.create();
    const secret = "the secret of one deployment";
    servers = [
      await startService({ database, environment, secret }),
      await startService({ database, environment, secret }),
    ];
  });
  afterAll(async () => {
    for (const server of servers) await server.stop();
    await database.remove();
  });

  it("100 exchanges of one code at the same time return exactly one token", long, async () => {
    const [one] = servers;
    const person = await one.signIn(await one.makeUser());
    for (let round = 0; round < rounds(2, 50); round += 1) {
      const device = await newDevice();
      const code = await approve(one, person, device);
      const answers = await Promise.all(hundred.map((at) => exchange(servers[at % 2] ?? one, device, code)));
      expect([countOf(answers, 201), countOf(answers, 400)]).toEqual([1, 99]);
    }
  });

  it("exactly one of two accounts that link one device at the same time keeps the device", async () => {
    const [one, two] = servers;
    for (const _ of hundred.slice(0, 10)) {
      const [first, second] = [await newDevice(), await newDevice()];
      const shared = { ...second, deviceId: first.deviceId };
      // One code for each sign-in: the second code replaces the first one, which a running exchange may still use.
      const code = await approve(one, await one.signIn(await one.makeUser()), first);
      const [linked, replacing] = await Promise.all([
        exchange(one, first, code),
        approve(two, await two.signIn(await two.makeUser()), shared, {}).then((other) =>
          exchange(two, shared, other),
        ),
      ]);
      expect(countOf([linked, replacing], 201)).toBe(1);
    }
  });

  it("a token that is replaced on one server becomes invalid on the other", async () => {
    const [one, two] = servers;
    const person = await one.signIn(await one.makeUser());
    const device = await newDevice();
    const first = await exchange(one, device, await approve(one, person, device));
    expect((await slotsOf(two, bearerOf(first))).status).toBe(200);
    const again = await newDevice(device.deviceId);
    const second = await exchange(two, again, await approve(one, person, again));
    expect((await slotsOf(one, bearerOf(first))).status).toBe(401);
    expect((await slotsOf(one, bearerOf(second))).status).toBe(200);
  });
});
