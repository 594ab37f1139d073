import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { credentials } from "../../../server/access/credentials.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { cookieOf, makeAccount, postSession } from "../../support/sign-in/password-accounts.ts";

const day = 86_400_000;

describe("a sign-in to the console", () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  const me = (cookie: string) => service.request("GET", "/api/v1/console/me", { headers: { cookie } });
  const signIn = async () => {
    const account = await makeAccount(service);
    const answer = await postSession(service, account);
    return { account, answer, cookie: cookieOf(answer) };
  };

  it("answers with the user and a cookie that scripts and other sites cannot read", async () => {
    const { account, answer } = await signIn();
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({ user: { id: account.id, email: account.email, name: null } });
    expect(answer.headers.get("set-cookie")).toMatch(
      /^innkeep=[\w-]{43}; Expires=.+; Path=\/; HttpOnly; SameSite=Lax$/,
    );
  });

  it("gives the browser with the cookie access to the console", async () => {
    const { account, cookie } = await signIn();
    const answer = await me(cookie);
    expect(answer.body).toMatchObject({
      user: { id: account.id },
      scopes: expect.arrayContaining(["feedback:read"]),
    });
  });

  it("finds the account by its address in any case", async () => {
    const { email, password } = await makeAccount(service);
    expect((await postSession(service, { email: ` ${email.toUpperCase()} `, password })).status).toBe(201);
  });

  it("is refused with the same answer for a wrong password and for an unknown account", async () => {
    const { email, password } = await makeAccount(service);
    const wrong = await postSession(service, { email, password: "not this one" });
    const unknown = await postSession(service, { email: "nobody@example.org", password });
    expect(wrong.status).toBe(401);
    expect(wrong.field("code")).toBe("invalid_credentials");
    expect(unknown.status).toBe(401);
    expect(unknown.text).toBe(wrong.text);
  });

  it.each(["a\u0000@example.org", "\ud800@example.org"])(
    "is refused for an address that no account can have: %j",
    async (email) => {
      const answer = await postSession(service, { email, password: "anything" });
      expect(answer).toMatchObject({ status: 400, body: { issues: [{ path: "email" }] } });
    },
  );

  it("is refused for an account without a password", async () => {
    const { email } = await service.makeUser();
    expect((await postSession(service, { email, password: "anything" })).field("code")).toBe(
      "invalid_credentials",
    );
  });

  it("stores the session only as a hash", async () => {
    const { cookie } = await signIn();
    const id = cookie.slice("innkeep=".length);
    const now = service.clock.now().toISOString();
    expect(await credentials.findSession(service.deps.database, id, now)).toBeUndefined();
    const rows = await service.deps.database.all("SELECT * FROM sessions");
    expect(JSON.stringify(rows)).not.toContain(id);
  });

  it("expires after 30 days", async () => {
    const { cookie } = await signIn();
    service.clock.advance(30 * day - 60_000);
    expect((await me(cookie)).status).toBe(200);
    service.clock.advance(60_000);
    expect((await me(cookie)).field("code")).toBe("sign_in_required");
    service.clock.advance(-30 * day);
  });

  it("starts a new session, and ends the old session of the browser", async () => {
    const { account, cookie } = await signIn();
    const again = await postSession(service, account, { cookie });
    expect(cookieOf(again)).not.toBe(cookie);
    expect((await me(cookie)).status).toBe(401);
    expect((await me(cookieOf(again))).status).toBe(200);
  });

  it("does not accept a session id that the client invented", async () => {
    const account = await makeAccount(service);
    const planted = `innkeep=${"A".repeat(43)}`;
    await postSession(service, account, { cookie: planted });
    expect((await me(planted)).status).toBe(401);
  });

  it("is refused from a page of another origin, and allowed from a page of the console", async () => {
    const account = await makeAccount(service);
    const foreign = await postSession(service, account, { origin: "https://evil.example" });
    expect(foreign.status).toBe(403);
    expect(foreign.field("code")).toBe("forbidden");
    expect(foreign.headers.get("set-cookie")).toBeNull();
    expect((await postSession(service, account, { origin: service.baseUrl })).status).toBe(201);
  });

  // Browsers send no path in `Origin`: a text that only begins or ends with our origin is another site or another port.
  it("is refused from a page whose origin begins or ends as the console's origin does", async () => {
    const { baseUrl } = service;
    const account = await makeAccount(service);
    const origins = [`${baseUrl}.evil.example`, `${baseUrl}0`, baseUrl.slice(0, -1), `evil-${baseUrl}`];
    const answers = origins.map((origin) => postSession(service, account, { origin }));
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([403, 403, 403, 403]);
  });

  it("ends when the user signs out", async () => {
    const { cookie } = await signIn();
    const headers = { cookie, origin: service.baseUrl };
    const answer = await service.request("DELETE", "/api/v1/console/session", { headers });
    expect(answer.status).toBe(204);
    expect(answer.headers.get("set-cookie")).toContain("innkeep=; Max-Age=0");
    expect((await me(cookie)).status).toBe(401);
  });

  it("ends when the account is deleted", async () => {
    const { account, cookie } = await signIn();
    await service.deps.database.write((tx) => tx.run("DELETE FROM users WHERE id = ?", account.id));
    expect((await me(cookie)).status).toBe(401);
  });

  it("writes no passwords and no sessions to the log", async () => {
    const { account, cookie } = await signIn();
    expect(service.logged()).not.toContain(account.password);
    expect(service.logged()).not.toContain(cookie.slice("innkeep=".length));
  });
});

describe("a console session on https", () => {
  it("has a host cookie that is sent only over https", async () => {
    const service = await startService({ settings: { consoleUrl: "https://console.example" } });
    const answer = await postSession(service, await makeAccount(service));
    expect(answer.headers.get("set-cookie")).toMatch(
      /^__Host-innkeep=.+; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
    );
    await service.stop();
  });
});
