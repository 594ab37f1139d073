import { v7 } from "uuid";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { faultyPaths } from "../../support/service/issues.ts";
import type { Answer } from "../../support/service/request.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { bearerOf, slotsOf } from "../../support/sign-in/device-sign-in.ts";
import { makeAccount, type TestAccount } from "../../support/sign-in/password-accounts.ts";

const registerPath = "/api/v1/testing/auth/register";
const tokenPath = "/api/v1/testing/auth/token";

const grant = {
  token: expect.stringMatching(/^sdt_[0-9A-Za-z]{38}$/),
  expiresAt: expect.any(String),
  scopes: ["testing:read", "testing:profile:write", "testing:slots:write", "testing:proofs:write"],
};

describe("the deprecated requests of accounts with a password:", () => {
  let service: Service;
  let account: TestAccount;
  beforeAll(async () => {
    service = await startService({ environment: { INNKEEP_TRUSTED_PROXIES: "127.0.0.0/8" } });
    account = await makeAccount(service);
  });
  afterAll(() => service.stop());

  let count = 0;
  const anywhere = () => {
    count += 1;
    return `203.0.113.${count}`;
  };
  const post = (path: string, body: object, address = anywhere()): Promise<Answer> =>
    service.request("POST", path, { headers: { "x-forwarded-for": address }, body });
  const fresh = () => ({ email: `${v7()}@example.org`, password: "eight or more", deviceId: v7() });
  const known = () => ({ email: account.email, password: account.password, deviceId: v7() });

  it("register answers 201 as the exchange does, and the account can sign in", async () => {
    const body = { ...fresh(), deviceName: "Old phone", timezone: "Europe/Oslo", pushToken: "p" };
    const answer = await post(registerPath, body);
    const profile = { timezone: "Europe/Oslo", isTester: false };
    expect(answer).toMatchObject({ status: 201, body: { ...grant, profile } });
    expect((await slotsOf(service, bearerOf(answer))).status).toBe(200);
    expect(await post(tokenPath, { ...body, timezone: null })).toMatchObject({
      status: 201,
      body: { profile },
    });
  });

  it("token answers 201 as the exchange does", async () => {
    const answer = await post(tokenPath, known());
    expect(answer).toMatchObject({ status: 201, body: { ...grant, profile: { timezone: "UTC" } } });
    expect((await slotsOf(service, bearerOf(answer))).status).toBe(200);
  });

  it.each([registerPath, tokenPath])(
    "%s stores no repeatable answer that would help a thief to test passwords without the deployment's secret",
    async (path) => {
      const body = path === tokenPath ? known() : fresh();
      const kept: string[] = [];
      for (const secret of ["the secret of one deployment", "the secret of another one"]) {
        const deployment = await startService({ secret });
        await makeAccount(deployment, account.email);
        const headers = { "idempotency-key": "k" };
        expect((await deployment.request("POST", path, { headers, body })).status).toBe(201);
        const rows = await deployment.deps.database.all<{ scope: string; fingerprint: string }>(
          "SELECT scope, fingerprint FROM idempotency",
        );
        kept.push(...rows.flatMap(({ scope, fingerprint }) => [scope, fingerprint]));
        await deployment.stop();
      }
      expect([kept.length, new Set(kept).size]).toEqual([4, 4]);
    },
  );

  it("token accepts an e-mail address in any spelling", async () => {
    expect((await post(tokenPath, { ...known(), email: ` ${account.email.toUpperCase()} ` })).status).toBe(
      201,
    );
  });

  it("register answers 409 email_taken for an address that has an account", async () => {
    expect(await post(registerPath, known())).toMatchObject({ status: 409, body: { code: "email_taken" } });
  });

  it("register answers 403 forbidden if registration is off", async () => {
    const closed = await startService({ environment: { INNKEEP_REGISTRATION: "off" } });
    const answer = await closed.request("POST", registerPath, { body: fresh() });
    expect(answer).toMatchObject({ status: 403, body: { code: "forbidden" } });
    expect(answer.headers.has("deprecation")).toBe(true);
    await closed.stop();
  });

  it("token gives the same answer to an unknown account and a wrong password", async () => {
    const wrong = await post(tokenPath, { ...known(), password: "wrong" });
    const unknown = await post(tokenPath, { ...known(), email: "nobody@example.org" });
    expect(wrong).toMatchObject({ status: 401, body: { code: "invalid_credentials" } });
    expect([unknown.status, unknown.text]).toEqual([wrong.status, wrong.text]);
  });

  it.each([registerPath, tokenPath])(
    "%s answers 409 device_taken for another account's device",
    async (path) => {
      const { deviceId } = fresh();
      await post(tokenPath, { ...known(), deviceId });
      const other = await makeAccount(service);
      const body = path === tokenPath ? { ...known(), ...other, deviceId } : { ...fresh(), deviceId };
      expect(await post(path, body)).toMatchObject({ status: 409, body: { code: "device_taken" } });
      const own = await post(tokenPath, { ...known(), deviceId });
      expect(own.status).toBe(201);
    },
  );

  it("register creates no account if the device is taken", async () => {
    const { deviceId } = fresh();
    await post(tokenPath, { ...known(), deviceId });
    const body = { ...fresh(), deviceId };
    await post(registerPath, body);
    expect((await post(registerPath, { ...body, deviceId: v7() })).status).toBe(201);
  });

  describe("register with an Idempotency-Key", () => {
    const keyed = (body: object, address = anywhere()) =>
      service.request("POST", registerPath, {
        headers: { "x-forwarded-for": address, "idempotency-key": "once" },
        body,
      });

    it("answers a repeated request with the same token", async () => {
      const body = fresh();
      const [first, again] = [await keyed(body), await keyed(body)];
      expect([first.status, again.text]).toEqual([201, first.text]);
      expect(again.headers.get("idempotent-replay")).toBe("true");
    });

    it.each([
      ["another password", { password: "another password" }],
      ["another time zone", { timezone: "Asia/Tokyo" }],
    ])("answers 422 idempotency_mismatch to %s", async (_, change) => {
      const body = fresh();
      await keyed(body);
      const answer = await keyed({ ...body, ...change });
      expect(answer).toMatchObject({ status: 422, body: { code: "idempotency_mismatch" } });
    });

    it("answers 422 idempotency_mismatch to a different password even after a refusal", async () => {
      const body = { ...known(), password: "eight or more" };
      expect((await keyed(body)).body).toMatchObject({ code: "email_taken" });
      const answer = await keyed({ ...body, password: "another password" });
      expect(answer.body).toMatchObject({ code: "idempotency_mismatch" });
    });

    it("is another request for another device or another address", async () => {
      const body = fresh();
      await keyed(body);
      expect((await keyed({ ...body, deviceId: v7() })).body).toMatchObject({ code: "email_taken" });
      expect((await keyed({ ...body, deviceId: v7(), email: fresh().email })).status).toBe(201);
    });

    it("counts the passwords that are tried with a known key as attempts", async () => {
      const limited = await startService({
        environment: { INNKEEP_RATE_LIMITS: "registrationsByAddress=4/900" },
      });
      const body = fresh();
      const statuses: number[] = [];
      for (const password of [body.password, "password 2", "password 3", "password 4", "password 5"]) {
        const headers = { "idempotency-key": "once" };
        const answer = await limited.request("POST", registerPath, { headers, body: { ...body, password } });
        statuses.push(answer.status);
      }
      await limited.stop();
      expect(statuses).toEqual([201, 422, 422, 422, 429]);
    });
  });

  it("register creates one account if 20 requests arrive at the same time", async () => {
    const body = fresh();
    const answers = await Promise.all(Array.from({ length: 20 }, () => post(registerPath, body)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(19);
  });

  it.each<[string, string, object]>([
    ["a password of 7 characters", registerPath, { password: "1234567" }],
    ["no password", tokenPath, { password: undefined }],
    ["an invalid address", registerPath, { email: "no address" }],
    ["no device", tokenPath, { deviceId: undefined }],
    ["a time zone that is not a text", registerPath, { timezone: 7 }],
  ])("both answer 400 for %s", async (_, path, wrong) => {
    const answer = await post(path, { ...fresh(), ...wrong });
    expect(faultyPaths(answer)).toEqual(Object.keys(wrong));
    expect(answer.headers.has("deprecation")).toBe(true);
  });

  it("both name the present endpoint in their answers, even in a refusal", async () => {
    for (const answer of [
      await post(registerPath, fresh()),
      await post(tokenPath, known()),
      await post(tokenPath, { ...known(), password: "wrong" }),
      await post(registerPath, {}),
    ]) {
      expect(answer.headers.get("deprecation")).toMatch(/^@\d{10}$/);
      expect(answer.headers.get("link")).toBe(
        `<${service.baseUrl}/tavern/authorize>; rel="successor-version"`,
      );
    }
  });

  it("token is limited to 10 failures per 15 minutes, account and address, shared with the console's sign-in", async () => {
    const { email, password } = await makeAccount(service);
    const from = "198.51.100.2";
    for (let at = 0; at < 10; at++) {
      expect((await post(tokenPath, { email, password: "guess", deviceId: v7() }, from)).status).toBe(401);
    }
    const refused = await post(tokenPath, { email, password, deviceId: v7() }, from);
    expect(refused).toMatchObject({ status: 429, body: { code: "rate_limited" } });
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(14 * 60);
    expect((await post("/api/v1/console/session", { email, password }, from)).status).toBe(429);
    expect((await post(tokenPath, { email, password, deviceId: v7() }, "198.51.100.3")).status).toBe(201);
  });

  it("token counts only failures, and neither successes nor a taken device", async () => {
    const [holder, own] = [await makeAccount(service), await makeAccount(service)];
    const deviceId = v7();
    await post(tokenPath, { ...holder, deviceId });
    for (let at = 0; at < 12; at++) expect((await post(tokenPath, { ...own, deviceId })).status).toBe(409);
    expect((await post(tokenPath, { ...own, deviceId: v7() })).status).toBe(201);
  });

  it("token is limited to 30 failures per 15 minutes and address", async () => {
    const guess = () => post(tokenPath, { ...fresh(), password: "guess" }, "198.51.100.1");
    for (let at = 0; at < 30; at++) expect((await guess()).status).toBe(401);
    expect((await guess()).status).toBe(429);
  });

  it("register reveals to one network address only 30 times per 15 minutes that an account exists", async () => {
    const send = (body: object) => post(registerPath, body, "198.51.100.3");
    for (let at = 0; at < 20; at++) expect((await send(fresh())).status).toBe(201);
    for (let at = 0; at < 30; at++) expect((await send(known())).status).toBe(409);
    const answers = [await send(known()), await send(fresh())];
    expect(answers.map(({ status }) => status)).toEqual([429, 429]);
    expect((await post(registerPath, fresh())).status).toBe(201);
  });

  it("register is limited to 300 per 15 minutes and address", async () => {
    const send = () => post(registerPath, { ...fresh(), password: "short" }, "198.51.100.2");
    for (let at = 0; at < 300; at++) expect((await send()).status).toBe(400);
    expect((await send()).status).toBe(429);
  });
});
