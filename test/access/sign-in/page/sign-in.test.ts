import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  createBrowserWithoutScripts,
  fieldsOf,
  formOf,
  readingOf,
} from "../../../support/browser/browser-without-scripts.ts";
import { type Service, startService } from "../../../support/service/service.ts";
import { cookieOf, makeAccount, type TestAccount } from "../../../support/sign-in/password-accounts.ts";

describe("the page for the sign-in to the console", () => {
  let service: Service;
  let account: TestAccount;
  beforeAll(async () => {
    service = await startService();
    account = await makeAccount(service, "ada@example.org");
  });
  afterAll(() => service.stop());

  const signIn = async (to: string, values: object = {}, headers = {}) => {
    const visitor = createBrowserWithoutScripts(service, headers);
    const page = await visitor.open(`/console/sign-in?${new URLSearchParams({ to })}`);
    const { email, password } = account;
    return visitor.send(page, "/console/sign-in", { email, password, ...values });
  };

  it("opens the console with a new session", async () => {
    const answer = await signIn("");
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/console"]);
    const page = await createBrowserWithoutScripts(service, { cookie: cookieOf(answer) }).open("/console");
    expect(readingOf(page)).toContain("ada@example.org");
  });

  it("continues to the requested page", async () => {
    const answer = await signIn("/console/audit?cursor=abc");
    expect(answer.headers.get("location")).toBe("/console/audit?cursor=abc");
  });

  it.each([
    "https://evil.example/console",
    "//evil.example",
    "/\\evil.example",
    "/\t/evil.example",
    "/..//evil.example",
    "javascript:alert(1)",
    "evil",
  ])("never continues to %j", async (to) => {
    expect((await signIn(to)).headers.get("location")).toBe("/console");
  });

  it("shows a wrong password, and keeps the typed address", async () => {
    const page = await signIn("/console/tokens", { password: "wrong" });
    expect(page.status).toBe(401);
    expect(readingOf(page)).toContain("The e-mail address or the password is wrong.");
    expect(page.text).toContain('value="ada@example.org"');
    expect(page.text).toContain('name="to" value="/console/tokens"');
    expect(page.text).not.toContain("wrong&");
  });

  it("says after too many wrong passwords how long the person must wait", async () => {
    const email = (await makeAccount(service)).email;
    for (let at = 0; at < 10; at += 1) await signIn("", { email, password: "wrong" });
    const page = await signIn("", { email, password: "wrong" });
    expect(page.status).toBe(429);
    expect(readingOf(page)).toContain(`Try again in ${page.headers.get("retry-after")} s.`);
  });

  it.each([["https://evil.example"], ["null"], [""]])(
    "refuses a form from a page of the origin %j",
    async (origin) => {
      const answer = await signIn("", {}, { origin });
      expect(answer.status).toBe(403);
      expect(answer.headers.get("set-cookie")).toBeNull();
    },
  );

  it("refuses a form without an origin, which every browser sends with a form", async () => {
    const page = await createBrowserWithoutScripts(service).open("/console/sign-in");
    const { email, password } = account;
    const answer = await service.request("POST", "/console/sign-in", {
      headers: { accept: "text/html", "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({
        ...fieldsOf(formOf(page, "/console/sign-in")),
        email,
        password,
      }).toString(),
    });
    expect([answer.status, answer.headers.get("set-cookie")]).toEqual([403, null]);
  });

  it("appears again when the person signs out", async () => {
    const cookie = cookieOf(await signIn(""));
    const visitor = createBrowserWithoutScripts(service, { cookie });
    const answer = await visitor.send(await visitor.open("/console"), "/console/sign-out");
    expect(answer.headers.get("location")).toBe("/console/sign-in?done=signed-out");
    expect((await visitor.open("/console")).status).toBe(303);
  });
});
