import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { databases } from "../support/database/databases.ts";
import { filesIn, temporaryFolder } from "../support/files/temporary-folder.ts";
import { makeDeployment } from "../support/service/deployment.ts";
import { grace, graceAddress, makePersonEverywhere } from "../support/worlds/people/person-everywhere.ts";

describe.each(databases)("a command of the operator on $name", (engine) => {
  it("erases a person everywhere, together with the account", async () => {
    const deployment = await makeDeployment(engine);
    onTestFinished(() => deployment.remove());
    const service = await deployment.serve();
    const worlds = [await makePersonEverywhere(service), await makePersonEverywhere(service)];
    const account = await service.makeUser(graceAddress);
    const { app } = worlds[0] ?? expect.fail("There is no world.");
    const createdAt = new Date().toISOString();
    await service.deps.database.insert("app_members", {
      ...{ app_id: app.id, user_id: account.id, role: "owner", created_at: createdAt },
    });
    const headers = await service.signIn(account);
    const faq = { question: "Mine?", answer: "Yes." };
    await service.request("POST", `/api/v1/console/apps/${app.id}/faqs`, { headers, body: faq });
    await service.stop();

    const erased = await deployment.admin({ command: "user erase", email: grace });
    expect(erased).toMatchObject({
      ...{ account: "deleted", files: "deleted" },
      erased: { threads: 2, reports: 2, messages: 2, files: 6, invitations: 2 },
    });
    const file = join(await temporaryFolder(), "backup.tar");
    await deployment.admin({ command: "backup", file });
    const places = engine.engine === "sqlite" ? [file, ...(await filesIn(deployment.data))] : [file];
    for (const place of places)
      expect((await readFile(place)).toString("latin1").toLowerCase().includes(graceAddress)).toBe(false);
    expect(await deployment.admin({ command: "user erase", email: grace })).toMatchObject({
      account: "none",
    });
  });

  it("does not erase the only owner of an app", async () => {
    const deployment = await makeDeployment(engine);
    onTestFinished(() => deployment.remove());
    const service = await deployment.serve();
    const owner = await service.makeUser();
    await service.makeApp(owner, { name: "Larder" });
    await service.stop();
    await expect(deployment.admin({ command: "user erase", email: owner.email })).rejects.toMatchObject({
      ...{ code: "last_owner", message: expect.stringContaining("Larder would have no owner.") },
    });
  });
});
