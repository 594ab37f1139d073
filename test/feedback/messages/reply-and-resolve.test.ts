import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Service, startService } from "../../support/service/service.ts";
import { makeTeam, type Team } from "../../support/worlds/members/team.ts";
import { sendFeedback } from "../../support/worlds/owner-with-one-of-each.ts";

describe("a message that also changes its thread", () => {
  let service: Service;
  let team: Team;
  let maria: Awaited<ReturnType<Team["join"]>>;
  let id: string;
  beforeAll(async () => {
    service = await startService();
    team = await makeTeam(service);
    maria = await team.join("maintainer");
  });
  beforeEach(async () => {
    id = await sendFeedback(service, team.app.key);
  });
  afterAll(() => service.stop());

  const say = (more: object) =>
    maria.call("POST", `/feedback/${id}/messages`, { direction: "outbound", body: "Mended.", ...more });
  const thread = async () => Object((await team.call("GET", `/feedback/${id}`)).body);

  it("is sent as a reply, and changes status, type, assignee and tags", async () => {
    const change = { status: "resolved", category: "question", assignee: "me", addTags: ["done"] };
    expect((await say({ change })).status).toBe(201);
    expect(await thread()).toMatchObject({
      feedback: { status: "resolved", category: "question" },
      assignee: { email: maria.email },
      tags: [{ name: "done" }],
      messages: [{ direction: "outbound", body: "Mended." }],
    });
  });

  it("can be a note", async () => {
    expect((await say({ direction: "note", change: { status: "archived" } })).status).toBe(201);
    expect(await thread()).toMatchObject({
      feedback: { status: "archived" },
      messages: [{ body: "Mended." }],
    });
  });

  it("changes nothing if the reply is refused", async () => {
    await team.call("POST", `/feedback/${id}/messages`, { direction: "note", body: "Wait." });
    const refused = await say({ change: { status: "resolved" }, expectedMessageId: null });
    expect(refused.field("code")).toBe("answered");
    expect((await thread()).feedback.status).toBe("open");
  });

  it("is not sent if the change is refused", async () => {
    const assignee = await team.call("PATCH", `/feedback/${id}`, { assignee: "me" });
    expect(assignee.status).toBe(200);
    const refused = await say({ change: { assignee: "me", expectedAssignee: null } });
    expect(refused.field("code")).toBe("assignee_changed");
    expect((await say({ change: { status: "lost" } })).status).toBe(400);
    expect((await thread()).messages).toEqual([]);
  });
});
