import { describe, expect, it, onTestFinished } from "vitest";
import { notices } from "../../server/database/schema/notices.ts";
import { notices as noticeRows } from "../../server/notices/waiting/store.ts";
import { databases, sharedDatabases, type TestEngine } from "../support/database/databases.ts";
import { eventually } from "../support/eventually.ts";
import { type MailServerOptions, parsedMail, startMailServer } from "../support/mail/mail-server.ts";
import { makeNoticedApp, passTime } from "../support/mail/noticed-app.ts";
import { mailsArrive, serverWithMail } from "../support/mail/server-with-mail.ts";
import { waiters } from "../support/postgres/locked-table.ts";
import { startService } from "../support/service/service.ts";
import { propose } from "../support/worlds/app-with-owner-and-agent.ts";

const minute = 60_000;

/** An app whose owner wants mail about reports. `tried` are the mails that the mail server got, also refused ones. */
async function appWithMailServer(
  engine: TestEngine,
  onMail: (count: number) => Promise<void> | { readonly code: number; readonly text: string } | undefined,
) {
  const tried: { readonly raw: string }[] = [];
  const options: MailServerOptions = {
    async onMail(mail) {
      tried.push(mail);
      return (await onMail(tried.length)) ?? undefined;
    },
  };
  const server = await startMailServer(options);
  const service = await serverWithMail(server.url, { engine });
  const app = await makeNoticedApp(service);
  await app.owner.choose({ apps: [{ appId: app.appId, kinds: { report: ["mail"] } }] });
  const report = async (subject: string) => (await app.report({ subject })).field("id");
  const deleted = async (id: string) => {
    expect((await app.owner.call("DELETE", `/feedback/${id}`)).status).toBe(204);
  };
  const mailRows = () =>
    service.deps.database.all<{ status: string }>(
      "SELECT status FROM mails WHERE kind = 'notice' ORDER BY created_at, id",
    );
  /** Lets the notices become a mail, and waits until it was tried this often. */
  const isTried = async (times: number) => {
    await app.settled();
    await passTime(service, 15 * minute);
    await eventually(async () => expect(tried).toHaveLength(times));
  };
  return { server, service, app, tried, report, deleted, mailRows, isTried };
}

const refusedOnce = (count: number) => (count === 1 ? { code: 451, text: "4.3.0 Later" } : undefined);

describe.each(databases)("a mail with notices that was tried, on $name,", (engine) => {
  it("keeps its Message-ID after it loses the words of a deleted thread", async () => {
    const { server, service, report, deleted, tried, isTried, mailRows } = await appWithMailServer(
      engine,
      refusedOnce,
    );
    const id = await report("The cellar");
    await report("The oven");
    await isTried(1);
    await eventually(async () =>
      expect(
        await service.deps.database.get("SELECT 1 AS one FROM mails WHERE last_error IS NOT NULL"),
      ).toBeDefined(),
    );
    await deleted(id);
    await passTime(service, 5 * minute);
    await mailsArrive(server, 1);
    const [first, second] = await Promise.all(tried.map((mail) => parsedMail({ raw: mail.raw })));
    expect(first?.text).toContain("The cellar");
    expect(second?.messageId).toBe(first?.messageId);
    expect(second?.subject).toBe("Demo: A new report arrived");
    expect(second?.text).toContain("The oven");
    expect(second?.text).not.toContain("cellar");
    expect(await mailRows()).toHaveLength(1);
  });

  it("is deleted with the last thread that it is about", async () => {
    const { server, service, report, deleted, isTried, mailRows, app } = await appWithMailServer(
      engine,
      refusedOnce,
    );
    const id = await report("The cellar");
    await isTried(1);
    await deleted(id);
    await eventually(async () => expect(await mailRows()).toEqual([]));
    await passTime(service, 60 * minute);
    await report("The oven");
    await app.settled();
    await passTime(service, 15 * minute);
    await mailsArrive(server, 1);
    expect(server.received[0]?.raw).not.toContain("cellar");
  });

  it("is not sent twice if a thread is deleted during the sending", async () => {
    let accept = () => {};
    const held = new Promise<void>((resolve) => {
      accept = resolve;
    });
    const { server, service, report, deleted, isTried, mailRows, app } = await appWithMailServer(
      engine,
      (count) => (count === 1 ? held : undefined),
    );
    const id = await report("The cellar");
    await report("The oven");
    await isTried(1);
    await deleted(id);
    await eventually(async () => expect(await app.waiting()).toBe(0));
    accept();
    await eventually(async () => expect((await mailRows()).map(({ status }) => status)).toEqual(["sent"]));
    await passTime(service, 60 * minute);
    await report("The attic");
    await app.settled();
    await passTime(service, 15 * minute);
    await mailsArrive(server, 2);
    expect(server.received[1]?.raw).not.toContain("The oven");
  });
});

describe.each(databases)("a mail with notices that waits for the mail server, on $name,", (engine) => {
  it("is not sent to a member whose new role does not get its notices", async () => {
    const server = await startMailServer();
    const service = await serverWithMail(server.url, { engine });
    const app = await makeNoticedApp(service);
    const bo = await app.join("maintainer");
    await propose(service, app, (await app.report({})).field("id"));
    await app.settled();
    await server.close();
    await passTime(service, 15 * minute);
    await eventually(async () => expect(await app.waiting()).toBe(0));
    const changed = await app.owner.call("PATCH", `/apps/${app.appId}/members/${bo.id}`, { role: "viewer" });
    expect(changed.status).toBe(200);
    await eventually(async () => expect(await app.waiting()).toBe(0));
    const again = await startMailServer({}, server.port);
    onTestFinished(() => again.close());
    await passTime(service, 30 * minute);
    await mailsArrive(again, 1);
    expect(again.received[0]?.to).toEqual([app.owner.email]);
    expect(await bo.mails()).toEqual([]);
  });
});

describe.each(sharedDatabases)(
  "a mail with notices that is written during the deletion of its thread, on $name,",
  (engine) => {
    it("is not stored with the words of the thread", async () => {
      const { service, report, app, mailRows } = await appWithMailServer(engine, () => ({
        code: 451,
        text: "4.3.0 Later",
      }));
      const { database } = service.deps;
      const id = await report("The cellar");
      await app.settled();
      let deletion: ReturnType<typeof app.owner.call> | undefined;
      await database.write(async (tx) => {
        // The server that writes the mail waits for this row after it has read the thread.
        await tx.run("SELECT 1 AS one FROM notices WHERE feedback_id = ? FOR UPDATE", id);
        const waiting = (count: number) =>
          eventually(async () => expect(await database.all(waiters)).toHaveLength(count));
        await passTime(service, 15 * minute);
        await waiting(1);
        deletion = app.owner.call("DELETE", `/feedback/${id}`);
        await waiting(2);
      });
      expect((await deletion)?.status).toBe(204);
      await eventually(async () => expect(await mailRows()).toEqual([]));
    });
  },
);

describe.each(sharedDatabases)(
  "a mail with notices that is written during a change of its member's role, on $name,",
  (engine) => {
    it("is not sent if the new role does not get its notices", async () => {
      const { service, app } = await appWithMailServer(engine, () => ({ code: 451, text: "4.3.0 Later" }));
      const { database } = service.deps;
      const bo = await app.join("maintainer");
      await propose(service, app, (await app.report({})).field("id"));
      await app.settled();
      let change: ReturnType<typeof app.owner.call> | undefined;
      await database.write(async (tx) => {
        // The server that writes the mail waits for this row after it has read the role.
        await tx.run("SELECT 1 AS one FROM notices WHERE user_id = ? FOR UPDATE", bo.id);
        const waiting = (count: number) =>
          eventually(async () => expect(await database.all(waiters)).toHaveLength(count));
        await passTime(service, 15 * minute);
        await waiting(1);
        change = app.owner.call("PATCH", `/apps/${app.appId}/members/${bo.id}`, { role: "viewer" });
        await waiting(2);
      });
      expect((await change)?.status).toBe(200);
      await eventually(async () => {
        const rows = await database.all("SELECT status FROM mails WHERE recipient = ?", bo.email);
        expect(rows).toEqual([]);
      });
    });
  },
);

describe.each(sharedDatabases)("two servers with one database, on $name,", (engine) => {
  it("lose no notice that one server creates while the other one writes a mail", async () => {
    const service = await startService({ engine, still: true, settings: { dev: true } });
    onTestFinished(() => service.stop());
    const { database, newId } = service.deps;
    const app = await makeNoticedApp(service);
    await app.owner.choose({ apps: [{ appId: app.appId, kinds: { report: ["mail"] } }] });
    const feedbackId = (await app.report({})).field("id");
    await app.settled();
    const batch = { userId: app.owner.id, appId: app.appId, way: "mail" } as const;
    const createdAt = service.clock.now().toISOString();
    const dueAt = new Date(service.clock.now().getTime() + 15 * minute).toISOString();
    await database.write(async (tx) => {
      const rows = await noticeRows.take(tx, batch);
      expect(rows).toHaveLength(1);
      // Another connection, as another server would use it.
      await database.insert(notices, {
        ...{ ...batch, id: newId(), kind: "answer", subjectId: newId(), feedbackId, createdAt, dueAt },
      });
      await noticeRows.queued(tx, rows, createdAt, null);
    });
    expect(await app.waiting()).toBe(1);
    await passTime(service, 15 * minute);
    await eventually(async () => {
      const subjects = (await app.owner.mails()).map(({ subject }) => subject);
      expect(subjects).toEqual(["Demo: A sender answered you"]);
    });
  });
});
