import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createBrowserWithoutScripts, readingOf } from "../../support/browser/browser-without-scripts.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { makeAccount, postSession } from "../../support/sign-in/password-accounts.ts";
import { nextCode, turnOn } from "../../support/sign-in/second-factors.ts";

const password = "a fresh password";
const tenMinutes = 10 * 60_000;

describe("the first password of an account", () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  /** An account without a password, created by a sign-in with a provider. It has just signed in with two browsers. */
  const arrive = async () => {
    const { id, email } = await service.makeUser();
    const [here, elsewhere] = [await service.signIn({ id }), await service.signIn({ id })];
    return { id, email, here, elsewhere };
  };
  const set = (headers: Record<string, string>, body: object = {}) =>
    service.request("POST", "/api/v1/console/password", {
      headers,
      body: { newPassword: password, ...body },
    });
  const signIn = async (email: string) => (await postSession(service, { email, password })).status;

  it("can be set shortly after a sign-in, opens the account, and ends its other sessions", async () => {
    const { email, here, elsewhere } = await arrive();
    expect((await set(here)).status).toBe(204);
    expect(await signIn(email)).toBe(201);
    const open = async (headers: Record<string, string>) =>
      (await service.request("GET", "/api/v1/console/me", { headers })).status;
    expect([await open(here), await open(elsewhere)]).toEqual([200, 401]);
    const audit = await service.request("GET", "/api/v1/console/audit", { headers: here });
    expect(audit.text).toContain('"user.password"');
    expect(await set(here, { newPassword: "another password" })).toMatchObject({
      status: 409,
      body: { code: "wrong_state" },
    });
    expect(await signIn(email)).toBe(201);
  });

  it("cannot be set in a browser whose sign-in is old, and neither can a second factor", async () => {
    const { email, here } = await arrive();
    service.clock.advance(tenMinutes);
    expect(await set(here)).toMatchObject({ status: 409, body: { code: "wrong_state" } });
    const begin = { headers: here, body: {} };
    const asked = await service.request("POST", "/api/v1/console/second-factor/totp", begin);
    expect(asked).toMatchObject({ status: 409, body: { code: "wrong_state" } });
    expect(await signIn(email)).toBe(401);
    service.clock.advance(-tenMinutes);
    expect((await set(here)).status).toBe(204);
  });

  it("needs a code of the second factor, and each code works once", async () => {
    const { id, email, here } = await arrive();
    const { secret } = await turnOn(service, { id, email, password: "" }, here);
    expect((await set(here)).field("code")).toBe("second_factor_required");
    expect((await set(here, { code: "000000" })).field("code")).toBe("invalid_second_factor");
    expect((await set(here, { code: nextCode(service, secret) })).status).toBe(204);
    expect((await postSession(service, { email, password })).field("code")).toBe("second_factor_required");
  });

  it("cannot be set for an account that has a password, and cannot be too short", async () => {
    const account = await makeAccount(service);
    expect((await set(await service.signIn(account))).field("code")).toBe("wrong_state");
    expect((await set((await arrive()).here, { newPassword: "short" })).status).toBe(400);
  });

  it("is set once if two requests arrive at the same time", async () => {
    const { here } = await arrive();
    const answers = await Promise.all([set(here), set(here, { newPassword: "another password" })]);
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 409]);
  });

  it("can be set in the console, which sends no password back", async () => {
    const { email, here } = await arrive();
    const visitor = createBrowserWithoutScripts(service, here);
    const path = "/console/sign-in-methods";
    const typed = { newPassword: password, repeatedPassword: password };
    const send = async (values: object = {}) =>
      visitor.send(await visitor.open(path), `${path}/password`, { ...typed, ...values });
    const other = await send({ repeatedPassword: "another one" });
    expect(readingOf(other)).toContain("New password again does not match the new password.");
    expect(other.text).not.toContain(password);
    const done = await send();
    expect(done.headers.get("location")).toBe(`${path}?done=first-password`);
    expect(readingOf(await visitor.open(path))).toContain("Change password");
    expect(await signIn(email)).toBe(201);
  });
});
