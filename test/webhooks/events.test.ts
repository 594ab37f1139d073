import { setMaxListeners } from "node:events";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { mailReleases } from "../../server/mail/outgoing/release-mails.ts";
import { advanceCycle } from "../../server/testing/cycles/passing-time.ts";
import { eventTypes } from "../../src/contract/events.ts";
import { databases } from "../support/database/databases.ts";
import { eventually } from "../support/eventually.ts";
import { answerOnPage } from "../support/mail/answer-on-page.ts";
import { type Service, startService } from "../support/service/service.ts";
import { makeWorkingAgent } from "../support/worlds/agents/approved-proposal.ts";
import { makeTeam } from "../support/worlds/members/team.ts";
import { sendFeedback } from "../support/worlds/owner-with-one-of-each.ts";

const day = 86_400_000;

interface Told {
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}

describe.each(databases)("the events of an app on $name", (engine) => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ engine });
    setMaxListeners(0, service.deps.stopping);
  });
  afterAll(() => service.stop());

  /** An app with an agent, whose events are read by a script from now on. */
  const makeApp = async () => {
    const cast = await makeWorkingAgent(service);
    const authorization = `Bearer ${await service.makeToken(cast.owner, "maintainer", { scopes: ["events:read"] })}`;
    const read = (query = "") =>
      service.request("GET", `/api/v1/console/apps/${cast.appId}/events${query}`, {
        headers: { authorization },
      });
    const start = (await read()).field("next");
    const call = (method: string, path: string, body?: unknown) =>
      service.request(method, `/api/v1/console${path}`, { headers: cast.person, body });
    // On PostgreSQL an event is shown when all earlier transactions of the whole database have ended.
    const told = async (count: number): Promise<Told[]> =>
      eventually(async () => {
        const { items } = Object((await read(`?since=${start}`)).body);
        expect(items.length).toBeGreaterThanOrEqual(count);
        return items;
      });
    const key = cast.key["x-api-key"];
    return { ...cast, key, at: `/apps/${cast.appId}`, authorization, read, start, call, told };
  };

  it("are stored for a thread: created, repeated, changed, replied", async () => {
    const { key, appId, call, told } = await makeApp();
    const thread = await sendFeedback(service, key, {
      dedupeKey: "crash",
      type: "bug",
      email: "mara@example.org",
    });
    await sendFeedback(service, key, { dedupeKey: "crash", type: "bug" });
    await call("PATCH", `/feedback/${thread}`, { assignee: "me", status: "in_progress" });
    const reply = { direction: "outbound", body: "Thank you!", change: { status: "resolved" } };
    const replied = await call("POST", `/feedback/${thread}/messages`, reply);
    await call("POST", `/feedback/${thread}/messages`, { direction: "note", body: "Only for the team." });
    const url = `${service.deps.settings.consoleUrl}/feedback/${appId}/${thread}`;
    const on = { appId, feedbackId: thread, url };
    expect((await told(5)).map(({ type, data }) => ({ type, data }))).toEqual([
      { type: "feedback.created", data: { ...on, type: "bug" } },
      { type: "feedback.repeated", data: { ...on, type: "bug", messageId: expect.any(String) } },
      {
        type: "feedback.changed",
        data: { ...on, fields: ["status", "assignee"], status: "in_progress" },
      },
      { type: "feedback.changed", data: { ...on, fields: ["status"], status: "resolved" } },
      { type: "feedback.replied", data: { ...on, messageId: replied.field("id"), from: "team" } },
    ]);
  });

  it("are stored for a sender's answer, and for a thread that it opens again", async () => {
    const { key, call, told, appId } = await makeApp();
    await call("PATCH", `/apps/${appId}`, { senderPages: true });
    const sent = await service.request("POST", "/api/v1/feedback/remote", {
      headers: { "x-api-key": key },
      body: { type: "bug", message: "It broke." },
    });
    await call("PATCH", `/feedback/${sent.field("id")}`, { status: "resolved" });
    const answered = await answerOnPage(sent.field("statusUrl"), "It still breaks.");
    expect(answered.status).toBe(303);
    expect((await told(4)).map(({ type, data }) => [type, data.from ?? data.status ?? data.type])).toEqual([
      ["feedback.created", "bug"],
      ["feedback.changed", "resolved"],
      ["feedback.replied", "sender"],
      ["feedback.changed", "open"],
    ]);
  });

  it("are stored for a proposal: proposed, decided, claimed, finished", async () => {
    const app = await makeApp();
    const thread = await app.newThread();
    const runId = await app.approved(thread);
    const claimId = (await app.claim(runId)).field("claimId");
    await app.work(runId, "outcome", { claimId, status: "succeeded", summary: "Done." });
    const told = await app.told(5);
    expect(told.map(({ type }) => type)).toEqual([
      "feedback.created",
      ...["run.proposed", "run.decided", "run.claimed", "run.finished"],
    ]);
    expect(told[2]?.data).toMatchObject({ runId, feedbackId: thread, decision: "approve" });
    expect(JSON.stringify(told)).not.toContain("Done.");
  });

  it("are stored for changes of the FAQ, and of release notes when they are published", async () => {
    const { at, call, told } = await makeApp();
    const made = await call("POST", `${at}/faqs`, { question: "Why?", answer: "Because." });
    await call("PATCH", `/faqs/${made.field("id")}`, { answer: "So." });
    await call("PATCH", `/faqs/${made.field("id")}`, { answer: "So.", question: "Why?" });
    await call("DELETE", `/faqs/${made.field("id")}`);
    const note = { title: "Two", version: "2.0.0", body: "New." };
    const draft = await call("POST", `${at}/changelog`, note);
    await call("PATCH", `/changelog/${draft.field("id")}`, { body: "Newer." });
    await call("POST", `/changelog/${draft.field("id")}/publish`);
    await call("PATCH", `/changelog/${draft.field("id")}`, { body: "Newest." });
    await mailReleases(service.deps);
    const all = await told(4);
    expect(all.map(({ type }) => type)).toEqual([...Array(3).fill("faq.changed"), "changelog.published"]);
    expect(all.at(-1)?.data).toMatchObject({ entryId: draft.field("id") });
  });

  it("are stored for a release note with a future date at that date", async () => {
    const { at, call, told, read, start } = await makeApp();
    const publishedAt = new Date(service.clock.now().getTime() + day).toISOString();
    const note = { title: "Three", version: "3.0.0", body: "Later.", publishedAt };
    const made = await call("POST", `${at}/changelog`, note);
    await mailReleases(service.deps);
    expect(Object((await read(`?since=${start}`)).body).items).toEqual([]);
    service.clock.advance(day + 1_000);
    await mailReleases(service.deps);
    await mailReleases(service.deps);
    expect((await told(1)).map(({ type, data }) => [type, data.entryId])).toEqual([
      ["changelog.published", made.field("id")],
    ]);
  });

  it("are stored for a closed test, from the request for a slot to the end", async () => {
    const { appId, key, call, told } = await makeApp();
    const listing = await service.makeListing({ id: appId }, { seats: 2, durationDays: 4, maxMissedDays: 1 });
    const startsOn = new Date(service.clock.now().getTime() + day).toISOString().slice(0, 10);
    const cycle = await service.makeCycle(listing, { startsOn });
    const [first = "", second = ""] = cycle.slotIds;
    const tester = await service.makeUser();
    const device = await service.makeDevice(tester);
    await service.request("POST", `/api/v1/testing/slots/${first}/request`, { headers: device });
    await call("POST", `/slots/${first}/accept`);
    const other = await service.makeUser();
    await call("POST", `/slots/${second}/assign`, { email: other.email });
    const shown = await service.request("GET", "/api/v1/testing/me/slots", { headers: device });
    const { testKey } = Object(shown.body).slots[0];
    const advance = async (days: number) => {
      service.clock.advance(days * day);
      const now = service.clock.now().toISOString();
      await service.deps.database.write((tx) => advanceCycle(service.deps, tx, { id: cycle.id, now }));
    };
    await advance(1);
    const now = service.clock.now().getTime();
    const counted = await service.request("POST", "/api/v1/testing/sdk/session", {
      headers: { "x-api-key": key },
      body: {
        testKey,
        startedAt: new Date(now - 600_000).toISOString(),
        endedAt: new Date(now).toISOString(),
        screens: ["Home", "Settings", "Map"],
      },
    });
    expect(counted.body).toMatchObject({ counted: true });
    for (let days = 0; days < 6; days += 1) await advance(1);
    const seat = (which: string, number: number, more: object = {}) => ({
      ...{ appId, slotId: which, cycleId: cycle.id, seat: number, url: expect.any(String) },
      ...more,
    });
    const all = (await told(8)).filter(({ type }) => /^(seat|day|cycle)/.test(type));
    const shortened = all.map(({ type, data }) => ({ type, data }));
    expect(shortened.slice(0, 5)).toEqual([
      { type: "seat.requested", data: seat(first, 1, { expiresAt: expect.any(String) }) },
      { type: "seat.filled", data: seat(first, 1) },
      { type: "seat.filled", data: seat(second, 2) },
      { type: "cycle.started", data: { appId, cycleId: cycle.id, url: expect.any(String) } },
      {
        type: "day.counted",
        data: {
          ...{ appId, slotId: first, cycleId: cycle.id, dayIndex: 1, kind: "session" },
          url: expect.any(String),
        },
      },
    ]);
    const rest = shortened.slice(5);
    expect(rest[0]).toMatchObject({
      type: "seat.at_risk",
      data: { slotId: second, dayIndex: 1, missedDays: 1 },
    });
    expect(rest).toContainEqual({ type: "seat.removed", data: seat(second, 2, { because: "missed_days" }) });
    expect(rest.at(-1)).toMatchObject({ type: "cycle.completed", data: { cycleId: cycle.id } });
  });

  it("are stored for a test that is planned on its first day", async () => {
    const { appId, call, told } = await makeApp();
    const listing = await service.makeListing({ id: appId }, { seats: 1 });
    const startsOn = service.clock.now().toISOString().slice(0, 10);
    const planned = await call("POST", `/listings/${listing.id}/cycles`, { startsOn, timezone: "UTC" });
    const { id: cycleId, status } = Object(planned.body).cycle;
    expect(status).toBe("running");
    expect((await told(1)).map(({ type, data }) => ({ type, data }))).toEqual([
      { type: "cycle.started", data: { appId, cycleId, url: expect.any(String) } },
    ]);
  });

  it("are stored for each tester who loses a slot because the test is cancelled", async () => {
    const { appId, call, told } = await makeApp();
    const listing = await service.makeListing({ id: appId }, { seats: 4 });
    const startsOn = new Date(service.clock.now().getTime() + day).toISOString().slice(0, 10);
    const { id: cycleId, slotIds } = await service.makeCycle(listing, { startsOn });
    const [active = "", atRisk = "", asked = ""] = slotIds;
    for (const slotId of [active, atRisk])
      await call("POST", `/slots/${slotId}/assign`, { email: (await service.makeUser()).email });
    await service.deps.database.write((tx) =>
      tx.run("UPDATE slots SET status = 'at_risk' WHERE id = ?", atRisk),
    );
    const device = await service.makeDevice(await service.makeUser());
    await service.request("POST", `/api/v1/testing/slots/${asked}/request`, { headers: device });
    expect((await call("POST", `/cycles/${cycleId}/cancel`)).status).toBe(200);
    expect((await call("POST", `/cycles/${cycleId}/cancel`)).status).toBe(409);
    const all = await told(5);
    expect(all.map(({ type }) => type)).toEqual([
      ...["seat.filled", "seat.filled", "seat.requested", "seat.removed", "seat.removed"],
    ]);
    const seat = (slotId: string, number: number) => ({
      ...{ appId, slotId, cycleId, seat: number, because: "cancelled", url: expect.any(String) },
    });
    expect(all.slice(3).map(({ data }) => data)).toEqual([seat(active, 1), seat(atRisk, 2)]);
  });

  it("have the types that the contract names", async () => {
    const rows = await service.deps.database.all<{ type: string }>("SELECT DISTINCT type FROM events");
    expect(rows.map(({ type }) => type).toSorted()).toEqual([...eventTypes].toSorted());
  });

  it("are not stored if the change is rolled back", async () => {
    const { key, read, start } = await makeApp();
    const body = { type: "bug", message: "x", dedupeKey: "twice", dedupeScope: "ci", dedupeRun: "1" };
    const send = () =>
      service.request("POST", "/api/v1/feedback/remote", {
        headers: { "x-api-key": key, "idempotency-key": "the same" },
        body,
      });
    await Promise.all([send(), send()]);
    await send();
    await eventually(async () => expect(Object((await read(`?since=${start}`)).body).items).toHaveLength(1));
  });

  it("are returned in order, each once, while others arrive", async () => {
    const { key, read, start } = await makeApp();
    const wanted: Promise<string>[] = [];
    const seen: string[] = [];
    let next = start;
    for (let round = 0; round < 40; round += 1) {
      wanted.push(sendFeedback(service, key, { dedupeKey: `${round}` }));
      const { body } = await read(`?since=${next}&limit=3`);
      seen.push(...Object(body).items.map(({ data }: Told) => String(data.feedbackId)));
      next = Object(body).next;
    }
    const threads = await Promise.all(wanted);
    await eventually(async () => {
      const { body } = await read(`?since=${next}&limit=3`);
      seen.push(...Object(body).items.map(({ data }: Told) => String(data.feedbackId)));
      next = Object(body).next;
      expect(seen).toHaveLength(threads.length);
    });
    expect(seen.toSorted()).toEqual(threads.toSorted());
  });

  it("can be read from a given time", async () => {
    const { key, read } = await makeApp();
    await sendFeedback(service, key);
    service.clock.advance(60_000);
    const since = service.clock.now().toISOString();
    const thread = await sendFeedback(service, key);
    await eventually(async () => {
      const { items } = Object((await read(`?since=${since}`)).body);
      expect(items).toMatchObject([{ data: { feedbackId: thread } }]);
    });
  });

  it("end a waiting request as soon as one event arrives", async () => {
    const { key, read, start } = await makeApp();
    const waiting = read(`?since=${start}&wait=50`);
    const thread = await sendFeedback(service, key);
    expect((await waiting).body).toMatchObject({ items: [{ data: { feedbackId: thread } }] });
  });

  it.each(["yesterday", "NTk0", "bm9uZSAxIDI", "2026-13-01T00:00:00Z"])(
    "cannot be read from the position %s",
    async (since) => {
      const { read } = await makeApp();
      expect(await read(`?since=${since}`)).toMatchObject({
        status: 400,
        body: { issues: [{ path: "since" }] },
      });
    },
  );

  it("can be read only with the scope events:read and the right app", async () => {
    const { appId, owner } = await makeApp();
    const stranger = await makeTeam(service);
    const at = `/api/v1/console/apps/${appId}/events`;
    const ask = async (person: { id: string }, scopes: string[]) => {
      const authorization = `Bearer ${await service.makeToken(person, "maintainer", { scopes })}`;
      return (await service.request("GET", at, { headers: { authorization } })).status;
    };
    expect(await ask(owner, ["events:read"])).toBe(200);
    expect(await ask(owner, ["feedback:read"])).toBe(403);
    expect(await ask(stranger.owner, ["events:read"])).toBe(404);
  });

  it("are not stored for blocked senders", async () => {
    const { key, at, call, read, start } = await makeApp();
    await call("POST", `${at}/blocked-senders`, { kind: "address", sender: "rude@example.org" });
    await sendFeedback(service, key, { email: "rude@example.org" });
    expect(Object((await read(`?since=${start}`)).body).items).toEqual([]);
  });
});
