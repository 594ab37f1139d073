import { describe, expect, it } from "vitest";
import { databases } from "../../support/database/databases.ts";
import { makeDeployment } from "../../support/service/deployment.ts";
import { postSession } from "../../support/sign-in/password-accounts.ts";
import { makeFactorAccount } from "../../support/sign-in/second-factors.ts";

describe.each(databases)("the operator, next to a running server on $name,", (engine) => {
  it("turns off the second factor of a person who has lost it", async () => {
    const deployment = await makeDeployment(engine);
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
});
