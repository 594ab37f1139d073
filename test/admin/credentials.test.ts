import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AdminCommand } from "../../server/admin/main.ts";
import { sqlite } from "../support/database/databases.ts";
import { type Deployment, makeDeployment } from "../support/service/deployment.ts";
import type { Service } from "../support/service/service.ts";
import { cookieOf, postSession } from "../support/sign-in/password-accounts.ts";
import { bearer } from "../support/worlds/owner-with-one-of-each.ts";

const password = "correct horse battery staple";
const newPassword = "a quite different sentence";

describe("a command of the operator on a running server", () => {
  let deployment: Deployment;
  let service: Service;
  let accounts = 0;
  beforeAll(async () => {
    deployment = await makeDeployment(sqlite);
    service = await deployment.serve();
  });
  afterAll(async () => {
    await service.stop();
    await deployment.remove();
  });

  const admin = (command: AdminCommand) => deployment.admin(command);
  async function makeOwner() {
    const owner = `owner${accounts++}@example.org`;
    await admin({ command: "user create", email: owner, password });
    const { appId, apiKey } = await admin({ command: "app create", name: "Larder", owner });
    const headers = { cookie: cookieOf(await postSession(service, { email: owner, password })) };
    return { owner, appId: String(appId), apiKey: String(apiKey), headers };
  }
  const makeToken = async (owner: string) => {
    const scopes = ["apps:read"];
    const made = await admin({ command: "token create", kind: "maintainer", owner, scopes, label: "CI" });
    return { id: String(made.tokenId), token: String(made.token) };
  };
  const apps = (headers: Record<string, string>) =>
    service.request("GET", "/api/v1/console/apps", { headers }).then(({ status }) => status);
  const faqs = (apiKey: string) =>
    service
      .request("GET", "/api/v1/faqs/remote", { headers: { "x-api-key": apiKey } })
      .then(({ status }) => status);
  const lastDeed = async (headers: Record<string, string>) =>
    Object((await service.request("GET", "/api/v1/console/audit", { headers })).body).items[0];

  it("gives an account a new password, which ends its sessions", async () => {
    const { owner, headers } = await makeOwner();
    const { token } = await makeToken(owner);
    expect(await apps(headers)).toBe(200);
    const given = { email: ` ${owner.toUpperCase()}`, password: newPassword };
    expect(await admin({ command: "user password", ...given })).toMatchObject({ sessionsEnded: 1 });
    await expect.poll(() => apps(headers)).toBe(401);
    expect((await postSession(service, { email: owner, password })).status).toBe(401);
    const signedIn = await postSession(service, { email: owner, password: newPassword });
    expect(signedIn.status).toBe(201);
    expect(await apps(bearer(token))).toBe(200);
    const cookie = cookieOf(signedIn);
    const { body } = await service.request("GET", "/api/v1/console/audit", { headers: { cookie } });
    expect(body).toMatchObject({
      items: expect.arrayContaining([
        expect.objectContaining({ action: "user.password", actor: "operator", address: null }),
      ]),
    });
  });

  it("gives a token a new secret, and the old secret ends immediately or after some minutes", async () => {
    const { owner, headers } = await makeOwner();
    const made = await makeToken(owner);
    const rotate = async (graceMinutes?: number) =>
      String((await admin({ command: "token rotate", id: made.id, graceMinutes })).token);
    const second = await rotate(10);
    expect([await apps(bearer(made.token)), await apps(bearer(second))]).toEqual([200, 200]);
    const third = await rotate();
    await expect.poll(() => apps(bearer(second))).toBe(401);
    expect([await apps(bearer(made.token)), await apps(bearer(third))]).toEqual([401, 200]);
    expect(await lastDeed(headers)).toMatchObject({ action: "token.rotate", target: made.id });
    await expect(admin({ command: "token rotate", id: made.id, graceMinutes: 61 })).rejects.toThrow();
  });

  it("creates a token with an end", async () => {
    const { owner, headers } = await makeOwner();
    const expiresAt = "2999-01-01T00:00:00.000Z";
    await admin({ command: "token create", kind: "agent", owner, expiresAt });
    const { body } = await service.request("GET", "/api/v1/console/tokens", { headers });
    expect(body).toMatchObject({ items: [expect.objectContaining({ expiresAt, ended: false })] });
    const over = admin({
      command: "token create",
      kind: "agent",
      owner,
      expiresAt: "2020-01-01T00:00:00.000Z",
    });
    await expect(over).rejects.toThrow();
  });

  it("does not end the sessions of other accounts", async () => {
    const { owner } = await makeOwner();
    const { headers } = await makeOwner();
    await admin({ command: "user password", email: owner, password: newPassword });
    expect(await apps(headers)).toBe(200);
  });

  it("changes nothing with a wrong password or an unknown account", async () => {
    const { owner, headers } = await makeOwner();
    await expect(admin({ command: "user password", email: owner, password: "short" })).rejects.toMatchObject({
      details: { issues: [{ path: "password" }] },
    });
    await expect(
      admin({ command: "user password", email: "nobody@example.org", password: newPassword }),
    ).rejects.toMatchObject({ code: "not_found" });
    expect(await apps(headers)).toBe(200);
  });

  it("lists the tokens of all accounts or of one account, without their secrets", async () => {
    const [one, two] = [await makeOwner(), await makeOwner()];
    const [first, second] = [await makeToken(one.owner), await makeToken(two.owner)];
    const all = await admin({ command: "token list" });
    expect(all).toMatchObject({
      items: expect.arrayContaining([
        expect.objectContaining({
          id: first.id,
          owner: one.owner,
          scopes: ["apps:read"],
          createdBy: "operator",
        }),
        expect.objectContaining({ id: second.id, owner: two.owner, kind: "maintainer", label: "CI" }),
      ]),
    });
    expect(JSON.stringify(all)).not.toContain(first.token);
    const { items } = await admin({ command: "token list", owner: two.owner.toUpperCase() });
    expect(items).toMatchObject([{ id: second.id }]);
    await expect(admin({ command: "token list", owner: "nobody@example.org" })).rejects.toMatchObject({
      code: "not_found",
    });
  });

  it("lists the keys of all apps, of one app, or of one account", async () => {
    const { owner, appId, apiKey } = await makeOwner();
    const { keyId } = await admin({ command: "key create", appId, kind: "intake", label: "iOS" });
    const mine = [
      { kind: "full", appId, app: "Larder", owner },
      { id: keyId, kind: "intake", label: "iOS", appId, owner },
    ];
    expect((await admin({ command: "key list", appId })).items).toMatchObject(mine);
    expect((await admin({ command: "key list", owner })).items).toMatchObject(mine);
    const all = await admin({ command: "key list" });
    expect(all).toMatchObject({ items: expect.arrayContaining([expect.objectContaining({ id: keyId })]) });
    expect(JSON.stringify(all)).not.toContain(apiKey);
    const unknown = "01a1fd94-fc70-758b-94ab-a4e978aef61f";
    await expect(admin({ command: "key list", appId: unknown })).rejects.toMatchObject({ code: "not_found" });
  });

  it("revokes a token, which the running server then refuses", async () => {
    const { owner, headers } = await makeOwner();
    const { id, token } = await makeToken(owner);
    expect(await apps(bearer(token))).toBe(200);
    expect(await admin({ command: "token revoke", id })).toMatchObject({ tokenId: id, owner, label: "CI" });
    await expect.poll(() => apps(bearer(token))).toBe(401);
    expect(await lastDeed(headers)).toMatchObject({
      ...{ action: "token.delete", actor: "operator", target: id, address: null },
    });
    await expect(admin({ command: "token revoke", id })).rejects.toMatchObject({ code: "not_found" });
  });

  it("revokes a key, which the running server then refuses", async () => {
    const { owner, appId, apiKey, headers } = await makeOwner();
    expect(await faqs(apiKey)).toBe(200);
    const { items } = await admin({ command: "key list", appId });
    const id = String(Object(items)[0].id);
    expect(await admin({ command: "key revoke", id })).toMatchObject({ keyId: id, appId, owner });
    await expect.poll(() => faqs(apiKey)).toBe(401);
    expect(await lastDeed(headers)).toMatchObject({
      ...{ action: "key.delete", actor: "operator", appId, target: id },
    });
  });

  it("can identify a credential by the beginning of its id if no other id begins with it", async () => {
    const { owner } = await makeOwner();
    const [one, two] = [await makeToken(owner), await makeToken(owner)];
    await expect(admin({ command: "token revoke", id: one.id.slice(0, 4) })).rejects.toMatchObject({
      details: { issues: [{ path: "id" }] },
    });
    await expect(admin({ command: "token revoke", id: "" })).rejects.toMatchObject({ code: "not_found" });
    await admin({ command: "token revoke", id: one.id.slice(0, -1).toUpperCase() });
    const { items } = await admin({ command: "token list", owner });
    expect(items).toMatchObject([{ id: two.id }]);
  });
});
