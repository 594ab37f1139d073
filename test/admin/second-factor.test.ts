import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createBrowserWithoutScripts, readingOf } from "../support/browser/browser-without-scripts.ts";
import { sqlite } from "../support/database/databases.ts";
import { makeDeployment } from "../support/service/deployment.ts";
import type { Service } from "../support/service/service.ts";
import { cookieOf, postSession } from "../support/sign-in/password-accounts.ts";
import { makeFactorAccount, nextCode } from "../support/sign-in/second-factors.ts";

const secret = "s".repeat(32);

describe("a command of the operator on a running server", () => {
  it("turns off the second factor of a person who has lost it", async () => {
    const deployment = await makeDeployment(sqlite);
    const service = await deployment.serve();
    const { email, password, headers } = await makeFactorAccount(service);
    const asked = await postSession(service, { email, password });
    expect(asked.field("code")).toBe("second_factor_required");
    const removed = await deployment.admin({ command: "user remove-second-factor", email });
    expect(removed).toEqual({ userId: expect.any(String) });
    expect((await postSession(service, { email, password })).status).toBe(201);
    const audit = await service.request("GET", "/api/v1/console/audit", { headers });
    expect(audit.body).toMatchObject({
      items: expect.arrayContaining([
        expect.objectContaining({ action: "second_factor.disable", actor: "operator", address: null }),
      ]),
    });
    await expect(deployment.admin({ command: "user remove-second-factor", email })).rejects.toMatchObject({
      code: "not_found",
    });
    await service.stop();
    await deployment.remove();
  });

  it("restores no recovery code that was used after the backup, and the person sees a message about it", async () => {
    const [deployment, fresh] = [await makeDeployment(sqlite), await makeDeployment(sqlite)];
    const service = await deployment.serve({ secret });
    const account = await makeFactorAccount(service);
    const file = join(deployment.data, "backup.tar");
    await deployment.admin({ command: "backup", file });
    const signIn = (to: Service, code: string) =>
      to.request("POST", "/api/v1/console/session", {
        body: { email: account.email, password: account.password, code },
      });
    const [used = "", unused = ""] = account.recoveryCodes;
    expect((await signIn(service, used)).status).toBe(201);
    const { offsetMs } = service.clock;
    await service.stop();
    expect(await fresh.admin({ command: "restore", file })).toMatchObject({ withoutRecoveryCodes: 1 });
    const restored = await fresh.serve({ secret });
    restored.clock.setOffset(offsetMs);
    for (const code of [used, unused])
      expect((await signIn(restored, code)).field("code")).toBe("invalid_second_factor");
    const cookie = cookieOf(await signIn(restored, nextCode(restored, account.secret)));
    const person = createBrowserWithoutScripts(restored, { cookie });
    for (const path of ["/console/account", "/console/sign-in-methods"])
      expect(readingOf(await person.open(path))).toContain("You have no recovery codes");
    await restored.stop();
    for (const each of [deployment, fresh]) await each.remove();
  });
});
