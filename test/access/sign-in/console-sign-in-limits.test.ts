import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Answer } from "../../support/service/request.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { makeAccount, postSession, type TestAccount } from "../../support/sign-in/password-accounts.ts";

const minute = 60_000;

describe("failed sign-ins", () => {
  let service: Service;
  let account: TestAccount;
  beforeAll(async () => {
    service = await startService({ environment: { INNKEEP_TRUSTED_PROXIES: "127.0.0.0/8" } });
  });
  beforeEach(async () => {
    // The attempts of the previous test no longer count.
    service.clock.advance(60 * minute);
    account = await makeAccount(service);
  });
  afterAll(() => service.stop());

  const guess = (email: string, address = "203.0.113.1") =>
    postSession(service, { email, password: "a wrong guess" }, { "x-forwarded-for": address });
  const guessTimes = async (times: number) => {
    for (let n = 0; n < times; n++) await guess(account.email);
  };

  const signIn = (address: string, cookie = "") =>
    postSession(service, account, { "x-forwarded-for": address, cookie });
  const cookiesOf = ({ headers }: Answer) =>
    headers
      .getSetCookie()
      .map((cookie) => cookie.split(";", 1)[0])
      .join("; ");

  it("are limited to 10 per 15 minutes, account and address; after that even the right password is not checked", async () => {
    await guessTimes(10);
    const refused = await signIn("203.0.113.1");
    expect(refused.status).toBe(429);
    expect(refused.field("code")).toBe("rate_limited");
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(14 * 60);
    expect(refused.headers.get("cache-control")).toBe("no-store");
    service.clock.advance(15 * minute);
    expect((await signIn("203.0.113.1")).status).toBe(201);
  });

  it("of any number of strangers do not block a person at another address", async () => {
    for (let from = 1; from <= 12; from += 1) {
      const guesses = Array.from({ length: 11 }, () => guess(account.email, `203.0.113.${from}`));
      await Promise.all(guesses);
    }
    expect((await signIn("198.51.100.1")).status).toBe(201);
  });

  it("do not block a browser that has signed in to the account before, even from the same address", async () => {
    const cookie = cookiesOf(await signIn("203.0.113.1"));
    expect(cookie).toMatch(/^innkeep=\S+; innkeep-known=[\w-]{22}\.[0-9a-f]{32}$/);
    await guessTimes(30);
    expect((await signIn("203.0.113.1")).status).toBe(429);
    expect((await signIn("203.0.113.1", cookie)).status).toBe(201);
  });

  it("of a browser that has signed in only to another account count as those of a stranger", async () => {
    const other = await makeAccount(service);
    const cookie = cookiesOf(await postSession(service, other));
    await guessTimes(10);
    expect((await signIn("203.0.113.1", cookie)).status).toBe(429);
  });

  it("with a forged browser cookie count as those of a stranger", async () => {
    await guessTimes(10);
    const forged = `innkeep-known=${"a".repeat(22)}.${"0".repeat(32)}`;
    expect((await signIn("203.0.113.1", forged)).status).toBe(429);
  });

  it("of a known browser are limited to 30; after that they count as those of a stranger", async () => {
    const cookie = cookiesOf(await signIn("203.0.113.1"));
    const wrong = async () =>
      (
        await postSession(
          service,
          { email: account.email, password: "a wrong guess" },
          { "x-forwarded-for": "203.0.113.1", cookie },
        )
      ).status;
    for (let n = 0; n < 40; n += 1) expect(await wrong()).toBe(401);
    expect(await wrong()).toBe(429);
  });

  it("of all known browsers of an account are limited to 120; after that the limit for strangers applies", async () => {
    const email = account.email;
    const cookies: string[] = [];
    for (let n = 0; n < 6; n += 1) cookies.push(cookiesOf(await signIn("203.0.113.1")));
    const statuses = new Map<number, number>();
    for (const cookie of cookies)
      for (let n = 0; n < 30; n += 1) {
        const headers = { "x-forwarded-for": "203.0.113.1", cookie };
        const { status } = await postSession(service, { email, password: "a wrong guess" }, headers);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    expect([...statuses]).toEqual([
      [401, 130],
      [429, 50],
    ]);
    expect((await signIn("198.51.100.1", cookies[0])).status).toBe(201);
  });

  it("do not block a device that has signed in to the account before", async () => {
    const known = { deviceId: "pixel-7" };
    const token = (deviceId: string, password: string) =>
      service.request("POST", "/api/v1/testing/auth/token", {
        headers: { "x-forwarded-for": "203.0.113.1" },
        body: { email: account.email, password, deviceId },
      });
    expect((await token(known.deviceId, account.password)).status).toBe(201);
    for (let n = 0; n < 10; n += 1) expect((await token("another", "a wrong guess")).status).toBe(401);
    expect((await token("another", account.password)).status).toBe(429);
    expect((await token(known.deviceId, account.password)).status).toBe(201);
  });

  it("are also limited for unknown accounts", async () => {
    for (let n = 0; n < 10; n++) await guess("nobody@example.org");
    expect((await guess("nobody@example.org")).status).toBe(429);
  });

  it("of one account do not affect other accounts", async () => {
    await guessTimes(11);
    expect((await postSession(service, await makeAccount(service))).status).toBe(201);
  });

  it("are limited to 30 per 15 minutes and address", async () => {
    for (let n = 0; n < 30; n++) await guess(`user${n}@example.org`);
    expect((await guess("one.more@example.org")).status).toBe(429);
    expect((await guess("one.more@example.org", "203.0.113.2")).status).toBe(401);
  });

  it("are limited to 30 per 15 minutes and IPv6 network, for any number of its addresses", async () => {
    for (let n = 0; n < 30; n++) await guess(`user${n}@example.org`, `2001:db8:1:2:${n}::1`);
    expect((await guess("one.more@example.org", "2001:db8:1:2:ffff::1")).status).toBe(429);
    expect((await guess("one.more@example.org", "2001:db8:1:3::1")).status).toBe(401);
  });

  it("are the only sign-ins that are limited", async () => {
    for (let n = 0; n < 12; n++) expect((await postSession(service, account)).status).toBe(201);
    await guessTimes(9);
    expect((await signIn("203.0.113.1")).status).toBe(201);
    expect((await guess(account.email)).status).toBe(401);
    expect((await guess(account.email)).status).toBe(429);
  });

  it("are checked at most 10 times if 100 arrive at the same time", async () => {
    const answers = await Promise.all(Array.from({ length: 100 }, () => guess(account.email)));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(10);
    expect(statuses.filter((status) => status === 429)).toHaveLength(90);
  });
});

it("failed sign-ins are limited even if rate limits are off", async () => {
  const service = await startService({ environment: { INNKEEP_RATE_LIMITS: "off" } });
  const body = { email: "nobody@example.org", password: "wrong" };
  for (let n = 0; n < 10; n++) expect((await postSession(service, body)).status).toBe(401);
  expect((await postSession(service, body)).status).toBe(429);
  await service.stop();
});
