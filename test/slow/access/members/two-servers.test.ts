import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TestDatabase } from "../../../support/database/databases.ts";
import { postgres } from "../../../support/database/databases.ts";
import { eventually } from "../../../support/eventually.ts";
import { type Service, startService } from "../../../support/service/service.ts";
import { makeTeam } from "../../../support/worlds/members/team.ts";
import { bearer, propose, sendFeedback } from "../../../support/worlds/owner-with-one-of-each.ts";

describe("the members of an app on two servers with one PostgreSQL database", () => {
  let database: TestDatabase;
  let one: Service;
  let other: Service;
  beforeAll(async () => {
    database = await postgres.create();
    [one, other] = [await startService({ database }), await startService({ database })];
  });
  afterAll(async () => {
    await Promise.all([one.stop(), other.stop()]);
    await database.remove();
  });

  it("soon lose session, tokens, stored answers and waiting requests on one server after the other server removed them", async () => {
    const team = await makeTeam(one);
    const member = await team.join("owner");
    const threadId = await sendFeedback(one, team.app.key);
    const agent = bearer(await one.makeToken(member, "agent"));
    const runId = await propose(one, await one.makeToken(team.owner, "agent"), threadId);
    const here = { ...member.headers, origin: other.baseUrl };
    const repeat = () =>
      other.request("PATCH", `/api/v1/console/feedback/${threadId}`, {
        headers: { ...here, "idempotency-key": "once" },
        body: { status: "in_progress" },
      });
    const looks = async () => [
      (await other.request("GET", `/api/v1/console/feedback/${threadId}`, { headers: here })).status,
      (await other.request("GET", `/api/v1/agent/feedback/${threadId}`, { headers: agent })).status,
      (await other.request("GET", `/api/v1/agent/runs/${runId}`, { headers: agent })).status,
      (await repeat()).status,
    ];
    expect(await looks()).toEqual([200, 200, 200, 200]);
    const waiting = other.request("GET", `/api/v1/agent/runs/${runId}?wait=55`, { headers: agent });
    expect((await team.call("DELETE", `/apps/${team.app.id}/members/${member.id}`)).status).toBe(204);
    await eventually(async () => expect(await looks()).toEqual([404, 404, 404, 404]));
    expect((await waiting).status).toBe(404);
  });

  it("still include an owner if the last two leave on different servers at the same time", async () => {
    const team = await makeTeam(one);
    const second = await team.join("owner");
    const leave = (service: Service, user: { id: string }, headers: Record<string, string>) =>
      service.request("DELETE", `/api/v1/console/apps/${team.app.id}/members/${user.id}`, {
        headers: { ...headers, origin: service.baseUrl },
      });
    const answers = await Promise.all([
      leave(one, team.owner, await one.signIn(team.owner)),
      leave(other, second, second.headers),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 409]);
  });

  it("accept an invitation once, on one of the servers", async () => {
    const team = await makeTeam(one);
    const { token } = await team.invite("both@example.org");
    const person = await team.newcomer("both@example.org");
    const accept = (service: Service) =>
      service.request("POST", `/api/v1/console/invitations/${token}/accept`, {
        headers: { ...person.headers, origin: service.baseUrl },
      });
    const answers = await Promise.all([accept(one), accept(other), accept(one), accept(other)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404]);
  });
});
