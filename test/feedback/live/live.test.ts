import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { saveDraft } from "../../support/browser/save-draft.ts";
import { databases } from "../../support/database/databases.ts";
import { eventually } from "../../support/eventually.ts";
import { type LiveBrowser, openLive } from "../../support/service/live-events.ts";
import { type Service, startService } from "../../support/service/service.ts";
import {
  type AppWithAgent,
  decide,
  makeAppWithAgent,
  propose,
  snoozeForHour,
  submitFeedback,
} from "../../support/worlds/app-with-owner-and-agent.ts";

const path = "/api/v1/console/live";

describe.each(databases)("GET /api/v1/console/live on $name", (engine) => {
  let service: Service;
  let cast: AppWithAgent;
  const opened: LiveBrowser[] = [];
  beforeAll(async () => {
    service = await startService({ engine });
  });
  beforeEach(async () => {
    cast = await makeAppWithAgent(service);
  });
  afterEach(() => {
    for (const one of opened.splice(0)) one.close();
  });
  afterAll(() => service.stop());

  const follow = async (headers: Record<string, string> = cast.person, query = "") => {
    const one = await openLive(service, headers, query);
    opened.push(one);
    return one;
  };
  const change = (id: string, body: object) =>
    service.request("PATCH", `/api/v1/console/feedback/${id}`, { headers: cast.person, body });

  it("is an event stream that proxies do not buffer", async () => {
    const { headers } = await follow();
    expect(headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    expect(headers.get("x-accel-buffering")).toBe("no");
    expect(headers.get("cache-control")).toBe("private, no-store, no-transform");
  });

  it("sends an event with ids and a kind, and no text, for a new report, a change, a proposal and a decision", async () => {
    const page = await follow();
    const threadId = await submitFeedback(service, cast, { subject: "Secret words" });
    const place = { appId: cast.appId, threadId };
    expect(await page.next()).toEqual({ kind: "thread", ...place, at: expect.any(String) });
    await change(threadId, { status: "in_progress" });
    expect(await page.next()).toMatchObject({ kind: "thread", ...place });
    const runId = await propose(service, cast, threadId);
    expect(await page.next()).toMatchObject({ kind: expect.stringMatching(/thread|proposal/), ...place });
    await decide(service, cast, runId, { decision: "approve" });
    await page.until({ kind: "proposal", ...place });
    expect(page.text()).not.toContain("Secret");
    expect(page.text()).not.toContain("Guard");
  });

  it("sends an event for each change of a thread, of a tag and of a shared view (rule F70)", async () => {
    const threadId = await submitFeedback(service, cast);
    const page = await follow();
    await change(threadId, { status: "in_progress" });
    await page.until({ kind: "thread", threadId });
    const tomorrow = new Date(service.clock.now().getTime() + 86_400_000).toISOString();
    const call = (method: string, path: string, body: object) =>
      service.request(method, `/api/v1/console${path}`, { headers: cast.person, body });
    let heard = page.count({ kind: "thread", threadId });
    const isHeard = async () => {
      await eventually(() => expect(page.count({ kind: "thread", threadId })).toBeGreaterThan(heard));
      heard = page.count({ kind: "thread", threadId });
    };
    for (const body of [
      { addTags: ["crash"] },
      { removeTags: ["crash"] },
      { assignee: "me" },
      { snoozedUntil: tomorrow },
    ]) {
      expect((await change(threadId, body)).status).toBe(200);
      await isHeard();
    }
    await call("POST", `/apps/${cast.appId}/feedback/bulk`, { ids: [threadId], change: { assignee: null } });
    await isHeard();
    const ofApp = () => page.count({ kind: "thread", appId: cast.appId, threadId: undefined });
    const made = await call("POST", `/apps/${cast.appId}/tags`, { name: "slow" });
    await eventually(() => expect(ofApp()).toBe(1));
    await call("PATCH", `/tags/${made.field("id")}`, { name: "slower" });
    await eventually(() => expect(ofApp()).toBe(2));
    await call("POST", `/apps/${cast.appId}/views`, { name: "Mine", query: {}, shared: true });
    await eventually(() => expect(ofApp()).toBe(3));
    await call("POST", `/apps/${cast.appId}/views`, { name: "Own", query: {} });
    await call("DELETE", `/tags/${made.field("id")}`, {});
    await eventually(() => expect(ofApp()).toBe(4));
  });

  it("sends an event for a thread whose snooze is over, although nobody asks the server", async () => {
    const threadId = await submitFeedback(service, cast);
    await snoozeForHour(service, cast, threadId);
    const page = await follow();
    service.clock.advance(3_600_000);
    await page.until({ kind: "thread", threadId });
  });

  it("sends events of an app to its members only", async () => {
    const other = await makeAppWithAgent(service);
    const viewer = await service.signIn(await service.makeMember(cast.appId, "viewer"));
    const [own, foreign] = [await follow(viewer), await follow(other.person)];
    const threadId = await submitFeedback(service, cast);
    await own.until({ kind: "thread", threadId });
    const last = await submitFeedback(service, other);
    await foreign.until({ kind: "thread", threadId: last });
    expect(foreign.text()).not.toContain(threadId);
    expect(foreign.text()).not.toContain(cast.appId);
  });

  it("sends events for changes of the FAQ and of members", async () => {
    const page = await follow();
    await service.request("POST", `/api/v1/console/apps/${cast.appId}/faqs`, {
      headers: cast.person,
      body: { question: "Why?", answer: "So." },
    });
    await page.until({ kind: "content", appId: cast.appId });
    await service.request("PATCH", `/api/v1/console/apps/${cast.appId}`, {
      headers: cast.person,
      body: { name: "Another name" },
    });
    await page.until({ kind: "app", appId: cast.appId });
  });

  it("sends the events that a browser missed since its last event", async () => {
    const keeps = await follow();
    const page = await follow();
    const first = await submitFeedback(service, cast);
    await page.until({ threadId: first });
    page.close();
    const missed = await submitFeedback(service, cast);
    await keeps.until({ threadId: missed });
    const back = await follow({ ...cast.person, "last-event-id": page.lastId() });
    expect(await back.next()).toMatchObject({ kind: "thread", threadId: missed });
    expect(back.text()).not.toContain(first);
  });

  it("sends the changes since the page was created", async () => {
    const keeps = await follow();
    const since = service.clock.now().toISOString();
    const threadId = await submitFeedback(service, cast);
    await keeps.until({ threadId });
    const page = await follow(cast.person, `?since=${since}`);
    expect(await page.next()).toMatchObject({ kind: "thread", threadId });
  });

  it.each(["0123456789ab-4", "unknown", "0123456789ab-99999999999999999999"])(
    "tells a browser with the unknown last event %s to load everything again",
    async (lastId) => {
      const page = await follow({ ...cast.person, "last-event-id": lastId });
      expect(await page.next()).toEqual({ kind: "everything", at: expect.any(String) });
    },
  );

  it("ends when the person signs out", async () => {
    const page = await follow();
    await submitFeedback(service, cast);
    await page.next();
    expect(
      (await service.request("DELETE", "/api/v1/console/session", { headers: cast.person })).status,
    ).toBe(204);
    await submitFeedback(service, cast);
    await page.ended;
    expect(page.count({ kind: "thread" })).toBe(1);
  });

  it("ends in all other browsers when a person ends these sessions", async () => {
    const [here, elsewhere] = [await follow(), await follow(await service.signIn(cast.owner))];
    await service.request("DELETE", "/api/v1/console/sessions", { headers: cast.person });
    await elsewhere.ended;
    const threadId = await submitFeedback(service, cast);
    await here.until({ threadId });
    expect(elsewhere.text()).not.toContain(threadId);
  });

  it("ends when a member is removed or gets a lower role, before any later event of the app", async () => {
    const members = await Promise.all(
      ["viewer", "maintainer"].map((role) =>
        service.makeMember(cast.appId, role === "viewer" ? role : "maintainer"),
      ),
    );
    const [removed, lowered] = await Promise.all(
      members.map(async (member) => follow(await service.signIn(member))),
    );
    const at = (index: number) => `/api/v1/console/apps/${cast.appId}/members/${members[index]?.id}`;
    await service.request("DELETE", at(0), { headers: cast.person });
    await service.request("PATCH", at(1), { headers: cast.person, body: { role: "viewer" } });
    const later = await submitFeedback(service, cast);
    await Promise.all([removed?.ended, lowered?.ended]);
    expect(removed?.text()).not.toContain(later);
  });

  it("ends when its session expires", async () => {
    const page = await follow();
    service.clock.advance(31 * 86_400_000);
    await submitFeedback(service, cast);
    await page.ended;
    expect(page.count({ kind: "thread" })).toBe(0);
    service.clock.setOffset(0);
  });

  it("is refused to tokens and to people who are not signed in", async () => {
    const token = await service.makeToken(cast.owner, "maintainer", { scopes: ["feedback:read"] });
    const bearer: Record<string, string> = { authorization: `Bearer ${token}` };
    for (const headers of [{}, bearer])
      expect((await service.request("GET", path, { headers })).status).toBe(401);
  });

  it("has at most 100 connections for all sessions of an account", async () => {
    const sessions = await Promise.all(Array.from({ length: 5 }, () => service.signIn(cast.owner)));
    await Promise.all(sessions.flatMap((session) => Array.from({ length: 20 }, () => follow(session))));
    const refused = await service.request("GET", path, { headers: cast.person });
    expect([refused.status, refused.field("code")]).toEqual([429, "rate_limited"]);
  });

  it("sends no event when an account that is no member says that it answers a thread", async () => {
    const threadId = await submitFeedback(service, cast);
    const stranger = await makeAppWithAgent(service);
    const page = await follow();
    const typed = { page: "/console", texts: { replyBody: "Hello" }, more: { answering: threadId } };
    expect((await saveDraft(service, stranger.person, typed)).status).toBe(200);
    await change(threadId, { status: "in_progress" });
    expect(await page.next()).toMatchObject({ kind: "thread", threadId });
    expect((await saveDraft(service, cast.person, typed)).status).toBe(200);
    await page.until({ kind: "answering", threadId });
  });

  it("answers HEAD with the headers alone", async () => {
    const answer = await service.request("HEAD", path, { headers: cast.person });
    expect([answer.status, answer.text]).toEqual([200, ""]);
  });

  it("has at most 20 connections for each session", async () => {
    const all = await Promise.all(Array.from({ length: 20 }, () => follow()));
    const refused = await service.request("GET", path, { headers: cast.person });
    expect([refused.status, refused.field("code"), refused.headers.get("retry-after")]).toEqual([
      429,
      "rate_limited",
      "60",
    ]);
    await follow(await service.signIn(cast.owner));
    all[0]?.close();
    // The server notices after a short time that a client has disconnected.
    opened.push(await eventually(() => openLive(service, cast.person)));
  });
});

describe.each(databases)("All event connections on $name", (engine) => {
  it("have a common limit", async () => {
    const service = await startService({ engine, budgets: { liveConnections: 1 } });
    const { person, owner } = await makeAppWithAgent(service);
    const page = await openLive(service, person);
    const refused = await service.request("GET", path, { headers: await service.signIn(owner) });
    expect([refused.status, refused.field("code")]).toEqual([503, "busy"]);
    page.close();
    await service.stop();
  });

  it("end when the server stops, and a browser that reconnects loads everything again", async () => {
    const database = await engine.create();
    const one = await startService({ database });
    const cast = await makeAppWithAgent(one);
    const page = await openLive(one, cast.person);
    await submitFeedback(one, cast);
    await page.next();
    one.beginStop();
    await page.ended;
    const threadId = await submitFeedback(one, cast);
    await one.stop();
    const other = await startService({ database });
    const back = await openLive(other, { ...cast.person, "last-event-id": page.lastId() });
    expect(await back.next()).toMatchObject({ kind: "everything" });
    expect(back.text()).not.toContain(threadId);
    back.close();
    await other.stop();
    await database.remove();
  });
});

describe.each(databases.filter(({ engine }) => engine === "postgres"))("Two servers on $name", (engine) => {
  it("send the events of both servers, and end the connections of both", async () => {
    const database = await engine.create();
    const [one, other] = [await startService({ database }), await startService({ database })];
    const cast = await makeAppWithAgent(one);
    const page = await openLive(other, cast.person);
    const threadId = await submitFeedback(one, cast);
    await page.until({ kind: "thread", threadId });
    await one.request("PATCH", `/api/v1/console/apps/${cast.appId}`, {
      headers: cast.person,
      body: { name: "Another name" },
    });
    await page.until({ kind: "app", appId: cast.appId });
    await one.request("DELETE", "/api/v1/console/session", { headers: cast.person });
    const later = await submitFeedback(one, cast);
    await page.ended;
    expect(page.text()).not.toContain(later);
    await one.stop();
    await other.stop();
    await database.remove();
  });
});
