import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Service, startService } from "../../../support/service/service.ts";
import { makeTeam, type Team } from "../../../support/worlds/members/team.ts";
import { sendFeedback } from "../../../support/worlds/owner-with-one-of-each.ts";

describe("a reply with the newest one that its writer saw", () => {
  let service: Service;
  let team: Team;
  let maria: Awaited<ReturnType<Team["join"]>>;
  beforeAll(async () => {
    service = await startService();
    team = await makeTeam(service);
    maria = await team.join("maintainer");
  });
  afterAll(() => service.stop());

  const start = async () => {
    const id = await sendFeedback(service, team.app.key);
    const say = (call: Team["call"], more: object = {}) =>
      call("POST", `/feedback/${id}/messages`, { direction: "outbound", body: "On it.", ...more });
    const idOf = async (answer: ReturnType<typeof say>): Promise<string> => Object((await answer).body).id;
    return { id, say, idOf };
  };

  it("is refused after a reply of somebody else, with who replied and when", async () => {
    const { say } = await start();
    const first = await say(team.call, { expectedReplyId: null });
    expect(first.status).toBe(201);
    const { createdAt } = Object(first.body);
    expect(await say(maria.call, { expectedReplyId: null })).toMatchObject({
      status: 409,
      body: {
        code: "reply_added",
        error: `${team.owner.email} replied at ${createdAt}. Read it, then decide.`,
      },
    });
  });

  it("is sent by who has read the newest one, and without the field as before", async () => {
    const { say, idOf } = await start();
    const expectedReplyId = await idOf(say(team.call));
    expect((await say(maria.call)).status).toBe(201);
    const own = await start();
    const read = await own.idOf(own.say(team.call));
    expect((await own.say(maria.call, { expectedReplyId: read })).status).toBe(201);
    expect((await say(team.call, { expectedReplyId })).status).toBe(409);
  });

  it("is sent after the own replies, and a note is never refused", async () => {
    const { say } = await start();
    await say(maria.call);
    expect((await say(maria.call, { expectedReplyId: null })).status).toBe(201);
    expect((await say(team.call, { expectedReplyId: null, direction: "note" })).status).toBe(201);
    await say(team.call, { direction: "note" });
    expect((await say(maria.call, { expectedReplyId: null })).status).toBe(201);
  });

  it("is sent once when two send at the same moment", async () => {
    const { say } = await start();
    const both = await Promise.all(
      [team.call, maria.call].map((call) => say(call, { expectedReplyId: null })),
    );
    expect(both.map(({ status }) => status).sort()).toEqual([201, 409]);
  });
});
