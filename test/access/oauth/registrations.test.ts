import { describe, expect, it } from "vitest";
import { oauthClients } from "../../../server/access/oauth/store.ts";
import { tidy } from "../../../server/jobs/housekeeping.ts";
import { createBrowserWithoutScripts } from "../../support/browser/browser-without-scripts.ts";
import { startService } from "../../support/service/service.ts";
import { allow, consentAddress, registerProgram } from "../../support/sign-in/oauth.ts";
import { makeAppWithAgent } from "../../support/worlds/app-with-owner-and-agent.ts";

describe("a large number of registrations", () => {
  it("is limited, and a registration that nobody allowed is deleted after a day", async () => {
    const service = await startService();
    const cast = await makeAppWithAgent(service);
    const used = await registerProgram(service);
    const unused = await registerProgram(service);
    await allow(service, cast.person, used);
    const answers = [];
    for (let count = 0; count < 25; count += 1)
      answers.push(
        await service.request("POST", "/oauth/register", { body: { redirect_uris: ["https://a.example/"] } }),
      );
    expect(answers.filter(({ status }) => status === 201).length).toBe(18);
    expect(answers.at(-1)?.headers.get("retry-after")).toMatch(/^\d+$/);
    service.clock.pass(86_400_001);
    await tidy(service.deps);
    const visitor = createBrowserWithoutScripts(service, await service.signIn(cast.owner));
    expect((await visitor.open(consentAddress(used))).status).toBe(200);
    expect((await visitor.open(consentAddress(unused))).status).toBe(400);
    await service.stop();
  });

  it("from many addresses does not delete the newest registrations and those that a person has allowed", async () => {
    const service = await startService({ environment: { INNKEEP_RATE_LIMITS: "off" } });
    const cast = await makeAppWithAgent(service);
    const used = await registerProgram(service);
    await allow(service, cast.person, used);
    const flood = [];
    for (let count = 0; count < 5; count += 1) {
      service.clock.advance(1_000);
      flood.push(await registerProgram(service));
    }
    const removed = await service.deps.database.write((tx) =>
      oauthClients.prune(tx, new Date(0).toISOString(), 2),
    );
    expect(removed).toBe(3);
    const visitor = createBrowserWithoutScripts(service, cast.person);
    const statuses = [];
    for (const program of [used, ...flood])
      statuses.push((await visitor.open(consentAddress(program))).status);
    expect(statuses).toEqual([200, 400, 400, 400, 200, 200]);
    await service.stop();
  });
});
