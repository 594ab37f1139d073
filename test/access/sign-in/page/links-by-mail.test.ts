import { v7 } from "uuid";
import { describe, expect, it } from "vitest";
import {
  type BrowserWithoutScripts,
  createBrowserWithoutScripts,
  locationOf,
  readingOf,
} from "../../../support/browser/browser-without-scripts.ts";
import { type MailServer, parsedMail, startMailServer } from "../../../support/mail/mail-server.ts";
import { mailsArrive, serverWithMail } from "../../../support/mail/server-with-mail.ts";
import { type Service, startService } from "../../../support/service/service.ts";
import { cookieOf, postSession } from "../../../support/sign-in/password-accounts.ts";
import { makeTeam } from "../../../support/worlds/members/team.ts";

const password = "a fresh password";
const typed = { password, repeatedPassword: password };

/** A server, the mail server that receives its mails, and functions for what people do with the mails. */
async function startWithMail() {
  const smtp = await startMailServer();
  const service = await serverWithMail(smtp.url);
  const nobody = createBrowserWithoutScripts(service);
  return {
    service,
    smtp,
    nobody,
    /** Waits for this number of mails. Returns the path of the link in the newest one. */
    async linkIn(count: number): Promise<string> {
      await mailsArrive(smtp, count);
      const { text = "" } = await parsedMail(newest(smtp));
      const link = /^http\S+$/m.exec(text)?.[0] ?? "none";
      expect(link.startsWith(service.deps.settings.consoleUrl)).toBe(true);
      return new URL(link).pathname;
    },
    /** Opens the link of a new account or of a new password, and types the password. */
    async setPassword(path: string) {
      return nobody.send(await nobody.open(path), path, typed);
    },
    recover: async (email: string) =>
      nobody.send(await nobody.open("/console/recover"), "/console/recover", { email }),
    signIn: async (email: string): Promise<BrowserWithoutScripts> =>
      createBrowserWithoutScripts(service, {
        cookie: cookieOf(await postSession(service, { email, password })),
      }),
  };
}

const newest = ({ received }: MailServer) => received.at(-1) ?? { raw: "" };

/**
 * Creates an account in the deprecated way, which does not prove that the address is theirs. Returns the credentials.
 */
async function register(service: Service, email: string) {
  const body = { email, password: "the password of a stranger", deviceId: v7() };
  const made = await service.request("POST", "/api/v1/testing/auth/register", { body });
  const { headers } = await postSession(service, body);
  return {
    device: { authorization: `Bearer ${made.field("token")}` },
    session: { cookie: cookieOf({ headers }), origin: service.baseUrl },
  };
}

describe("the link of a mail from the mail server", () => {
  it("creates an account that continues to the invitation, also in another browser", async () => {
    const { service, smtp, nobody, linkIn, setPassword } = await startWithMail();
    const team = await makeTeam(service);
    const made = await team.invite("grace@kitchen.example", "viewer");
    expect(made).toMatchObject({ status: 201, body: { url: null } });
    const invitation = await linkIn(1);

    const signIn = await nobody.open((await nobody.open(invitation)).headers.get("location") ?? "");
    expect(signIn.text).toContain(`name="to" value="${invitation}"`);
    const signUp = await nobody.open(/href="([^"]*sign-up[^"]*)"/.exec(signIn.text)?.[1] ?? "");
    const asked = await nobody.send(signUp, "/tavern/sign-up", { email: "Grace@Kitchen.example" });
    const back = await nobody.open(/href="([^"]*sign-in[^"]*)"/.exec(asked.text)?.[1] ?? "");
    expect(readingOf(asked)).toContain("After that you see the invitation to “ Demo ”, and can accept it.");
    expect(readingOf(back)).toContain("The invitation is for the address grace@kitchen.example");
    expect(readingOf(await nobody.open("/tavern/sign-in"))).not.toContain("Next,");
    const link = await linkIn(2);
    const { subject, text } = await parsedMail(newest(smtp));
    const { host } = new URL(service.deps.settings.consoleUrl);
    expect(subject).toBe(`Your new account on ${host}`);
    expect(text).toContain(`your account for Innkeep on ${host} is ready`);
    expect(text).toContain(`the invitation of ${team.owner.email} to work on the app “Demo” as viewer.`);
    expect(text).not.toContain(invitation);
    expect(readingOf(await nobody.open(link))).toContain("invites you to work on the app “ Demo ”");
    const done = await setPassword(link);
    expect(locationOf(done)).toBe(invitation);

    const grace = createBrowserWithoutScripts(service, { cookie: cookieOf(done) });
    const offer = await grace.open(done.headers.get("location") ?? "");
    expect(readingOf(offer)).toContain("Your account is ready.");
    expect(readingOf(offer)).toContain(`${team.owner.email} invites you to work on Demo`);
    const joined = await grace.send(offer, `${invitation}/accept`);
    expect(locationOf(joined)).toBe(`/console/feedback/${team.app.id}`);
    expect((await grace.open(`/console/feedback/${team.app.id}`)).status).toBe(200);
  });

  it("leads an address that already has an account back to the invitation", async () => {
    const { service, smtp, nobody, linkIn } = await startWithMail();
    const team = await makeTeam(service);
    await register(service, "grace@kitchen.example");
    await team.invite("grace@kitchen.example");
    const invitation = await linkIn(1);
    const signUp = await nobody.open(`/tavern/sign-up?${new URLSearchParams({ to: invitation })}`);
    await nobody.send(signUp, "/tavern/sign-up", { email: "grace@kitchen.example" });
    expect(await linkIn(2)).toBe(invitation);
    expect((await parsedMail(newest(smtp))).subject).toContain("You already have an account on ");
  });

  it("says that an invitation was withdrawn in the meantime", async () => {
    const { service, nobody, linkIn, setPassword } = await startWithMail();
    const team = await makeTeam(service);
    const made = await team.invite("grace@kitchen.example");
    const invitation = await linkIn(1);
    const signUp = await nobody.open(`/tavern/sign-up?${new URLSearchParams({ to: invitation })}`);
    await nobody.send(signUp, "/tavern/sign-up", { email: "grace@kitchen.example" });
    const link = await linkIn(2);
    await team.call("DELETE", `/apps/${team.app.id}/invitations/${made.field("id")}`);
    expect(readingOf(await nobody.open(link))).not.toContain("Demo");
    const done = await setPassword(link);
    const grace = createBrowserWithoutScripts(service, { cookie: cookieOf(done) });
    const page = await grace.open(locationOf(done));
    expect(page.status).toBe(404);
    expect(readingOf(page)).toContain("This link has no invitation for grace@kitchen.example");
  });

  it("does not lead another address to the invitation, and the page says so", async () => {
    const { service, smtp, nobody, linkIn, setPassword } = await startWithMail();
    const team = await makeTeam(service);
    await team.invite("grace@kitchen.example");
    const invitation = await linkIn(1);
    const signUp = await nobody.open(`/tavern/sign-up?${new URLSearchParams({ to: invitation })}`);
    const asked = await nobody.send(signUp, "/tavern/sign-up", { email: "eve@kitchen.example" });
    expect(readingOf(asked)).toContain(
      "The invitation is for grace@kitchen.example . You have typed another",
    );
    const link = await linkIn(2);
    expect((await parsedMail(newest(smtp))).text).not.toContain("Demo");
    expect(locationOf(await setPassword(link))).toBe("/console");
    const rows = await service.deps.database.all("SELECT * FROM account_links");
    expect(rows).toEqual([]);
  });

  it("continues to the invitation after a forgotten password, and stores its secret only encrypted", async () => {
    const { service, nobody, linkIn, setPassword } = await startWithMail();
    const team = await makeTeam(service);
    await register(service, "grace@kitchen.example");
    await team.invite("grace@kitchen.example");
    const invitation = await linkIn(1);
    for (const page of ["/console/sign-in", "/tavern/sign-in"]) {
      const signIn = await nobody.open(`${page}?${new URLSearchParams({ to: invitation })}`);
      expect(signIn.text).toContain(`href="/console/recover?${new URLSearchParams({ to: invitation })}"`);
    }
    const forgotten = await nobody.open(`/console/recover?${new URLSearchParams({ to: invitation })}`);
    expect(readingOf(forgotten)).toContain("invites you to work on the app “ Demo ”");
    await nobody.send(forgotten, "/console/recover", { email: "grace@kitchen.example" });
    const link = await linkIn(2);
    const rows = JSON.stringify(await service.deps.database.all("SELECT * FROM account_links"));
    expect(rows).not.toContain(invitation.split("/").at(-1));
    const done = await setPassword(link);
    expect(locationOf(done)).toContain(`/console/sign-in?${new URLSearchParams({ to: invitation })}`);
  });

  it("that another person forwards makes no account a member before the address of the account is verified", async () => {
    const { service, recover, linkIn, setPassword, signIn } = await startWithMail();
    const team = await makeTeam(service);
    // A stranger has an account with the address, and has seen the link.
    const stranger = await register(service, "grace@kitchen.example");
    await team.invite("grace@kitchen.example");
    const invitation = await linkIn(1);
    const call = team.as(stranger.session);
    const token = invitation.split("/").at(-1);
    for (const method of ["GET", "POST"]) {
      const answer = await call(method, `/invitations/${token}${method === "POST" ? "/accept" : ""}`);
      expect(answer).toMatchObject({ status: 403, body: { code: "email_unverified" } });
    }
    const page = await createBrowserWithoutScripts(service, stranger.session).open(invitation);
    expect([page.status, page.text.includes('href="/console/recover?to=')]).toEqual([403, true]);
    expect(page.text).not.toContain("Demo");
    expect((await call("GET", team.at)).status).toBe(404);
    const account = await createBrowserWithoutScripts(service, stranger.session).open("/console/account");
    expect(readingOf(account)).toContain("This address is not verified.");

    // The person with the address gets the account by mail. The sessions and tokens of the stranger end.
    await service.deps.database.insert("identities", {
      issuer: "https://inn.example",
      subject: "stranger",
      user_id: Object((await call("GET", "/me")).body).user.id,
      created_at: service.clock.now().toISOString(),
    });
    const agent = (await call("POST", "/tokens", { kind: "agent", label: "Stranger" })).field("token");
    await recover("grace@kitchen.example");
    expect(locationOf(await setPassword(await linkIn(2)))).toBe("/console/sign-in");
    const opened = [
      await service.request("GET", "/api/v1/console/me", { headers: stranger.session }),
      await service.request("GET", "/api/v1/testing/me/slots", { headers: stranger.device }),
      await service.request("GET", "/api/v1/agent/feedback", {
        headers: { authorization: `Bearer ${agent}` },
      }),
    ];
    expect(opened.map(({ status }) => status)).toEqual([401, 401, 401]);
    expect(await service.deps.database.all("SELECT * FROM identities")).toEqual([]);

    const grace = await signIn("grace@kitchen.example");
    const accepted = await grace.send(await grace.open(invitation), `${invitation}/accept`);
    expect(locationOf(accepted)).toBe(`/console/feedback/${team.app.id}`);
    expect(readingOf(await grace.open("/console/account"))).not.toContain("This address is not verified");
  });

  it("replaces a forgotten password, and does not change the tokens of a verified address", async () => {
    const { service, smtp, nobody, recover, linkIn, setPassword, signIn } = await startWithMail();
    await nobody.send(await nobody.open("/tavern/sign-up"), "/tavern/sign-up", {
      email: "ada@kitchen.example",
    });
    const cookie = cookieOf(await setPassword(await linkIn(1)));
    const token = await service.request("POST", "/api/v1/console/tokens", {
      headers: { cookie, origin: service.baseUrl },
      body: { kind: "maintainer", label: "Mine", scopes: ["apps:read"] },
    });
    await recover("ada@kitchen.example");
    const link = await linkIn(2);
    const named = `your account for Innkeep on ${new URL(service.deps.settings.consoleUrl).host}`;
    expect((await parsedMail(newest(smtp))).text).toContain(`Set a new password for ${named}`);
    expect(locationOf(await setPassword(link))).toBe("/console/sign-in");
    await mailsArrive(smtp, 3);
    const changed = await parsedMail(newest(smtp));
    expect(changed.subject).toBe("The password of your account was changed.");
    expect(changed.text).toContain(named);
    expect(readingOf(await setPassword(link))).toContain("This link cannot be used");
    expect(readingOf(await (await signIn("ada@kitchen.example")).open("/console"))).toContain("ada@kitchen");
    const headers = { authorization: `Bearer ${token.field("token")}` };
    expect((await service.request("GET", "/api/v1/console/me", { headers })).status).toBe(200);
  });
});

it("a server without mail cannot verify addresses, so the owner sends the link", async () => {
  const service = await startService();
  const team = await makeTeam(service);
  const { token } = await team.invite("grace@kitchen.example");
  const { session } = await register(service, "grace@kitchen.example");
  expect((await team.as(session)("POST", `/invitations/${token}/accept`)).status).toBe(200);
  await service.stop();
});

it("an account without a verified address gets no notices, because the address can belong to a stranger", async () => {
  const smtp = await startMailServer();
  const service = await serverWithMail(smtp.url);
  const { session } = await register(service, "victim@kitchen.example");
  const body = { currentPassword: "the password of a stranger", newPassword: password };
  expect((await service.request("PUT", "/api/v1/console/password", { headers: session, body })).status).toBe(
    204,
  );
  const rows = await service.deps.database.all("SELECT * FROM mails");
  expect(rows).toEqual([]);
});
