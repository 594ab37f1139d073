import { v7 } from "uuid";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sealed } from "../../../server/secrets/store.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { cookieOf, makeAccount, postSession } from "../../support/sign-in/password-accounts.ts";
import {
  beginFactor,
  codeAt,
  type FactorAccount,
  makeFactorAccount,
  moveToStep,
  nextCode,
  openWithPassword,
  turnOn,
} from "../../support/sign-in/second-factors.ts";

const base = "/api/v1/console";

describe("a second factor", () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  type Headers = FactorAccount["headers"];
  const isOpen = async (headers: Headers) =>
    (await service.request("GET", "/api/v1/console/me", { headers })).status === 200;
  const state = async (headers: Headers) =>
    (await service.request("GET", "/api/v1/console/second-factor", { headers })).body;
  const post = (headers: Headers, path: string, body: object) =>
    service.request("POST", base + path, { headers, body });
  const signIn = ({ email, password }: FactorAccount, code?: string) =>
    service.request("POST", "/api/v1/console/session", { body: { email, password, code } });
  const audited = async (headers: Headers) =>
    (await service.request("GET", "/api/v1/console/audit", { headers })).text;

  it("is off at first", async () => {
    const headers = await openWithPassword(service, await makeAccount(service));
    expect(await state(headers)).toEqual({ totp: null, recoveryCodesLeft: 0 });
  });

  it("is required only after it is confirmed, and its confirmation ends all other sessions", async () => {
    const account = await makeAccount(service);
    const [here, elsewhere] = [
      await openWithPassword(service, account),
      await openWithPassword(service, account),
    ];
    await beginFactor(service, here, account.password);
    expect((await postSession(service, account)).status).toBe(201);
    const { recoveryCodes } = await turnOn(service, account, here);
    expect(recoveryCodes).toHaveLength(10);
    expect([await isOpen(here), await isOpen(elsewhere)]).toEqual([true, false]);
    expect(await state(here)).toMatchObject({
      totp: { createdAt: expect.any(String) },
      recoveryCodesLeft: 10,
    });
    expect(await audited(here)).toContain('"second_factor.enable"');
  });

  it("cannot be turned on with a wrong password, a wrong code, or a code of an earlier secret", async () => {
    const account = await makeAccount(service);
    const headers = await openWithPassword(service, account);
    for (const body of [{}, { currentPassword: "not mine" }])
      expect((await post(headers, "/second-factor/totp", body)).field("code")).toBe("invalid_credentials");
    const early = await post(headers, "/second-factor/totp/confirm", { code: "123456" });
    expect(early.field("code")).toBe("wrong_state");
    const first = await beginFactor(service, headers, account.password);
    const second = await beginFactor(service, headers, account.password);
    const wrong = nextCode(service, first);
    for (const code of [wrong, "abcd-efgh-jkmn-pqrs"])
      expect((await post(headers, "/second-factor/totp/confirm", { code })).field("code")).toBe(
        "invalid_second_factor",
      );
    expect(
      (await post(headers, "/second-factor/totp/confirm", { code: codeAt(service, second) })).status,
    ).toBe(201);
    const again = await post(headers, "/second-factor/totp", { currentPassword: account.password });
    expect(again.field("code")).toBe("wrong_state");
  });

  it("is required after the right password, and never after a wrong password", async () => {
    const account = await makeFactorAccount(service);
    const asked = await signIn(account);
    expect(asked).toMatchObject({
      status: 401,
      body: { code: "second_factor_required", step: expect.any(String) },
    });
    expect(asked.headers.get("set-cookie")).toBeNull();
    const code = nextCode(service, account.secret);
    const wrong = await signIn({ ...account, password: "not mine" }, code);
    expect(wrong.field("code")).toBe("invalid_credentials");
    expect((await signIn(account, code)).status).toBe(201);
  });

  it.each([-1, 0, 1])("accepts the code of a clock that differs by %i steps", async (steps) => {
    const account = await makeFactorAccount(service);
    moveToStep(service, 10);
    expect((await signIn(account, codeAt(service, account.secret, steps))).status).toBe(201);
  });

  it.each([-2, 2])("refuses the code of a clock that differs by %i steps", async (steps) => {
    const account = await makeFactorAccount(service);
    moveToStep(service, 10);
    const answer = await signIn(account, codeAt(service, account.secret, steps));
    expect(answer.field("code")).toBe("invalid_second_factor");
  });

  it("completes a sign-in with the id of its first step", async () => {
    const account = await makeFactorAccount(service);
    const step = (await signIn(account)).field("step");
    const body = { step, code: nextCode(service, account.secret) };
    const done = await service.request("POST", "/api/v1/console/session/second-factor", { body });
    expect(done).toMatchObject({ status: 201, body: { user: { id: account.id, email: account.email } } });
    expect(await isOpen({ origin: service.baseUrl, cookie: cookieOf(done) })).toBe(true);
  });

  it("accepts each recovery code once", async () => {
    const account = await makeFactorAccount(service);
    const [code = "", other = ""] = account.recoveryCodes;
    expect((await signIn(account, code)).status).toBe(201);
    expect((await signIn(account, code)).field("code")).toBe("invalid_second_factor");
    expect((await signIn(account, other.toUpperCase().replaceAll("-", " "))).status).toBe(201);
    expect(await state(account.headers)).toMatchObject({ recoveryCodesLeft: 8 });
    expect(await audited(account.headers)).toContain('"second_factor.recovery_code"');
  });

  it("gets ten new recovery codes with a code, and the old recovery codes become invalid", async () => {
    const account = await makeFactorAccount(service);
    const [old = ""] = account.recoveryCodes;
    const refused = await post(account.headers, "/second-factor/recovery-codes", { code: "000" });
    expect(refused.field("code")).toBe("invalid_second_factor");
    const code = nextCode(service, account.secret);
    const answer = await post(account.headers, "/second-factor/recovery-codes", { code });
    const [fresh = ""] = Object(answer.body).recoveryCodes;
    expect((await signIn(account, old)).status).toBe(401);
    expect((await signIn(account, fresh)).status).toBe(201);
  });

  it("can be turned off with a code, and then the password is sufficient", async () => {
    const account = await makeFactorAccount(service);
    const { headers } = account;
    expect((await post(headers, "/second-factor/remove", { code: "not it" })).field("code")).toBe(
      "invalid_second_factor",
    );
    expect(
      (await post(headers, "/second-factor/remove", { code: nextCode(service, account.secret) })).status,
    ).toBe(204);
    expect((await signIn(account)).status).toBe(201);
    expect(await state(headers)).toEqual({ totp: null, recoveryCodesLeft: 0 });
    expect((await post(headers, "/second-factor/remove", { code: "123456" })).field("code")).toBe(
      "wrong_state",
    );
    expect(await audited(headers)).toContain('"second_factor.disable"');
  });

  it("is also required by the deprecated sign-in of a device", async () => {
    const { email, password, secret } = await makeFactorAccount(service);
    const token = (code?: string) =>
      service.request("POST", "/api/v1/testing/auth/token", {
        body: { email, password, deviceId: v7(), code },
      });
    for (const code of [undefined, ""])
      expect((await token(code)).field("code")).toBe("second_factor_required");
    expect((await token("000")).field("code")).toBe("invalid_second_factor");
    expect((await token(nextCode(service, secret))).status).toBe(201);
  });

  it("is stored encrypted, its recovery codes are stored as hashes, and no code is in the log or the audit", async () => {
    const account = await makeFactorAccount(service);
    const rows = JSON.stringify([
      await service.deps.database.all("SELECT * FROM second_factors"),
      await service.deps.database.all("SELECT * FROM recovery_codes"),
    ]);
    const seen = rows + service.logged() + (await audited(account.headers));
    for (const secret of [
      account.secret,
      ...account.recoveryCodes.map((code) => code.replaceAll("-", "")),
      ...account.recoveryCodes,
    ])
      expect(seen).not.toContain(secret);
  });

  it("of an account without a password can be turned on without a password", async () => {
    const user = await service.makeUser();
    const headers = await service.signIn(user);
    expect(await beginFactor(service, headers)).toMatch(/^[A-Z2-7]{32}$/);
  });
});

it("a second factor stays on after a loss of the deployment's secret, and only its recovery codes are valid", async () => {
  const service = await startService();
  const { email, password, secret, recoveryCodes } = await makeFactorAccount(service);
  const forgotten = await service.deps.database.write((tx) => sealed.forgetAll(tx));
  expect(forgotten).toMatchObject({ authenticatorApps: 1 });
  const signIn = (code?: string) =>
    service.request("POST", "/api/v1/console/session", { body: { email, password, code } });
  expect((await signIn()).field("code")).toBe("second_factor_required");
  expect((await signIn(nextCode(service, secret))).field("code")).toBe("invalid_second_factor");
  expect((await signIn(recoveryCodes[0])).status).toBe(201);
  await service.stop();
});
