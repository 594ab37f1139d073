import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { databases, sharedDatabases } from "../../support/database/databases.ts";
import { dataUrl, pdf, png } from "../../support/files/sample-files.ts";
import { lockTable } from "../../support/postgres/locked-table.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { rowsOf } from "../../support/service/stored-content.ts";
import {
  type AppWithAgent,
  makeAppWithAgent,
  submitFeedback,
} from "../../support/worlds/app-with-owner-and-agent.ts";

describe.each(databases)("reports of one failure with the same dedupeKey on $name", (engine) => {
  let service: Service;
  let cast: AppWithAgent;
  beforeAll(async () => {
    service = await startService({ engine, environment: { INNKEEP_RATE_LIMITS: "off" } });
  });
  beforeEach(async () => {
    cast = await makeAppWithAgent(service);
  });
  afterAll(() => service.stop());

  const submit = (more: object, key = cast.key) =>
    service.request("POST", "/api/v1/feedback/remote", {
      headers: key,
      body: { type: "bug", message: "Build 1 failed.", dedupeKey: "build", ...more },
    });
  const threadOf = async (id: string) =>
    (await service.request("GET", `/api/v1/agent/feedback/${id}`, { headers: cast.agent })).body;
  const setStatus = (id: string, status: string) =>
    service.request("PATCH", `/api/v1/console/feedback/${id}`, { headers: cast.person, body: { status } });

  it("start a thread with the first report", async () => {
    const answer = await submit({});
    const { baseUrl } = service;
    const id = answer.field("id");
    const consoleUrl = `${baseUrl}/console/feedback/${cast.appId}/${id}`;
    expect(answer).toMatchObject({ status: 201 });
    expect(answer.body).toEqual({ success: true, id, consoleUrl, statusUrl: expect.any(String) });
  });

  it("are answered with 201, the thread's id and link, and deduplicated: true", async () => {
    const first = await submit({});
    const repeat = await submit({ message: "Build 2 failed." });
    expect(repeat.status).toBe(201);
    const { id, consoleUrl } = { id: first.field("id"), consoleUrl: first.field("consoleUrl") };
    const statusUrl = expect.any(String);
    expect(repeat.body).toEqual({ success: true, id, consoleUrl, statusUrl, deduplicated: true });
  });

  it("become inbound messages of the thread, and increase its occurrences", async () => {
    const id = (await submit({})).field("id");
    await submit({ message: "Build 2 failed." });
    await submit({ message: "Build 3 failed.", subject: "Other", metadata: { build: 3 } });
    expect(await threadOf(id)).toMatchObject({
      feedback: { message: "Build 1 failed.", subject: "Build 1 failed.", occurrences: 3 },
      messages: [
        { direction: "inbound", body: "Build 2 failed." },
        { direction: "inbound", body: "Build 3 failed." },
      ],
    });
    expect(await rowsOf(service, "feedback", cast.appId)).toBe(1);
  });

  it("are shown only as the newest 500 of many, the oldest first", async () => {
    const id = (await submit({})).field("id");
    await service.deps.database.write(async (tx) => {
      for (let index = 0; index < 600; index += 1) {
        const createdAt = new Date(Date.UTC(2026, 0, 1, 0, 0, index)).toISOString();
        const row = {
          id: service.deps.newId(),
          feedback_id: id,
          direction: "inbound",
          body: `Build ${index}`,
        };
        await tx.insert("messages", { ...row, created_at: createdAt });
      }
    });
    const thread = await threadOf(id);
    expect(thread).toHaveProperty("messages.length", 500);
    expect(thread).toMatchObject({ messages: { 0: { body: "Build 100" }, 499: { body: "Build 599" } } });
  });

  it("keep their files in addition to those of the first report", async () => {
    const id = (await submit({ images: [dataUrl(png())] })).field("id");
    const attachments = [{ name: "log.pdf", data: dataUrl(pdf()) }];
    await submit({ images: [dataUrl(png(900))], attachments });
    const url = expect.stringContaining("/uploads/");
    expect(await threadOf(id)).toMatchObject({
      feedback: { images: [url], attachments: [] },
      messages: [{ images: [url], attachments: [{ name: "log.pdf", url }] }],
    });
  });

  it.each(["open", "in_progress"])("are added to a thread that is %s", async (status) => {
    const id = (await submit({})).field("id");
    await setStatus(id, status);
    expect((await submit({})).field("id")).toBe(id);
  });

  it.each(["resolved", "archived"])("start a new thread if the earlier thread is %s", async (status) => {
    const id = (await submit({})).field("id");
    await setStatus(id, status);
    const next = await submit({});
    expect(next.body).not.toHaveProperty("deduplicated");
    expect(next.field("id")).not.toBe(id);
    expect((await submit({})).field("id")).toBe(next.field("id"));
  });

  it("link the new thread to the last resolved one when the failure occurs again", async () => {
    const ids: string[] = [];
    for (const _ of [1, 2]) {
      const id = (await submit({})).field("id");
      ids.push(id);
      await setStatus(id, "resolved");
      service.clock.advance(60_000);
    }
    const returned = await submit({ images: [dataUrl(png())] });
    const consoleUrl = `${service.baseUrl}/console/feedback/${cast.appId}/${ids[1]}`;
    expect(returned.body).toMatchObject({ earlier: { id: ids[1], consoleUrl } });
    const read = (id: string) =>
      service.request("GET", `/api/v1/console/feedback/${id}`, { headers: cast.person });
    const subject = "Build 1 failed.";
    expect((await read(returned.field("id"))).body).toMatchObject({
      earlier: { id: ids[1], consoleUrl, subject, createdAt: expect.any(String) },
    });
    expect((await read(ids[0] ?? "")).body).toMatchObject({ earlier: null });
    expect((await submit({})).body).not.toHaveProperty("earlier");
  });

  it("do not link the new thread to an archived thread or a thread of another app", async () => {
    await setStatus((await submit({})).field("id"), "archived");
    const other = await makeAppWithAgent(service);
    const foreign = (await submit({}, other.key)).field("id");
    await service.request("PATCH", `/api/v1/console/feedback/${foreign}`, {
      headers: other.person,
      body: { status: "resolved" },
    });
    expect((await submit({})).body).not.toHaveProperty("earlier");
  });

  it("are added only to threads of the same app", async () => {
    const id = (await submit({})).field("id");
    const other = await makeAppWithAgent(service);
    expect((await submit({}, other.key)).field("id")).not.toBe(id);
  });

  it("need the same dedupeKey, which is compared after trimming and case-sensitively", async () => {
    const id = (await submit({})).field("id");
    expect((await submit({ dedupeKey: " build\n" })).field("id")).toBe(id);
    expect((await submit({ dedupeKey: "Build" })).field("id")).not.toBe(id);
  });

  it("are separate threads if they have no dedupeKey", async () => {
    const ids = [
      await submit({ dedupeKey: "" }),
      await submit({ dedupeKey: null }),
      await submit({ dedupeKey: " " }),
    ];
    expect(new Set(ids.map((answer) => answer.field("id"))).size).toBe(3);
  });

  it("become one thread with 50 occurrences if 50 arrive at the same time", async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => submit({})));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 50 }, () => 201));
    const [id = ""] = new Set(answers.map((answer) => answer.field("id")));
    expect(await rowsOf(service, "feedback", cast.appId)).toBe(1);
    expect(await threadOf(id)).toMatchObject({ feedback: { occurrences: 50 } });
  });
});

describe.each(sharedDatabases)(
  "reports of one failure with the same dedupeKey on a PostgreSQL database",
  (postgres) => {
    it("start one thread if the first two overlap", async () => {
      const service = await startService({ engine: postgres, environment: { INNKEEP_RATE_LIMITS: "off" } });
      const cast = await makeAppWithAgent(service);
      const held = await lockTable(service.database, "feedback");
      const first = Array.from({ length: 8 }, () => submitFeedback(service, cast, { dedupeKey: "build" }));
      await held.waiting(8);
      await held.release();
      expect(new Set(await Promise.all(first)).size).toBe(1);
      expect(await rowsOf(service, "feedback", cast.appId)).toBe(1);
      await service.stop();
    });
  },
);
