import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  createBrowserWithoutScripts,
  locationOf,
  readingOf,
} from "../../support/browser/browser-without-scripts.ts";
import { databases } from "../../support/database/databases.ts";
import { startMailServer } from "../../support/mail/mail-server.ts";
import { makeNoticedApp } from "../../support/mail/noticed-app.ts";
import { serverWithMail } from "../../support/mail/server-with-mail.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { sendFeedback } from "../../support/worlds/owner-with-one-of-each.ts";

describe.each(databases)("the first steps with a new app on $name", (engine) => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ engine });
  });
  afterAll(() => service.stop());

  /** A person who is signed in, with an app. */
  const makeOwner = async () => {
    const owner = await service.makeUser();
    const app = await service.makeApp(owner);
    const headers = await service.signIn(owner);
    const at = `/api/v1/console/apps/${app.id}/start`;
    const read = async () => Object((await service.request("GET", at, { headers })).body);
    const post = (part: "test-report" | "put-away", by = headers) => {
      const paths = {
        "test-report": `/api/v1/console/apps/${app.id}/start/test-report`,
        "put-away": `/api/v1/console/apps/${app.id}/start/put-away`,
      };
      return service.request("POST", paths[part], { headers: by });
    };
    return { owner, app, headers, read, post, browser: createBrowserWithoutScripts(service, headers) };
  };

  it("show the key, the first report, and whether it was answered", async () => {
    const { app, headers, read } = await makeOwner();
    expect(await read()).toEqual({
      ...{ appId: app.id, hasKey: true, report: null, answered: false, putAway: false },
    });
    const first = await sendFeedback(service, app.key, { message: "It is slow.", subject: "Slow" });
    await sendFeedback(service, app.key, { message: "Another one." });
    expect(await read()).toMatchObject({
      report: { id: first, subject: "Slow", message: "It is slow." },
      answered: false,
    });
    const reply = { direction: "outbound", body: "Thank you." };
    await service.request("POST", `/api/v1/console/feedback/${first}/messages`, { headers, body: reply });
    expect(await read()).toMatchObject({ answered: true });
  });

  it("include a test report, which arrives as every report does, and is recorded in the audit", async () => {
    const { owner, headers, post, read } = await makeOwner();
    const sent = await post("test-report");
    expect(sent.status).toBe(201);
    const thread = await service.request("GET", `/api/v1/console/feedback/${sent.field("id")}`, { headers });
    expect(thread.body).toMatchObject({
      feedback: { subject: "A test report", source: "the console" },
      sender: { email: owner.email },
    });
    expect(await read()).toMatchObject({ report: { id: sent.field("id") } });
    const audit = await service.request("GET", "/api/v1/console/audit", { headers });
    expect(audit.text).toContain("thread.test");
  });

  it("include a test report, of which members with notices of reports get a notice", async () => {
    const app = await makeNoticedApp(await serverWithMail((await startMailServer()).url));
    await app.owner.choose({ apps: [{ appId: app.appId, kinds: { report: ["daily"] } }] });
    expect((await app.owner.call("POST", `/apps/${app.appId}/start/test-report`)).status).toBe(201);
    await app.settled();
    expect(await app.waiting()).toBe(1);
  });

  it("include no test report if the app accepts no feedback, and none for people who are no members", async () => {
    const { app, headers, post } = await makeOwner();
    const stranger = await service.signIn(await service.makeUser());
    for (const part of ["test-report", "put-away"] as const)
      expect((await post(part, stranger)).status).toBe(404);
    const at = `/api/v1/console/apps/${app.id}`;
    await service.request("PATCH", at, { headers, body: { feedbackEnabled: false } });
    expect((await post("test-report")).field("code")).toBe("feedback_disabled");
  });

  it("are on the start page until they are complete or hidden", async () => {
    const { app, browser, post, headers } = await makeOwner();
    const home = async () => readingOf(await browser.open("/console"));
    expect(await home()).toContain("2 of 4 done");
    const report = await post("test-report");
    expect(await home()).toContain("3 of 4 done");
    const reply = { direction: "outbound", body: "Thank you." };
    const at = `/api/v1/console/feedback/${report.field("id")}/messages`;
    await service.request("POST", at, { headers, body: reply });
    expect(await home()).not.toContain("of 4 done");

    const other = await makeOwner();
    const page = await other.browser.open("/console");
    const gone = await other.browser.send(page, `/console/start/${other.app.id}/put-away`);
    expect(locationOf(gone)).toBe(`/console/feedback/${other.app.id}`);
    expect(readingOf(await other.browser.open("/console"))).not.toContain("of 4 done");
    expect(await other.read()).toMatchObject({ putAway: true });
    expect(app.id).not.toBe(other.app.id);
  });

  it("do not count the hidden report of a blocked sender, on the start page as on their own page", async () => {
    const { app, browser, headers, read } = await makeOwner();
    const sender = "eve@example.org";
    const at = `/api/v1/console/apps/${app.id}/blocked-senders`;
    await service.request("POST", at, { headers, body: { kind: "address", sender } });
    await sendFeedback(service, app.key, { message: "Buy zebras.", email: sender });
    expect(await read()).toMatchObject({ report: null });
    expect(readingOf(await browser.open("/console"))).toContain("2 of 4 done");
  });

  it("lead from an empty account to the first reply, without scripts", async () => {
    const headers = await service.signIn(await service.makeUser());
    const browser = createBrowserWithoutScripts(service, headers);
    const welcome = await browser.open("/console");
    const begun = await browser.send(welcome, "/console/start", { name: "Larder <b>" });
    const [key = ""] = /sdk_\w+/.exec(begun.text) ?? [];
    expect(begun.status).toBe(200);
    expect(begun.text.match(new RegExp(key, "g"))?.length).toBeGreaterThan(3);
    expect(readingOf(begun)).toContain("Waiting for the first report…");
    const [, appId = ""] = /\/console\/start\/([\da-f-]{36})\/test-report/.exec(begun.text) ?? [];
    const keys = await service.request("GET", `/api/v1/console/apps/${appId}/keys`, { headers });
    expect(keys.body).toMatchObject({ items: [{ kind: "intake", label: "App" }] });

    const tested = await browser.send(begun, `/console/start/${appId}/test-report`);
    expect(tested.text).toContain(key);
    expect(readingOf(tested).match(/report has arrived/g)).toHaveLength(1);
    expect(tested.text).toMatch(/role="status"[^>]*data-done="test-report-sent".*id="step-answer"/s);
    const replied = await browser.send(tested, `/console/start/${appId}/answer`, { replyBody: "Hello!" });
    expect(locationOf(replied)).toBe(`/console/start/${appId}`);
    const after = await browser.follow(replied);
    expect(readingOf(after)).toContain("You have answered.");
    expect(after.text).not.toContain(key);
  });

  it("create a full key for a server, and do not show a key again after a reload", async () => {
    const { app, browser, headers } = await makeOwner();
    const page = await browser.open(`/console/start/${app.id}`);
    expect(page.text).toContain("sdk_…");
    const made = await browser.send(page, `/console/start/${app.id}/keys`, { kind: "full" });
    expect(readingOf(made)).toContain("The key for your server");
    const keys = await service.request("GET", `/api/v1/console/apps/${app.id}/keys`, { headers });
    expect(Object(keys.body).items.at(-1)).toMatchObject({ kind: "full", label: "Server" });
    const address = `/console/start/${app.id}?kind=full`;
    expect(made.text).toContain(`data-address="${address}"`);
    const again = await browser.open(address);
    expect(again.text).not.toMatch(/sdk_\w{20}/);
    const orderIn = ({ text }: { text: string }) =>
      [...text.matchAll(/<pre id="call-(\w+)"/g)].map(([, name]) => name);
    expect(orderIn(again)).toEqual(["curl", "action", "javascript", "kotlin"]);
    const sent = await browser.send(again, `/console/start/${app.id}/test-report`);
    expect([orderIn(sent)[1], sent.text.includes(address)]).toEqual(["action", true]);
    expect(orderIn(await browser.open(`/console/start/${app.id}`))[1]).toBe("javascript");
  });

  it("turn on the senders' pages together with the reply", async () => {
    const { app, browser, headers, post } = await makeOwner();
    const at = `/api/v1/console/apps/${app.id}`;
    await service.request("PATCH", at, { headers, body: { senderPages: false } });
    await post("test-report");
    const page = await browser.open(`/console/start/${app.id}`);
    expect(readingOf(page)).toContain("Turn on sender pages and send");
    await browser.send(page, `/console/start/${app.id}/answer`, { pages: "on" });
    expect((await service.request("GET", at, { headers })).body).toMatchObject({ senderPages: true });
    expect(readingOf(await browser.open(`/console/start/${app.id}`))).toContain("You have answered.");
  });

  it("explain what is wrong with a name and with a reply", async () => {
    const { app, browser, post } = await makeOwner();
    const form = await browser.open("/console/start");
    const refused = await browser.send(form, "/console/start", { name: " " });
    expect([refused.status, readingOf(refused)]).toEqual([400, expect.stringContaining("Name of your app")]);
    await post("test-report");
    const page = await browser.open(`/console/start/${app.id}`);
    const empty = await browser.send(page, `/console/start/${app.id}/answer`, { replyBody: "" });
    expect([empty.status, readingOf(empty)]).toEqual([400, expect.stringContaining("Your answer must")]);
  });

  it("begin immediately after a person created an account on a server without mail", async () => {
    const browser = createBrowserWithoutScripts(service);
    const signUp = "/tavern/sign-up";
    const page = await browser.open(`${signUp}?to=%2Fconsole`);
    const person = { email: "new@example.org", password: "a long passphrase of my own" };
    const signedIn = await browser.send(page, signUp, person);
    expect([signedIn.status, locationOf(signedIn)]).toEqual([303, "/console"]);
    expect(signedIn.headers.get("set-cookie")).toContain("innkeep=");
    const wrong = { ...person, password: "another passphrase of mine" };
    const taken = await browser.send(page, signUp, wrong);
    expect([taken.status, taken.headers.get("set-cookie")]).toEqual([200, null]);
    expect(readingOf(taken)).toContain("If this address was new, your account is ready.");
  });
});
