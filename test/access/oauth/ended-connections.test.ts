import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tidy } from "../../../server/jobs/housekeeping.ts";
import { createBrowserWithoutScripts, readingOf } from "../../support/browser/browser-without-scripts.ts";
import { sqlite } from "../../support/database/databases.ts";
import { temporaryFolder } from "../../support/files/temporary-folder.ts";
import { makeDeployment } from "../../support/service/deployment.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { connect, refresh, toolsStatus } from "../../support/sign-in/oauth.ts";
import { makeAppWithAgent } from "../../support/worlds/app-with-owner-and-agent.ts";

const day = 86_400_000;

describe("a connection that has ended automatically", () => {
  it("is shown as ended after a restore, and the program gets an error that asks it to connect again", async () => {
    const old = await makeDeployment(sqlite);
    const before = await old.serve();
    const cast = await makeAppWithAgent(before);
    const connected = await connect(before, cast.person);
    expect(await connectionsOf(before, cast.person)).toEqual([false]);
    await before.stop();
    const file = join(await temporaryFolder(), "backup.tar");
    await old.admin({ command: "backup", file });
    const fresh = await makeDeployment(sqlite);
    await fresh.admin({ command: "restore", file });
    const service = await fresh.serve();
    const person = await service.signIn(cast.owner);
    expect(await toolsStatus(service, connected.access)).toBe(401);
    const refused = await refresh(service, connected.program, connected.refreshToken);
    expect(refused.body).toMatchObject({ error: "invalid_grant" });
    expect(await connectionsOf(service, person)).toEqual([true]);
    const page = await createBrowserWithoutScripts(service, person).open("/console/tokens");
    expect(readingOf(page)).toContain("Connection Ended");
    expect(readingOf(page)).toContain("Connect the agent again");
    await service.stop();
    await Promise.all([old.remove(), fresh.remove()]);
  });

  it("is shown as ended after 90 days without a refresh, and for 90 more days", async () => {
    const service = await startService();
    const { owner, person } = await makeAppWithAgent(service);
    await connect(service, person);
    const listed = async () => connectionsOf(service, await service.signIn(owner));
    const pass = async (days: number) => {
      service.clock.pass(days * day);
      await tidy(service.deps);
      return listed();
    };
    expect(await pass(89)).toEqual([false]);
    expect(await pass(2)).toEqual([true]);
    expect(await pass(80)).toEqual([true]);
    expect(await pass(15)).toEqual([]);
    await service.stop();
  });

  it("is kept as long as its program refreshes its tokens", async () => {
    const service = await startService();
    const { owner, person } = await makeAppWithAgent(service);
    let { program, refreshToken } = await connect(service, person);
    for (let count = 0; count < 5; count += 1) {
      service.clock.pass(60 * day);
      refreshToken = (await refresh(service, program, refreshToken)).field("refresh_token");
      await tidy(service.deps);
    }
    expect(await connectionsOf(service, await service.signIn(owner))).toEqual([false]);
    await service.stop();
  });
});

/** Returns for each connection that the console lists whether it has ended. */
async function connectionsOf(service: Service, person: Record<string, string>): Promise<boolean[]> {
  const { text } = await service.request("GET", "/api/v1/console/tokens", { headers: person });
  return [...text.matchAll(/"kind":"oauth"[^}]*"ended":(true|false)/g)].map(([, ended]) => ended === "true");
}
