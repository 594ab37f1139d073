import { describe, expect, it } from "vitest";
import { type Service, startService } from "../../support/service/service.ts";
import { askForTokens, connect, refresh, toolsStatus } from "../../support/sign-in/oauth.ts";
import { makeAppWithAgent } from "../../support/worlds/app-with-owner-and-agent.ts";

describe("the limits of programs", () => {
  it("count the token requests of one network address, and tell the program how long to wait", async () => {
    const environment = { INNKEEP_RATE_LIMITS: "connectionsByAddress=6/900" };
    const service = await startService({ environment });
    const { program, access, refreshToken } = await connect(
      service,
      (await makeAppWithAgent(service)).person,
    );
    for (let count = 0; count < 3; count += 1)
      expect((await askForTokens(service, { grant_type: "password", client_id: "x" })).status).toBe(400);
    for (let count = 0; count < 2; count += 1)
      expect((await askForTokens(service, { token: "unknown" }, "/oauth/revoke")).status).toBe(200);
    for (const refused of [
      await refresh(service, program, refreshToken),
      await askForTokens(service, { token: refreshToken }, "/oauth/revoke"),
    ]) {
      expect([refused.status, refused.body]).toMatchObject([429, { error: "temporarily_unavailable" }]);
      expect(refused.headers.get("retry-after")).toMatch(/^\d+$/);
    }
    expect(await toolsStatus(service, access)).toBe(200);
    await forgetUses(service);
    expect((await refresh(service, program, refreshToken)).status).toBe(200);
    await service.stop();
  });

  it("apply to the refreshes of one connection, which continues afterwards, and do not affect another connection", async () => {
    const environment = { INNKEEP_RATE_LIMITS: "refreshesByConnection=2/3600" };
    const service = await startService({ environment });
    const { person } = await makeAppWithAgent(service);
    const eager = await connect(service, person);
    const other = await connect(service, person);
    let { refreshToken } = eager;
    for (let count = 0; count < 2; count += 1)
      refreshToken = (await refresh(service, eager.program, refreshToken)).field("refresh_token");
    expect((await refresh(service, eager.program, refreshToken)).status).toBe(429);
    expect((await refresh(service, other.program, other.refreshToken)).status).toBe(200);
    await forgetUses(service);
    const next = await refresh(service, eager.program, refreshToken);
    expect(next.status).toBe(200);
    // A repeated request does not count for the limit.
    for (let count = 0; count < 3; count += 1)
      expect((await refresh(service, eager.program, refreshToken)).body).toEqual(next.body);
    await service.stop();
  });
});

/** PostgreSQL counts by its own clock, which no test moves. */
const forgetUses = ({ deps }: Service) => deps.database.write((tx) => tx.run("DELETE FROM rate_limits"));
