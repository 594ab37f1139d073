import decodeQR from "qr/decode.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createBrowserWithCookies } from "../../../support/browser/browser-with-cookies.ts";
import {
  createBrowserWithoutScripts,
  fieldsOf,
  formOf,
  readingOf,
} from "../../../support/browser/browser-without-scripts.ts";
import type { Answer } from "../../../support/service/request.ts";
import { type Service, startService } from "../../../support/service/service.ts";
import { authorizeAddress, newDevice } from "../../../support/sign-in/device-sign-in.ts";
import { createProviderPeople } from "../../../support/sign-in/identity-provider-people.ts";
import {
  broughtBack,
  consentAddress,
  decideOnProgram,
  exchangeCode,
  registerProgram,
} from "../../../support/sign-in/oauth.ts";
import { cookieOf, makeAccount } from "../../../support/sign-in/password-accounts.ts";
import {
  type FactorAccount,
  makeFactorAccount,
  nextCode,
  openWithPassword,
  turnOn,
} from "../../../support/sign-in/second-factors.ts";
import { startServiceWithProvider } from "../../../support/sign-in/service-with-identity-provider.ts";

const methods = "/console/sign-in-methods";
const factor = `${methods}/second-factor`;

/** Returns the text that a camera reads from the QR code of a page. */
function scanned({ text }: Answer): string {
  const size = Number(/viewBox="0 0 (\d+)/.exec(text.slice(text.indexOf('class="qr"')))?.[1]);
  const scale = 4;
  const data = new Uint8Array(size * size * scale * scale * 4).fill(255);
  for (const [, x = "", y = ""] of text.matchAll(/M(\d+) (\d+)h1v1h-1z/g))
    for (let dy = 0; dy < scale; dy += 1)
      for (let dx = 0; dx < scale; dx += 1) {
        const at = ((Number(y) * scale + dy) * size * scale + Number(x) * scale + dx) * 4;
        data.fill(0, at, at + 3);
      }
  return decodeQR({ width: size * scale, height: size * scale, data });
}

describe("the second factor on the pages", () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  const codesIn = ({ text }: Answer) =>
    [...text.matchAll(/<code>((?:[a-z2-9]{4}-){3}[a-z2-9]{4})<\/code>/g)].map(([, code = ""]) => code);
  const signInPage = () => createBrowserWithoutScripts(service).open("/console/sign-in?to=/console/audit");
  const enter = async ({ email, password }: FactorAccount) =>
    createBrowserWithoutScripts(service).send(await signInPage(), "/console/sign-in", { email, password });

  it("is set up with the password, a QR code that an app can read, and a first code", async () => {
    const account = await makeAccount(service);
    const person = createBrowserWithoutScripts(service, await openWithPassword(service, account));
    const wrong = await person.send(await person.open(methods), factor, { currentPassword: "not mine" });
    expect(readingOf(wrong)).toContain("Your password is wrong.");
    const page = await person.send(wrong, factor, { currentPassword: account.password });
    const uri = scanned(page);
    const secret = new URL(uri).searchParams.get("secret") ?? "";
    expect(uri).toContain(encodeURIComponent(account.email));
    expect(page.text.replaceAll(/[ \n]/g, "")).toContain(`>${secret}</textarea>`);
    const refused = await person.send(page, `${factor}/confirm`, { code: "no" });
    expect(readingOf(refused)).toContain("Code is wrong or was used before.");
    const done = await person.send(refused, `${factor}/confirm`, { code: nextCode(service, secret) });
    expect(codesIn(done)).toHaveLength(10);
    expect(readingOf(await person.open(methods))).toMatch(/Second factor On.*10 recovery codes left/);
  });

  it("is required on a separate page, which keeps the target and sends no code back", async () => {
    const account = await makeFactorAccount(service);
    const asked = await enter(account);
    expect([asked.status, asked.headers.get("set-cookie")]).toEqual([200, null]);
    expect(asked.text).not.toContain(account.password);
    const visitor = createBrowserWithoutScripts(service);
    const refused = await visitor.send(asked, "/console/sign-in", { code: "a wrong guess" });
    expect(refused.status).toBe(401);
    expect(refused.text).not.toContain("a wrong guess");
    const code = nextCode(service, account.secret);
    const done = await visitor.send(refused, "/console/sign-in", { code });
    expect([done.status, done.headers.get("location")]).toEqual([303, "/console/audit"]);
    const inside = createBrowserWithoutScripts(service, { cookie: cookieOf(done) });
    expect((await inside.open("/console/audit")).status).toBe(200);
  });

  it("returns the person to the first page if the step has expired", async () => {
    const account = await makeFactorAccount(service);
    const asked = await enter(account);
    service.clock.advance(600_000);
    const code = nextCode(service, account.secret);
    const late = await createBrowserWithoutScripts(service).send(asked, "/console/sign-in", { code });
    expect(late.status).toBe(401);
    expect(readingOf(late)).toContain("This sign-in has expired");
    expect(fieldsOf(formOf(late, "/console/sign-in"))).toHaveProperty("password");
  });

  it("keeps a form that was sent after the end of the session, over both steps", async () => {
    const account = await makeFactorAccount(service);
    const inside = createBrowserWithoutScripts(service, account.headers);
    const page = await inside.open("/console/new-app");
    const nobody = createBrowserWithoutScripts(service);
    const kept = await nobody.send(page, "/console/new-app", { name: "Larder of many words" });
    const { email, password } = account;
    const asked = await nobody.send(kept, "/console/sign-in", { email, password });
    const done = await nobody.send(asked, "/console/sign-in", { code: nextCode(service, account.secret) });
    expect(done.text).toContain("Larder of many words");
  });

  it("is required before a person can allow a program, and wrong codes allow nothing", async () => {
    const account = await makeFactorAccount(service);
    await service.makeApp(account);
    const program = await registerProgram(service);
    const address = consentAddress(program);
    const visitor = createBrowserWithoutScripts(service);
    const { email, password } = account;
    const entry = await visitor.open((await visitor.open(address)).headers.get("location") ?? "");
    const asked = await visitor.send(entry, "/tavern/sign-in", { email, password });
    expect([asked.status, asked.headers.get("set-cookie")]).toEqual([200, null]);
    expect(readingOf(asked)).not.toContain("Allow");
    const wrong = await visitor.send(asked, "/tavern/sign-in", { code: "000000" });
    expect([wrong.status, wrong.headers.get("set-cookie")]).toEqual([401, null]);
    const done = await visitor.send(asked, "/tavern/sign-in", { code: nextCode(service, account.secret) });
    expect(done.headers.get("location")).toBe(address);
    const allowed = await decideOnProgram(service, { cookie: cookieOf(done) }, program);
    const granted = await exchangeCode(service, program, broughtBack(allowed).get("code") ?? "");
    expect(granted.body).toMatchObject({ scope: "read propose" });
  });

  it("is required before a person can approve a device", async () => {
    const account = await makeFactorAccount(service);
    const target = authorizeAddress(await newDevice());
    const visitor = createBrowserWithoutScripts(service);
    const entry = await visitor.open(`/tavern/sign-in?${new URLSearchParams({ to: target })}`);
    const { email, password } = account;
    const asked = await visitor.send(entry, "/tavern/sign-in", { email, password });
    expect([asked.status, asked.headers.get("set-cookie")]).toEqual([200, null]);
    const code = nextCode(service, account.secret);
    const done = await visitor.send(asked, "/tavern/sign-in", { code });
    expect(done.headers.get("location")).toBe(target);
    const approval = await createBrowserWithoutScripts(service, { cookie: cookieOf(done) }).open(target);
    expect(readingOf(approval)).toContain("Sign in Pixel 9 ?");
  });

  it("gets new recovery codes and is turned off with a code", async () => {
    const account = await makeFactorAccount(service);
    const person = createBrowserWithoutScripts(service, account.headers);
    const [recovery = ""] = account.recoveryCodes;
    const renewed = await person.send(await person.open(methods), `${factor}/recovery-codes`, {
      code: recovery,
    });
    const [fresh = ""] = codesIn(renewed);
    const wrong = await person.send(await person.open(methods), `${factor}/remove`, { code: recovery });
    expect(readingOf(wrong)).toContain("Code is wrong or was used before.");
    const done = await person.follow(await person.send(wrong, `${factor}/remove`, { code: fresh }));
    expect(readingOf(done)).toContain("Second factor Off");
  });
});

it("is required after a sign-in with a provider, and no session exists before it", async () => {
  const provided = await startServiceWithProvider();
  const { service } = provided;
  const people = createProviderPeople(provided);
  const { email } = people.person();
  const first = createBrowserWithCookies();
  await people.arrive(first);
  const headers = { cookie: `innkeep=${first.cookie("innkeep")}`, origin: service.baseUrl };
  const [user] = await people.accounts(email);
  const account = await turnOn(service, { id: user?.id ?? "", email, password: "" }, headers);
  const second = createBrowserWithCookies();
  const asked = await people.arrive(second, "/console/audit");
  expect(asked.text).toContain("Enter your code");
  expect(await people.signedInAs(second)).toBeUndefined();
  const step = /name="step" value="([^"]*)"/.exec(asked.text)?.[1] ?? "";
  const code = nextCode(service, account.secret);
  const done = await second.send(`${service.baseUrl}/console/sign-in`, { step, code, to: "/console/audit" });
  expect(done.location).toMatch(/\/console\/audit$/);
  expect(await people.signedInAs(second)).toBe(email);
  await provided.stop();
});
