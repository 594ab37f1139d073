import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { events, deliveries as queue } from "../../server/webhooks/endpoints/store.ts";
import { limits } from "../../src/contract/limits.ts";
import { databases } from "../support/database/databases.ts";
import { eventually } from "../support/eventually.ts";
import { type EventReceiver, startReceiver, verified } from "../support/network/event-receiver.ts";
import { type Service, startService } from "../support/service/service.ts";
import { makeTeam, type Team } from "../support/worlds/members/team.ts";
import { sendFeedback } from "../support/worlds/owner-with-one-of-each.ts";

const hour = 3_600_000;

describe.each(databases)("webhooks on $name", (engine) => {
  let service: Service;
  let team: Team;
  beforeAll(async () => {
    service = await startService({ engine, settings: { privateWebhooks: true } });
  });
  afterAll(() => service.stop());

  const newTeam = async () => {
    team = await makeTeam(service);
  };
  const create = async (body: object) => {
    const made = await team.call("POST", `/apps/${team.app.id}/webhooks`, body);
    expect(made.status).toBe(201);
    return { id: made.field("id"), secret: made.field("secret") };
  };
  const withReceiver = async (more: object = {}) => {
    await newTeam();
    const receiver = await startReceiver();
    return { receiver, ...(await create({ url: receiver.url, ...more })) };
  };
  const messages = (receiver: EventReceiver, count: number) =>
    eventually(() => {
      expect(receiver.received.length).toBeGreaterThanOrEqual(count);
      return receiver.received;
    });
  const deliveries = async (id: string, query = "") =>
    Object((await team.call("GET", `/apps/${team.app.id}/webhooks/${id}/deliveries${query}`)).body).items;
  const settled = (id: string, status: string) =>
    eventually(async () => {
      const [first] = await deliveries(id);
      expect(first).toMatchObject({ status });
      return first;
    });
  const listed = async (id: string) =>
    Object((await team.call("GET", `/apps/${team.app.id}/webhooks`)).body).items.find(
      (one: { id: string }) => one.id === id,
    );

  /** Moves the clock, and lets jobs check for due work. */
  const passTime = async (milliseconds: number) => {
    service.clock.advance(milliseconds);
    await service.deps.database.write(async (tx) => tx.signal("*"));
  };

  it("send a report to an address, signed as Standard Webhooks defines", async () => {
    const { receiver, id, secret } = await withReceiver();
    const thread = await sendFeedback(service, team.app.key, { type: "bug" });
    const [message] = await messages(receiver, 1);
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{32}$/);
    if (!message) throw new Error("nothing arrived");
    expect(verified(secret, message)).toEqual({
      type: "feedback.created",
      timestamp: expect.any(String),
      data: {
        ...{ appId: team.app.id, feedbackId: thread, type: "bug" },
        url: `${service.deps.settings.consoleUrl}/feedback/${team.app.id}/${thread}`,
      },
    });
    expect(await settled(id, "delivered")).toMatchObject({
      ...{ id: message.id, type: "feedback.created", nextAt: null },
      attempts: [{ status: 200, answer: "thanks", error: null }],
    });
    expect(await listed(id)).toMatchObject({ waiting: 0, lastStatus: "delivered" });
  });

  it("have signatures that the library refuses if one byte or the secret differs", async () => {
    const { receiver, secret } = await withReceiver();
    await sendFeedback(service, team.app.key);
    const [message] = await messages(receiver, 1);
    if (!message) throw new Error("nothing arrived");
    expect(() => verified(secret, { ...message, raw: `${message.raw} ` })).toThrow();
    expect(() => verified("whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", message)).toThrow();
  });

  it("show the secret only in the answer that creates them", async () => {
    const { receiver, id, secret } = await withReceiver();
    await sendFeedback(service, team.app.key);
    await messages(receiver, 1);
    const bytes = secret.slice("whsec_".length);
    const answers = [
      await team.call("GET", `/apps/${team.app.id}/webhooks`),
      await team.call("PATCH", `/apps/${team.app.id}/webhooks/${id}`, { texts: true }),
      await team.call("GET", `/apps/${team.app.id}/webhooks/${id}/deliveries`),
      await team.call("GET", "/audit"),
    ];
    for (const { status, text } of answers) {
      expect(status).toBe(200);
      expect(text).not.toContain(bytes);
    }
    expect(service.logged()).not.toContain(bytes);
    expect(service.logged()).not.toContain("secret-path");
    expect(answers.at(-1)?.text).not.toContain("secret-path");
    const rows = await service.deps.database.all<{ row: string }>(
      "SELECT url || ' ' || secret AS row FROM webhooks WHERE id = ?",
      id,
    );
    expect(rows[0]?.row).not.toContain(bytes);
    expect(rows[0]?.row).not.toContain("secret-path");
  });

  it("contain no texts unless the owner chose this", async () => {
    const { receiver } = await withReceiver();
    const open = await startReceiver();
    await create({ url: open.url, texts: true });
    await sendFeedback(service, team.app.key, { subject: "Crash", message: "It broke twice." });
    const [plain] = await messages(receiver, 1);
    const [full] = await messages(open, 1);
    expect(plain?.raw).not.toContain("broke");
    expect(full?.data).toMatchObject({ texts: { subject: "Crash", message: "It broke twice." } });
  });

  it("contain the texts of a thread that was merged into another one in the meantime", async () => {
    const { receiver, id } = await withReceiver({ texts: true, events: ["feedback.created"] });
    const into = await sendFeedback(service, team.app.key, { subject: "Other", message: "Something else." });
    const from = await sendFeedback(service, team.app.key, { subject: "Crash", message: "It broke twice." });
    await messages(receiver, 2);
    await eventually(async () => {
      const all: { status: string }[] = await deliveries(id);
      expect(all.map(({ status }) => status)).toEqual(["delivered", "delivered"]);
    });
    expect((await team.call("POST", `/feedback/${from}/merge`, { into })).status).toBe(200);
    const about = receiver.received.find(({ data }) => data.feedbackId === from);
    receiver.received.length = 0;
    await team.call("POST", `/apps/${team.app.id}/webhooks/${id}/deliveries/${about?.id}/resend`);
    const [again] = await messages(receiver, 1);
    expect(again?.data).toMatchObject({ texts: { subject: "Crash", message: "It broke twice." } });
    expect((await team.call("DELETE", `/feedback/${into}`)).status).toBe(204);
  });

  it("are called in the order in which they have waited", async () => {
    await newTeam();
    const ids = [];
    for (const _ of [1, 2, 3]) ids.push((await create({ url: "http://127.0.0.1:9/x" })).id);
    const [first = "", second = "", third = ""] = ids;
    const { database } = service.deps;
    const waiting = [
      [second, "2020-01-01T00:00:00.000Z"],
      [third, "2020-01-02T00:00:00.000Z"],
      [first, "2020-01-03T00:00:00.000Z"],
    ] as const;
    const due = await database.write(async (tx) => {
      for (const [id, at] of waiting) {
        const event = { id: service.deps.newId(), appId: team.app.id, type: "faq.changed", createdAt: at };
        await events.insert(tx, { ...event, type: "faq.changed", subjectId: team.app.id, facts: {} });
        await queue.queueFor(tx, id, event, at);
      }
      const found = await queue.dueTargets(tx, "2020-01-02T00:00:00.000Z", [], 10);
      const one = await queue.dueTargets(tx, "2021-01-01T00:00:00.000Z", [second], 1);
      return [found, one].map((some) => some.map(({ id }) => id));
    });
    expect(due).toEqual([[second, third], [third]]);
  });

  it("get only the events that the owner chose", async () => {
    const { receiver } = await withReceiver({ events: ["feedback.changed"] });
    const thread = await sendFeedback(service, team.app.key);
    await team.call("PATCH", `/feedback/${thread}`, { status: "resolved", addTags: ["crash"] });
    const [message] = await messages(receiver, 1);
    expect(message).toMatchObject({
      type: "feedback.changed",
      data: { feedbackId: thread, status: "resolved", fields: ["status", "tags"] },
    });
    expect(receiver.received).toHaveLength(1);
  });

  it("sign with both secrets during a replacement, and only with the new secret afterwards", async () => {
    const { receiver, id, secret: old } = await withReceiver();
    const rotated = await team.call("POST", `/apps/${team.app.id}/webhooks/${id}/rotate`, {
      oldSecretHours: 2,
    });
    const secret = rotated.field("secret");
    expect(secret).not.toBe(old);
    await sendFeedback(service, team.app.key);
    const [message] = await messages(receiver, 1);
    if (!message) throw new Error("nothing arrived");
    verified(old, message);
    verified(secret, message);
    expect(await listed(id)).toMatchObject({ oldSecretUntil: rotated.field("oldSecretUntil") });
    await team.call("POST", `/apps/${team.app.id}/webhooks/${id}/rotate`, { oldSecretHours: 0 });
    await sendFeedback(service, team.app.key);
    const second = (await messages(receiver, 2))[1];
    if (!second) throw new Error("nothing arrived");
    expect(() => verified(secret, second)).toThrow();
  });

  it("sign with both new secrets after two replacements at the same time", async () => {
    const { receiver, id } = await withReceiver();
    const rotate = () => team.call("POST", `/apps/${team.app.id}/webhooks/${id}/rotate`, {});
    const rotated = await Promise.all([rotate(), rotate()]);
    await sendFeedback(service, team.app.key);
    const [message] = await messages(receiver, 1);
    if (!message) throw new Error("nothing arrived");
    for (const answer of rotated) verified(answer.field("secret"), message);
  });

  it("no longer sign with the old secret after its end", async () => {
    const { receiver, id, secret: old } = await withReceiver();
    const secret = (await team.call("POST", `/apps/${team.app.id}/webhooks/${id}/rotate`, {})).field(
      "secret",
    );
    service.clock.advance(25 * hour);
    try {
      await sendFeedback(service, team.app.key);
      const [message] = await messages(receiver, 1);
      // The clock of the library is not moved, so only the signature is compared.
      expect(String(message?.headers["webhook-signature"]).split(" ")).toHaveLength(1);
      expect(await listed(id)).toMatchObject({ oldSecretUntil: null });
      expect([old, secret]).toHaveLength(2);
    } finally {
      service.clock.advance(-25 * hour);
    }
  });

  it("are called again after a failure, and redirects are not followed", async () => {
    const { receiver, id, secret } = await withReceiver();
    receiver.answers.push(302);
    await sendFeedback(service, team.app.key);
    await eventually(async () =>
      expect((await deliveries(id))[0]).toMatchObject({ attempts: [{ status: 302 }] }),
    );
    await passTime(5_000);
    const [first, second] = await messages(receiver, 2);
    expect(second?.id).toBe(first?.id);
    expect(second?.raw).toBe(first?.raw);
    if (second) verified(secret, second);
    expect(await settled(id, "delivered")).toMatchObject({ attempts: [{ status: 302 }, { status: 200 }] });
  });

  it("are turned off by an answer 410, and waiting events are not sent", async () => {
    const { receiver, id } = await withReceiver();
    receiver.answers.push(410);
    await sendFeedback(service, team.app.key);
    await settled(id, "failed");
    expect(await listed(id)).toMatchObject({ disabledBecause: "gone", disabledAt: expect.any(String) });
    await sendFeedback(service, team.app.key);
    expect(await deliveries(id)).toHaveLength(1);
    const refused = await team.call("POST", `/apps/${team.app.id}/webhooks/${id}/test`);
    expect(refused).toMatchObject({ status: 409, body: { code: "wrong_state" } });
    await team.call("PATCH", `/apps/${team.app.id}/webhooks/${id}`, { enabled: true });
    await sendFeedback(service, team.app.key);
    await messages(receiver, 2);
    expect(await listed(id)).toMatchObject({ disabledBecause: null, disabledAt: null });
  });

  it("can send a test event, and can repeat one delivery with the same id", async () => {
    const { receiver, id } = await withReceiver({ events: ["faq.changed"] });
    const tested = await team.call("POST", `/apps/${team.app.id}/webhooks/${id}/test`);
    expect(tested).toMatchObject({ status: 200, body: { type: "webhook.test", status: "waiting" } });
    const [message] = await messages(receiver, 1);
    expect(message).toMatchObject({ type: "webhook.test", data: { appId: team.app.id, webhookId: id } });
    await settled(id, "delivered");
    const again = await team.call(
      "POST",
      `/apps/${team.app.id}/webhooks/${id}/deliveries/${tested.field("id")}/resend`,
    );
    expect(again).toMatchObject({ status: 200, body: { id: message?.id } });
    const [, second] = await messages(receiver, 2);
    expect(second?.id).toBe(message?.id);
    await eventually(async () => expect((await deliveries(id))[0].attempts).toHaveLength(2));
  });

  it("can send the events of a period again", async () => {
    const { receiver, id } = await withReceiver({ events: ["feedback.created"] });
    const ids = [];
    for (let count = 0; count < 4; count += 1) ids.push(await sendFeedback(service, team.app.key));
    await messages(receiver, 4);
    await eventually(async () => expect(await deliveries(id, "?status=delivered")).toHaveLength(4));
    const all = (await deliveries(id)).toReversed();
    const range = { from: all[1].eventAt, to: all[2].eventAt };
    const inRange = all.filter(
      ({ eventAt }: { eventAt: string }) => eventAt >= range.from && eventAt <= range.to,
    );
    const replayed = await team.call("POST", `/apps/${team.app.id}/webhooks/${id}/replay`, range);
    expect(replayed.body).toEqual({ queued: inRange.length, next: null });
    await messages(receiver, 4 + inRange.length);
    const sentAgain = receiver.received.slice(4).map((message) => message.id);
    expect(sentAgain.toSorted()).toEqual(inRange.map((one: { id: string }) => one.id).toSorted());
    const backwards = { from: range.to, to: "2000-01-01T00:00:00Z" };
    expect((await team.call("POST", `/apps/${team.app.id}/webhooks/${id}/replay`, backwards)).status).toBe(
      400,
    );
  });

  it("get events from before their creation if the owner sends a period again", async () => {
    const { receiver } = await withReceiver();
    const from = service.clock.now().toISOString();
    await sendFeedback(service, team.app.key);
    await messages(receiver, 1);
    const late = await startReceiver();
    const { id } = await create({ url: late.url });
    expect(late.received).toHaveLength(0);
    await team.call("POST", `/apps/${team.app.id}/webhooks/${id}/replay`, {
      from,
      to: service.clock.now().toISOString(),
    });
    expect((await messages(late, 1))[0]?.id).toBe(receiver.received[0]?.id);
  });

  it("list deliveries in pages, the newest first", async () => {
    const { receiver, id } = await withReceiver();
    for (let count = 0; count < 5; count += 1) await sendFeedback(service, team.app.key);
    await messages(receiver, 5);
    const seen: string[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const query: string = `?limit=2${cursor && `&cursor=${cursor}`}`;
      const { body } = await team.call("GET", `/apps/${team.app.id}/webhooks/${id}/deliveries${query}`);
      seen.push(...Object(body).items.map((one: { id: string }) => one.id));
      cursor = Object(body).nextCursor;
    }
    expect(seen).toEqual(
      receiver.received
        .map((one) => one.id)
        .toSorted()
        .toReversed(),
    );
  });

  it("can be used only by an owner with a session: by no other role and no token", async () => {
    const { id } = await withReceiver();
    const maintainer = await team.join("maintainer");
    const stranger = await team.newcomer();
    const token = await service.makeToken(team.owner, "maintainer");
    const withToken = (method: string, path: string, body?: unknown) =>
      service.request(method, `/api/v1/console${path}`, {
        headers: { authorization: `Bearer ${token}` },
        body,
      });
    const range = { from: "2026-01-01T00:00:00Z", to: "2026-01-02T00:00:00Z" };
    const all: [string, string, unknown?][] = [
      ["GET", `/apps/${team.app.id}/webhooks`],
      ["POST", `/apps/${team.app.id}/webhooks`, { url: "https://example.org/" }],
      ["PATCH", `/apps/${team.app.id}/webhooks/${id}`, { texts: true }],
      ["POST", `/apps/${team.app.id}/webhooks/${id}/rotate`, {}],
      ["GET", `/apps/${team.app.id}/webhooks/${id}/deliveries`],
      ["POST", `/apps/${team.app.id}/webhooks/${id}/deliveries/${id}/resend`],
      ["POST", `/apps/${team.app.id}/webhooks/${id}/test`],
      ["POST", `/apps/${team.app.id}/webhooks/${id}/replay`, range],
      ["DELETE", `/apps/${team.app.id}/webhooks/${id}`],
    ];
    for (const [method, path, body] of all) {
      expect((await maintainer.call(method, path, body)).status).toBe(403);
      expect((await stranger.call(method, path, body)).status).toBe(404);
      expect([401, 403]).toContain((await withToken(method, path, body)).status);
    }
    expect(await listed(id)).toMatchObject({ texts: false });
  });

  it("of another app are not found", async () => {
    const { id } = await withReceiver();
    const other = await makeTeam(service);
    for (const rest of ["", "/deliveries"]) {
      const method = rest === "" ? "DELETE" : "GET";
      const path = `${other.at}/webhooks/${id}${rest}`;
      expect((await other.call(method, path)).status).toBe(404);
    }
  });

  it("are deleted with their log, and the app then sends no events", async () => {
    const { receiver, id } = await withReceiver();
    await sendFeedback(service, team.app.key);
    await messages(receiver, 1);
    expect((await team.call("DELETE", `/apps/${team.app.id}/webhooks/${id}`)).status).toBe(204);
    expect((await team.call("GET", `/apps/${team.app.id}/webhooks/${id}/deliveries`)).status).toBe(404);
    await sendFeedback(service, team.app.key);
    await eventually(async () => {
      const rows = await service.deps.database.all("SELECT 1 AS one FROM webhooks WHERE id = ?", id);
      expect(rows).toEqual([]);
    });
    expect(receiver.received).toHaveLength(1);
  });

  it(`are at most ${limits.webhooks} for an app`, async () => {
    await newTeam();
    for (let count = 0; count < limits.webhooks; count += 1)
      await create({ url: `https://example.org/${count}` });
    expect(
      await team.call("POST", `/apps/${team.app.id}/webhooks`, { url: "https://example.org/more" }),
    ).toMatchObject({
      ...{ status: 409, body: { code: "wrong_state" } },
    });
  });

  it("cause no stored event for a report while an app has no receiver", async () => {
    await newTeam();
    const thread = await sendFeedback(service, team.app.key);
    const rows = await service.deps.database.all("SELECT 1 AS one FROM events WHERE subject_id = ?", thread);
    expect(rows).toEqual([]);
  });

  it("are recorded in the audit without the path and secrets of the address", async () => {
    const { id } = await withReceiver();
    await team.call("PATCH", `/apps/${team.app.id}/webhooks/${id}`, { enabled: false });
    const { items } = Object((await team.call("GET", "/audit?limit=2")).body);
    expect(items).toMatchObject([
      { action: "webhook.update", target: id, changes: [{ field: "enabled", from: "true", to: "false" }] },
      { action: "webhook.create", target: id, actor: team.owner.email },
    ]);
  });
});
