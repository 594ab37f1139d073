import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { randomName } from "../../../server/secrets/secrets.ts";
import { databases, type TestDatabase } from "../../support/database/databases.ts";
import { isReplay, keyed } from "../../support/service/mutations.ts";
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

const secret = "the secret of one deployment, on each of its servers";

describe.each(databases)("an exchange with an Idempotency-Key on $name", (engine) => {
  let database: TestDatabase;
  let service: Service;
  let device: NewDevice;
  let code: string;
  beforeAll(async () => {
    database = await engine.create();
    service = await open();
  });
  beforeEach(async () => {
    device = await newDevice();
    code = await approve(service, await service.signIn(await service.makeUser()), device);
  });
  afterAll(async () => {
    await service.stop();
    await database.remove();
  });

  const open = () =>
    startService({
      database,
      secret,
      environment: { INNKEEP_RATE_LIMITS: "exchangeByDevice=100000/900,exchangeByAddress=100000/900" },
    });
  const send = (server: Service, key: string, sent: NewDevice = device, sentCode = code) =>
    exchange(server, sent, sentCode, { headers: keyed(key) });

  it("gets the same token again, even on another server and after a restart", async () => {
    const first = await send(service, "once");
    const other = await open();
    const again = await send(other, "once");
    await other.stop();
    expect([again.status, again.text, isReplay(again)]).toEqual([201, first.text, true]);
    expect((await slotsOf(service, bearerOf(again))).status).toBe(200);
  });

  it("gets the error of a used code if it is repeated with another key", async () => {
    await send(service, "once");
    expect(await send(service, "twice")).toMatchObject({ status: 400, body: { code: "invalid_code" } });
  });

  it.each<[string, () => Promise<unknown>]>([
    ["verifier", () => send(service, "once", { ...device, verifier: randomName() })],
    ["device", async () => send(service, "once", { ...device, deviceId: (await newDevice()).deviceId })],
    ["code", () => send(service, "once", device, randomName())],
  ])("gets invalid_code if it is repeated with the same key and another %s", async (_, make) => {
    await send(service, "once");
    const unknown = await send(service, "never", await newDevice(), randomName());
    expect(await make()).toMatchObject({ status: 400, text: unknown.text });
  });

  it("returns no token in 1,000 attempts to guess the missing secret", async () => {
    await send(service, "once");
    const keys = ["once", "twice"];
    const guesses = Array.from({ length: 1_000 }, (_, at) => ({
      key: keys[at % 2] ?? "",
      code: at % 5 === 0 ? code : randomName(),
      sent: at % 3 === 0 ? { ...device, verifier: randomName() } : { ...device, deviceId: `d${at}` },
    }));
    const statuses = new Set<number>();
    for (let from = 0; from < guesses.length; from += 50) {
      const batch = guesses.slice(from, from + 50);
      const answers = await Promise.all(
        batch.map((guess) => send(service, guess.key, guess.sent, guess.code)),
      );
      for (const { status } of answers) statuses.add(status);
    }
    expect([...statuses]).toEqual([400]);
  });

  it("is never stored in a form from which its token could be used", async () => {
    const answer = await send(service, "once");
    const token = answer.field("token");
    const stored = await storedText(service);
    expect(stored).not.toContain(token);
    const kept = await service.deps.database.all<{ body: string | null }>("SELECT body FROM idempotency");
    const opened = kept.flatMap(({ body }) => {
      try {
        return body === null ? [] : [service.deps.sealer.open(body)];
      } catch {
        return [];
      }
    });
    expect(opened.length).toBeGreaterThan(0);
    expect(opened.filter((text) => text.includes(token) || text.includes("sdt_"))).toEqual([]);
  });

  it("cannot be repeated after the code expires: five minutes after the approval, even if the exchange was late", async () => {
    service.clock.advance(240_000);
    const first = await send(service, "once");
    service.clock.advance(59_000);
    const again = await send(service, "once");
    service.clock.advance(1_000);
    const late = await send(service, "once");
    service.clock.advance(-300_000);
    expect([again.status, again.text]).toEqual([201, first.text]);
    expect(late).toMatchObject({ status: 400, body: { code: "invalid_code" } });
  });
});
