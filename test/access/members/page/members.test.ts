import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  createBrowserWithoutScripts,
  fieldsOf,
  formOf,
  locationOf,
  readingOf,
} from "../../../support/browser/browser-without-scripts.ts";
import { consolePaths } from "../../../support/browser/console-paths.ts";
import type { Answer } from "../../../support/service/request.ts";
import { type Service, startService } from "../../../support/service/service.ts";
import { cookieOf } from "../../../support/sign-in/password-accounts.ts";
import { makeTeam } from "../../../support/worlds/members/team.ts";
import { makeOwnerWithOneOfEach } from "../../../support/worlds/owner-with-one-of-each.ts";

describe("the members of an app in the console", () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  const browserOf = async (user: { id: string }) =>
    createBrowserWithoutScripts(service, await service.signIn(user));
  const linkIn = ({ text }: Answer) => /id="secret"[^>]*value="([^"]*)"/.exec(text)?.[1] ?? "";

  it("are invited by a link from the owner, and become members by this link", async () => {
    const team = await makeTeam(service);
    const owner = await browserOf(team.owner);
    const address = `/console/members/${team.app.id}`;
    const page = await owner.open(address);
    expect(readingOf(page)).toContain("This server sends no mail, so you get the link");
    expect(readingOf(page)).toContain(
      "Can read everything that maintainers can read, but cannot change anything.",
    );
    const values = { email: "grace@example.org", role: "maintainer" };
    const made = await owner.send(page, `${address}/invitations`, values);
    expect(readingOf(made)).toContain("Send the link to grace@example.org yourself");
    const link = new URL(linkIn(made)).pathname;
    expect((await owner.open(address)).text).not.toContain(link);

    const guest = await browserOf(await service.makeUser("grace@example.org"));
    const offer = await guest.open(link);
    expect(readingOf(offer)).toContain(`${team.owner.email} invites you to work on Demo`);
    const accepted = await guest.send(offer, `${link}/accept`);
    expect(locationOf(accepted)).toBe(`/console/feedback/${team.app.id}`);
    expect(readingOf(await guest.follow(accepted))).toContain("No open feedback");
    expect(readingOf(await owner.open(address))).toMatch(
      /grace@example\.org member since just now Maintainer/,
    );
  });

  it("see for what and whom the invitation is, and sign in", async () => {
    const team = await makeTeam(service);
    const { token } = await team.invite("later@example.org");
    const link = `/console/invitations/${token}`;
    const nobody = createBrowserWithoutScripts(service);
    const refused = await nobody.open(link);
    const signIn = await nobody.open(refused.headers.get("location") ?? "");
    expect(signIn.text).toContain(`name="to" value="${link}"`);
    const offered =
      /\S+@example\.org invites you to work on the app “ Demo ”\. Your role is maintainer\. The invitation is for the address later@example\.org/;
    expect(readingOf(signIn)).toMatch(offered);
    expect(fieldsOf(formOf(signIn, "/console/sign-in")).email).toBe("later@example.org");
    const signUp = await nobody.open(/href="([^"]*sign-up[^"]*)"/.exec(signIn.text)?.[1] ?? "");
    expect(readingOf(signUp)).toMatch(offered);
    expect(fieldsOf(formOf(signUp, "/tavern/sign-up")).email).toBe("later@example.org");
    const password = "correct horse battery staple";
    const done = await nobody.send(signUp, "/tavern/sign-up", { name: "Later", password });
    expect(locationOf(done)).toBe(link);
    const later = createBrowserWithoutScripts(service, { cookie: cookieOf(done) });
    const offer = await later.open(link);
    expect(readingOf(offer)).toContain("invites you to work on Demo");
  });

  it.each(["unknown", "withdrawn", "expired", "used"])(
    "see only the usual sign-in page if the link is %s",
    async (how) => {
      const team = await makeTeam(service);
      const made = await team.invite("late@example.org");
      const usual = createBrowserWithoutScripts(service);
      const pageOf = async (token: string) => {
        const to = encodeURIComponent(`/console/invitations/${token}`);
        const page = await usual.open(`/console/sign-in?to=${to}`);
        return page.text.replaceAll(token, "TOKEN");
      };
      const token = how === "unknown" ? "nothing" : made.token;
      if (how === "withdrawn")
        await team.call("DELETE", `/apps/${team.app.id}/invitations/${made.field("id")}`);
      if (how === "expired") service.clock.advance(7 * 86_400_000);
      if (how === "used") {
        const person = await team.newcomer("late@example.org");
        await person.call("POST", `/invitations/${token}/accept`);
      }
      const other = "x".repeat(token.length);
      expect(await pageOf(token)).toBe(await pageOf(other));
    },
  );

  it("sign out and sign in with the right address if they are signed in with another one", async () => {
    const team = await makeTeam(service);
    const { token } = await team.invite("right@example.org");
    const link = `/console/invitations/${token}`;
    const person = await browserOf(await service.makeUser("wrong@example.org"));
    const page = await person.open(link);
    const out = await person.send(page, "/tavern/switch");
    const signIn = await person.open(locationOf(out) ?? "");
    expect(readingOf(signIn)).toContain("The invitation is for the address right@example.org");
    expect(fieldsOf(formOf(signIn, "/tavern/sign-in")).email).toBe("right@example.org");
    expect(fieldsOf(formOf(signIn, "/tavern/sign-in")).to).toBe(link);
  });

  it("see nothing of an invitation for another address", async () => {
    const team = await makeTeam(service);
    const { token } = await team.invite("intended@example.org");
    const thief = await browserOf(await service.makeUser("thief@example.org"));
    const page = await thief.open(`/console/invitations/${token}`);
    expect(page.status).toBe(404);
    expect(readingOf(page)).toContain("This link has no invitation for thief@example.org.");
    expect(page.text).not.toContain("intended@example.org");
    expect(page.text).not.toContain("Demo");
  });

  it("get other roles and are removed by forms, and so are invitations withdrawn", async () => {
    const team = await makeTeam(service);
    const member = await team.join("viewer");
    await team.invite("waiting@example.org");
    const owner = await browserOf(team.owner);
    const address = `/console/members/${team.app.id}`;
    const open = () => owner.open(address);
    const raised = await owner.send(await open(), `${address}/${member.id}/role`, { role: "maintainer" });
    expect(readingOf(await owner.follow(raised))).toMatch(
      new RegExp(`${member.email} member since just now Maintainer`),
    );
    const withdraw = /action="([^"]*\/withdraw)"/.exec((await open()).text)?.[1] ?? "";
    const withdrawn = await owner.follow(await owner.send(await open(), withdraw));
    expect(readingOf(withdrawn)).not.toContain("waiting@example.org");
    const removed = await owner.follow(await owner.send(await open(), `${address}/${member.id}/remove`));
    expect(readingOf(removed)).not.toContain(member.email);
    const refused = await owner.send(await open(), `${address}/${team.owner.id}/remove`);
    expect(refused.status).toBe(409);
    expect(readingOf(refused)).toContain("An app needs an owner");
  });

  describe("whose role another owner has changed since the page was opened", () => {
    const openTwice = async () => {
      const team = await makeTeam(service);
      const member = await team.join("viewer");
      const address = `/console/members/${team.app.id}`;
      const owner = await browserOf(team.owner);
      const page = await owner.open(address);
      const change = async (from: Answer, role?: string) =>
        owner.send(from, `${address}/${member.id}/role`, role === undefined ? {} : { role });
      const roleNow = async () =>
        fieldsOf(formOf(await owner.open(address), `${address}/${member.id}/role`)).role;
      return { owner, page, address, member, change, roleNow };
    };

    it("get another role only after the page has shown the new role", async () => {
      const { owner, page, address, member, change, roleNow } = await openTwice();
      expect((await change(await owner.open(address), "maintainer")).status).toBe(303);
      const refused = await change(page, "owner");
      expect(refused.status).toBe(400);
      expect(readingOf(refused)).toContain("Role was changed by somebody else since you opened this page");
      expect(refused.text).toMatch(/<textarea[^>]*aria-label="Saved text of Role">\s*Maintainer/);
      expect(refused.text).toMatch(/<li class="folded"><details open/);
      expect(fieldsOf(formOf(refused, `${address}/${member.id}/role`)).role).toBe("owner");
      expect(await roleNow()).toBe("maintainer");
      expect((await change(refused)).status).toBe(303);
      expect(await roleNow()).toBe("owner");
    });

    it("keep the new role if the form is saved without a change", async () => {
      const { owner, page, address, change, roleNow } = await openTwice();
      expect((await change(await owner.open(address), "maintainer")).status).toBe(303);
      expect((await change(page)).status).toBe(303);
      expect(await roleNow()).toBe("maintainer");
    });

    it("are saved without a refusal if both owners chose the same role", async () => {
      const { owner, page, address, change, roleNow } = await openTwice();
      expect((await change(await owner.open(address), "maintainer")).status).toBe(303);
      expect((await change(page, "maintainer")).status).toBe(303);
      expect(await roleNow()).toBe("maintainer");
    });
  });

  it("keep the chosen role in a form that was refused, and their own role stays", async () => {
    const team = await makeTeam(service);
    const owner = await browserOf(team.owner);
    const address = `/console/members/${team.app.id}`;
    const action = `${address}/${team.owner.id}/role`;
    const refused = await owner.send(await owner.open(address), action, { role: "viewer" });
    expect(refused.status).toBe(409);
    expect(readingOf(refused)).toContain("An app needs an owner");
    expect(fieldsOf(formOf(refused, action)).role).toBe("viewer");
    expect(fieldsOf(formOf(await owner.open(address), action)).role).toBe("owner");
  });

  it("who are not owners see their own role, and can leave", async () => {
    const team = await makeTeam(service);
    const member = await team.join("maintainer");
    const browser = await browserOf(member);
    const page = await browser.open(`/console/members/${team.app.id}`);
    expect(readingOf(page)).toContain("You are a maintainer of this app.");
    expect(page.text).not.toContain(team.owner.email);
    const left = await browser.send(page, `/console/members/${team.app.id}/${member.id}/remove`);
    expect(locationOf(left)).toBe("/console");
    expect((await browser.open(`/console/feedback/${team.app.id}`)).status).toBe(404);
  });

  it("who are viewers see no form that they cannot use, and no link to such a form", async () => {
    const world = await makeOwnerWithOneOfEach(service);
    const viewer = await browserOf(await service.makeMember(world.app.id, "viewer"));
    const refused: string[] = [];
    for (const path of consolePaths(world).filter((one) => one.includes(world.app.id))) {
      const { status, text } = await viewer.open(path);
      if (status === 403) refused.push(path.replace(world.app.id, "ID"));
      else expect([path, status]).toEqual([path, 200]);
      const main = /<main[\s\S]*<\/main>/.exec(text)?.[0] ?? "";
      const forms = [...main.matchAll(/<form\b[^>]*method="post"[^>]*action="([^"]*)"/g)].map(([, to]) => to);
      expect([
        path,
        forms.filter((to) => !/\/((remove|unread|read|hide-changes)$|views\/)/.test(to ?? "")),
      ]).toEqual([path, []]);
      expect(main).not.toMatch(/formaction=|<textarea|href="[^"]*\/new"|href="[^"]*\/console\/apps\//);
    }
    expect(refused).toEqual([
      "/console/blocked/ID",
      "/console/automatic-mails/ID",
      "/console/faqs/ID/new",
      "/console/changelog/ID/new",
      "/console/testing/ID/new",
      "/console/webhooks/ID",
      `/console/webhooks/ID/${world.webhookId}`,
      "/console/data/ID",
      "/console/start/ID",
      "/console/apps/ID",
    ]);
  });

  it("who are viewers can read every text of the other members", async () => {
    const world = await makeOwnerWithOneOfEach(service);
    const viewer = await browserOf(await service.makeMember(world.app.id, "viewer"));
    const { app, threadId, faqId, entryId } = world;
    const read = async (path: string) => readingOf(await viewer.open(`/console/${path}`));
    expect(await read(`feedback/${app.id}/${threadId}`)).toContain("1. Find it");
    expect(await read(`faqs/${app.id}/${faqId}`)).toContain("Because.");
    expect(await read(`changelog/${app.id}/${entryId}`)).toContain("First");
  });

  it("who are maintainers have every form except the forms of owners", async () => {
    const world = await makeOwnerWithOneOfEach(service);
    const maintainer = await browserOf(await service.makeMember(world.app.id, "maintainer"));
    const refused = [];
    for (const path of consolePaths(world)) {
      const { status } = await maintainer.open(path);
      if (status !== 200) refused.push(path.replace(world.app.id, "ID"));
    }
    expect(refused).toEqual([
      "/console/webhooks/ID",
      `/console/webhooks/ID/${world.webhookId}`,
      ...["/console/data/ID", "/console/start/ID", "/console/apps/ID"],
    ]);
  });
});
