import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import { databases, type TestEngine } from "../support/database/databases.ts";
import { eventually } from "../support/eventually.ts";
import { filesIn, temporaryFolder } from "../support/files/temporary-folder.ts";
import { type Deployment, makeDeployment } from "../support/service/deployment.ts";
import { rowsOf } from "../support/service/deployment-rows.ts";
import type { Service } from "../support/service/service.ts";
import { sendFeedback } from "../support/worlds/owner-with-one-of-each.ts";
import {
  grace,
  graceAddress,
  makePersonEverywhere,
  type PersonEverywhere,
} from "../support/worlds/people/person-everywhere.ts";

let started: { readonly deployment: Deployment; readonly service: Service } | undefined;
const serve = async (engine: TestEngine) => {
  const deployment = await makeDeployment(engine);
  started = { deployment, service: await deployment.serve() };
  return started;
};
afterEach(async () => {
  await started?.service.stop();
  await started?.deployment.remove();
  started = undefined;
});

const newBackup = async (deployment: Deployment): Promise<string> => {
  const file = join(await temporaryFolder(), "backup.tar");
  await deployment.admin({ command: "backup", file });
  return file;
};

/** The files that contain the bytes of the address, in upper or lower case. */
async function filesWith(files: readonly string[], text = graceAddress): Promise<string[]> {
  const found = [];
  for (const file of files)
    if ((await readFile(file)).toString("latin1").toLowerCase().includes(text)) found.push(file);
  return found;
}

const erase = async ({ call }: PersonEverywhere, email = grace) => {
  const { status, body } = await call("POST", "/people/erase", { email });
  expect(status).toBe(201);
  const { id } = Object(body);
  return eventually(async () => {
    const receipt = Object((await call("GET", `/people/erasures/${id}`)).body);
    expect(receipt.status).toBe("done");
    return receipt;
  });
};

describe.each(databases)("an erased person on $name", (engine) => {
  it("is in no file of the server and in no new backup", async () => {
    const { deployment, service } = await serve(engine);
    const world = await makePersonEverywhere(service);
    await world.call("GET", `/apps/${world.app.id}/feedback?q=hopper`);
    expect(await filesWith([await newBackup(deployment)])).not.toEqual([]);
    if (engine.engine === "sqlite")
      expect((await filesWith(await filesIn(deployment.data))).length).toBeGreaterThan(1);

    const receipt = await erase(world);
    expect(receipt.counts).toEqual({
      ...{ threads: 1, reports: 1, messages: 1, files: 3, mails: 0, invitations: 1 },
      ...{ seats: 0, answers: 1, audit: 3, texts: 9 },
    });
    expect(JSON.stringify(receipt).toLowerCase()).not.toContain(graceAddress);
    expect(await filesWith([await newBackup(deployment)])).toEqual([]);
    if (engine.engine === "sqlite") expect(await filesWith(await filesIn(deployment.data))).toEqual([]);
    expect(service.logged().toLowerCase()).not.toContain(graceAddress);
  });

  it("is replaced by a mark in the words of other people, which stay", async () => {
    const { service } = await serve(engine);
    const world = await makePersonEverywhere(service);
    await erase(world);
    const { call, own, shared, others, quoting, app } = world;
    expect((await call("GET", `/feedback/${own}`)).status).toBe(404);
    const thread = async (id: string) => Object((await call("GET", `/feedback/${id}`)).body);

    const blanked = await thread(shared);
    expect(blanked.feedback).toMatchObject({
      ...{ subject: "[erased]", message: "[erased]", metadata: {}, images: [], occurrences: 2 },
    });
    expect(blanked.sender).toEqual({ name: null, email: null });
    expect(blanked.messages).toMatchObject([{ body: "Also mine.", sender: { email: "joan@example.org" } }]);

    const kept = await thread(others);
    expect(kept).toMatchObject({ feedback: { message: "Theirs.", occurrences: 2 }, messages: [] });

    const quoted = await thread(quoting);
    expect(quoted.feedback).toMatchObject({
      ...{ message: "My boss is [erased].", source: "app?user=[erased]" },
      metadata: { user: { email: "[erased]", note: "line\n[erased]" } },
    });
    expect(quoted.messages[0].body).toBe("Ask [erased].");
    expect(quoted.latestProposal).toMatchObject({
      summary: "Write to [erased]",
      plan: "1. Ask [erased]\n2. Mend it",
    });
    const faqs = Object((await call("GET", `/apps/${app.id}/faqs`)).body);
    expect(faqs[0].answer).toBe("Write to [erased].");
    expect(Object((await call("GET", `/apps/${app.id}/feedback?q=hopper`)).body).items).toEqual([]);
    expect(Object((await call("GET", `/apps/${app.id}/feedback?q=theirs`)).body).items).toHaveLength(1);
  });

  it("is not erased from the apps of other owners", async () => {
    const { deployment, service } = await serve(engine);
    const world = await makePersonEverywhere(service);
    const other = await makePersonEverywhere(service);
    const mentions = async (appId: string) =>
      (await rowsOf(deployment)).filter(
        (row) => row.toLowerCase().includes(graceAddress) && row.includes(appId),
      ).length;
    const before = await mentions(other.app.id);
    expect(before).toBeGreaterThan(5);
    await erase(world);
    expect(await mentions(world.app.id)).toBe(0);
    expect(await mentions(other.app.id)).toBe(before);
    expect((await other.call("GET", `/feedback/${other.own}`)).status).toBe(200);
  });

  it("is counted before the erasure, and a second erasure finds nothing", async () => {
    const { service } = await serve(engine);
    const world = await makePersonEverywhere(service);
    const preview = async () => Object((await world.call("POST", "/people/preview", { email: grace })).body);
    expect(await preview()).toEqual({
      ...{ complete: true, refusal: null },
      counts: {
        ...{ threads: 2, messages: 1, mails: 0, invitations: 1 },
        ...{ seats: 0, answers: 1, audit: 3, texts: 10 },
      },
    });
    await erase(world);
    expect(Object.values((await preview()).counts)).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
    const again = await erase(world, ` ${graceAddress} `);
    expect(Object.values(again.counts).every((count) => count === 0)).toBe(true);
  });

  it("has a receipt, which can be compared with an address and does not contain the address", async () => {
    const { service } = await serve(engine);
    const world = await makePersonEverywhere(service);
    const { id, finishedAt, backupsUntil } = await erase(world);
    expect(Date.parse(finishedAt)).toBeGreaterThan(0);
    expect(backupsUntil).toBeNull();
    const check = async (email: string) =>
      (await world.call("POST", `/people/erasures/${id}/check`, { email })).body;
    expect(await check(grace)).toEqual({ matches: true });
    expect(await check("joan@example.org")).toEqual({ matches: false });
    const list = Object((await world.call("GET", "/people/erasures")).body);
    expect(list.items.map((one: { id: string }) => one.id)).toEqual([id]);
    const audit = Object((await world.call("GET", "/audit?action=person.erase")).body);
    expect(audit.items).toMatchObject([{ action: "person.erase", target: id }]);
  });
});

describe.each(databases)("an erasure on $name", (engine) => {
  it("is only for owners, and is refused for an account that owns no app", async () => {
    const { service } = await serve(engine);
    const { app } = await makePersonEverywhere(service);
    const maintainer = await service.signIn(await service.makeMember(app.id, "maintainer"));
    const answer = await service.request("POST", "/api/v1/console/people/erase", {
      headers: maintainer,
      body: { email: grace },
    });
    expect([answer.status, answer.field("code")]).toEqual([403, "forbidden"]);
    const { body } = await service.request("POST", "/api/v1/console/people/preview", {
      headers: maintainer,
      body: { email: grace },
    });
    expect(Object(body).counts).toMatchObject({ threads: 0, texts: 0 });
  });

  it("is refused for the owner's own address, for members, and for testers of a running test", async () => {
    const { service } = await serve(engine);
    const world = await makePersonEverywhere(service);
    const refusal = async (email: string) => {
      const answer = await world.call("POST", "/people/erase", { email });
      expect([answer.status, answer.field("code")]).toEqual([409, "wrong_state"]);
      return String(answer.field("error"));
    };
    expect(await refusal(world.owner.email.toUpperCase())).toContain("your own address");
    const member = await service.makeMember(world.app.id, "viewer");
    expect(await refusal(member.email)).toContain("is a member of");
    const answer = await world.call("POST", "/people/erase", { email: "no address" });
    expect([answer.status, answer.field("issues.0.path")]).toEqual([400, "email"]);
  });

  it("does not prevent new reports during the work, and a second request for the same person starts no second erasure", async () => {
    const { service } = await serve(engine);
    const world = await makePersonEverywhere(service);
    onTestFinished(() => undefined);
    const begun = await Promise.all(
      [1, 2, 3].map(() => world.call("POST", "/people/erase", { email: grace })),
    );
    expect(begun.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(await sendFeedback(service, world.app.key, { message: "Still here." })).toMatch(/^[\da-f-]{36}$/);
    for (const { body } of begun)
      await eventually(async () => {
        const receipt = Object((await world.call("GET", `/people/erasures/${Object(body).id}`)).body);
        expect(receipt.status).toBe("done");
      });
  });
});
