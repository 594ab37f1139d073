import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Service, startService } from "../../support/service/service.ts";
import { makeTeam, type Team } from "../../support/worlds/members/team.ts";
import { bearer, sendFeedback } from "../../support/worlds/owner-with-one-of-each.ts";

describe("the assignee of a thread", () => {
  let service: Service;
  let team: Team;
  beforeAll(async () => {
    service = await startService();
    team = await makeTeam(service);
  });
  afterAll(() => service.stop());

  const send = () => sendFeedback(service, team.app.key);
  const assign = (id: string, assignee: string | null, more: object = {}) =>
    team.call("PATCH", `/feedback/${id}`, { assignee, ...more });
  const assigneeOf = async (id: string) => Object((await team.call("GET", `/feedback/${id}`)).body).assignee;
  const list = async (query: string, call = team.call) =>
    Object((await call("GET", `${team.at}/feedback?${query}`)).body).items.map(
      ({ id }: { id: string }) => id,
    );
  const member = (userId: string) => `${team.at}/members/${userId}`;

  it("is null at first, can be set by me, by id or by e-mail address, and can be set to null again", async () => {
    const id = await send();
    const maria = await team.join("maintainer");
    const hers = { userId: maria.id, email: maria.email };
    expect(await assigneeOf(id)).toBeNull();
    expect((await maria.call("PATCH", `/feedback/${id}`, { assignee: "me" })).body).toMatchObject({
      assignee: hers,
    });
    expect((await assign(id, team.owner.id)).body).toMatchObject({ assignee: { email: team.owner.email } });
    expect((await assign(id, maria.email.toUpperCase())).body).toMatchObject({ assignee: hers });
    expect((await assign(id, null)).body).toMatchObject({ assignee: null });
  });

  it("finds an e-mail address in each form of its letters", async () => {
    const owner = await service.makeUser("jörg@example.org");
    const app = await service.makeApp(owner);
    const headers = await service.signIn(owner);
    const id = await sendFeedback(service, app.key);
    const typed = owner.email.normalize("NFD").toUpperCase();
    const body = { assignee: typed };
    await service.request("PATCH", `/api/v1/console/feedback/${id}`, { headers, body });
    const path = `/api/v1/console/apps/${app.id}/feedback?assignee=${encodeURIComponent(typed)}`;
    expect((await service.request("GET", path, { headers })).body).toMatchObject({
      items: [{ id, assignee: { email: owner.email } }],
    });
    const change = { ids: [id], change: { assignee: typed } };
    const bulk = `/api/v1/console/apps/${app.id}/feedback/bulk`;
    expect((await service.request("POST", bulk, { headers, body: change })).status).toBe(200);
  });

  it("can be set to the owner of a maintainer token by its requests", async () => {
    const id = await send();
    const scopes = ["feedback:read", "feedback:write"];
    const headers = bearer(await service.makeToken(team.owner, "maintainer", { scopes }));
    const path = `/api/v1/console/feedback/${id}`;
    await service.request("PATCH", path, { headers, body: { assignee: "me" } });
    expect(await assigneeOf(id)).toMatchObject({ userId: team.owner.id });
  });

  it("cannot be a viewer, a person who is no member, or a member of another app", async () => {
    const id = await send();
    const viewer = await team.join("viewer");
    const stranger = await service.makeUser();
    for (const assignee of [viewer.id, viewer.email, stranger.id, stranger.email, "nobody@example.org"])
      expect(await assign(id, assignee)).toMatchObject({
        status: 400,
        body: { issues: [{ path: "assignee", message: "must be an owner or a maintainer of the app" }] },
      });
    expect((await viewer.call("PATCH", `/feedback/${id}`, { assignee: "me" })).status).toBe(403);
  });

  it("filters the list together with a tag, in each order in which a thread got them, until one is removed", async () => {
    const maria = await team.join("maintainer");
    const [first, second, other] = [await send(), await send(), await send()];
    await assign(first, maria.id);
    await team.call("PATCH", `/feedback/${first}`, { addTags: ["both"] });
    await team.call("PATCH", `/feedback/${second}`, { addTags: ["both"] });
    await assign(second, maria.id);
    await team.call("PATCH", `/feedback/${other}`, { addTags: ["both"] });
    for (const order of ["", "&order=activity"]) {
      const found = await list(`tag=both&assignee=${maria.id}${order}`);
      expect(found.toSorted()).toEqual([first, second].toSorted());
    }
    await assign(first, null);
    expect(await list(`tag=both&assignee=${maria.id}`)).toEqual([second]);
    expect((await team.call("DELETE", member(maria.id))).status).toBe(204);
    expect(await list(`tag=both&assignee=${team.owner.id}`)).toEqual([]);
    const rows = await service.deps.database.all("SELECT 1 FROM thread_tags WHERE assignee_id = ?", maria.id);
    expect(rows).toEqual([]);
  });

  it("filters the list by own threads, by threads without an assignee, and by the threads of a member", async () => {
    const app = await makeTeam(service);
    const ids = [];
    for (let n = 0; n < 3; n++) ids.push(await sendFeedback(service, app.app.key));
    const [one = "", two = "", three = ""] = ids;
    const maria = await app.join("maintainer");
    await app.call("PATCH", `/feedback/${one}`, { assignee: "me", addTags: ["crash"] });
    await app.call("PATCH", `/feedback/${two}`, { assignee: maria.id });
    const of = async (query: string, call = app.call) =>
      Object((await call("GET", `${app.at}/feedback?${query}`)).body).items.map(
        ({ id }: { id: string }) => id,
      );
    expect(await of("assignee=me")).toEqual([one]);
    expect(await of("assignee=me", maria.call)).toEqual([two]);
    expect(await of("assignee=none")).toEqual([three]);
    expect(await of(`assignee=${maria.id}`)).toEqual([two]);
    expect(await of(`assignee=${encodeURIComponent(maria.email)}`)).toEqual([two]);
    expect(await of("assignee=nobody@example.org")).toEqual([]);
    expect(await of("assignee=me&tag=crash&q=broke")).toEqual([one]);
    expect(await of("assignee=none&tag=crash")).toEqual([]);
  });

  it("is shown in the list of threads", async () => {
    const id = await send();
    await assign(id, "me");
    const { items } = Object((await team.call("GET", `${team.at}/feedback?assignee=me&limit=1`)).body);
    expect(items).toMatchObject([{ id, assignee: { userId: team.owner.id, email: team.owner.email } }]);
  });

  it("is set by one of two people who assign themselves at the same time; the second request gets the assignee", async () => {
    const id = await send();
    const people = [await team.join("maintainer"), await team.join("maintainer")];
    const answers = await Promise.all(
      people.map(({ call }) =>
        call("PATCH", `/feedback/${id}`, { assignee: "me", expectedAssignee: null, addTags: ["taken"] }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const { email } = await assigneeOf(id);
    expect(answers.find(({ status }) => status === 409)?.body).toMatchObject({
      code: "assignee_changed",
      error: `This thread is assigned to ${email} now. Assign it again if you still want to.`,
    });
  });

  it("can be replaced by a person who saw the present assignee", async () => {
    const id = await send();
    const ben = await team.join("maintainer");
    await ben.call("PATCH", `/feedback/${id}`, { assignee: "me" });
    expect((await assign(id, "me", { expectedAssignee: null })).status).toBe(409);
    expect((await assign(id, "me", { expectedAssignee: ben.id })).status).toBe(200);
    expect((await assign(id, null, { expectedAssignee: ben.id })).field("error")).toContain(team.owner.email);
    await assign(id, null);
    expect((await assign(id, "me", { expectedAssignee: ben.id })).field("error")).toContain(
      "is not assigned any more",
    );
  });

  it("is refused together with all other changes of the request", async () => {
    const id = await send();
    await assign(id, "me");
    const answer = await assign(id, null, { expectedAssignee: null, status: "resolved", addTags: ["x"] });
    expect(answer.status).toBe(409);
    expect((await team.call("GET", `/feedback/${id}`)).body).toMatchObject({
      feedback: { status: "open" },
      tags: [],
    });
  });

  it.each(["is removed", "leaves", "becomes a viewer"])("becomes null after the member %s", async (what) => {
    const [id, other] = [await send(), await send()];
    const elsewhere = await makeTeam(service);
    const maria = await team.join("maintainer");
    const there = await sendFeedback(service, elsewhere.app.key);
    await elsewhere.call("PATCH", `/feedback/${there}`, { assignee: "me" });
    await assign(id, maria.id);
    await assign(other, "me");
    if (what === "is removed") await team.call("DELETE", member(maria.id));
    else if (what === "leaves") await maria.call("DELETE", member(maria.id));
    else await team.call("PATCH", member(maria.id), { role: "viewer" });
    expect(await assigneeOf(id)).toBeNull();
    expect(await assigneeOf(other)).toMatchObject({ userId: team.owner.id });
    const { body } = await elsewhere.call("GET", `/feedback/${there}`);
    expect(body).toMatchObject({ assignee: { userId: elsewhere.owner.id } });
  });

  it("stays when a maintainer becomes an owner", async () => {
    const id = await send();
    const maria = await team.join("maintainer");
    await assign(id, maria.id);
    await team.call("PATCH", member(maria.id), { role: "owner" });
    expect(await assigneeOf(id)).toMatchObject({ userId: maria.id });
  });

  it("is never a member who is removed at the same time", async () => {
    const id = await send();
    for (let round = 0; round < 3; round++) {
      const maria = await team.join("maintainer");
      await Promise.all([assign(id, maria.id), team.call("DELETE", member(maria.id))]);
      expect(await assigneeOf(id)).toBeNull();
    }
  });

  it("is recorded in the audit, and is not shown to agents", async () => {
    const id = await send();
    await assign(id, "me");
    const { body } = await team.call("GET", "/audit?limit=1");
    expect(body).toMatchObject({ items: [{ action: "thread.assign", target: id, actor: team.owner.email }] });
    const headers = bearer(await service.makeToken(team.owner, "agent"));
    const seen = await service.request("GET", `/api/v1/agent/feedback/${id}`, { headers });
    expect(seen.text).not.toContain("assignee");
    expect(await list("assignee=me")).toContain(id);
  });
});
