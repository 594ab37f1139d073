import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AdminCommand } from "../../server/admin/main.ts";
import { databases, sqlite } from "../support/database/databases.ts";
import { type Deployment, makeDeployment } from "../support/service/deployment.ts";
import type { Service } from "../support/service/service.ts";
import { cookieOf, postSession } from "../support/sign-in/password-accounts.ts";
import { bearer, sendFeedback } from "../support/worlds/owner-with-one-of-each.ts";

const password = "correct horse battery staple";

describe.each(databases)("the commands of the operator on $name while the server is running", (engine) => {
  let deployment: Deployment;
  let service: Service;
  let accounts = 0;
  beforeAll(async () => {
    deployment = await makeDeployment(engine);
    service = await deployment.serve();
  });
  afterAll(async () => {
    await service.stop();
    await deployment.remove();
  });

  const admin = (command: AdminCommand) => deployment.admin(command);
  const makeUser = async () => {
    const email = `owner${accounts++}@example.org`;
    const { userId } = await admin({ command: "user create", email, password });
    return { email, userId: String(userId) };
  };
  const makeApp = async (owner: string) => {
    const { appId, apiKey } = await admin({ command: "app create", name: "Larder", owner });
    return { appId: String(appId), apiKey: String(apiKey) };
  };

  it("create an account that can sign in", async () => {
    const { email, userId } = await makeUser();
    const answer = await postSession(service, { email: email.toUpperCase(), password });
    expect(answer.body).toEqual({ user: { id: userId, email, name: null } });
  });

  it("create no second account for the same address", async () => {
    const { email } = await makeUser();
    const again = admin({ command: "user create", email: ` ${email.toUpperCase()}`, password });
    await expect(again).rejects.toMatchObject({
      code: "bad_request",
      details: { issues: [{ path: "email" }] },
    });
  });

  it.each([
    ["email", { email: "nobody", password }],
    ["email", { email: `${"x".repeat(250)}@example.org`, password }],
    ["password", { email: "new@example.org", password: "short" }],
  ])("create no account with an invalid %s", async (path, given) => {
    await expect(admin({ command: "user create", ...given })).rejects.toMatchObject({
      details: { issues: [{ path }] },
    });
  });

  it("create an app with a valid first key", async () => {
    const { apiKey } = await makeApp((await makeUser()).email);
    expect(await sendFeedback(service, apiKey)).toMatch(/^[\da-f-]{36}$/);
  });

  it("create more keys, also keys of the kind intake", async () => {
    const { appId } = await makeApp((await makeUser()).email);
    const { apiKey } = await admin({ command: "key create", appId, kind: "intake", label: "iOS" });
    const headers = { "x-api-key": String(apiKey) };
    const answer = await service.request("POST", "/api/v1/faqs/remote", {
      headers,
      body: { question: "Q?", answer: "A." },
    });
    expect(answer.field("code")).toBe("insufficient_scope");
  });

  const unknown = "01a1fd94-fc70-758b-94ab-a4e978aef61f";

  it("create valid tokens", async () => {
    const { email: owner } = await makeUser();
    const { appId, apiKey } = await makeApp(owner);
    const agent = await admin({ command: "token create", kind: "agent", owner });
    const id = await sendFeedback(service, apiKey);
    const headers = bearer(String(agent.token));
    expect((await service.request("GET", `/api/v1/agent/feedback/${id}`, { headers })).status).toBe(200);
    const worker = await admin({ command: "token create", kind: "agent", owner, scopes: ["runs:work"] });
    const claim = `/api/v1/agent/runs/${unknown}/claim`;
    const claimWith = (token: unknown) =>
      service.request("POST", claim, { headers: bearer(String(token)), body: { worker: "one" } });
    expect([(await claimWith(worker.token)).status, (await claimWith(agent.token)).status]).toEqual([
      404, 403,
    ]);
    const scripts = { kind: "maintainer", scopes: ["apps:read"], appId } as const;
    const maintainer = await admin({ command: "token create", owner, ...scripts });
    const apps = await service.request("GET", "/api/v1/console/apps", {
      headers: bearer(String(maintainer.token)),
    });
    expect(apps.body).toMatchObject({ items: [{ id: appId }] });
  });

  it.each<AdminCommand>([
    { command: "app create", name: "Larder", owner: "nobody@example.org" },
    { command: "key create", appId: unknown },
    { command: "token create", kind: "agent", owner: "nobody@example.org" },
  ])("report the missing object: $command", async (command) => {
    await expect(admin(command)).rejects.toMatchObject({ code: "not_found" });
  });

  it("create no token for another owner's app", async () => {
    const { appId } = await makeApp((await makeUser()).email);
    const { email: owner } = await makeUser();
    await expect(admin({ command: "token create", kind: "agent", owner, appId })).rejects.toMatchObject({
      code: "not_found",
    });
  });

  it.each<[string, AdminCommand]>([
    ["name", { command: "app create", name: " ", owner: "owner@example.org" }],
    ["appId", { command: "key create", appId: "larder" }],
    [
      "scopes.0",
      { command: "token create", kind: "maintainer", owner: "owner@example.org", scopes: ["all"] },
    ],
    ["scopes", { command: "token create", kind: "maintainer", owner: "owner@example.org" }],
  ])("report the invalid field %s", async (path, command) => {
    await expect(admin(command)).rejects.toMatchObject({
      code: "bad_request",
      details: { issues: [{ path }] },
    });
  });

  it("are recorded in the audit", async () => {
    const { email } = await makeUser();
    await makeApp(email);
    const cookie = cookieOf(await postSession(service, { email, password }));
    const { body } = await service.request("GET", "/api/v1/console/audit", { headers: { cookie } });
    const byOperator = { actor: "operator", address: null };
    expect(Object(body).items.slice(1)).toMatchObject([
      { ...byOperator, action: "key.create" },
      { ...byOperator, action: "app.create" },
      { ...byOperator, action: "user.create" },
    ]);
  });

  it("find no fault in a correct deployment", async () => {
    expect(await admin({ command: "check" })).toMatchObject({ ok: true });
  });
});

describe("the commands of the operator without a running server", () => {
  it.each<AdminCommand>([
    { command: "check" },
    { command: "backup", file: "/nowhere/backup.tar" },
    { command: "app create", name: "Larder", owner: "owner@example.org" },
  ])("do not create a database by mistake: $command", async (command) => {
    const deployment = await makeDeployment(sqlite);
    await expect(deployment.admin(command)).rejects.toThrow("There is no database in");
    await deployment.remove();
  });

  it.each<AdminCommand>([
    { command: "check" },
    { command: "migrate" },
    { command: "app create", name: "Larder", owner: "owner@example.org" },
  ])("do not fill an emptied database whose files are there: $command", async (command) => {
    const deployment = await makeDeployment(sqlite);
    await deployment.admin({ command: "migrate" });
    const { data } = deployment;
    await mkdir(join(data, "files", "ab"), { recursive: true });
    await writeFile(join(data, "files", "ab", "c".repeat(64)), "bytes");
    await writeFile(join(data, "innkeep.db"), "");
    await expect(deployment.admin(command)).rejects.toThrow("Put the database back");
    await deployment.remove();
  });

  it("apply all migrations of this version to a new database", async () => {
    const deployment = await makeDeployment(sqlite);
    expect(await deployment.admin({ command: "migrate" })).toEqual({ migration: expect.any(Number) });
    expect(await deployment.admin({ command: "check" })).toEqual({ ok: true, files: 0, orphans: 0 });
    await deployment.remove();
  });
});
