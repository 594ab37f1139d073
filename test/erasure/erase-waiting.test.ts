import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { noticeCauses } from "../../server/notices/causes/store.ts";
import { databases, sharedDatabases } from "../support/database/databases.ts";
import { eventually } from "../support/eventually.ts";
import { parsedMail, startMailServer } from "../support/mail/mail-server.ts";
import { makeNoticedApp, type NoticedMember, passTime } from "../support/mail/noticed-app.ts";
import { mailsArrive, serverWithMail } from "../support/mail/server-with-mail.ts";
import { startWebhook } from "../support/network/webhook.ts";
import { lockTable, waiters } from "../support/postgres/locked-table.ts";
import { type Service, startService } from "../support/service/service.ts";

const [minute, hour] = [60_000, 3_600_000];

const grace = "grace@hopper.example";

async function erase(owner: NoticedMember, email = grace): Promise<void> {
  const { status, body } = await owner.call("POST", "/people/erase", { email });
  expect(status).toBe(201);
  await eventually(async () => {
    const receipt = await owner.call("GET", `/people/erasures/${Object(body).id}`);
    expect(receipt.field("status")).toBe("done");
  });
}

describe.each(databases)("a waiting post to a chat, on $name", (engine) => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ engine, still: true, settings: { privateWebhooks: true } });
  });
  afterAll(() => service.stop());

  /** An app whose chat refuses the first post. */
  async function appWithBusyChat() {
    const webhook = await startWebhook();
    const app = await makeNoticedApp(service);
    const chat = { chatWebhookUrl: webhook.url, chatFormat: "json" };
    expect((await app.owner.call("PATCH", `/apps/${app.appId}`, chat)).status).toBe(200);
    webhook.answers.push(500);
    const posts = () =>
      service.deps.database.all<{ status: string; payload: string; lastError: string | null }>(
        `SELECT status, payload, last_error AS "lastError" FROM outbox WHERE app_id = ? ORDER BY created_at, id`,
        app.appId,
      );
    const wantsReports = () =>
      app.owner.choose({ apps: [{ appId: app.appId, kinds: { report: ["chat"] } }] });
    /** Sends a report, and waits until its post was refused once. */
    const refusedPost = async (body: object) => {
      const id = (await app.report(body)).field("id");
      await eventually(async () => expect((await posts())[0]?.lastError).toContain("500"));
      return id;
    };
    /** Expects that no further post comes, although the time for it has come. */
    const staysSilent = async () => {
      await passTime(service, hour);
      // A post of another app shows that the queues were served.
      const other = await startWebhook();
      const later = await makeNoticedApp(service);
      await later.owner.call("PATCH", `/apps/${later.appId}`, { chatWebhookUrl: other.url });
      await later.owner.choose({ apps: [{ appId: later.appId, kinds: { report: ["chat"] } }] });
      await later.report({});
      await eventually(() => expect(other.received).toHaveLength(1));
      expect(webhook.received).toHaveLength(1);
    };
    return { app, webhook, posts, wantsReports, refusedPost, staysSilent };
  }

  const erasedPost = { status: "failed", payload: "{}", lastError: "Text in this message was erased" };

  it("is deleted if the report that it quotes is erased", async () => {
    const { app, posts, wantsReports, refusedPost, staysSilent } = await appWithBusyChat();
    await wantsReports();
    const id = await refusedPost({ subject: "Ms Hopper cannot log in", email: grace, dedupeKey: "k" });
    await app.report({ message: "Me neither.", email: "joan@example.org", dedupeKey: "k" });
    await erase(app.owner);
    expect((await app.owner.call("GET", `/feedback/${id}`)).field("feedback.subject")).toBe("[erased]");
    expect(await posts()).toEqual([erasedPost]);
    await staysSilent();
  });

  it("is deleted if an address is erased from the subject that it quotes", async () => {
    const { app, posts, wantsReports, refusedPost, staysSilent } = await appWithBusyChat();
    await app.owner.call("PATCH", `/apps/${app.appId}`, { chatFormat: "discord" });
    await wantsReports();
    await refusedPost({ subject: `Call ${grace}`, email: "joan@example.org" });
    await erase(app.owner);
    expect(await posts()).toEqual([erasedPost]);
    await staysSilent();
  });

  it("is deleted if an address is erased from the proposal that it quotes", async () => {
    const { app, posts, staysSilent } = await appWithBusyChat();
    await app.owner.call("PATCH", `/apps/${app.appId}`, { chatFormat: "slack" });
    const id = (await app.report({ email: "joan@example.org" })).field("id");
    const proposed = await service.request("POST", `/api/v1/agent/feedback/${id}/proposal`, {
      headers: app.agent,
      body: { summary: `Write to ${grace}`, plan: "1. Do it." },
    });
    expect(proposed.status).toBe(201);
    await eventually(async () => expect((await posts())[0]?.lastError).toContain("500"));
    await erase(app.owner);
    expect(await posts()).toEqual([erasedPost]);
    await staysSilent();
  });

  it("is deleted if its report was merged into another thread before the erasure", async () => {
    const { app, posts, wantsReports, refusedPost, staysSilent } = await appWithBusyChat();
    const into = (await app.report({ subject: "Login", email: "joan@example.org" })).field("id");
    await wantsReports();
    const id = await refusedPost({ subject: "Ms Hopper cannot log in", email: grace });
    expect((await app.owner.call("POST", `/feedback/${id}/merge`, { into })).status).toBe(200);
    await erase(app.owner);
    expect(await posts()).toEqual([erasedPost]);
    await staysSilent();
  });

  it("loses all words after it was sent", async () => {
    const { webhook, posts, wantsReports, refusedPost } = await appWithBusyChat();
    await wantsReports();
    await refusedPost({ subject: "Ms Hopper cannot log in", email: grace });
    await passTime(service, hour);
    await eventually(() => expect(webhook.received).toHaveLength(2));
    await eventually(async () => expect(await posts()).toMatchObject([{ status: "sent", payload: "{}" }]));
  });
});

describe.each(databases)("a waiting mail with notices, on $name", (engine) => {
  /** An app with two reports. The mail about one of them waits, because the mail server does not answer. */
  async function appWithWaitingMail() {
    const server = await startMailServer();
    const service = await serverWithMail(server.url, { engine });
    const app = await makeNoticedApp(service);
    const into = (await app.report({ subject: "Login", email: "joan@example.org" })).field("id");
    await app.owner.choose({ apps: [{ appId: app.appId, kinds: { report: ["mail"] } }] });
    const id = (await app.report({ subject: "Ms Hopper cannot log in", email: grace })).field("id");
    await app.settled();
    await server.close();
    const isWritten = async () => {
      await passTime(service, 15 * minute);
      await eventually(async () => expect(await app.waiting()).toBe(0));
    };
    await isWritten();
    const call = async (method: string, path: string, body?: object) => {
      const { status } = await app.owner.call(method, `/feedback${path}`, body);
      expect([200, 204]).toContain(status);
    };
    /** The text of the only mail that arrives when the mail server answers again. */
    const arriving = async () => {
      const again = await startMailServer({}, server.port);
      onTestFinished(() => again.close());
      await passTime(service, 30 * minute);
      await mailsArrive(again, 1);
      return (await parsedMail({ raw: again.received[0]?.raw ?? "" })).text;
    };
    return { app, service, server, id, into, call, arriving, isWritten };
  }

  it("has no words of a report that was merged into another thread and then erased", async () => {
    const { app, id, into, call, arriving } = await appWithWaitingMail();
    await call("POST", `/${id}/merge`, { into });
    await erase(app.owner);
    const text = await arriving();
    expect(text).toContain("Login");
    expect(text).toContain(into);
    expect(text).not.toContain("Hopper");
    expect(text).not.toContain(id);
  });

  it("has no words of a thread that was merged, unmerged and deleted", async () => {
    const { app, service, id, into, call } = await appWithWaitingMail();
    await call("POST", `/${id}/merge`, { into });
    await call("POST", `/${id}/unmerge`);
    await call("DELETE", `/${id}`);
    await eventually(async () => expect(await app.waiting()).toBe(0));
    await eventually(async () =>
      expect(await service.deps.database.all("SELECT id FROM mails WHERE kind = 'notice'")).toEqual([]),
    );
  });

  it("has no words of the thread from which another thread was unmerged", async () => {
    const { app, id, into, call, arriving, isWritten } = await appWithWaitingMail();
    await call("POST", `/${id}/merge`, { into });
    await isWritten();
    await call("POST", `/${id}/unmerge`);
    await erase(app.owner, "joan@example.org");
    const text = await arriving();
    expect(text).toContain("Ms Hopper cannot log in");
    expect(text).not.toContain("Login");
  });
});

describe.each(sharedDatabases)(
  "a post to a chat that is written during the erasure of its report, on $name,",
  (engine) => {
    it("does not keep the words of the report", async () => {
      const service = await startService({ engine, still: true, settings: { privateWebhooks: true } });
      onTestFinished(() => service.stop());
      const webhook = await startWebhook();
      const app = await makeNoticedApp(service);
      await app.owner.call("PATCH", `/apps/${app.appId}`, { chatWebhookUrl: webhook.url });
      webhook.answers.push(500, 500, 500);
      const subject = "Ms Hopper cannot log in";
      const dedupeKey = "k";
      const id = (await app.report({ subject, email: grace, dedupeKey })).field("id");
      await app.report({ message: "Me neither.", email: "joan@example.org", dedupeKey });
      await app.owner.choose({ apps: [{ appId: app.appId, kinds: { report: ["chat"] } }] });
      // The server that writes the post waits for this table after it has read the subject.
      const table = await lockTable(service.database, "notices");
      await service.deps.database.write((tx) =>
        noticeCauses.insert(tx, {
          ...{ id: "a", appId: app.appId, kind: "report", subjectId: id, feedbackId: id, actorId: null },
          createdAt: service.clock.now().toISOString(),
        }),
      );
      await table.waiting(1);
      const erasing = erase(app.owner);
      await table.waiting(2);
      await table.release();
      await erasing;
      const posts = await service.deps.database.all("SELECT payload FROM outbox WHERE app_id = ?", app.appId);
      expect(posts).toEqual([{ payload: "{}" }]);
    });
  },
);

describe.each(sharedDatabases)("a mail with notices that is written during a merge, on $name,", (engine) => {
  it("names only the thread to which the notices were moved", async () => {
    const server = await startMailServer();
    const service = await serverWithMail(server.url, { engine });
    const app = await makeNoticedApp(service);
    const into = (await app.report({ subject: "Login", email: "joan@example.org" })).field("id");
    await app.settled();
    await app.owner.choose({ apps: [{ appId: app.appId, kinds: { report: ["mail"] } }] });
    const id = (await app.report({ subject: "Ms Hopper cannot log in", email: grace })).field("id");
    await app.settled();
    const other = await service.database.open();
    onTestFinished(() => other.close());
    await other.write(async (tx) => {
      await tx.get("SELECT 1 AS one FROM feedback WHERE id = ? FOR UPDATE", id);
      await passTime(service, 15 * minute);
      // The server that writes the mail has read the notices, and waits for the thread.
      await eventually(async () => expect(await tx.all(waiters)).toHaveLength(1));
      await tx.run("UPDATE notices SET feedback_id = ? WHERE feedback_id = ?", into, id);
    });
    await mailsArrive(server, 1);
    const { text } = await parsedMail({ raw: server.received[0]?.raw ?? "" });
    expect(text).toContain(into);
    expect(text).not.toContain(id);
    expect(text).not.toContain("Hopper");
  });
});
