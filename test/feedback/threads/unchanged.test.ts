import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { databases } from "../../support/database/databases.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { makeTeam, type Team } from "../../support/worlds/members/team.ts";
import { sendFeedback } from "../../support/worlds/owner-with-one-of-each.ts";

const githubIssueUrl = "https://github.com/example/app/issues/7";

const values = { status: "resolved", category: "bug", subject: "Uploads stop", githubIssueUrl };

describe.each(databases)("a change with the values that a thread already has, on $name,", (engine) => {
  let service: Service;
  let team: Team;
  beforeAll(async () => {
    service = await startService({ engine, environment: { INNKEEP_RATE_LIMITS: "off" } });
    team = await makeTeam(service);
  });
  afterAll(() => service.stop());

  const bulk = (path: string, body: object, call = team.call) =>
    call("POST", `/apps/${team.app.id}/feedback/bulk${path}`, body);
  const makeThread = async () => {
    const id = await sendFeedback(service, team.app.key);
    const change = { ...values, assignee: "me", addTags: ["seen"] };
    expect((await team.call("PATCH", `/feedback/${id}`, change)).status).toBe(200);
    return id;
  };
  /** Everything that a change of a thread stores apart from its values. */
  const tracesOf = async (id: string) => {
    const { database } = service.deps;
    const count = async (sql: string) => Number((await database.get<{ count: number }>(sql, id))?.count);
    return {
      thread: await database.get(
        `SELECT f.activity_count AS activity, f.active_at AS "activeAt", t.resolved_at AS "resolvedAt"
         FROM feedback f JOIN thread_times t ON t.feedback_id = f.id WHERE f.id = ?`,
        id,
      ),
      events: await count("SELECT count(*) AS count FROM events WHERE subject_id = ?"),
      entries: await count("SELECT count(*) AS count FROM audit WHERE target = ?"),
    };
  };

  it.each([
    ...[{ status: "resolved" }, { category: "bug" }, { subject: "Uploads stop" }, { githubIssueUrl }],
    ...[{ assignee: "me" }, { assignee: "me", expectedAssignee: null }, { addTags: ["seen"] }],
    ...[{ removeTags: ["unknown"] }, { snoozedUntil: null }],
    { ...values, assignee: "me", addTags: ["seen"] },
  ])("leaves no trace of a change: %j", async (change) => {
    const id = await makeThread();
    const before = await tracesOf(id);
    service.clock.advance(60_000);
    const answer = await team.call("PATCH", `/feedback/${id}`, change);
    expect(answer).toMatchObject({ status: 200, body: { feedback: values } });
    expect(await tracesOf(id)).toEqual(before);
  });

  it("changes only the other fields", async () => {
    const id = await makeThread();
    const before = await tracesOf(id);
    await team.call("PATCH", `/feedback/${id}`, {
      ...values,
      subject: "Uploads stop at 2 GB",
      assignee: "me",
    });
    const after = await tracesOf(id);
    expect(after).toMatchObject({ events: before.events + 1, entries: before.entries + 1 });
    const { facts } = Object(
      await service.deps.database.get(
        "SELECT facts FROM events WHERE subject_id = ? ORDER BY created_at DESC, id DESC LIMIT 1",
        id,
      ),
    );
    expect(JSON.parse(facts)).toEqual({ fields: ["subject"] });
  });

  it("does not prevent the undo of another person, if many threads get it at once", async () => {
    const kim = await team.join("maintainer");
    const ids = [await sendFeedback(service, team.app.key), await sendFeedback(service, team.app.key)];
    const change = { status: "in_progress", assignee: team.owner.email, addTags: ["seen"] };
    const done = await bulk("", { ids, change });
    expect(await bulk("", { ids, change }, kim.call)).toMatchObject({ status: 200, body: { changed: 2 } });
    expect(await bulk("/undo", { undo: done.field("undo") })).toMatchObject({
      status: 200,
      body: { changed: 2, skippedCount: 0 },
    });
  });
});
