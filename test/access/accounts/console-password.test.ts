import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createBrowserWithoutScripts, readingOf } from "../../support/browser/browser-without-scripts.ts";
import { type Service, startService } from "../../support/service/service.ts";
import {
  cookieOf,
  makeAccount,
  postSession,
  type TestAccount,
} from "../../support/sign-in/password-accounts.ts";

const fresh = "a fresh password";

describe("a change of a person's own password", () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ environment: { INNKEEP_REGISTRATION: "off" } });
  });
  afterAll(() => service.stop());

  const open = async ({ email, password }: TestAccount) => ({
    origin: service.baseUrl,
    cookie: cookieOf(await postSession(service, { email, password })),
  });
  const change = (headers: Record<string, string>, body: object) =>
    service.request("PUT", "/api/v1/console/password", { headers, body });
  const signIn = async ({ email }: TestAccount, password: string) =>
    (await postSession(service, { email, password })).status;
  const isOpen = async (headers: Record<string, string>) =>
    (await service.request("GET", "/api/v1/console/me", { headers })).status === 200;

  it("ends the other sessions, keeps the present session, and makes the old password invalid", async () => {
    const account = await makeAccount(service);
    const [here, elsewhere] = [await open(account), await open(account)];
    const body = { currentPassword: account.password, newPassword: fresh };
    expect((await change(here, body)).status).toBe(204);
    expect([await isOpen(here), await isOpen(elsewhere)]).toEqual([true, false]);
    expect([await signIn(account, account.password), await signIn(account, fresh)]).toEqual([401, 201]);
    const audit = await service.request("GET", "/api/v1/console/audit", { headers: here });
    expect(audit.text).toContain('"user.password"');
    expect(audit.text + service.logged()).not.toContain(fresh);
  });

  it.each([
    ["a wrong password", { currentPassword: "not mine", newPassword: fresh }, 401],
    ["a password that is too short", { newPassword: "short" }, 400],
    ["no current password", { currentPassword: "", newPassword: fresh }, 400],
  ])("is refused with %s", async (_, body, status) => {
    const account = await makeAccount(service);
    const here = await open(account);
    expect((await change(here, { currentPassword: account.password, ...body })).status).toBe(status);
    expect(await signIn(account, account.password)).toBe(201);
  });

  it("is refused without a session, and from a page of another origin", async () => {
    const account = await makeAccount(service);
    const body = { currentPassword: account.password, newPassword: fresh };
    expect((await change({ origin: service.baseUrl }, body)).status).toBe(401);
    const { cookie } = await open(account);
    expect((await change({ cookie, origin: "https://evil.example" }, body)).status).toBe(403);
  });

  it("counts wrong passwords, so that nobody can guess the present password", async () => {
    const account = await makeAccount(service);
    const here = await open(account);
    const statuses: number[] = [];
    for (let at = 0; at < 60 && statuses.at(-1) !== 429; at += 1)
      statuses.push((await change(here, { currentPassword: `guess ${at}`, newPassword: fresh })).status);
    expect([statuses[0], statuses.at(-1)]).toEqual([401, 429]);
  });

  it("is possible in the console, which shows the fault and sends no password back", async () => {
    const account = await makeAccount(service);
    const visitor = createBrowserWithoutScripts(service, await open(account));
    const path = "/console/sign-in-methods";
    const typed = { currentPassword: account.password, newPassword: fresh, repeatedPassword: "another one" };
    const send = async (values: object) =>
      visitor.send(await visitor.open(path), `${path}/password`, { ...typed, ...values });
    const other = await send({});
    expect(readingOf(other)).toContain("New password again does not match the new password.");
    expect(other.text).not.toContain(fresh);
    const wrong = await send({ currentPassword: "not mine", repeatedPassword: fresh });
    expect(readingOf(wrong)).toContain("Current password is wrong.");
    const done = await send({ repeatedPassword: fresh });
    expect(done.headers.get("location")).toBe(`${path}?done=password-changed`);
  });

  it("is not kept as unsent form text during a sign-in", async () => {
    const visitor = createBrowserWithoutScripts(service, await open(await makeAccount(service)));
    const page = await visitor.open("/console/sign-in-methods");
    const unsigned = await createBrowserWithoutScripts(service).send(
      page,
      "/console/sign-in-methods/password",
      {
        currentPassword: "my old secret",
        newPassword: fresh,
      },
    );
    expect(unsigned.status).toBe(401);
    expect(unsigned.text).not.toMatch(/my old secret|a fresh password/);
  });

  it("is explained on the sign-in page, and so is the creation of an account", async () => {
    const text = readingOf(await createBrowserWithoutScripts(service).open("/console/sign-in"));
    expect(text).toContain("innkeep admin user create");
    expect(text).toContain("Forgot password?");
  });
});

it("the sign-in page links to a new account if registration is open", async () => {
  const service = await startService();
  const visitor = createBrowserWithoutScripts(service);
  const page = await visitor.open("/console/sign-in?to=/console/audit");
  const path = /href="([^"]*sign-up[^"]*)"/.exec(page.text)?.[1] ?? "";
  expect((await visitor.open(path)).status).toBe(200);
  expect(path).toContain("to=%2Fconsole%2Faudit");
  await service.stop();
});
