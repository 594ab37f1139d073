import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  type BrowserWithoutScripts,
  createBrowserWithoutScripts,
  readingOf,
} from "../../../support/browser/browser-without-scripts.ts";
import type { Answer } from "../../../support/service/request.ts";
import { type Service, startService } from "../../../support/service/service.ts";
import {
  fillThreads,
  makeOwnerWithOneOfEach,
  type OwnerWithOneOfEach,
  propose,
  sendFeedback,
} from "../../../support/worlds/owner-with-one-of-each.ts";

const minute = 60_000;

describe("the inbox of a person", () => {
  let service: Service;
  let world: OwnerWithOneOfEach;
  let owner: BrowserWithoutScripts;
  let viewer: BrowserWithoutScripts;
  let viewerHeaders: Record<string, string>;
  let app: { readonly id: string; readonly key: string };
  let inbox: string;
  beforeAll(async () => {
    service = await startService();
    world = await makeOwnerWithOneOfEach(service);
    owner = createBrowserWithoutScripts(service, world.headers);
  });
  beforeEach(async () => {
    app = await service.makeApp(world.owner, { name: "Larder" });
    inbox = `/console/feedback/${app.id}`;
    viewerHeaders = await service.signIn(await service.makeMember(app.id, "viewer"));
    viewer = createBrowserWithoutScripts(service, viewerHeaders);
    service.clock.advance(1_000);
  });
  afterAll(() => service.stop());

  const send = async (subject: string, more: object = {}) => {
    service.clock.advance(1_000);
    const id = await sendFeedback(service, app.key, { subject, ...more });
    service.clock.advance(1_000);
    return id;
  };
  const call = async (path: string, body: object, method = "POST") => {
    const answer = await world.call(method, path, body);
    expect(answer.status).toBeLessThan(300);
    service.clock.advance(1_000);
  };
  const unreadIn = ({ text }: Answer) =>
    [...text.matchAll(/Unread: <\/span><bdi>([^<]*)/g)].map(([, subject]) => subject);
  const titleOf = ({ text }: Answer) => /<title>([^<]*)/.exec(text)?.[1];

  it("marks unread threads, counts them in the title, the tab and the list of apps, and counts an opened thread as read", async () => {
    const id = await send("First");
    await send("Second");
    const page = await viewer.open(inbox);
    expect(unreadIn(page)).toEqual(["Second", "First"]);
    expect(titleOf(page)).toBe("(2) Inbox · Larder · Innkeep");
    expect(readingOf(page)).toMatch(/Inbox 2 2 unread FAQ/);
    expect(readingOf(await viewer.open("/console"))).toMatch(/Larder 2 unread Feedback on/);
    expect(titleOf(await viewer.open(`${inbox}/${id}`))).toBe("(1) #1 “First” · Larder · Innkeep");
    expect(unreadIn(await viewer.open(inbox))).toEqual(["Second"]);
    expect(unreadIn(await owner.open(inbox))).toEqual(["Second", "First"]);
  });

  it("shows 99+ in place of larger counts", async () => {
    await fillThreads(service, app.id, Array(120).fill({ createdAt: service.clock.now().toISOString() }));
    const page = await viewer.open(inbox);
    expect(titleOf(page)).toBe("(99+) Inbox · Larder · Innkeep");
    expect(readingOf(page)).toContain("99+ unread");
    expect(readingOf(await viewer.open("/console"))).toContain("99+ unread Feedback on");
  });

  it("has a list of unread threads of all statuses, and a button that marks a whole list as read", async () => {
    const done = await send("Done");
    await call(`/feedback/${done}`, { status: "resolved" }, "PATCH");
    await send("Open");
    const page = await viewer.open(inbox);
    expect(readingOf(page)).toContain("Mark all open threads as read");
    const sent = await viewer.send(page, `${inbox}/read`);
    expect(sent.headers.get("location")).toBe(`${inbox}?view=to_triage&done=read`);
    const list = await viewer.open(`${inbox}?status=unread`);
    expect(unreadIn(list)).toEqual(["Done"]);
    await viewer.send(list, `${inbox}/read`);
    const empty = await viewer.open(`${inbox}?status=unread`);
    expect(readingOf(empty)).toContain("Everything is read");
    expect(empty.text).not.toContain(`action="${inbox}/read"`);
  });

  it("keeps messages unread that arrived after the page was created", async () => {
    await send("Shown");
    const page = await viewer.open(inbox);
    await send("Later");
    await viewer.send(page, `${inbox}/read`);
    expect(unreadIn(await viewer.open(inbox))).toEqual(["Later"]);
  });

  it("keeps the filter in the link back from a thread that was marked as unread", async () => {
    const id = await send("First");
    const path = `${inbox}/${id}`;
    const page = await viewer.open(`${path}?list=status%3Dopen&at=0`);
    const sent = await viewer.send(page, `${path}/unread`);
    expect(sent.headers.get("location")).toBe(`${inbox}?status=open&done=unread`);
    expect(unreadIn(await viewer.open(inbox))).toEqual(["First"]);
  });

  it("is not marked as read by a script that updates an open page, or by a browser that loads pages in advance", async () => {
    const id = await send("First");
    const fetches: Record<string, string>[] = [
      { "x-innkeep-live": "1" },
      { "sec-purpose": "prefetch;prerender" },
    ];
    for (const more of fetches)
      await service.request("GET", `${inbox}/${id}`, {
        headers: { accept: "text/html", ...viewerHeaders, ...more },
      });
    expect(unreadIn(await viewer.open(inbox))).toEqual(["First"]);
  });

  it("is in the order of activity, says who wrote last, and shows a hostile text without effect", async () => {
    const id = await send("First", { name: "Ada", message: "Long ago." });
    await send("Second", { message: "<b>Boo</b> \u202Eevil" });
    const order = ({ text }: Answer) =>
      [...text.matchAll(/<bdi>(First|Second)<\/bdi>/g)].map(([, name]) => name);
    const before = await viewer.open(inbox);
    expect(order(before)).toEqual(["Second", "First"]);
    expect(before.text).toContain("&lt;b>Boo&lt;/b>");
    expect(before.text).toMatch(/hidden-mark[^>]*>U\+202E</);
    expect(readingOf(before)).toContain("Ada · Long ago.");
    await call(`/feedback/${id}/messages`, { direction: "note", body: "I look into it." });
    const after = await viewer.open(inbox);
    expect(order(after)).toEqual(["First", "Second"]);
    expect(readingOf(after)).toContain(`${world.owner.email} , in a note: I look into it.`);
    expect(readingOf(await owner.open(inbox))).toContain("You , in a note: I look into it.");
  });

  it("shows the changes since the last visit, except those of the person, until the person hides them", async () => {
    const id = await send("First", { dedupeKey: "one" });
    await owner.open(inbox);
    expect((await viewer.open(inbox)).text).not.toContain("What changed since you were here");
    service.clock.advance(31 * minute);
    await send("Second");
    await send("Again", { dedupeKey: "one" });
    await call(`/feedback/${id}/messages`, { direction: "outbound", body: "Thanks." });
    const runId = await propose(service, await service.makeToken(world.owner, "agent"), id);
    await call(`/runs/${runId}/decision`, { decision: "reject" });
    await call(`/feedback/${id}`, { status: "in_progress" }, "PATCH");
    const seen = readingOf(await viewer.open(inbox));
    expect(seen).toMatch(
      /1 new report, 1 repeat, 1 proposal, 1 decision, 1 reply by others, 1 change by others since \d+ \w+ \d{4}/,
    );
    expect(readingOf(await owner.open(inbox))).toMatch(/1 new report, 1 repeat, 1 proposal since/);
    service.clock.advance(10 * minute);
    const page = await viewer.open(inbox);
    expect(readingOf(page)).toContain("1 new report");
    const sent = await viewer.send(page, `${inbox}/hide-changes`);
    expect((await viewer.follow(sent)).text).not.toContain("What changed since you were here");
  });

  it("shows no changes and no marks of an app of somebody else", async () => {
    const stranger = createBrowserWithoutScripts(service, await service.signIn(await service.makeUser()));
    await send("First");
    const page = await viewer.open(inbox);
    for (const path of [`${inbox}/read`, `${inbox}/hide-changes`]) {
      const form = { ...page, text: page.text.replaceAll(`${inbox}/read`, path) };
      expect((await stranger.send(form, path)).status).toBe(404);
    }
  });
});

describe("a thread that a person opens again", () => {
  let service: Service;
  let world: OwnerWithOneOfEach;
  let owner: BrowserWithoutScripts;
  let path: string;
  beforeAll(async () => {
    service = await startService();
    world = await makeOwnerWithOneOfEach(service);
    owner = createBrowserWithoutScripts(service, world.headers);
    path = `/console/feedback/${world.app.id}/${world.threadId}`;
  });
  afterAll(() => service.stop());

  it("has a mark before the first new message of others, for the whole visit", async () => {
    const first = await owner.open(path);
    expect(first.text).not.toContain('id="new"');
    service.clock.advance(60 * minute);
    const note = { direction: "note", body: "My own." };
    await world.call("POST", `/feedback/${world.threadId}/messages`, note);
    expect((await owner.open(path)).text).not.toContain('id="new"');
    service.clock.advance(60 * minute);
    await propose(service, world.agentToken, world.threadId);
    service.clock.advance(minute);
    for (const _ of ["opened", "opened again"]) {
      const page = await owner.open(path);
      expect(readingOf(page)).toMatch(
        /Since your last visit on \d+ \w+ \d{4}, [\d:]+ UTC : 1 new message\. Go to the new messages/,
      );
      expect(page.text).toContain('href="#new"');
      expect(readingOf(page)).toMatch(/My own\. .*New since your last visit on .* An agent proposed a plan/);
      service.clock.advance(minute);
    }
    service.clock.advance(60 * minute);
    expect((await owner.open(path)).text).not.toContain('id="new"');
  });

  it("says that somebody else changed fields and decided", async () => {
    const maintainer = await service.makeMember(world.app.id, "maintainer");
    const other = createBrowserWithoutScripts(service, await service.signIn(maintainer));
    await propose(service, world.agentToken, world.threadId);
    await other.open(path);
    service.clock.advance(60 * minute);
    const { body } = await world.call("GET", `/feedback/${world.threadId}`);
    const runId = /"latestProposal":\{"id":"([^"]*)"/.exec(JSON.stringify(body))?.[1];
    await world.call("POST", `/runs/${runId}/decision`, { decision: "reject" });
    await world.call("PATCH", `/feedback/${world.threadId}`, { status: "resolved" });
    service.clock.advance(minute);
    const page = await other.open(path);
    expect(readingOf(page)).toMatch(
      /Since your last visit on .*: a decision, changed fields\. Go to the new messages/,
    );
    expect(page.text).toContain('href="#proposal">Go to the new messages');
    expect(readingOf(await owner.open(path))).not.toContain("a decision, changed fields");
  });

  it("is shown even if the view cannot be stored", async () => {
    const { database } = service.deps;
    const broken = "BEFORE INSERT ON thread_looks BEGIN SELECT RAISE(ABORT, 'full'); END";
    await database.write((tx) => tx.run(`CREATE TRIGGER broken ${broken}`));
    service.clock.advance(60 * minute);
    expect(await owner.open(path)).toMatchObject({ status: 200 });
    await database.write((tx) => tx.run("DROP TRIGGER broken"));
    expect(service.logged()).toContain("the view of a page was not stored");
  });
});
