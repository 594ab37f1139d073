import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { randomName } from "../../../../server/secrets/secrets.ts";
import {
  type BrowserWithoutScripts,
  createBrowserWithoutScripts,
  fieldsOf,
  formOf,
  readingOf,
} from "../../../support/browser/browser-without-scripts.ts";
import type { Answer } from "../../../support/service/request.ts";
import { type Service, startService } from "../../../support/service/service.ts";
import {
  approve,
  authorizeAddress,
  exchange,
  type NewDevice,
  newDevice,
} from "../../../support/sign-in/device-sign-in.ts";
import { cookieOf, makeAccount, type TestAccount } from "../../../support/sign-in/password-accounts.ts";

const provider = { id: "acme", name: "Acme", issuer: "https://idp.example", clientId: "innkeep" };

describe("the sign-in of a device", () => {
  let service: Service;
  let account: TestAccount;
  let device: NewDevice;
  beforeAll(async () => {
    const environment = { INNKEEP_IDENTITY_PROVIDERS: JSON.stringify([provider]) };
    service = await startService({ environment });
    account = await makeAccount(service);
  });
  beforeEach(async () => {
    device = await newDevice();
  });
  afterAll(() => service.stop());

  const goOn = (answer: Answer): Promise<Answer> =>
    createBrowserWithoutScripts(service, { cookie: cookieOf(answer) }).open(
      answer.headers.get("location") ?? "",
    );

  it("continues from the sign-in form to the approval page", async () => {
    const nobody = createBrowserWithoutScripts(service);
    const { email, password } = account;
    const entered = await nobody.send(await signInOf(nobody), "/tavern/sign-in", { email, password });
    expect(entered.status).toBe(303);
    expect(readingOf(await goOn(entered))).toContain("Sign in Pixel 9 ?");
  });
  const signInOf = (visitor: BrowserWithoutScripts) => visitor.open(signInAddress());
  const signInAddress = () => `/tavern/sign-in?${new URLSearchParams({ to: authorizeAddress(device) })}`;

  it("shows a wrong password, keeps the target page, and does not send the password back", async () => {
    const nobody = createBrowserWithoutScripts(service);
    const values = { email: account.email, password: "a wrong guess" };
    const again = await nobody.send(await signInOf(nobody), "/tavern/sign-in", values);
    expect(again.status).toBe(401);
    expect(readingOf(again)).toContain("The e-mail address or the password is wrong.");
    expect(again.text).not.toContain("a wrong guess");
    expect(fieldsOf(formOf(again, "/tavern/sign-in"))).toMatchObject({
      to: authorizeAddress(device),
      email: account.email,
      password: "",
    });
  });

  it("offers the deployment's identity providers, and returns from them to the same page", async () => {
    const page = await signInOf(createBrowserWithoutScripts(service));
    const link =
      /href="([^"]*\/tavern\/with\/acme[^"]*)"/.exec(page.text)?.[1]?.replaceAll("&amp;", "&") ?? "";
    expect(new URL(link).searchParams.get("to")).toBe(authorizeAddress(device));
    expect(readingOf(page)).toContain("Sign in with Acme");
  });

  it("offers the creation of an account, and continues with it", async () => {
    const nobody = createBrowserWithoutScripts(service);
    expect((await signInOf(nobody)).text).toContain("/tavern/sign-up?to=");
    const page = await nobody.open(
      `/tavern/sign-up?${new URLSearchParams({ to: authorizeAddress(device) })}`,
    );
    const values = { email: `${randomName()}@example.org`.toLowerCase(), password: "a good long password" };
    const made = await nobody.send(page, "/tavern/sign-up", values);
    expect(readingOf(await goOn(made))).toContain(values.email);
  });

  it.each([
    [
      "a short password",
      { email: "short@example.org", password: "1234567" },
      400,
      "must have at least 8 characters",
    ],
    [
      "an invalid address",
      { email: "nobody", password: "a good long password" },
      400,
      "must be an e-mail address",
    ],
  ])("refuses an account with %s, and shows the fault at its field", async (_, values, status, words) => {
    const nobody = createBrowserWithoutScripts(service);
    const answer = await nobody.send(await nobody.open("/tavern/sign-up"), "/tavern/sign-up", values);
    expect([answer.status, readingOf(answer).includes(words)]).toEqual([status, true]);
  });

  it("changes nothing for an address that already has an account, and signs in nobody", async () => {
    const nobody = createBrowserWithoutScripts(service);
    const values = { email: account.email, password: "a good long password" };
    const answer = await nobody.send(await nobody.open("/tavern/sign-up"), "/tavern/sign-up", values);
    expect([answer.status, cookieOf(answer)]).toEqual([200, ""]);
    expect(readingOf(answer)).toContain("If this address was new, your account is ready.");
    const entry = await nobody.open("/tavern/sign-in");
    expect((await nobody.send(entry, "/tavern/sign-in", values)).status).toBe(401);
  });

  it.each([
    "https://evil.example/",
    "//evil.example",
    "/\\evil.example",
    "javascript:alert(1)",
    "tavern://x",
  ])("never redirects to another page after the sign-in: %s", async (to) => {
    const nobody = createBrowserWithoutScripts(service);
    const page = await nobody.open(`/tavern/sign-in?${new URLSearchParams({ to })}`);
    const { email, password } = account;
    const entered = await nobody.send(page, "/tavern/sign-in", { email, password, to });
    expect(entered.headers.get("location")).toBe("/console");
  });

  it.each(["/tavern/sign-in", "/tavern/sign-up", "/tavern/switch"])(
    "accepts no form from another site at %s",
    async (path) => {
      const headers = { origin: "https://evil.example", "content-type": "application/x-www-form-urlencoded" };
      const answer = await service.request("POST", path, { headers, body: "email=a@b.c&password=12345678" });
      expect([answer.status, cookieOf(answer)]).toEqual([403, ""]);
    },
  );

  it("shows device, account, scopes in words and the 90 days before the approval", async () => {
    const person = createBrowserWithoutScripts(service, await service.signIn(account));
    const text = readingOf(await person.open(authorizeAddress(device)));
    for (const words of [
      "Pixel 9",
      account.email,
      "90 days",
      "see your tests, your slots and your tasks for each day",
      "set your time zone and where you are notified",
      "ask for slots in tests",
      "send proofs of your testing",
      "The device gets no other access: it cannot use your apps or this console.",
    ])
      expect(text).toContain(words);
  });

  it.each(["<script>alert(1)</script>", '"><img src=x>', "\u202eenohP", "a\u200bb"])(
    "shows the device's name only as text: %j",
    async (name) => {
      const person = createBrowserWithoutScripts(service, await service.signIn(account));
      const page = await person.open(authorizeAddress(device, { name }));
      expect(page.text).not.toMatch(/<script>alert|<img src=x|<bdi>[^<]*[\u202e\u200b]/);
    },
  );

  it("allows a change of the account, and ends the session first", async () => {
    const headers = await service.signIn(account);
    const person = createBrowserWithoutScripts(service, headers);
    const page = await person.open(authorizeAddress(device));
    const left = await person.send(page, "/tavern/switch");
    expect(left.headers.get("location")).toBe(
      `/tavern/sign-in?${new URLSearchParams({ to: fieldsOf(formOf(page, "/tavern/switch")).to ?? "" })}`,
    );
    expect((await service.request("GET", "/api/v1/console/me", { headers })).status).toBe(401);
  });

  it("offers no new account while registration is off", async () => {
    const closed = await startService({ environment: { INNKEEP_REGISTRATION: "off" } });
    const nobody = createBrowserWithoutScripts(closed);
    expect((await nobody.open("/tavern/sign-in")).text).not.toContain("sign-up");
    expect((await nobody.open("/tavern/sign-up")).status).toBe(404);
    const body = { headers: { origin: closed.baseUrl, "content-type": "application/x-www-form-urlencoded" } };
    const answer = await closed.request("POST", "/tavern/sign-up", {
      ...body,
      body: "email=a@b.c&password=12345678",
    });
    expect(answer.status).toBe(403);
    await closed.stop();
  });

  it("ends after a refusal with a message that repeats no parameters", async () => {
    const person = createBrowserWithoutScripts(service, await service.signIn(account));
    const page = await person.open(
      "/tavern/authorize?redirect=tavern://x&device=d&name=%3Cb%3E&challenge=zzz",
    );
    expect(page.status).toBe(400);
    expect(readingOf(page)).toContain("challenge must be base64url of a SHA-256, 43 characters");
    expect(page.text).not.toContain("zzz");
  });
});

describe("the page that shows a code", () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());
  const open = (query: string) => createBrowserWithoutScripts(service).open(`/tavern/code?${query}`);

  it("shows a code that can be selected, and sends no referrer", async () => {
    const device = await newDevice();
    const person = await service.signIn(await service.makeUser());
    const redirect = `${service.baseUrl}/tavern/code`;
    const code = await approve(service, person, device, { redirect });
    const page = await open(`code=${code}`);
    expect(page.text).toContain(`>\n${code}</textarea>`);
    expect(page.headers.get("referrer-policy")).toBe("no-referrer");
    expect(page.headers.get("cache-control")).toBe("no-store");
    expect((await exchange(service, device, code)).status).toBe(201);
  });

  it("loads nothing from other servers", async () => {
    const { text, headers } = await open(`code=${randomName()}`);
    const addresses = [...text.matchAll(/(?:src|href|action)="([^"]*)"/g)].map(([, at = ""]) => at);
    expect(addresses.filter((at) => !/^[/#][^/]/.test(at))).toEqual([]);
    expect(headers.get("content-security-policy")).toContain("default-src 'none'");
  });

  it.each([
    "code=<script>alert(1)</script>",
    `code=${"a".repeat(42)}`,
    `code=${"a".repeat(44)}`,
    `code=${"a".repeat(42)}%00`,
    `code=${"a".repeat(42)}%22`,
    "code=",
    "message=Call%20us",
    "error=Call%20us",
    "",
  ])("repeats only a code of the right form: %s", async (query) => {
    const page = await open(query);
    expect([page.status, page.text.includes("There is no code here")]).toEqual([200, true]);
    expect(page.text).not.toMatch(/alert|aaaa|Call us/);
  });

  it("says that the person refused", async () => {
    expect(readingOf(await open("error=access_denied&state=Call%20us"))).toContain(
      "Refused The device was not signed in. You can close this window.",
    );
  });
});
