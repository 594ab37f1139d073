import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { databases } from "../../support/database/databases.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { makeTeam, type Team } from "../../support/worlds/members/team.ts";
import { bearer, propose, sendFeedback } from "../../support/worlds/owner-with-one-of-each.ts";

describe.each(databases)("the events of a thread on $name", (engine) => {
  let service: Service;
  let team: Team;
  beforeAll(async () => {
    service = await startService({ engine });
    team = await makeTeam(service);
  });
  afterAll(() => service.stop());

  const send = (report: object = {}) => sendFeedback(service, team.app.key, report);
  const change = (id: string, body: object) => team.call("PATCH", `/feedback/${id}`, body);
  const eventsOf = async (id: string, call = team.call) =>
    Object((await call("GET", `/feedback/${id}/events`)).body).items;

  it("name each changed field with its value before and after, oldest first", async () => {
    const id = await send({ subject: "It stops" });
    const maria = await team.join("maintainer");
    await change(id, { status: "in_progress", category: "feature" });
    await maria.call("PATCH", `/feedback/${id}`, { assignee: "me", addTags: ["crash"] });
    await change(id, { subject: "It stops twice", githubIssueUrl: "https://github.com/a/b/issues/1" });
    const events: { by: string; kind: string; from: string; to: string }[] = await eventsOf(id);
    expect(events.map(({ by, kind, from, to }) => [by, kind, from, to])).toEqual([
      [team.owner.email, "status", "open", "in_progress"],
      [team.owner.email, "type", "bug", "feature"],
      [maria.email, "assignee", null, maria.email],
      [maria.email, "tags", null, "crash"],
      [team.owner.email, "subject", "It stops", "It stops twice"],
      [team.owner.email, "issue", null, "https://github.com/a/b/issues/1"],
    ]);
  });

  it("name the token with which a program changed the thread", async () => {
    const id = await send();
    const token = await service.makeToken(team.owner, "maintainer", { scopes: ["feedback:write"] });
    const headers = bearer(token);
    await service.request("PATCH", `/api/v1/console/feedback/${id}`, {
      headers,
      body: { status: "resolved" },
    });
    expect(await eventsOf(id)).toMatchObject([
      { by: team.owner.email, kind: "status", to: "resolved", tokenId: expect.any(String) },
    ]);
  });

  it("contain the decisions on proposals", async () => {
    const id = await send();
    const runId = await propose(service, await service.makeToken(team.owner, "agent"), id);
    await team.call("POST", `/runs/${runId}/decision`, { decision: "approve" });
    expect(await eventsOf(id)).toMatchObject([
      { by: team.owner.email, kind: "decision", from: null, to: "approve", runId },
    ]);
  });

  it("contain the published release notes that name the thread", async () => {
    const id = await send();
    const note = { title: "Calm", version: "2.4.1", releaseType: "patch", bodyFormat: "markdown" };
    const made = await team.call("POST", `${team.at}/changelog`, { ...note, body: `Feedback: ${id}` });
    expect(await eventsOf(id)).toEqual([]);
    const { id: entryId } = Object(made.body);
    await team.call("POST", `/changelog/${entryId}/publish`, {});
    expect(await eventsOf(id)).toMatchObject([{ kind: "release_note", to: "2.4.1: Calm", entryId }]);
  });

  it("are shown to viewers, and not to people who are no members", async () => {
    const id = await send();
    await change(id, { status: "resolved" });
    const viewer = await team.join("viewer");
    expect(await eventsOf(id, viewer.call)).toHaveLength(1);
    const stranger = await team.newcomer();
    expect((await stranger.call("GET", `/feedback/${id}/events`)).status).toBe(404);
  });
});
