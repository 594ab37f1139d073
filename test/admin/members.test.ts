import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AdminCommand } from "../../server/admin/main.ts";
import { sqlite } from "../support/database/databases.ts";
import { type Deployment, makeDeployment } from "../support/service/deployment.ts";
import type { Service } from "../support/service/service.ts";
import { cookieOf, postSession } from "../support/sign-in/password-accounts.ts";

const password = "correct horse battery staple";
const unknownApp = "00000000-0000-4000-8000-000000000000";

describe("the members of an app, in the commands of the operator,", () => {
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
  const makePerson = async () => {
    const email = `person${accounts++}@example.org`;
    await admin({ command: "user create", email, password });
    const headers = { cookie: cookieOf(await postSession(service, { email, password })) };
    return {
      email,
      get: (path: string) => service.request("GET", `/api/v1/console${path}`, { headers }),
    };
  };
  const makeApp = async () => {
    const owner = await makePerson();
    const { appId } = await admin({ command: "app create", name: "Larder", owner: owner.email });
    return { owner, appId: String(appId) };
  };
  const rolesIn = async (appId: string) => {
    const { items } = await admin({ command: "member list", appId });
    return JSON.parse(JSON.stringify(items)).map(({ email, role }: Record<string, string>) => [email, role]);
  };

  it("can be added, get other roles and be removed while the server is running", async () => {
    const { owner, appId } = await makeApp();
    const { email, get } = await makePerson();
    const status = async () => (await get(`/apps/${appId}`)).status;
    expect(await status()).toBe(404);
    await admin({ command: "member add", appId, email: email.toUpperCase(), role: "owner" });
    await expect.poll(() => get(`/apps/${appId}`)).toMatchObject({ body: { role: "owner" } });
    expect(await rolesIn(appId)).toEqual([
      [owner.email, "owner"],
      [email, "owner"],
    ]);
    // The owner who has left the team is removed, and the new owner stays.
    await admin({ command: "member remove", appId, email: owner.email });
    await expect.poll(async () => (await owner.get(`/apps/${appId}`)).status).toBe(404);
    await admin({ command: "member add", appId, email: owner.email, role: "maintainer" });
    await admin({ command: "member role", appId, email: owner.email, role: "viewer" });
    expect(await rolesIn(appId)).toEqual([
      [email, "owner"],
      [owner.email, "viewer"],
    ]);
    const audit = await get(`/audit?appId=${appId}`);
    const ofOperator = Object(audit.body).items.filter(
      ({ actor }: { actor: string }) => actor === "operator",
    );
    const actions = ofOperator.map(({ action }: { action: string }) => action);
    expect(actions.slice(0, 4)).toEqual(["member.update", "member.create", "member.delete", "member.create"]);
  });

  it.each([
    { what: "change of the role", command: { command: "member role", role: "viewer" } },
    { what: "removal", command: { command: "member remove" } },
  ] as const)("include at least one owner: the $what of the last owner is refused", async ({ command }) => {
    const { owner, appId } = await makeApp();
    const change = admin({ ...command, appId, email: owner.email });
    await expect(change).rejects.toMatchObject({ code: "last_owner" });
    expect(await rolesIn(appId)).toEqual([[owner.email, "owner"]]);
  });

  it("cannot be added twice, and need an account and an app", async () => {
    const { owner, appId } = await makeApp();
    const add = (change: { appId?: string; email?: string }) =>
      admin({ command: "member add", appId, email: owner.email, role: "viewer", ...change });
    await expect(add({})).rejects.toMatchObject({ code: "already_member" });
    await expect(add({ email: "nobody@example.org" })).rejects.toMatchObject({ code: "not_found" });
    await expect(add({ appId: unknownApp })).rejects.toMatchObject({ code: "not_found" });
    const { email } = await makePerson();
    const remove = admin({ command: "member remove", appId, email });
    await expect(remove).rejects.toThrow(`${email} is not a member of this app.`);
  });
});
