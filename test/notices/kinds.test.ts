import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { tidy } from "../../server/jobs/housekeeping.ts";
import { databases } from "../support/database/databases.ts";
import { eventually } from "../support/eventually.ts";
import { makeNoticedApp, passTime } from "../support/mail/noticed-app.ts";
import { startReceiver } from "../support/network/event-receiver.ts";
import { type Service, startService } from "../support/service/service.ts";
import { propose } from "../support/worlds/app-with-owner-and-agent.ts";

const [minute, hour] = [60_000, 3_600_000];

describe.each(databases)("members get a notice, on $name,", (engine) => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ engine, still: true, settings: { dev: true } });
  });
  afterAll(() => service.stop());

  type App = Awaited<ReturnType<typeof makeNoticedApp>>;

  /** The texts of the mails that a member has got after 15 minutes. */
  const told = async (app: App, who: { readonly mails: App["owner"]["mails"] }) => {
    await app.settled();
    await passTime(service, 15 * minute);
    await eventually(async () => expect(await app.waiting()).toBe(0));
    return (await who.mails()).map(({ text }) => text);
  };

  it("if an approval of theirs expired before an agent began", async () => {
    const app = await makeNoticedApp(service);
    const kim = await app.join("maintainer");
    await kim.choose({ apps: [{ appId: app.appId, kinds: { proposal: [] } }] });
    await app.owner.call("PATCH", `/apps/${app.appId}`, { approvalHours: 1 });
    const id = (await app.report({ subject: "Uploads" })).field("id");
    const runId = await propose(service, app, id);
    await kim.call("POST", `/runs/${runId}/decision`, { decision: "approve" });
    expect(await told(app, kim)).toEqual([]);
    await passTime(service, 2 * hour);
    await tidy(service.deps);
    const [text] = await told(app, kim);
    expect(text).toContain(`An approval expired before an agent began.\n`);
    expect(text).toContain(`/feedback/${app.appId}/${id}#proposal\n“Uploads”`);
    expect((await app.owner.mails()).filter((mail) => mail.text.includes("approval"))).toEqual([]);
  });

  it("if the approval of another person who has left expired and they may decide", async () => {
    const app = await makeNoticedApp(service);
    const [kim, bo] = [await app.join("maintainer"), await app.join("maintainer")];
    for (const one of [kim, bo, app.owner])
      await one.choose({ apps: [{ appId: app.appId, kinds: { proposal: [] } }] });
    await app.owner.call("PATCH", `/apps/${app.appId}`, { approvalHours: 1 });
    const runId = await propose(service, app, (await app.report({})).field("id"));
    await kim.call("POST", `/runs/${runId}/decision`, { decision: "approve" });
    await app.owner.call("DELETE", `/apps/${app.appId}/members/${kim.id}`);
    await passTime(service, 2 * hour);
    await tidy(service.deps);
    expect(await told(app, bo)).toHaveLength(1);
    expect([await kim.mails(), await app.owner.mails()].map(({ length }) => length)).toEqual([0, 1]);
  });

  it("if a tester requests a slot, and if a test has too few testers", async () => {
    const app = await makeNoticedApp(service);
    const [wants, other] = [await app.join("maintainer"), await app.join("maintainer")];
    const kinds = { slot: ["mail"], testers: ["mail"] };
    await wants.choose({ apps: [{ appId: app.appId, kinds }] });
    const listing = await service.makeListing({ id: app.appId }, { seats: 2 });
    const cycle = await service.makeCycle(listing);
    const tester = await service.makeUser();
    const headers = await service.makeDevice(tester);
    const path = `/api/v1/testing/slots/${cycle.slotIds[0]}/request`;
    expect((await service.request("POST", path, { headers, body: {} })).status).toBeLessThan(300);
    const [text] = await told(app, wants);
    const page = `${service.deps.settings.consoleUrl}/cycles/${app.appId}/${cycle.id}`;
    expect(text).toContain(`A test has too few testers: 0 of 2.\n${page}`);
    expect(text).toContain(`A tester requests a slot.\n${page}`);
    expect([await app.owner.mails(), await other.mails()].map(({ length }) => length)).toEqual([1, 0]);
  });

  it("if a test is planned on its first day and has too few testers", async () => {
    const app = await makeNoticedApp(service);
    const listing = await service.makeListing({ id: app.appId }, { seats: 2 });
    const startsOn = service.clock.now().toISOString().slice(0, 10);
    await app.owner.call("POST", `/listings/${listing.id}/cycles`, { startsOn, timezone: "UTC" });
    expect(await told(app, app.owner)).toEqual([
      expect.stringContaining("A test has too few testers: 0 of 2.\n"),
    ]);
  });

  it("only while a test has too few testers", async () => {
    const app = await makeNoticedApp(service);
    const listing = await service.makeListing({ id: app.appId }, { seats: 1 });
    const cycle = await service.makeCycle(listing);
    await app.settled();
    expect(await app.waiting()).toBe(1);
    await service.giveSlot(cycle, cycle.slotIds[0] ?? "", await service.makeUser());
    expect(await told(app, app.owner)).toEqual([]);
  });

  it("if a webhook was turned off, or has not answered for a long time", async () => {
    const app = await makeNoticedApp(service);
    const kim = await app.join("maintainer");
    const [gone, failing] = [await startReceiver(), await startReceiver()];
    gone.answers.push(410);
    failing.answers.push(500, 500, 500, 500, 500);
    for (const { url } of [gone, failing])
      await app.owner.call("POST", `/apps/${app.appId}/webhooks`, { url });
    await app.report({});
    const isOff = "SELECT id FROM webhooks WHERE app_id = ? AND disabled_because = 'gone'";
    await eventually(async () => expect(await service.deps.database.all(isOff, app.appId)).toHaveLength(1));
    await eventually(() => expect(failing.received).toHaveLength(1));
    const [first] = await told(app, app.owner);
    expect(first).toContain(
      `Messages cannot be delivered.\n${service.deps.settings.consoleUrl}/webhooks/${app.appId}\n`,
    );
    for (let tries = 2; tries <= 4; tries += 1) {
      await passTime(service, 31 * minute);
      await eventually(() => expect(failing.received).toHaveLength(tries));
    }
    await eventually(async () => {
      await passTime(service, minute);
      expect(await app.owner.mails()).toHaveLength(2);
    });
    expect(await kim.mails()).toEqual([]);
  });
});
