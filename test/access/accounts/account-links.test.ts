import { v7 } from "uuid";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { mailedToken, mailsTo } from "../../support/mail/mailed-links.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { cookieOf, makeAccount, postSession } from "../../support/sign-in/password-accounts.ts";
import { codeAt, makeFactorAccount, openWithPassword } from "../../support/sign-in/second-factors.ts";

const fresh = "a fresh password";

describe("a mail about an account", () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ settings: { dev: true } });
  });
  afterAll(() => service.stop());

  const recover = (email: string) => service.request("POST", "/api/v1/console/recovery", { body: { email } });
  const finishRecovery = (token: string, newPassword = fresh) =>
    service.request("POST", "/api/v1/console/recovery/finish", { body: { token, newPassword } });
  const signUp = (email: string) => service.request("POST", "/api/v1/console/sign-up", { body: { email } });
  const finishSignUp = (token: string, password = fresh) =>
    service.request("POST", "/api/v1/console/sign-up/finish", { body: { token, password } });
  const newAddress = () => `${v7()}@example.org`;
  const isOpen = async (headers: Record<string, string>) =>
    (await service.request("GET", "/api/v1/console/me", { headers })).status === 200;

  describe("with a link for a forgotten password", () => {
    it("allows one new password, which ends every session, creates an audit entry, and is confirmed by a mail", async () => {
      const account = await makeAccount(service);
      const before = await openWithPassword(service, account);
      expect((await recover(` ${account.email.toUpperCase()} `)).status).toBe(204);
      const token = await mailedToken(service, account.email);
      expect((await finishRecovery(token)).status).toBe(204);
      expect(await isOpen(before)).toBe(false);
      expect((await postSession(service, account)).status).toBe(401);
      const headers = await openWithPassword(service, { ...account, password: fresh });
      const audit = await service.request("GET", "/api/v1/console/audit", { headers });
      expect(audit.text).toContain('"user.recover"');
      const subjects = (await mailsTo(service, account.email)).map(({ subject }) => subject);
      expect(subjects).toEqual([
        "A new password for your account",
        "The password of your account was changed.",
      ]);
      expect((await finishRecovery(token, "another password")).field("code")).toBe("invalid_code");
      expect(service.logged() + audit.text).not.toContain(token);
    });

    it("becomes invalid after 30 minutes", async () => {
      const account = await makeAccount(service);
      await recover(account.email);
      const token = await mailedToken(service, account.email);
      service.clock.advance(30 * 60_000);
      expect((await finishRecovery(token)).field("code")).toBe("invalid_code");
      service.clock.advance(-30 * 60_000);
      expect((await finishRecovery(token, "short")).status).toBe(400);
      expect((await finishRecovery(token)).status).toBe(204);
    });

    it("becomes invalid when a newer mail is sent, or when the password is changed in another way", async () => {
      const account = await makeAccount(service);
      await recover(account.email);
      const older = await mailedToken(service, account.email);
      await recover(account.email);
      const newer = await mailedToken(service, account.email);
      expect((await finishRecovery(older)).field("code")).toBe("invalid_code");
      await service.request("PUT", "/api/v1/console/password", {
        headers: await openWithPassword(service, account),
        body: { currentPassword: account.password, newPassword: "changed meanwhile" },
      });
      expect((await finishRecovery(newer)).field("code")).toBe("invalid_code");
    });

    it("does not turn off the second factor", async () => {
      const account = await makeFactorAccount(service);
      await recover(account.email);
      await finishRecovery(await mailedToken(service, account.email));
      const asked = await postSession(service, { email: account.email, password: fresh });
      expect(asked.field("code")).toBe("second_factor_required");
    });

    it("is not sent to an account that signs in only with a provider", async () => {
      const { email } = await service.makeUser();
      expect((await recover(email)).status).toBe(204);
      expect(await mailsTo(service, email)).toEqual([]);
    });
  });

  describe("with a link for a new account", () => {
    it("creates the account with the person's password, and signs in the browser", async () => {
      const email = newAddress();
      expect((await signUp(email)).status).toBe(204);
      expect((await postSession(service, { email, password: fresh })).status).toBe(401);
      const token = await mailedToken(service, email);
      const made = await finishSignUp(token);
      expect(made).toMatchObject({ status: 201, body: { user: { email } } });
      expect(await isOpen({ cookie: cookieOf(made) })).toBe(true);
      expect((await finishSignUp(token)).field("code")).toBe("invalid_code");
    });

    it("creates the account with the name that the person types with the password", async () => {
      const email = newAddress();
      await signUp(email);
      const token = await mailedToken(service, email);
      const body = { token, password: fresh, name: "Ada Byron" };
      const made = await service.request("POST", "/api/v1/console/sign-up/finish", { body });
      expect(made.body).toMatchObject({ user: { email, name: "Ada Byron" } });
      expect((await postSession(service, { email, password: fresh })).body).toMatchObject({
        user: { name: "Ada Byron" },
      });
    });

    it("is not sent to an address that has an account, whose mail explains how to sign in", async () => {
      const account = await makeAccount(service);
      expect((await signUp(account.email)).status).toBe(204);
      expect(await mailedToken(service, account.email)).toBe("");
      const [mail] = await mailsTo(service, account.email);
      expect(mail?.text).toContain(`${service.deps.settings.consoleUrl}/sign-in`);
    });

    it("creates no account if the address got one in another way in the meantime", async () => {
      const email = newAddress();
      await signUp(email);
      const token = await mailedToken(service, email);
      const account = await makeAccount(service, email);
      expect((await finishSignUp(token)).field("code")).toBe("invalid_code");
      expect((await postSession(service, account)).status).toBe(201);
    });
  });

  it("has a link of one kind, which does not work in place of the other kind", async () => {
    const account = await makeAccount(service);
    await recover(account.email);
    expect((await finishSignUp(await mailedToken(service, account.email))).field("code")).toBe(
      "invalid_code",
    );
    const email = newAddress();
    await signUp(email);
    expect((await finishRecovery(await mailedToken(service, email))).field("code")).toBe("invalid_code");
  });

  it("is sent when the second factor changes", async () => {
    const { email, headers, secret } = await makeFactorAccount(service);
    service.clock.advance(60_000);
    const body = { code: codeAt(service, secret) };
    await service.request("POST", "/api/v1/console/second-factor/remove", { headers, body });
    expect((await mailsTo(service, email)).map(({ subject }) => subject)).toEqual([
      "The second factor of your account was turned on.",
      "The second factor of your account was turned off.",
    ]);
  });
});

describe("a server that sends no mail", () => {
  it("creates an account immediately, and gives the same answer for a known address", async () => {
    const service = await startService();
    const signUp = (body: object) => service.request("POST", "/api/v1/console/sign-up", { body });
    const account = await makeAccount(service);
    const unknown = { email: `${v7()}@example.org`, password: fresh };
    const answers = [await signUp(unknown), await signUp({ ...unknown, email: account.email })];
    expect(answers.map(({ status, text }) => [status, text])).toEqual([
      [204, ""],
      [204, ""],
    ]);
    expect(answers.map(cookieOf)).toEqual(["", ""]);
    expect((await postSession(service, unknown)).status).toBe(201);
    expect((await postSession(service, account)).status).toBe(201);
    expect((await signUp({ email: `${v7()}@example.org` })).status).toBe(400);
    const named = { email: `${v7()}@example.org`, password: fresh, name: "Ada Byron" };
    expect((await signUp({ ...named, name: "a@b" })).status).toBe(400);
    await signUp(named);
    await signUp({ ...named, name: "Somebody else" });
    expect((await postSession(service, named)).body).toMatchObject({ user: { name: "Ada Byron" } });
    const recovery = await service.request("POST", "/api/v1/console/recovery", {
      body: { email: account.email },
    });
    expect(recovery.field("code")).toBe("forbidden");
    await service.stop();
  });
});
