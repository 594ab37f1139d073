import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { dueAt } from "../../server/notices/waiting/rules.ts";
import { databases } from "../support/database/databases.ts";
import { eventually } from "../support/eventually.ts";
import { answerOnPage } from "../support/mail/answer-on-page.ts";
import { makeNoticedApp, type NoticedMember, passTime } from "../support/mail/noticed-app.ts";
import { type Service, startService } from "../support/service/service.ts";
import { approve, exchange, newDevice } from "../support/sign-in/device-sign-in.ts";
import { decide, propose } from "../support/worlds/app-with-owner-and-agent.ts";
import { bearer } from "../support/worlds/owner-with-one-of-each.ts";

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];

describe.each(databases)("a mail with notices, on $name,", (engine) => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ engine, still: true, settings: { dev: true } });
  });
  afterAll(() => service.stop());

  type App = Awaited<ReturnType<typeof makeNoticedApp>>;

  /** Lets 15 minutes pass, and returns the mails that a member has then. */
  const mailsAfter = async (app: App, member: NoticedMember, count: number, time = 15 * minute) => {
    await app.settled();
    await passTime(service, time);
    await eventually(async () => expect(await app.waiting()).toBe(0));
    const mails = await member.mails();
    expect(mails).toHaveLength(count);
    return mails;
  };

  it("collects the events of 15 minutes, and each link is before the words of the public", async () => {
    const app = await makeNoticedApp(service);
    const { owner, appId } = app;
    await owner.choose({ apps: [{ appId, kinds: { report: ["mail"] } }] });
    const first = (await app.report({ subject: "Visit evil.example now @all" })).field("id");
    await app.settled();
    await passTime(service, 5 * minute);
    const second = (await app.report({ message: "The cellar is wet." })).field("id");
    const [mail] = await mailsAfter(app, owner, 1, 10 * minute);
    expect(mail?.subject).toBe("Demo: 2 notices");
    const at = (id: string) => `${service.deps.settings.consoleUrl}/feedback/${appId}/${id}`;
    expect(mail?.text).toContain(`A new report arrived.\n${at(first)}\n“Visit evil. example now @all”`);
    expect(mail?.text).toContain(`A new report arrived.\n${at(second)}\n“The cellar is wet.”`);
    expect(mail?.text).not.toContain("evil.example");
    await app.report({ message: "Later." });
    expect((await mailsAfter(app, owner, 2))[1]?.subject).toBe("Demo: A new report arrived");
  });

  it("informs the assignee, and nobody else, that a sender answered", async () => {
    const app = await makeNoticedApp(service);
    const [kim, bo] = [await app.join("maintainer"), await app.join("maintainer")];
    const report = await app.report({ message: "It broke." });
    const id = report.field("id");
    await app.owner.call("PATCH", `/feedback/${id}`, { assignee: kim.email });
    const [assigned] = await mailsAfter(app, kim, 1);
    expect(assigned?.subject).toBe("Demo: A thread was assigned to you");
    expect((await answerOnPage(report.field("statusUrl"), "One more thing.")).status).toBe(303);
    expect((await answerOnPage(report.field("statusUrl"), "And another.")).status).toBe(303);
    const [, answered] = await mailsAfter(app, kim, 2);
    expect(answered?.subject).toBe("Demo: A sender answered you 2 times");
    expect([await bo.mails(), await app.owner.mails()]).toEqual([[], []]);
  });

  it("informs members with notices about new reports of an answer in a thread without an assignee", async () => {
    const app = await makeNoticedApp(service);
    const viewer = await app.join("viewer");
    await viewer.choose({ apps: [{ appId: app.appId, kinds: { report: ["mail"] } }] });
    const report = await app.report({ message: "It broke." });
    await mailsAfter(app, viewer, 1);
    await answerOnPage(report.field("statusUrl"), "One more thing.");
    await mailsAfter(app, viewer, 2);
    expect(await app.owner.mails()).toEqual([]);
  });

  it("informs nobody about their own actions", async () => {
    const app = await makeNoticedApp(service);
    const id = (await app.report({})).field("id");
    await app.owner.call("PATCH", `/feedback/${id}`, { assignee: "me" });
    await mailsAfter(app, app.owner, 0);
  });

  it("informs owners and maintainers of a proposal, with the link to the plan", async () => {
    const app = await makeNoticedApp(service);
    const [kim, viewer] = [await app.join("maintainer"), await app.join("viewer")];
    const id = (await app.report({ subject: "Uploads" })).field("id");
    await propose(service, app, id);
    const [mail] = await mailsAfter(app, kim, 1);
    const url = `${service.deps.settings.consoleUrl}/feedback/${app.appId}/${id}#proposal`;
    expect(mail?.text).toContain(`A proposal waits for a decision.\n${url}\n“Uploads”`);
    expect((await app.owner.mails()).length + (await viewer.mails()).length).toBe(1);
  });

  it("informs the person who approved that the work failed, or that its worker reports nothing", async () => {
    const app = await makeNoticedApp(service);
    const kim = await app.join("maintainer");
    await kim.choose({ apps: [{ appId: app.appId, kinds: { proposal: [] } }] });
    const headers = bearer(await service.makeToken(app.owner, "agent", { scopes: ["runs:work"] }));
    const agent = async (path: string, body: object) =>
      service.request("POST", `/api/v1/agent/runs/${path}`, { headers, body });
    const started = async () => {
      const runId = await propose(service, app, (await app.report({})).field("id"));
      await kim.call("POST", `/runs/${runId}/decision`, { decision: "approve" });
      const claim = await agent(`${runId}/claim`, { worker: "w" });
      return { runId, claimId: claim.field("claimId") };
    };
    const silent = await started();
    await passTime(service, 61 * minute);
    const failing = await started();
    await agent(`${failing.runId}/outcome`, { claimId: failing.claimId, status: "failed", summary: "No." });
    const [mail] = await mailsAfter(app, kim, 1, 16 * minute);
    expect(mail?.text).toContain("Approved work needs you: its worker is silent.");
    expect(mail?.text).toContain("Approved work needs you: it failed.");
    await passTime(service, 5 * hour);
    await mailsAfter(app, kim, 1);
    expect(silent.runId).not.toBe(failing.runId);
    const others = (await app.owner.mails()).filter(({ text }) => text.includes("Approved work"));
    expect(others).toEqual([]);
  });

  it("informs once a day of a failure that is reported at least as often as the chosen number", async () => {
    const app = await makeNoticedApp(service);
    const viewer = await app.join("viewer");
    await viewer.choose({ apps: [{ appId: app.appId, kinds: { storm: ["mail"] }, stormPerHour: 3 }] });
    const repeat = (run: number) => app.report({ dedupeKey: "login", message: `Failed in ${run}` });
    for (const run of [1, 2, 3]) await repeat(run);
    await mailsAfter(app, viewer, 0);
    await repeat(4);
    const [mail] = await mailsAfter(app, viewer, 1);
    expect(mail?.text).toContain("A failure is reported very often: 4 times so far.");
    for (const run of [5, 6, 7, 8]) await repeat(run);
    await mailsAfter(app, viewer, 1);
    expect(await app.owner.mails()).toEqual([]);
    await passTime(service, day);
    for (const run of [9, 10, 11]) await repeat(run);
    await mailsAfter(app, viewer, 2);
  });

  it("is sent once a day at 9:00 in the time zone of the member if the member chose this", async () => {
    const app = await makeNoticedApp(service);
    const { owner, appId } = app;
    const kinds = { report: ["daily"], proposal: ["daily"] };
    await owner.choose({ timezone: "Asia/Tokyo", apps: [{ appId, kinds }] });
    const now = service.clock.now().getTime();
    // 9:00 in Tokyo is midnight in UTC. Tokyo never changes its clocks.
    const untilNine = day - (now % day);
    await app.report({ message: "First" });
    await app.settled();
    await passTime(service, untilNine - 1_000);
    await app.report({ message: "Second" });
    await app.settled();
    expect(await owner.mails()).toEqual([]);
    const [mail] = await mailsAfter(app, owner, 1, 1_000);
    expect(mail?.subject).toBe("Demo: daily mail, 2 notices");
  });

  it("waits for the end of the quiet hours, even if they were set later", async () => {
    const app = await makeNoticedApp(service);
    const { owner, appId } = app;
    await owner.choose({ apps: [{ appId, kinds: { report: ["mail"] } }] });
    await app.report({});
    await app.settled();
    const clockTime = (milliseconds: number) =>
      new Date(service.clock.now().getTime() + milliseconds).toISOString().slice(11, 16);
    const quietHours = { from: clockTime(-hour), to: clockTime(2 * hour) };
    await owner.choose({ timezone: "UTC", quietHours });
    await passTime(service, 30 * minute);
    expect([await owner.mails(), await app.waiting()]).toEqual([[], 1]);
    await mailsAfter(app, owner, 1, 2 * hour);
    await owner.choose({ quietHours: null });
  });

  it("is not sent to an address that is not verified", async () => {
    const app = await makeNoticedApp(service);
    const kim = await app.join("maintainer");
    await service.deps.database.write((tx) =>
      tx.run("UPDATE users SET email_verified_at = NULL WHERE id = ?", kim.id),
    );
    await propose(service, app, (await app.report({})).field("id"));
    await mailsAfter(app, app.owner, 1);
    expect(await kim.mails()).toEqual([]);
  });

  it("is never about an app that the member lost, or a kind that the new role does not get", async () => {
    const app = await makeNoticedApp(service);
    const [kim, bo] = [await app.join("maintainer"), await app.join("maintainer")];
    await propose(service, app, (await app.report({})).field("id"));
    await app.settled();
    await app.owner.call("DELETE", `/apps/${app.appId}/members/${kim.id}`);
    await app.owner.call("PATCH", `/apps/${app.appId}/members/${bo.id}`, { role: "viewer" });
    await mailsAfter(app, kim, 0);
    expect(await bo.mails()).toEqual([]);
  });

  it("is not sent if its thread was deleted or its proposal was decided before the mail was written", async () => {
    const app = await makeNoticedApp(service);
    const kim = await app.join("maintainer");
    const deleted = (await app.report({})).field("id");
    await propose(service, app, deleted);
    await app.settled();
    expect((await app.owner.call("DELETE", `/feedback/${deleted}`)).status).toBe(204);
    await mailsAfter(app, kim, 0);
    await decide(service, app, await propose(service, app, (await app.report({})).field("id")), {
      decision: "reject",
      note: "No.",
    });
    await mailsAfter(app, kim, 0);
  });

  it("is sent at most 24 times a day, and later notices are in one mail at 9:00", async () => {
    const app = await makeNoticedApp(service);
    const { owner, appId } = app;
    await owner.choose({ apps: [{ appId, kinds: { report: ["mail"] } }] });
    for (let count = 0; count < 24; count += 1) {
      await app.report({ message: `Number ${count}` });
      await mailsAfter(app, owner, count + 1);
    }
    // It is between 7:00 and 8:00 in this zone, so at 9:00 none of the 24 mails is a day old.
    const now = service.clock.now();
    const untilNine = 2 * hour - (now.getTime() % hour);
    const ahead = ((7 - now.getUTCHours() + 36) % 24) - 12;
    const timezone = `${ahead < 0 ? "-" : "+"}${String(Math.abs(ahead)).padStart(2, "0")}:00`;
    expect((await owner.choose({ timezone })).status).toBe(200);
    await app.report({ message: "Too many" });
    await app.settled();
    await passTime(service, 15 * minute);
    const due = new Date(now.getTime() + untilNine).toISOString();
    const waiting = () =>
      service.deps.database.all<{ dueAt: string }>(
        `SELECT due_at AS "dueAt" FROM notices WHERE app_id = ? AND queued_at IS NULL`,
        appId,
      );
    await eventually(async () => expect(await waiting()).toEqual([{ dueAt: due }]));
    await app.report({ message: "One more" });
    await app.settled();
    expect(await waiting()).toEqual([{ dueAt: due }, { dueAt: due }]);
    await passTime(service, untilNine - 15 * minute - 1_000);
    expect(await owner.mails()).toHaveLength(24);
    const mails = await mailsAfter(app, owner, 25, 1_000);
    expect(mails[24]?.subject).toBe("Demo: 2 notices");
    await owner.choose({ timezone: "UTC" });
  });

  it("has a new time if a device of the member sends another time zone", async () => {
    const app = await makeNoticedApp(service);
    const { owner, appId } = app;
    await owner.choose({ timezone: "UTC", apps: [{ appId, kinds: { report: ["daily"] } }] });
    await app.report({});
    await app.settled();
    const due = async () => {
      const row = await service.deps.database.get<{ dueAt: string }>(
        `SELECT due_at AS "dueAt" FROM notices WHERE app_id = ? AND queued_at IS NULL`,
        appId,
      );
      return row?.dueAt;
    };
    const nineIn = (timezone: string) =>
      dueAt("daily", service.clock.now(), { timezone, quiet: null }).toISOString();
    expect(await due()).toBe(nineIn("UTC"));
    const device = await newDevice();
    const code = await approve(service, await service.signIn(owner), device);
    const granted = await exchange(service, device, code, { timezone: "Asia/Tokyo" });
    expect(await due()).toBe(nineIn("Asia/Tokyo"));
    await service.request("PATCH", "/api/v1/testing/me/profile", {
      headers: { authorization: `Bearer ${granted.field("token")}` },
      body: { timezone: "+03:00" },
    });
    expect(await due()).toBe(nineIn("+03:00"));
    await owner.choose({ timezone: "UTC" });
  });

  it("names 50 of very many reports, and gives the number of all others", async () => {
    const app = await makeNoticedApp(service);
    const { owner, appId } = app;
    await owner.choose({ apps: [{ appId, kinds: { report: ["daily"], assigned: ["daily"] } }] });
    const reports = async (count: number) => {
      const all = Array.from({ length: count }, (_, at) => app.report({ message: `Report ${at}` }));
      for (const report of await Promise.all(all)) expect(report.status).toBe(201);
      await app.settled();
      await passTime(service, minute);
    };
    await reports(60);
    await reports(60);
    const viewer = await app.join("maintainer");
    const assigned = (await app.report({ message: "The last one." })).field("id");
    await viewer.call("PATCH", `/feedback/${assigned}`, { assignee: owner.email });
    await app.settled();
    expect(await app.waiting()).toBe(102);
    const [mail] = await mailsAfter(app, owner, 1, day);
    expect(mail?.subject).toBe("Demo: daily mail, 122 notices");
    expect(mail?.text.match(/A new report arrived/g)).toHaveLength(50);
    expect(mail?.text).toContain("And 72 more:");
    // The next mail begins again.
    await app.report({ message: "A day later." });
    expect((await mailsAfter(app, owner, 2, day))[1]?.subject).toBe("Demo: daily mail, 1 notice");
  });

  it("contains no address of a member after the account was deleted", async () => {
    const app = await makeNoticedApp(service);
    const kim = await app.join("maintainer");
    await propose(service, app, (await app.report({})).field("id"));
    await app.settled();
    await passTime(service, 15 * minute);
    await eventually(async () => expect(await kim.mails()).toHaveLength(1));
    expect((await kim.call("POST", "/account/delete", { email: kim.email })).status).toBe(204);
    const left = await service.deps.database.all(
      "SELECT kind FROM mails WHERE recipient = ? OR subject_id = ?",
      ...[kim.email, kim.id],
    );
    expect(left).toEqual([]);
  });

  it("is not about a kind that the member has turned off meanwhile, but about one that now has the other mail", async () => {
    const app = await makeNoticedApp(service);
    const { owner, appId } = app;
    const choose = (ways: readonly string[]) => owner.choose({ apps: [{ appId, kinds: { report: ways } }] });
    await choose(["daily", "mail"]);
    await app.report({ message: "It broke." });
    await app.settled();
    expect(await app.waiting()).toBe(2);
    await choose([]);
    await mailsAfter(app, owner, 0, day);
    await choose(["mail"]);
    await app.report({ message: "It broke again." });
    await app.settled();
    await choose(["daily"]);
    await mailsAfter(app, owner, 1, 15 * minute);
  });

  it("comes in time after the clock of the server was ahead", async () => {
    const app = await makeNoticedApp(service);
    const { owner, appId } = app;
    await owner.choose({ apps: [{ appId, kinds: { report: ["mail"] } }] });
    await passTime(service, 30 * day);
    await app.report({ message: "Made in the future." });
    await app.settled();
    await mailsAfter(app, owner, 1, -30 * day);
    await app.report({ message: "Made now." });
    await mailsAfter(app, owner, 2);
  });

  it("is deleted with the account, and with the app", async () => {
    const app = await makeNoticedApp(service);
    const kim = await app.join("maintainer");
    await propose(service, app, (await app.report({})).field("id"));
    await app.settled();
    await kim.call("POST", "/account/delete", { email: kim.email });
    const left = (column: string, id: string) =>
      service.deps.database.all(`SELECT 1 AS one FROM notices WHERE ${column} = ?`, id);
    expect(await left("user_id", kim.id)).toEqual([]);
    expect(await left("app_id", app.appId)).toHaveLength(1);
    await app.report({});
    expect((await app.owner.call("DELETE", `/apps/${app.appId}`)).status).toBe(204);
    expect(await left("app_id", app.appId)).toEqual([]);
    await passTime(service, hour);
    expect(await app.owner.mails()).toEqual([]);
  });
});
