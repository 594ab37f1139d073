import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { OwnNotices } from "../../src/contract/notices.ts";
import { databases } from "../support/database/databases.ts";
import { makeNoticedApp, type NoticedMember } from "../support/mail/noticed-app.ts";
import { type Service, startService } from "../support/service/service.ts";
import { bearer } from "../support/worlds/owner-with-one-of-each.ts";

const own = async ({ call }: NoticedMember) => OwnNotices.parse((await call("GET", "/me/notices")).body);

describe.each(databases)("the settings for the notices of a member, on $name,", (engine) => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ engine, settings: { dev: true } });
  });
  afterAll(() => service.stop());

  /** The kinds that are on, each with its ways. */
  const on = async (member: NoticedMember, appId: string) => {
    const app = (await own(member)).apps.find((one) => one.appId === appId);
    return Object.fromEntries((app?.kinds ?? []).map(({ kind, ways }) => [kind, ways.join("+")]));
  };

  it("follow from the role unless the member has changed them", async () => {
    const app = await makeNoticedApp(service);
    const [maintainer, viewer] = [await app.join("maintainer"), await app.join("viewer")];
    const both = "mail+browser";
    const work = { answer: both, assigned: both, proposal: both, approval: both, work: both };
    expect(await on(app.owner, app.appId)).toEqual({
      ...{ report: "", ...work, slot: both, testers: both, storm: both, delivery: both },
    });
    expect(await on(maintainer, app.appId)).toEqual({
      report: "",
      ...work,
      slot: "",
      testers: "",
      storm: "",
    });
    expect(await on(viewer, app.appId)).toEqual({ report: "", storm: "" });
  });

  it("can be changed for one app, and settings that the request leaves out stay the same", async () => {
    const app = await makeNoticedApp(service);
    const { owner, appId } = app;
    const kinds = { report: ["daily"], answer: [], storm: ["daily", "mail"] };
    const changed = await owner.choose({ apps: [{ appId, kinds, stormPerHour: 20 }] });
    expect(changed.status).toBe(200);
    expect(await on(owner, appId)).toMatchObject({ report: "daily", answer: "", storm: "mail+daily" });
    await owner.choose({ apps: [{ appId, kinds: { answer: null } }] });
    const [of] = (await own(owner)).apps;
    expect(await on(owner, appId)).toMatchObject({
      report: "daily",
      answer: "mail+browser",
      proposal: "mail+browser",
    });
    expect(of).toMatchObject({ appId, name: "Demo", role: "owner", stormPerHour: 20 });
    const byDefault = of?.kinds.flatMap((each) => (each.byDefault ? [each.kind] : []));
    expect(byDefault).not.toContain("report");
    expect(byDefault).toContain("answer");
  });

  it("are separate for each member and each app", async () => {
    const [app, other] = [await makeNoticedApp(service), await makeNoticedApp(service)];
    const member = await app.join("maintainer");
    await member.choose({ apps: [{ appId: app.appId, kinds: { report: ["mail"] } }] });
    expect(await on(app.owner, app.appId)).toMatchObject({ report: "" });
    expect((await own(member)).apps.map(({ appId }) => appId)).toEqual([app.appId]);
    const foreign = await member.choose({ apps: [{ appId: other.appId, kinds: { report: ["mail"] } }] });
    expect([foreign.status, foreign.field("code")]).toEqual([404, "not_found"]);
  });

  it("contain only kinds of notices that the role can get", async () => {
    const app = await makeNoticedApp(service);
    const viewer = await app.join("viewer");
    const refused = await viewer.choose({ apps: [{ appId: app.appId, kinds: { proposal: ["mail"] } }] });
    expect(refused.status).toBe(400);
    expect(refused.body).toMatchObject({ issues: [{ path: "apps.kinds.proposal" }] });
    const unknown = await viewer.choose({ apps: [{ appId: app.appId, kinds: { storm: ["pigeon"] } }] });
    expect(unknown.status).toBe(400);
  });

  it("contain the time zone and the quiet hours of the person", async () => {
    const { owner } = await makeNoticedApp(service);
    expect(await own(owner)).toMatchObject({ timezone: "UTC", quietHours: null, noMail: null });
    const quietHours = { from: "22:00", to: "07:00" };
    await owner.choose({ timezone: "Europe/Berlin", quietHours });
    await owner.choose({ apps: [] });
    expect(await own(owner)).toMatchObject({ timezone: "Europe/Berlin", quietHours });
    await owner.choose({ quietHours: null });
    expect(await own(owner)).toMatchObject({ timezone: "Europe/Berlin", quietHours: null });
    for (const body of [
      { timezone: "Europe/Bermuda" },
      { quietHours: { from: "22:00", to: "24:00" } },
      { quietHours: { from: "22:00", to: "22:00" } },
      { quietHours: { from: "22:00" } },
    ])
      expect((await owner.choose(body)).status).toBe(400);
  });

  it("say why the person gets no mail", async () => {
    const app = await makeNoticedApp(service);
    const user = await service.makeMember(app.appId, "maintainer");
    const answer = await service.request("GET", "/api/v1/console/me/notices", {
      headers: await service.signIn(user),
    });
    expect(answer.field("noMail")).toBe("address_unverified");
  });

  it("can be read and changed by a token with the scope, only for its app", async () => {
    const app = await makeNoticedApp(service);
    const second = await service.makeApp(app.owner);
    const token = async (scope: string, appId?: string) =>
      bearer(await service.makeToken(app.owner, "maintainer", { scopes: [scope], appId }));
    const path = "/api/v1/console/me/notices";
    const read = await service.request("GET", path, { headers: await token("feedback:read", app.appId) });
    expect(OwnNotices.parse(read.body).apps.map(({ appId }) => appId)).toEqual([app.appId]);
    const headers = await token("feedback:write", app.appId);
    const put = (appId: string) =>
      service.request("PUT", path, { headers, body: { apps: [{ appId, kinds: { report: ["mail"] } }] } });
    expect([(await put(app.appId)).status, (await put(second.id)).status]).toEqual([200, 404]);
    const reading = await service.request("PUT", path, { headers: await token("feedback:read"), body: {} });
    expect(reading.field("code")).toBe("insufficient_scope");
  });

  it("are deleted with the membership", async () => {
    const app = await makeNoticedApp(service);
    const member = await app.join("maintainer");
    await member.choose({ apps: [{ appId: app.appId, kinds: { report: ["mail"] } }] });
    await app.owner.call("DELETE", `/apps/${app.appId}/members/${member.id}`);
    expect((await own(member)).apps).toEqual([]);
    const rows = await service.deps.database.all(
      "SELECT 1 AS one FROM notice_choices WHERE user_id = ?",
      member.id,
    );
    expect(rows).toEqual([]);
  });
});

it("the settings for notices say that a server without mail sends no mails", async () => {
  const service = await startService();
  const { owner } = await makeNoticedApp(service);
  expect((await own(owner)).noMail).toBe("server_sends_none");
  const page = await service.request("GET", "/console/account/notices", {
    headers: { ...owner.headers, accept: "text/html" },
  });
  expect(page.text).toContain("This browser cannot show notices.");
  expect(page.text).not.toContain("the same notices by mail");
  await service.stop();
});
