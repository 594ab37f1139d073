import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openHttpSession } from "../../mcp/support/http-session.ts";
import { readToolResult } from "../../mcp/support/tool-result.ts";
import { databases, type TestDatabase } from "../../support/database/databases.ts";
import { eventually } from "../../support/eventually.ts";
import { nextDecisionCheck } from "../../support/service/next-decision-check.ts";
import type { Answer } from "../../support/service/request.ts";
import { type Service, startService } from "../../support/service/service.ts";
import {
  allow,
  askForTokens,
  connect,
  exchangeCode,
  refresh,
  registerProgram,
  toolsStatus,
} from "../../support/sign-in/oauth.ts";
import { rounds } from "../../support/torture.ts";
import {
  type AppWithAgent,
  makeAppWithAgent,
  propose,
  submitFeedback,
} from "../../support/worlds/app-with-owner-and-agent.ts";

describe.each(databases)("a connection to two servers with one database on $name", (engine) => {
  it("ends on both when it is ended on one, and so do a waiting request and a stream on the other", async () => {
    const database = await engine.create();
    const secret = "the same secret";
    const one = await startService({ database, secret });
    const other = await startService({ database, secret });
    const cast = await makeAppWithAgent(one);
    for (let round = 0; round < rounds(1, 10); round += 1) {
      const { access } = await connect(one, cast.person);
      const run_id = await propose(one, cast, await submitFeedback(one, cast));
      const client = await openHttpSession("2026-07-28", { baseUrl: other.baseUrl, token: access });
      const looked = nextDecisionCheck(other);
      const waiting = client.callTool("get_decision", { run_id, wait_seconds: 50 });
      await looked;
      const { closed } = await client.follow(["innkeep://queue"], () => {});
      const { body } = await one.request("GET", "/api/v1/console/tokens", { headers: cast.person });
      await one.request("DELETE", `/api/v1/console/tokens/${connectionIn(body)}`, { headers: cast.person });
      expect(readToolResult(await waiting)).toMatchObject({ isError: true });
      expect(await closed).toBe("graceful");
      expect([await toolsStatus(one, access), await toolsStatus(other, access)]).toEqual([401, 401]);
    }
    await one.stop();
    await other.stop();
    await database.remove();
  });
});

describe.each(databases)("programs that send requests to two servers at the same time on $name", (engine) => {
  let database: TestDatabase;
  let servers: readonly [Service, Service];
  let cast: AppWithAgent;
  beforeAll(async () => {
    database = await engine.create();
    const options = { database, secret: "the same secret", environment: { INNKEEP_RATE_LIMITS: "off" } };
    servers = [await startService(options), await startService(options)];
    cast = await makeAppWithAgent(servers[0]);
  });
  afterAll(async () => {
    await Promise.all(servers.map((service) => service.stop()));
    await database.remove();
  });

  const tenTimes = (ask: (service: Service) => Promise<Answer>) =>
    Promise.all(Array.from({ length: 5 }, () => servers.map(ask)).flat());

  it("get at most one connection for a code", async () => {
    const program = await registerProgram(servers[0]);
    const code = await allow(servers[0], cast.person, program);
    const answers = await tenTimes((service) => exchangeCode(service, program, code));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(9);
  });

  it("get the same tokens for a refresh token, and these are valid on both servers", async () => {
    const { program, refreshToken } = await connect(servers[0], cast.person);
    const answers = await tenTimes((service) => refresh(service, program, refreshToken));
    const given = new Set(answers.map((answer) => answer.field("access_token")));
    expect(given.size).toBe(1);
    for (const service of servers) expect(await toolsStatus(service, [...given].join())).toBe(200);
  });

  it("end the connection on both servers if they use an old refresh token on the other server", async () => {
    const [one, other] = servers;
    const { program, refreshToken } = await connect(one, cast.person);
    const next = await refresh(one, program, refreshToken);
    one.clock.advance(60_001);
    other.clock.advance(60_001);
    expect((await refresh(other, program, refreshToken)).status).toBe(400);
    await eventually(async () => expect(await toolsStatus(one, next.field("access_token"))).toBe(401));
  });

  it("are refused as usual if the connection ends during a refresh", async () => {
    const [one, other] = servers;
    const { program, refreshToken } = await connect(one, cast.person);
    const refreshing = await one.deps.database.write(async (tx) => {
      await tx.run("DELETE FROM tokens WHERE kind = 'oauth'");
      const asked = refresh(other, program, refreshToken);
      if (engine.engine === "postgres")
        await eventually(async () => expect(await other.deps.database.all(waiters)).toHaveLength(1));
      return { asked };
    });
    expect(await refreshing.asked).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
  });

  it("leave no connection and cause no error if they refresh, revoke and repeat at the same time", async () => {
    const [one, other] = servers;
    for (let round = 0; round < rounds(3, 50); round += 1) {
      const { program, access, refreshToken } = await connect(one, cast.person);
      const giveBack = (service: Service, token: string) =>
        askForTokens(service, { token, client_id: program.clientId }, "/oauth/revoke");
      const answers = await Promise.all([
        ...[one, other, one, other].map((service) => refresh(service, program, refreshToken)),
        ...[giveBack(one, access), giveBack(other, refreshToken), giveBack(one, refreshToken)],
      ]);
      expect(answers.filter(({ status }) => status !== 200 && status !== 400)).toEqual([]);
      const tokens = answers.filter((answer) => answer.text.includes("access_token"));
      for (const answer of tokens)
        await eventually(async () =>
          expect(await toolsStatus(other, answer.field("access_token"))).toBe(401),
        );
    }
  });
});

/** Statements that wait for another transaction, on PostgreSQL. */
const waiters = `SELECT 1 FROM pg_locks
  WHERE NOT granted AND pid IN (SELECT pid FROM pg_stat_activity WHERE datname = current_database())`;

function connectionIn(body: unknown): string {
  return /"id":"([\da-f-]{36})","kind":"oauth"/.exec(JSON.stringify(body))?.[1] ?? "";
}
