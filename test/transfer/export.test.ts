import { get } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rateLimits } from "../../src/contract/limits.ts";
import { databases } from "../support/database/databases.ts";
import { eventually } from "../support/eventually.ts";
import { filesIn } from "../support/files/temporary-folder.ts";
import { type Service, startService } from "../support/service/service.ts";
import { bearer, fillThreads, sendFeedback } from "../support/worlds/owner-with-one-of-each.ts";
import { exportFile, importFile, linesIn } from "../support/worlds/transfer/app-file.ts";
import { makeFullApp } from "../support/worlds/transfer/full-app.ts";

describe.each(databases)("GET /api/v1/console/apps/:appId/export on $name", (engine) => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ engine });
  });
  afterAll(() => service.stop());

  const ask = (appId: string, headers: Record<string, string>) =>
    service.request("GET", `/api/v1/console/apps/${appId}/export`, { headers });

  it("is only for owners, in the console or with a token that has the scope", async () => {
    const { owner, app, headers } = await makeFullApp(service);
    const token = async (scopes: string[], appId?: string) =>
      bearer(await service.makeToken(owner, "maintainer", { scopes, ...(appId ? { appId } : {}) }));
    const other = await service.makeApp(owner);
    const member = async (role: "maintainer" | "viewer") =>
      service.signIn(await service.makeMember(app.id, role));
    expect((await ask(app.id, headers)).status).toBe(200);
    expect((await ask(app.id, await token(["apps:export"], app.id))).status).toBe(200);
    expect((await ask(other.id, await token(["apps:export"], app.id))).status).toBe(404);
    expect((await ask(app.id, await token(["apps:read", "apps:write", "audit:read"]))).status).toBe(403);
    expect((await ask(app.id, await member("maintainer"))).status).toBe(403);
    expect((await ask(app.id, await service.signIn(await service.makeUser()))).status).toBe(404);
    expect((await ask(app.id, {})).status).toBe(401);
  });

  it("is limited to 20 requests an hour for a person, and so is the import", async () => {
    const { app, headers } = await makeFullApp(service);
    const { limit } = rateLimits.exports;
    const file = await exportFile(service, headers, app.id);
    for (let made = 1; made < limit; made += 1) expect((await ask(app.id, headers)).status).toBe(200);
    const refused = await ask(app.id, headers);
    expect(refused).toMatchObject({ status: 429, body: { code: "rate_limited" } });
    const wait = Number(refused.headers.get("retry-after"));
    expect(wait).toBeGreaterThan(3_000);
    // It does not delay another person.
    const { app: other, headers: others } = await makeFullApp(service);
    expect((await ask(other.id, others)).status).toBe(200);
    service.clock.advance(wait * 1_000);
    expect((await ask(app.id, headers)).status).toBe(200);

    for (let made = 0; made < rateLimits.imports.limit; made += 1)
      expect((await importFile(service, headers, "no export")).status).toBe(400);
    expect((await importFile(service, headers, file)).status).toBe(429);
  });

  it("is recorded in the audit, and leaves no file on the server", async () => {
    const { owner, app, headers } = await makeFullApp(service);
    await exportFile(service, headers, app.id, true);
    const entries = await service.request("GET", `/api/v1/console/audit?action=app.export&appId=${app.id}`, {
      headers,
    });
    expect(entries.body).toMatchObject({ items: [{ actor: owner.email, target: app.id }] });
    const folder = `${service.deps.settings.data}/files/temporary`;
    await eventually(async () => expect(await filesIn(folder)).toEqual([]));
  });

  it("contains no secret and nothing of another app", async () => {
    const { app, headers, agentToken, owner } = await makeFullApp(service);
    const other = await service.makeApp(owner, { name: "Lantern" });
    await sendFeedback(service, other.key, { message: "Of the other app." });
    await service.deps.database.write((tx) =>
      tx.run("UPDATE apps SET chat_webhook_url = ? WHERE id = ?", "sealed:chat", app.id),
    );
    const secrets = [app.key, agentToken, headers.cookie, "sealed:chat", "Of the other app.", other.id];
    const { database } = service.deps;
    for (const [table, column] of [
      ["app_keys", "key_hash"],
      ["tokens", "token_hash"],
      ["sessions", "token_hash"],
      ["invitations", "token_hash"],
      ["slots", "key_hash"],
      ["slots", "key_sealed"],
    ] as const)
      for (const row of await database.all<{ v: string | null }>(`SELECT ${column} AS v FROM ${table}`))
        if (row.v !== null) secrets.push(row.v);
    const text = (await exportFile(service, headers, app.id, true)).toString("latin1");
    for (const secret of secrets) expect(text).not.toContain(secret);
  });

  it("returns the state of one instant while reports arrive, and does not delay the reports", async () => {
    const { owner, app } = { ...(await withThreads(2_000)) };
    const headers = await service.signIn(owner);
    const sent: string[] = [];
    let writing = true;
    const writer = (async () => {
      while (writing) sent.push(await sendFeedback(service, app.key, { dedupeKey: "one", message: "More." }));
    })();
    const before = sent.length;
    const lines = linesIn(await exportFile(service, headers, app.id));
    writing = false;
    await writer;
    expect(sent.length).toBeGreaterThan(before);
    const threads = lines.filter(({ type }) => type === "thread");
    const repeats = lines.filter(({ type }) => type === "message").length;
    const occurrences = threads.reduce((sum, { occurrences }) => sum + Number(occurrences), 0);
    expect(occurrences).toBe(threads.length + repeats);
  });

  it("uses only a file on the disk for a client that does not read", async () => {
    const { owner, app } = await withThreads(3_000);
    const headers = await service.signIn(owner);
    const url = `${service.baseUrl}/api/v1/console/apps/${app.id}/export`;
    const slow = await new Promise<import("node:http").IncomingMessage>((resolve) => {
      get(url, { headers }, resolve);
    });
    slow.pause();
    await sendFeedback(service, app.key);
    expect((await exportFile(service, headers, app.id)).length).toBeGreaterThan(1_000_000);
    slow.destroy();
    const folder = `${service.deps.settings.data}/files/temporary`;
    await eventually(async () => expect(await filesIn(folder)).toEqual([]));
  });

  it("returns a file that POST /api/v1/console/import accepts, only from a person", async () => {
    const { owner, app, headers } = await makeFullApp(service);
    const file = await exportFile(service, headers, app.id);
    const token = bearer(
      await service.makeToken(owner, "maintainer", { scopes: ["apps:export", "apps:write"] }),
    );
    expect((await importFile(service, token, file)).status).toBe(401);
    const empty = await service.request("POST", "/api/v1/console/import", {
      headers,
      body: new FormData(),
    });
    expect(empty.status).toBe(400);
    const key = { ...headers, "idempotency-key": crypto.randomUUID() };
    const [first, second] = [await importFile(service, key, file), await importFile(service, key, file)];
    expect([first.status, second.status, second.text]).toEqual([201, 201, first.text]);
    expect(second.headers.get("idempotent-replay")).toBe("true");
  });

  const withThreads = async (count: number) => {
    const owner = await service.makeUser();
    const app = await service.makeApp(owner);
    const message = "x".repeat(400);
    await fillThreads(
      service,
      app.id,
      Array.from({ length: count }, () => ({ message })),
    );
    return { owner, app };
  };
});
