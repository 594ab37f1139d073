import { copyFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { databases, type TestEngine } from "../../support/database/databases.ts";
import { eventually } from "../../support/eventually.ts";
import { temporaryFolder } from "../../support/files/temporary-folder.ts";
import { startMailServer } from "../../support/mail/mail-server.ts";
import { makeNoticedApp, passTime } from "../../support/mail/noticed-app.ts";
import { mailsArrive, queue, sender } from "../../support/mail/server-with-mail.ts";
import { startWebhook } from "../../support/network/webhook.ts";
import { type Deployment, makeDeployment } from "../../support/service/deployment.ts";
import { rowsOf } from "../../support/service/deployment-rows.ts";
import type { Answer } from "../../support/service/request.ts";
import { sendFeedback } from "../../support/worlds/owner-with-one-of-each.ts";
import { grace, graceAddress, makePersonEverywhere } from "../../support/worlds/people/person-everywhere.ts";

const minute = 60_000;

const secret = "the secret of a deployment of the tests";

const deploymentOf = async (engine: TestEngine): Promise<Deployment> => {
  const deployment = await makeDeployment(engine);
  onTestFinished(() => deployment.remove());
  return deployment;
};

const backUp = async (deployment: Deployment): Promise<string> => {
  const file = join(await temporaryFolder(), "backup.tar");
  await deployment.admin({ command: "backup", file });
  return file;
};

type Call = (method: string, path: string, body?: object) => Promise<Answer>;

const eraseGrace = ({ call }: { readonly call: Call }): Promise<string> => erase(call, grace);

async function erase(call: Call, email: string): Promise<string> {
  const { id } = Object((await call("POST", "/people/erase", { email })).body);
  await eventually(async () =>
    expect((await call("GET", `/people/erasures/${id}`)).body).toMatchObject({ status: "done" }),
  );
  return id;
}

const mentions = async (deployment: Deployment): Promise<number> =>
  (await rowsOf(deployment)).filter((row) => row.toLowerCase().includes(graceAddress)).length;

/** A deployment, a backup with the person, and an erasure after it. */
async function erasedAfterBackup(engine: TestEngine) {
  const deployment = await deploymentOf(engine);
  const service = await deployment.serve({ secret });
  const world = await makePersonEverywhere(service);
  const file = await backUp(deployment);
  const id = await eraseGrace(world);
  await service.stop();
  return { deployment, world, file, id, journal: join(deployment.data, "erasures.ndjson") };
}

const nobody = { found: 0, gone: 0, stopped: 0, otherSecret: 0 };

describe.each(databases)("after a restore on $name", (engine) => {
  it("a person who was erased after the backup is erased again", async () => {
    const { file, id, journal, world } = await erasedAfterBackup(engine);
    expect((await readFile(journal, "utf8")).toLowerCase()).not.toContain(graceAddress);
    const restored = await deploymentOf(engine);
    const result = await restored.admin({ command: "restore", file, erasures: journal, secret });
    expect(result.erasedAgain).toEqual({ ...nobody, found: 1 });
    expect(await mentions(restored)).toBe(0);

    const service = await restored.serve({ secret });
    const headers = await service.signIn(world.owner);
    const answer = await service.request("GET", `/api/v1/console/people/erasures/${id}`, { headers });
    expect(answer.body).toMatchObject({ status: "done", counts: { threads: 1, messages: 1, files: 3 } });
    await service.stop();
  });

  it("no mail to a member and no post to a chat is sent with words of an erased person", async () => {
    const deployment = await deploymentOf(engine);
    const server = await startMailServer();
    const webhook = await startWebhook();
    const environment = {
      ...{ INNKEEP_SMTP_URL: server.url, INNKEEP_MAIL_FROM: sender, INNKEEP_PRIVATE_WEBHOOKS: "on" },
    };
    const service = await deployment.serve({ secret, environment });
    const app = await makeNoticedApp(service);
    await app.owner.call("PATCH", `/apps/${app.appId}`, { chatWebhookUrl: webhook.url });
    await app.owner.choose({ apps: [{ appId: app.appId, kinds: { report: ["mail", "chat"] } }] });
    webhook.answers.push(...Array.from({ length: 9 }, () => 500));
    await server.close();
    await app.report({ subject: "Ms Hopper cannot log in", email: grace });
    await app.settled();
    await eventually(() => expect(webhook.received).toHaveLength(1));
    await passTime(service, 15 * minute);
    await eventually(async () => expect(await app.waiting()).toBe(0));
    const file = await backUp(deployment);
    await eraseGrace(app.owner);
    await service.stop();
    const posted = webhook.received.length;

    const restored = await deploymentOf(engine);
    const erasures = join(deployment.data, "erasures.ndjson");
    const result = await restored.admin({ command: "restore", file, erasures, secret });
    expect(result.erasedAgain).toEqual({ ...nobody, found: 1 });
    const again = await startMailServer({}, server.port);
    onTestFinished(() => again.close());
    const next = await restored.serve({ secret, environment });
    onTestFinished(() => next.stop());
    await passTime(next, 60 * minute);
    // A mail that is queued now shows that the waiting ones were looked at.
    await queue(next);
    await mailsArrive(again, 1);
    expect(again.received[0]?.to).toEqual(["ada@kitchen.example"]);
    expect(await next.deps.database.all("SELECT id FROM mails WHERE kind = 'notice'")).toEqual([]);
    expect(await next.deps.database.all("SELECT id FROM outbox WHERE status = 'pending'")).toEqual([]);
    expect(webhook.received).toHaveLength(posted);
  });

  it("a journal of erasures in the folder of the backup, or in the data folder, needs no flag", async () => {
    const { deployment, file, journal } = await erasedAfterBackup(engine);
    const later = await backUp(deployment);
    await copyFile(file, join(later, "..", "older.tar"));
    const beside = await deploymentOf(engine);
    const older = join(later, "..", "older.tar");
    expect((await beside.admin({ command: "restore", file: older, secret })).erasedAgain).toEqual({
      ...{ ...nobody, found: 1 },
    });
    expect(await mentions(beside)).toBe(0);
    const inFolder = await deploymentOf(engine);
    await copyFile(journal, join(inFolder.data, "erasures.ndjson"));
    expect((await inFolder.admin({ command: "restore", file, secret })).erasedAgain).toEqual({
      ...{ ...nobody, found: 1 },
    });
    expect(await mentions(inFolder)).toBe(0);
  });

  it("the server erases people that the command could not erase, and keeps everything that is sent later", async () => {
    const { file, journal, world } = await erasedAfterBackup(engine);
    const restored = await deploymentOf(engine);
    const result = await restored.admin({ command: "restore", file, erasures: journal });
    expect(result.erasedAgain).toContain("When the server starts");
    expect(await mentions(restored)).toBeGreaterThan(5);
    const service = await restored.serve({ secret });
    await eventually(async () => expect(await mentions(restored)).toBe(0));
    expect(service.logged()).toContain("older than some erasures of people");
    await sendFeedback(service, world.app.key, { email: grace, message: "I am new here." });
    await service.stop();
    const again = await restored.serve({ secret });
    await again.stop();
    expect(await mentions(restored)).toBe(1);
  });

  it("a person with several erasures after the backup is counted once", async () => {
    const { deployment, world, file, journal } = await erasedAfterBackup(engine);
    const service = await deployment.serve({ secret });
    const headers = await service.signIn(world.owner);
    const call = (method: string, path: string, body?: object) =>
      service.request(method, `/api/v1/console${path}`, { headers, body });
    await sendFeedback(service, world.app.key, { email: grace, message: "I am back." });
    await erase(call, grace);
    for (const _ of [1, 2]) await erase(call, "later@example.org");
    await service.stop();
    const restored = await deploymentOf(engine);
    const result = await restored.admin({ command: "restore", file, erasures: journal, secret });
    expect(result.erasedAgain).toEqual({ ...nobody, found: 1, gone: 1 });
    expect(await mentions(restored)).toBe(0);
  });

  it("a person who was erased before the backup and wrote again is not erased", async () => {
    const { deployment, world, journal } = await erasedAfterBackup(engine);
    const service = await deployment.serve({ secret });
    await sendFeedback(service, world.app.key, { email: grace, message: "I am back." });
    await service.stop();
    const file = await backUp(deployment);
    const restored = await deploymentOf(engine);
    const result = await restored.admin({ command: "restore", file, erasures: journal, secret });
    expect(result.erasedAgain).toEqual(nobody);
    expect(await mentions(restored)).toBe(1);
  });

  it("a deleted account and a person that the operator erased are erased again", async () => {
    const deployment = await deploymentOf(engine);
    const service = await deployment.serve({ secret });
    await makePersonEverywhere(service);
    const account = await service.makeUser("deleted@example.org");
    const file = await backUp(deployment);
    const headers = await service.signIn(account);
    const body = { email: account.email };
    expect((await service.request("POST", "/api/v1/console/account/delete", { headers, body })).status).toBe(
      204,
    );
    await service.stop();
    await deployment.admin({ command: "user erase", email: grace, secret });
    const restored = await deploymentOf(engine);
    const erasures = join(deployment.data, "erasures.ndjson");
    const result = await restored.admin({ command: "restore", file, erasures, secret });
    expect(result.erasedAgain).toEqual({ ...nobody, found: 2 });
    expect(await mentions(restored)).toBe(0);
    expect((await rowsOf(restored)).filter((row) => row.includes(account.email))).toEqual([]);
    expect((await restored.admin({ command: "user erase", email: account.email, secret })).account).toBe(
      "none",
    );
  });

  it("a member is not erased again, and the owner sees that the erasure stopped", async () => {
    const deployment = await deploymentOf(engine);
    const service = await deployment.serve({ secret });
    const world = await makePersonEverywhere(service);
    const { id: userId } = await service.makeUser(graceAddress);
    const members = `/apps/${world.app.id}/members`;
    await service.deps.database.insert("app_members", {
      ...{ app_id: world.app.id, user_id: userId, role: "viewer", created_at: new Date().toISOString() },
    });
    const file = await backUp(deployment);
    expect((await world.call("DELETE", `${members}/${userId}`)).status).toBe(204);
    const id = await eraseGrace(world);
    await service.stop();

    const restored = await deploymentOf(engine);
    const erasures = join(deployment.data, "erasures.ndjson");
    const result = await restored.admin({ command: "restore", file, erasures, secret });
    expect(result.erasedAgain).toEqual({ ...nobody, stopped: 1 });
    const after = await restored.serve({ secret });
    const headers = await after.signIn(world.owner);
    const { body } = await after.request("GET", `/api/v1/console/people/erasures/${id}`, { headers });
    expect(body).toMatchObject({ status: "stopped" });
    await after.stop();
    expect(await mentions(restored)).toBeGreaterThan(5);
  });

  it("a hash of another secret is counted, and an incomplete line has no effect", async () => {
    const { file, journal } = await erasedAfterBackup(engine);
    const foreign = (await readFile(journal, "utf8")).replace(/"secret":"[\da-f]{4}/, '"secret":"zzzz');
    await writeFile(journal, `${foreign}{"id":"cut of`);
    const restored = await deploymentOf(engine);
    const result = await restored.admin({ command: "restore", file, erasures: journal, secret });
    expect(result.erasedAgain).toEqual({ ...nobody, otherSecret: 1 });
  });

  it("a journal that a flag names must exist", async () => {
    const { file } = await erasedAfterBackup(engine);
    const restored = await deploymentOf(engine);
    await expect(
      restored.admin({ command: "restore", file, erasures: "/nowhere/erasures.ndjson", secret }),
    ).rejects.toThrow(
      /\/nowhere\/erasures\.ndjson does not exist\..*leave out --erasures and INNKEEP_ERASURES/,
    );
  });
});
