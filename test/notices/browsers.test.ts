import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { limits } from "../../src/contract/limits.ts";
import { databases } from "../support/database/databases.ts";
import { eventually } from "../support/eventually.ts";
import { answerOnPage } from "../support/mail/answer-on-page.ts";
import { makeNoticedApp, type NoticedMember, passTime } from "../support/mail/noticed-app.ts";
import {
  makeSubscriber,
  type PushService,
  type Subscriber,
  senderOf,
  startPushService,
} from "../support/network/push-service.ts";
import { type Service, startService } from "../support/service/service.ts";
import { decide, propose } from "../support/worlds/app-with-owner-and-agent.ts";

const [second, minute, hour] = [1_000, 60_000, 3_600_000];
const path = "/me/notices/browsers";

/** Turns on notices in the browser of a session. */
async function addBrowser(member: NoticedMember, push: PushService): Promise<Subscriber & { id: string }> {
  const subscriber = makeSubscriber(push);
  const added = await member.call("POST", path, subscriber.subscription);
  expect(added.status).toBe(201);
  return { ...subscriber, id: added.field("id") };
}

describe.each(databases)("notices in browsers, on $name", (engine) => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ engine, still: true, settings: { dev: true } });
  });
  afterAll(() => service.stop());

  const consoleUrl = () => service.deps.settings.consoleUrl;

  /** The notices that a browser has got so far. */
  const shownBy = (push: PushService, browser: Subscriber) =>
    push.received.filter(({ path: at }) => at === browser.path).map((one) => browser.read(one));

  /** Waits until a browser has got this number of notices, and returns them. */
  const shown = async (push: PushService, browser: Subscriber, count: number) => {
    await eventually(() => expect(shownBy(push, browser)).toHaveLength(count));
    return shownBy(push, browser);
  };

  /** Waits until no notice is due at this time of the clock. */
  const settled = async (app: Awaited<ReturnType<typeof makeNoticedApp>>) => {
    await app.settled();
    await passTime(service, 0);
    const now = () => service.clock.now().toISOString();
    await eventually(async () => {
      const left = await service.deps.database.all(
        `SELECT id FROM notices WHERE app_id = ? AND way = 'browser' AND queued_at IS NULL AND due_at <= ?
         UNION ALL SELECT id FROM notice_pushes WHERE app_id = ? AND due_at <= ?`,
        ...[app.appId, now(), app.appId, now()],
      );
      expect(left).toEqual([]);
    });
  };

  it("are sent immediately, encrypted for the browser and signed by the server", async () => {
    const app = await makeNoticedApp(service);
    const kim = await app.join("maintainer");
    const push = await startPushService();
    const browser = await addBrowser(kim, push);
    const report = await app.report({ subject: "Visit evil.example now @all" });
    const id = report.field("id");
    await propose(service, app, id);
    const [notice] = await shown(push, browser, 1);
    expect(notice).toEqual({
      title: "Demo: A proposal waits for a decision",
      body: "“Visit evil. example now @ all”",
      tag: expect.stringMatching(/^[\da-f]{32}$/),
      url: `${consoleUrl()}/feedback/${app.appId}/${id}#proposal`,
    });
    const [{ headers } = { headers: {} }] = push.received;
    expect(headers).toMatchObject({
      ...{ "content-encoding": "aes128gcm", "content-type": "application/octet-stream" },
      ...{ ttl: "86400", urgency: "high", topic: notice?.tag },
    });
    const { key, payload, protectedHeader } = await senderOf({ headers });
    expect(protectedHeader).toEqual({ typ: "JWT", alg: "ES256" });
    expect(key).toBe((await kim.call("GET", path)).field("key"));
    const seconds = service.clock.now().getTime() / second;
    expect(payload).toMatchObject({ aud: push.origin, sub: expect.stringMatching(/^(https:|mailto:)/) });
    expect(Number(payload.exp)).toBeGreaterThan(seconds);
    expect(Number(payload.exp)).toBeLessThanOrEqual(seconds + 24 * 3_600);
  });

  it("about the same object have the same topic and tag, which reveal nothing", async () => {
    const app = await makeNoticedApp(service);
    const kim = await app.join("maintainer");
    const push = await startPushService();
    const browser = await addBrowser(kim, push);
    const report = await app.report({ message: "It broke." });
    await app.owner.call("PATCH", `/feedback/${report.field("id")}`, { assignee: kim.email });
    await shown(push, browser, 1);
    for (const count of [2, 3]) {
      await answerOnPage(report.field("statusUrl"), `Answer ${count}`);
      await app.settled();
      await passTime(service, minute);
      await shown(push, browser, count);
    }
    const [assigned, first, again] = shownBy(push, browser);
    expect(again).toEqual(first);
    expect(assigned?.tag).not.toBe(first?.tag);
    expect(JSON.stringify(shownBy(push, browser))).not.toContain("Answer");
    expect(push.received.map(({ headers }) => headers.topic)).toEqual(
      shownBy(push, browser).map(({ tag }) => tag),
    );
  });

  it("are collected for one minute, and many objects become one notice", async () => {
    const app = await makeNoticedApp(service);
    const { owner, appId } = app;
    await owner.choose({ apps: [{ appId, kinds: { report: ["browser"] } }] });
    const push = await startPushService();
    const browser = await addBrowser(owner, push);
    await app.report({ message: "First" });
    await shown(push, browser, 1);
    for (const message of ["Second", "Third", "Fourth", "Fifth"]) await app.report({ message });
    await settled(app);
    await passTime(service, minute - second);
    await settled(app);
    expect(shownBy(push, browser)).toHaveLength(1);
    await passTime(service, second);
    const [, several] = await shown(push, browser, 2);
    expect(several).toMatchObject({
      ...{ title: "Demo: 4 notices", body: "", url: `${consoleUrl()}/feedback/${appId}` },
    });
  });

  it("of a flood of reports in quiet hours become one notice, without a row for each report", async () => {
    const app = await makeNoticedApp(service);
    const { owner, appId } = app;
    const clock = (hours: number) =>
      new Date(service.clock.now().getTime() + hours * hour).toISOString().slice(11, 16);
    await owner.choose({
      quietHours: { from: clock(-1), to: clock(3) },
      apps: [{ appId, kinds: { report: ["browser"] } }],
    });
    const push = await startPushService();
    const browser = await addBrowser(owner, push);
    await Promise.all(Array.from({ length: 30 }, (_, at) => app.report({ message: `Report ${at}` })));
    await settled(app);
    expect(await app.waiting()).toBe(21);
    await passTime(service, 4 * hour);
    const [several] = await shown(push, browser, 1);
    expect(several?.title).toBe("Demo: 30 notices");
  });

  it("are sent to each browser of the member, and not to members who have not turned them on", async () => {
    const app = await makeNoticedApp(service);
    const kim = await app.join("maintainer");
    const push = await startPushService();
    const first = await addBrowser(kim, push);
    const other = { ...kim, headers: await service.signIn(kim) };
    const laptop = {
      ...other,
      call: (method: string, at: string, body?: object) =>
        service.request(method, `/api/v1/console${at}`, { headers: other.headers, body }),
    };
    const next = await addBrowser(laptop, push);
    await propose(service, app, (await app.report({})).field("id"));
    await Promise.all([shown(push, first, 1), shown(push, next, 1)]);
    await eventually(async () =>
      expect((await laptop.call("GET", path)).body).toMatchObject({
        items: [
          { id: next.id, current: true, lastNoticeAt: service.clock.now().toISOString() },
          { id: first.id, current: false },
        ],
      }),
    );
    expect((await kim.call("GET", "/me/notices")).body).toMatchObject({ browsers: 2 });
    const waiting = await service.deps.database.all(
      "SELECT id FROM notices WHERE user_id = ? AND way = 'browser'",
      app.owner.id,
    );
    expect(waiting).toEqual([]);
  });

  it("are not sent if the object no longer needs attention, or if the person lost the app", async () => {
    const app = await makeNoticedApp(service);
    const [kim, bo] = [await app.join("maintainer"), await app.join("maintainer")];
    const push = await startPushService();
    const [ofKim, ofBo] = [await addBrowser(kim, push), await addBrowser(bo, push)];
    for (const { path: at } of [ofKim, ofBo]) push.answers.set(at, [{ status: 503, retryAfter: "600" }]);
    const decided = await propose(service, app, (await app.report({})).field("id"));
    await eventually(() => expect(push.received).toHaveLength(2));
    await settled(app);
    await decide(service, app, decided, { decision: "reject" });
    await app.owner.call("DELETE", `/apps/${app.appId}/members/${bo.id}`);
    await passTime(service, hour);
    await settled(app);
    expect(push.received).toHaveLength(2);
    const browsers = await service.deps.database.all<{ userId: string }>(
      `SELECT user_id AS "userId" FROM notice_browsers WHERE user_id IN (?, ?)`,
      ...[kim.id, bo.id],
    );
    expect(browsers).toEqual([{ userId: kim.id }]);
  });

  it("wait for the end of the quiet hours, even if they were tried before", async () => {
    const app = await makeNoticedApp(service);
    const kim = await app.join("maintainer");
    const push = await startPushService();
    const browser = await addBrowser(kim, push);
    const clockTime = (from: number) =>
      new Date(service.clock.now().getTime() + from).toISOString().slice(11, 16);
    push.answers.set(browser.path, [503]);
    await propose(service, app, (await app.report({})).field("id"));
    await eventually(() => expect(push.received).toHaveLength(1));
    await settled(app);
    await kim.choose({ quietHours: { from: clockTime(0), to: clockTime(3 * hour) } });
    await passTime(service, hour);
    await propose(service, app, (await app.report({})).field("id"));
    await settled(app);
    expect(push.received).toHaveLength(1);
    await passTime(service, 2 * hour);
    await eventually(() => expect(push.received).toHaveLength(3));
  });

  it.each([404, 410])("end for a browser if its push service answers %i", async (status) => {
    const app = await makeNoticedApp(service);
    const kim = await app.join("maintainer");
    const push = await startPushService();
    const browser = await addBrowser(kim, push);
    push.answers.set(browser.path, [status]);
    await propose(service, app, (await app.report({})).field("id"));
    await eventually(async () => expect((await kim.call("GET", path)).body).toMatchObject({ items: [] }));
    await settled(app);
  });

  it.each([
    ["seconds", () => "120"],
    ["a date", () => new Date(service.clock.now().getTime() + 120_000).toUTCString()],
  ])(
    "are tried again at the time that a busy push service names, in the form of %s",
    async (_, retryAfter) => {
      const app = await makeNoticedApp(service);
      const kim = await app.join("maintainer");
      const push = await startPushService();
      const browser = await addBrowser(kim, push);
      push.answers.set(browser.path, [{ status: 429, retryAfter: retryAfter() }, 503]);
      await propose(service, app, (await app.report({})).field("id"));
      await eventually(() => expect(push.received).toHaveLength(1));
      await settled(app);
      await passTime(service, 118 * second);
      await settled(app);
      expect(push.received).toHaveLength(1);
      await passTime(service, 2 * second);
      await eventually(() => expect(push.received).toHaveLength(2));
      await settled(app);
      await passTime(service, minute);
      await eventually(() => expect(push.received).toHaveLength(3));
      await settled(app);
      expect(shownBy(push, browser)[2]).toEqual(shownBy(push, browser)[0]);
      expect(push.received[2]?.headers.ttl).toBe(String(86_400 - 180));
    },
  );

  it("continue to wait if their thread is merged into another one, or unmerged", async () => {
    const app = await makeNoticedApp(service);
    const kim = await app.join("maintainer");
    const push = await startPushService();
    const browser = await addBrowser(kim, push);
    const into = (await app.report({ subject: "Login" })).field("id");
    await kim.choose({ apps: [{ appId: app.appId, kinds: { report: ["browser"] } }] });
    push.answers.set(browser.path, [503, 503]);
    const id = (await app.report({ subject: "Cannot log in" })).field("id");
    await shown(push, browser, 1);
    expect((await app.owner.call("POST", `/feedback/${id}/merge`, { into })).status).toBe(200);
    await passTime(service, 10 * second);
    expect((await shown(push, browser, 2)).at(-1)).toMatchObject({
      ...{ body: "“Login”", url: `${consoleUrl()}/feedback/${app.appId}/${into}` },
    });
    expect((await app.owner.call("POST", `/feedback/${id}/unmerge`)).status).toBe(200);
    await passTime(service, minute);
    expect((await shown(push, browser, 3)).at(-1)).toMatchObject({
      ...{ body: "“Cannot log in”", url: `${consoleUrl()}/feedback/${app.appId}/${id}` },
    });
  });

  it("are deleted after one day without success", async () => {
    const app = await makeNoticedApp(service);
    const kim = await app.join("maintainer");
    const push = await startPushService();
    const browser = await addBrowser(kim, push);
    push.answers.set(
      browser.path,
      Array.from({ length: 100 }, () => 500),
    );
    await propose(service, app, (await app.report({})).field("id"));
    await eventually(() => expect(push.received).toHaveLength(1));
    for (let hours = 0; hours < 26; hours += 1) {
      await settled(app);
      await passTime(service, hour);
    }
    await settled(app);
    const count = push.received.length;
    expect(count).toBeGreaterThan(10);
    expect(
      await service.deps.database.all("SELECT id FROM notice_pushes WHERE app_id = ?", app.appId),
    ).toEqual([]);
    expect((await kim.call("GET", path)).body).toMatchObject({ items: [{ id: browser.id }] });
  });

  it("wait until the time that a busy push service names, also if they came later", async () => {
    const app = await makeNoticedApp(service);
    const kim = await app.join("maintainer");
    const push = await startPushService();
    const browser = await addBrowser(kim, push);
    push.answers.set(browser.path, [{ status: 429, retryAfter: "7200" }]);
    await propose(service, app, (await app.report({})).field("id"));
    await eventually(() => expect(push.received).toHaveLength(1));
    await settled(app);
    for (const later of [2, 30, 87]) {
      await passTime(service, later * minute);
      await propose(service, app, (await app.report({})).field("id"));
      await settled(app);
      expect(push.received).toHaveLength(1);
    }
    await passTime(service, 2 * minute);
    await eventually(() => expect(push.received).toHaveLength(5));
  });

  it("are not delayed by another browser whose push service does not answer", async () => {
    const app = await makeNoticedApp(service);
    const kim = await app.join("maintainer");
    const push = await startPushService();
    const [dead, alive] = [await addBrowser(kim, push), await addBrowser(app.owner, push)];
    push.answers.set(dead.path, ["hang", "hang", "hang"]);
    for (const count of [1, 2, 3]) {
      await propose(service, app, (await app.report({})).field("id"));
      await app.settled();
      await passTime(service, minute);
      await shown(push, alive, count);
    }
    expect(push.received.filter(({ path: at }) => at === dead.path)).toHaveLength(1);
  });

  describe("belong to a session", () => {
    const listed = async (member: NoticedMember) => Object((await member.call("GET", path)).body).items;

    it("and end when the person ends it, in this browser or in another one", async () => {
      const app = await makeNoticedApp(service);
      const push = await startPushService();
      const signedIn = async (member: NoticedMember): Promise<NoticedMember> => {
        const headers = await service.signIn(member);
        return {
          ...member,
          headers,
          call: (method, at, body) => service.request(method, `/api/v1/console${at}`, { headers, body }),
        };
      };
      const kim = await app.join("maintainer");
      const ends: ((there: NoticedMember) => Promise<unknown>)[] = [
        (there) => there.call("DELETE", "/session"),
        async () => {
          const { items } = Object((await kim.call("GET", "/sessions")).body);
          const other = items.find((one: { current: boolean }) => !one.current);
          return kim.call("DELETE", `/sessions/${other.id}`);
        },
        () => kim.call("DELETE", "/sessions"),
      ];
      for (const end of ends) {
        const there = await signedIn(kim);
        await addBrowser(there, push);
        expect(await listed(kim)).toHaveLength(1);
        await end(there);
        expect(await listed(kim)).toEqual([]);
      }
      await propose(service, app, (await app.report({})).field("id"));
      await settled(app);
      expect(push.received).toEqual([]);
    });

    it("and continue only in a later session of the same person", async () => {
      const app = await makeNoticedApp(service);
      const push = await startPushService();
      const [kim, bo] = [await app.join("maintainer"), await app.join("maintainer")];
      const { subscription, id } = await addBrowser(kim, push);
      const { endpoint } = subscription;
      const renewal = { ...subscription, replaces: endpoint };
      await passTime(service, 31 * 24 * hour);
      const again = async (member: NoticedMember, body: object) => {
        const headers = await service.signIn(member);
        const call = (method: string, at: string, sent?: object) =>
          service.request(method, `/api/v1/console${at}`, { headers, body: sent });
        return { answer: await call("POST", path, body), call };
      };
      // The session has ended, so nothing is sent.
      await propose(service, app, (await app.report({})).field("id"));
      await settled(app);
      expect(push.received).toEqual([]);
      expect((await again(bo, renewal)).answer.field("code")).toBe("not_found");
      const moved = makeSubscriber(push);
      const renewed = await again(kim, { ...moved.subscription, replaces: endpoint });
      expect([renewed.answer.status, renewed.answer.field("id")]).toEqual([201, id]);
      await propose(service, app, (await app.report({})).field("id"));
      await shown(push, moved, 1);
      // A person who turned the browser off gets nothing there after the next sign-in.
      expect((await renewed.call("DELETE", `/me/notices/browsers/${id}`)).status).toBe(204);
      const off = await again(kim, { ...moved.subscription, replaces: moved.subscription.endpoint });
      expect(off.answer.status).toBe(404);
    });

    it("and are not tried again after its end", async () => {
      const app = await makeNoticedApp(service);
      const push = await startPushService();
      const kim = await app.join("maintainer");
      const browser = await addBrowser(kim, push);
      push.answers.set(browser.path, [{ status: 503, retryAfter: "36000" }]);
      await passTime(service, (29 * 24 + 18) * hour);
      await propose(service, app, (await app.report({})).field("id"));
      await eventually(() => expect(push.received).toHaveLength(1));
      await settled(app);
      await passTime(service, 11 * hour);
      await eventually(async () =>
        expect(
          await service.deps.database.all("SELECT id FROM notice_pushes WHERE app_id = ?", app.appId),
        ).toEqual([]),
      );
      expect(push.received).toHaveLength(1);
    });

    it("and belong to another person who turns them on in the same browser", async () => {
      const app = await makeNoticedApp(service);
      const push = await startPushService();
      const [kim, bo] = [await app.join("maintainer"), await app.join("maintainer")];
      const { subscription } = await addBrowser(kim, push);
      expect((await bo.call("POST", path, subscription)).status).toBe(201);
      expect([(await listed(kim)).length, (await listed(bo)).length]).toEqual([0, 1]);
    });
  });

  it("need a valid address and key, and have a maximum number", async () => {
    const { owner } = await makeNoticedApp(service);
    const push = await startPushService();
    const { subscription } = makeSubscriber(push);
    for (const [field, value] of [
      ["endpoint", "ftp://push.example/1"],
      ["endpoint", "http://192.0.2.1/1"],
      ["p256dh", "A".repeat(87)],
      ["p256dh", "short"],
      ["auth", "!".repeat(22)],
    ]) {
      const refused = await owner.call("POST", path, { ...subscription, [String(field)]: value });
      expect([refused.status, refused.body]).toMatchObject([400, { issues: [{ path: field }] }]);
    }
    for (let count = 0; count < limits.noticeBrowsers; count += 1) await addBrowser(owner, push);
    const full = await owner.call("POST", path, subscription);
    expect([full.status, full.field("code")]).toEqual([409, "wrong_state"]);
  });

  it("are stored without a readable address or secret, and other persons do not see them", async () => {
    const app = await makeNoticedApp(service);
    const [kim, bo] = [await app.join("maintainer"), await app.join("maintainer")];
    const push = await startPushService();
    const { subscription, id } = await addBrowser(kim, push);
    const rows = await service.deps.database.all("SELECT * FROM notice_browsers WHERE id = ?", id);
    const keys = await service.deps.database.all("SELECT * FROM push_keys");
    const stored = JSON.stringify([...rows, ...keys]);
    for (const secret of [subscription.endpoint, subscription.auth, "PRIVATE KEY"])
      expect(stored).not.toContain(secret);
    expect(JSON.stringify((await kim.call("GET", path)).body)).not.toContain(push.origin);
    expect((await bo.call("DELETE", `/me/notices/browsers/${id}`)).status).toBe(404);
    expect((await kim.call("GET", path)).body).toMatchObject({ items: [{ id }] });
  });
});

describe.each(databases)("the keys for push services, on $name", (engine) => {
  it("are the same for all servers of a database, even if several servers need them first", async () => {
    const place = await engine.create();
    const secret = "s".repeat(32);
    const one = await startService({ database: place, secret });
    const owner = await one.makeUser("ada@kitchen.example");
    const keys = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const answer = await one.request("GET", `/api/v1/console${path}`, {
          headers: await one.signIn(owner),
        });
        return answer.field("key");
      }),
    );
    await one.stop();
    const two = await startService({ database: place, secret });
    const headers = await two.signIn(owner);
    keys.push((await two.request("GET", `/api/v1/console${path}`, { headers })).field("key"));
    await two.stop();
    await place.remove();
    expect(new Set(keys).size).toBe(1);
    expect(Buffer.from(String(keys[0]), "base64url")).toHaveLength(65);
  });
});

describe("a server on the internet", () => {
  it("sends notices to private addresses only if this is allowed", async () => {
    const push = await startPushService();
    for (const privateWebhooks of [false, true]) {
      const service = await startService({ settings: { privateWebhooks } });
      const app = await makeNoticedApp(service);
      const kim = await app.join("maintainer");
      const { subscription } = makeSubscriber(push);
      const add = (endpoint: string) => kim.call("POST", path, { ...subscription, endpoint });
      const own = await add(subscription.endpoint);
      const secure = await add(subscription.endpoint.replace("http:", "https:"));
      const named = await add(subscription.endpoint.replace("http://127.0.0.1", "https://localhost"));
      expect([own.status, secure.status, named.status]).toEqual(
        privateWebhooks ? [201, 201, 201] : [400, 400, 201],
      );
      await propose(service, app, (await app.report({})).field("id"));
      await eventually(() => expect(service.logged()).toContain("not delivered"));
      if (privateWebhooks) await eventually(() => expect(push.received).toHaveLength(1));
      else expect(service.logged()).toContain("The address is in a private network");
      await service.stop();
    }
    expect(push.received).toHaveLength(1);
  });
});
