import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { databases } from "../../support/database/databases.ts";
import { dataUrl, pdf, png } from "../../support/files/sample-files.ts";
import { filesIn } from "../../support/files/temporary-folder.ts";
import { type Service, startService } from "../../support/service/service.ts";
import {
  fillThreads,
  makeOwnerWithOneOfEach,
  type OwnerWithOneOfEach,
  propose,
  sendFeedback,
} from "../../support/worlds/owner-with-one-of-each.ts";

describe.each(databases)("threads in the console on $name", (engine) => {
  let service: Service;
  let world: OwnerWithOneOfEach;
  beforeAll(async () => {
    service = await startService({ engine });
    world = await makeOwnerWithOneOfEach(service);
  });
  afterAll(() => service.stop());

  const send = (report: object = {}) => sendFeedback(service, world.app.key, report);
  const thread = (id: string) => world.call("GET", `/feedback/${id}`);
  const change = (id: string, body: object) => world.call("PATCH", `/feedback/${id}`, body);

  it("show everything that the agent sees, and also the sender and all proposals", async () => {
    const id = await send({ name: "Ada", email: "ada@example.org", images: [dataUrl(png())] });
    const first = await propose(service, world.agentToken, id);
    const second = await propose(service, world.agentToken, id);
    const { body } = await thread(id);
    const headers = { authorization: `Bearer ${world.agentToken}` };
    const seenByAgent = await service.request("GET", `/api/v1/agent/feedback/${id}`, { headers });
    expect(body).toMatchObject(seenByAgent.body ?? {});
    expect(body).toMatchObject({
      sender: { name: "Ada", email: "ada@example.org" },
      proposals: [
        { id: first, status: "rejected", replacedBy: second },
        { id: second, status: "awaiting_approval" },
      ],
      latestProposal: { id: second },
    });
  });

  it("have null as the sender who gave no details", async () => {
    expect((await thread(await send())).body).toMatchObject({ sender: { name: null, email: null } });
  });

  it("allow a change of status, category, subject and linked issue", async () => {
    const given = {
      status: "in_progress",
      category: "feature",
      subject: "Crash",
      githubIssueUrl: "https://github.com/a/b/issues/1",
    };
    const answer = await change(await send(), given);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ feedback: given });
  });

  it("change only in the given fields, and null removes the linked issue", async () => {
    const id = await send({ subject: "Crash" });
    await change(id, { githubIssueUrl: "https://github.com/a/b/issues/1" });
    const answer = await change(id, { githubIssueUrl: null });
    expect(answer.body).toMatchObject({
      feedback: { subject: "Crash", status: "open", githubIssueUrl: null },
    });
    expect((await change(id, {})).body).toEqual(answer.body);
  });

  it.each([
    ["status", { status: "done" }],
    ["category", { category: "praise" }],
    ["subject", { subject: "" }],
    ["githubIssueUrl", { githubIssueUrl: "not an address" }],
  ])("refuse a wrong %s", async (field, body) => {
    const answer = await change(world.threadId, body);
    expect(answer.status).toBe(400);
    expect(answer.field("issues.0.path")).toBe(field);
  });

  it.each(["note", "outbound"])("accept a message of the direction %s", async (direction) => {
    const id = await send();
    const answer = await world.call("POST", `/feedback/${id}/messages`, { direction, body: "Thanks." });
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({ direction, body: "Thanks." });
    expect((await thread(id)).body).toMatchObject({ messages: [answer.body] });
  });

  it("refuse an inbound message, because only the sender's app creates inbound messages", async () => {
    const body = { direction: "inbound", body: "It was me." };
    expect((await world.call("POST", `/feedback/${world.threadId}/messages`, body)).status).toBe(400);
  });

  it("are deleted permanently with messages, proposals and files", async () => {
    const folder = `${service.deps.settings.data}/files`;
    const before = (await filesIn(folder)).length;
    const attachments = [{ name: "log.pdf", data: dataUrl(pdf(3_000)) }];
    const id = await send({ images: [dataUrl(png(2_000))], attachments });
    await propose(service, world.agentToken, id);
    expect(await filesIn(folder)).toHaveLength(before + 2);
    expect((await world.call("DELETE", `/feedback/${id}`)).status).toBe(204);
    expect((await thread(id)).status).toBe(404);
    await expect.poll(() => filesIn(folder)).toHaveLength(before);
  });

  it("do not delete a file with them if another thread also has it", async () => {
    const images = [dataUrl(png(2_100))];
    const [first, second] = [await send({ images }), await send({ images })];
    await world.call("DELETE", `/feedback/${first}`);
    const url = new URL((await thread(second)).field("feedback.images.0"));
    expect((await service.request("GET", url.pathname)).status).toBe(200);
  });

  it("cancel their unsent messages when they are deleted", async () => {
    const chatWebhookUrl = "http://127.0.0.1:9/hook";
    const app = await service.makeApp(world.owner, { chatWebhookUrl });
    const id = await sendFeedback(service, app.key);
    await propose(service, world.agentToken, id);
    await world.call("DELETE", `/feedback/${id}`);
    const pending = await service.deps.database.all("SELECT id FROM outbox WHERE app_id = ?", app.id);
    expect(pending).toEqual([]);
  });
});

describe.each(databases)("the inbox on $name", (engine) => {
  let service: Service;
  let world: OwnerWithOneOfEach;
  beforeAll(async () => {
    service = await startService({ engine });
    world = await makeOwnerWithOneOfEach(service);
  });
  afterAll(() => service.stop());

  const list = (appId: string, query = "") => world.call("GET", `/apps/${appId}/feedback${query}`);
  const subjects = async (appId: string, query = "") => {
    const { body } = await list(appId, query);
    return itemsOf(body).map(({ subject }) => subject);
  };

  it("has an entry for each thread, the newest first", async () => {
    const app = await service.makeApp(world.owner);
    await sendFeedback(service, app.key, { subject: "One", name: "Ada", source: "ios" });
    const id = await sendFeedback(service, app.key, { subject: "Two", type: "question" });
    await propose(service, world.agentToken, id);
    const { body } = await list(app.id);
    expect(body).toMatchObject({
      items: [
        {
          id,
          appId: app.id,
          subject: "Two",
          category: "question",
          status: "open",
          proposalStatus: "awaiting_approval",
        },
        {
          subject: "One",
          category: "bug",
          senderName: "Ada",
          senderEmail: null,
          source: "ios",
          occurrences: 1,
          proposalStatus: null,
        },
      ],
      nextCursor: null,
    });
  });

  it("has pages that contain each thread once, even if threads have the same instant", async () => {
    const app = await service.makeApp(world.owner);
    const sameInstant = { createdAt: "2026-01-01T00:00:00.000Z" };
    await fillThreads(service, app.id, [...Array(7).fill(sameInstant), {}, {}]);
    const seen: string[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const { body } = await list(app.id, `?limit=2${cursor && `&cursor=${cursor}`}`);
      seen.push(...itemsOf(body).map(({ id }) => id));
      cursor = cursorOf(body);
    }
    expect(seen).toHaveLength(9);
    expect(new Set(seen).size).toBe(9);
  });

  it("returns the later pages unchanged when new threads arrive", async () => {
    const app = await service.makeApp(world.owner);
    await fillThreads(service, app.id, [{}, {}, {}]);
    const first = await list(app.id, "?limit=2");
    await sendFeedback(service, app.key, { subject: "New" });
    expect(await subjects(app.id, `?limit=2&cursor=${cursorOf(first.body)}`)).toEqual(["Thread 0"]);
  });

  it.each(["", "x", "bm9wZQ", Buffer.from("2026-01-01T00:00:00.000Z ' OR 1=1").toString("base64url")])(
    "refuses the broken cursor %j",
    async (cursor) => {
      const answer = await list(world.app.id, `?cursor=${cursor}`);
      expect(answer.status).toBe(400);
      expect(answer.field("issues.0.path")).toBe("cursor");
    },
  );

  it.each(["0", "101", "ten", "1.5"])("refuses the limit %s", async (limit) => {
    expect((await list(world.app.id, `?limit=${limit}`)).status).toBe(400);
  });

  it("is filtered by status and type together", async () => {
    const app = await service.makeApp(world.owner);
    await fillThreads(service, app.id, [{ category: "bug" }, { category: "feature" }, { category: "bug" }]);
    await service.deps.database.write((tx) =>
      tx.run("UPDATE feedback SET status = 'archived' WHERE app_id = ? AND subject = 'Thread 0'", app.id),
    );
    expect(await subjects(app.id, "?status=open&type=bug")).toEqual(["Thread 2"]);
    expect(await subjects(app.id, "?status=archived")).toEqual(["Thread 0"]);
    expect(await subjects(app.id, "?type=question")).toEqual([]);
  });

  it("is filtered by time: from is included, to is excluded, and offsets are respected", async () => {
    const app = await service.makeApp(world.owner);
    const at = (hour: string) => ({ createdAt: `2026-03-01T${hour}:00:00.000Z` });
    await fillThreads(service, app.id, [at("10"), at("11"), at("12")]);
    const query = "?from=2026-03-01T10:00:00Z&to=2026-03-01T13:00:00%2B01:00";
    expect(await subjects(app.id, query)).toEqual(["Thread 1", "Thread 0"]);
  });

  it.each(["status=done", "type=praise", "from=yesterday", "to=2026-03-01T10:00:00"])(
    "refuses the filter %s",
    async (query) => {
      expect((await list(world.app.id, `?${query}`)).status).toBe(400);
    },
  );
});

type Line = { id: string; subject: string };

// The contract defines the body; a wrong body fails the expectations.
const itemsOf = (body: unknown): Line[] => Object(body).items;
const cursorOf = (body: unknown): string | null => Object(body).nextCursor;
