import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cleanUp } from "../../server/jobs/housekeeping.ts";
import { createBrowserWithoutScripts, readingOf } from "../support/browser/browser-without-scripts.ts";
import { databases } from "../support/database/databases.ts";
import { eventually } from "../support/eventually.ts";
import { dataUrl, png } from "../support/files/sample-files.ts";
import { filesIn } from "../support/files/temporary-folder.ts";
import { type Service, startService } from "../support/service/service.ts";
import { fillThreads, propose, sendFeedback } from "../support/worlds/owner-with-one-of-each.ts";

const day = 86_400_000;

describe.each(databases)("the retention of threads in an app, on $name,", (engine) => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ engine });
  });
  afterAll(() => service.stop());

  const makeWorld = async () => {
    const owner = await service.makeUser();
    const app = await service.makeApp(owner);
    const headers = await service.signIn(owner);
    const call = (method: string, path: string, body?: unknown) =>
      service.request(method, `/api/v1/console${path}`, { headers, body });
    return {
      ...{ owner, app, headers, call },
      keep: (retentionDays: number | null) => call("PATCH", `/apps/${app.id}`, { retentionDays }),
      /** A thread with this status whose last activity was this number of days ago. */
      async thread(status: string, daysAgo: number, report: object = {}) {
        const id = await sendFeedback(service, app.key, report);
        await call("PATCH", `/feedback/${id}`, { status });
        const at = new Date(service.clock.now().getTime() - daysAgo * day).toISOString();
        await age(id, at);
        return id;
      },
      statusOf: async (id: string) => (await call("GET", `/feedback/${id}`)).status,
    };
  };
  const age = (id: string, at: string) =>
    service.deps.database.write((tx) =>
      tx.run("UPDATE feedback SET created_at = ?, active_at = ? WHERE id = ?", at, at, id),
    );
  const tonight = () => cleanUp(service.deps, new AbortController().signal);

  it("deletes resolved threads that are too old with their files, and nothing else", async () => {
    const world = await makeWorld();
    const image = { images: [dataUrl(png(4_321))] };
    const old = await world.thread("resolved", 31, image);
    const young = await world.thread("resolved", 29);
    const open = await world.thread("open", 400);
    const archived = await world.thread("archived", 400);
    const forEver = await makeWorld();
    const kept = await forEver.thread("resolved", 4_000);
    const before = (await filesIn(join(service.deps.settings.data, "files"))).length;
    expect((await world.keep(30)).body).toMatchObject({ retentionDays: 30 });
    expect((await world.call("GET", `/apps/${world.app.id}/retention?days=30`)).body).toEqual({
      threads: 1,
      more: false,
    });
    expect((await world.call("GET", `/apps/${world.app.id}/retention?days=28`)).body).toEqual({
      threads: 2,
      more: false,
    });
    expect((await world.call("GET", `/apps/${world.app.id}/retention`)).body).toEqual({
      threads: 1,
      more: false,
    });
    await tonight();
    expect(await world.statusOf(old)).toBe(404);
    for (const id of [young, open, archived]) expect(await world.statusOf(id)).toBe(200);
    expect(await forEver.statusOf(kept)).toBe(200);
    await eventually(async () =>
      expect((await filesIn(join(service.deps.settings.data, "files"))).length).toBeLessThan(before),
    );
    const { items } = Object((await world.call("GET", "/audit?action=retention.delete")).body);
    expect(items).toMatchObject([{ actor: "retention", appId: world.app.id, target: "1 thread" }]);
    await tonight();
    expect(Object((await world.call("GET", "/audit?action=retention.delete")).body).items).toHaveLength(1);
  });

  it("deletes all of them even if there are very many", async () => {
    const world = await makeWorld();
    for (let n = 0; n < 3; n++) await world.thread("resolved", 90);
    await service.deps.database.write(async (tx) => {
      for (let n = 0; n < 130; n++)
        await tx.run(
          `INSERT INTO feedback (id, app_id, subject, message, category, status, metadata, files, occurrences, indexed, created_at)
           VALUES (?, ?, 's', 'm', 'bug', 'resolved', '{}', '{"images":[],"videos":[],"attachments":[]}', 1, 0, ?)`,
          ...[service.deps.newId(), world.app.id, "2020-01-01T00:00:00.000Z"],
        );
    });
    await world.keep(60);
    await tonight();
    const { items } = Object((await world.call("GET", "/audit?action=retention.delete")).body);
    expect(items).toMatchObject([{ target: "133 threads" }]);
  });

  it("keeps a thread while a proposal waits for a decision or an agent has claimed one", async () => {
    const world = await makeWorld();
    const agent = await service.makeToken(world.owner, "agent");
    const ids = [];
    for (const decision of [undefined, "approve", "request_changes"]) {
      const id = await sendFeedback(service, world.app.key);
      const runId = await propose(service, agent, id);
      if (decision) await world.call("POST", `/runs/${runId}/decision`, { decision, note: "Go on." });
      await world.call("PATCH", `/feedback/${id}`, { status: "resolved" });
      await age(id, "2020-01-01T00:00:00.000Z");
      ids.push(id);
    }
    await world.keep(1);
    expect((await world.call("GET", `/apps/${world.app.id}/retention?days=1`)).body).toEqual({
      threads: 0,
      more: false,
    });
    await tonight();
    for (const id of ids) expect(await world.statusOf(id)).toBe(200);
  });

  it("ends when the setting is emptied, and wrong settings are refused", async () => {
    const world = await makeWorld();
    await world.keep(1);
    const old = await world.thread("resolved", 400);
    expect((await world.keep(null)).body).toMatchObject({ retentionDays: null });
    await tonight();
    expect(await world.statusOf(old)).toBe(200);
    for (const wrong of [0, -1, 1.5, 36_501]) expect((await world.keep(wrong)).status).toBe(400);
    expect((await world.call("GET", `/apps/${world.app.id}/retention`)).body).toEqual({
      threads: 0,
      more: false,
    });
    const stranger = await service.signIn(await service.makeUser());
    const path = `/api/v1/console/apps/${world.app.id}/retention?days=1`;
    expect((await service.request("GET", path, { headers: stranger })).status).toBe(404);
  });

  it("counts up to 1,000 threads", async () => {
    const world = await makeWorld();
    const old = { createdAt: "2020-01-01T00:00:00.000Z" };
    await fillThreads(service, world.app.id, Array(1_001).fill(old));
    await service.deps.database.write((tx) =>
      tx.run("UPDATE feedback SET status = 'resolved' WHERE app_id = ?", world.app.id),
    );
    const { body } = await world.call("GET", `/apps/${world.app.id}/retention?days=60`);
    expect(body).toEqual({ threads: 1_000, more: true });
    const browser = createBrowserWithoutScripts(service, world.headers);
    const path = `/console/apps/${world.app.id}`;
    const asked = await browser.send(await browser.open(path), path, { retentionDays: "60" });
    expect(readingOf(asked)).toContain("More than 1,000 resolved threads are older than 60 days.");
  });

  it("is shown in the form before a new setting is saved", async () => {
    const world = await makeWorld();
    await world.thread("resolved", 90);
    const browser = createBrowserWithoutScripts(service, world.headers);
    const path = `/console/apps/${world.app.id}`;
    const asked = await browser.send(await browser.open(path), path, { retentionDays: "60" });
    expect(readingOf(asked)).toContain("1 resolved thread is older than 60 days.");
    const days = async () => Object((await world.call("GET", `/apps/${world.app.id}`)).body).retentionDays;
    expect(await days()).toBeNull();
    await browser.send(asked, path);
    expect(await days()).toBe(60);
  });

  it("is confirmed without undoing what another person has changed in the meantime", async () => {
    const world = await makeWorld();
    await world.thread("resolved", 90);
    const browser = createBrowserWithoutScripts(service, world.headers);
    const path = `/console/apps/${world.app.id}`;
    const [mine, theirs] = [await browser.open(path), await browser.open(path)];
    await browser.send(theirs, path, { name: "Theirs" });
    const asked = await browser.send(mine, path, { retentionDays: "60" });
    expect((await browser.send(asked, path)).status).toBe(303);
    const { body } = await world.call("GET", `/apps/${world.app.id}`);
    expect(body).toMatchObject({ name: "Theirs", retentionDays: 60 });
  });
});

describe("a wrong clock that is a year ahead and is accepted", () => {
  it("causes in one night only the deletion of threads that became too old within two days", async () => {
    const service = await startService();
    const app = await service.makeApp();
    const insert = (id: string, at: string) =>
      service.deps.database.write((tx) =>
        tx.run(
          `INSERT INTO feedback (id, app_id, subject, message, category, status, metadata, files, occurrences, indexed, created_at)
           VALUES (?, ?, 's', 'm', 'bug', 'resolved', '{}', '{"images":[],"videos":[],"attachments":[]}', 1, 0, ?)`,
          ...[id, app.id, at],
        ),
      );
    const ago = (days: number) => new Date(Date.now() - days * day).toISOString();
    const left = async () =>
      (await service.deps.database.all<{ id: string }>("SELECT id FROM feedback ORDER BY id")).map(
        ({ id }) => id,
      );
    const tonight = () => cleanUp(service.deps, new AbortController().signal);
    try {
      await service.deps.database.write((tx) => tx.run("UPDATE apps SET retention_days = 30"));
      await tonight();
      await insert("a", ago(29));
      await insert("b", ago(20));
      service.clock.jump(365 * day);
      await tonight();
      expect(await left()).toEqual(["b"]);
    } finally {
      await service.stop();
    }
  });
});
