import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createBrowserWithoutScripts, readingOf } from "../../support/browser/browser-without-scripts.ts";
import { databases } from "../../support/database/databases.ts";
import { dataUrl, mp4, pdf, png } from "../../support/files/sample-files.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { rowsOf, storedFiles } from "../../support/service/stored-content.ts";
import {
  bearer,
  makeOwnerWithOneOfEach,
  type OwnerWithOneOfEach,
  propose,
  sendFeedback,
} from "../../support/worlds/owner-with-one-of-each.ts";

const first = {
  message: "Build 1 failed.",
  name: "Ada Lovelace",
  email: "ada@example.org",
  subject: "The build",
  source: "ci",
  metadata: { run: "https://ci.example/1", commit: "aaa111" },
};
const second = {
  type: "question",
  message: "Build 2 failed.",
  name: "Grace Hopper",
  email: "grace@example.org",
  subject: "Again",
  source: "nightly",
  metadata: { run: "https://ci.example/2", commit: "bbb222" },
};
const url = expect.stringContaining("/uploads/");

describe.each(databases)("a repeat of a failure on $name", (engine) => {
  let service: Service;
  let world: OwnerWithOneOfEach;
  beforeAll(async () => {
    service = await startService({ engine });
    world = await makeOwnerWithOneOfEach(service);
  });
  afterAll(() => service.stop());

  let keys = 0;
  const failure = () => {
    const dedupeKey = `build ${keys++}`;
    return (report: object) => sendFeedback(service, world.app.key, { dedupeKey, ...report });
  };
  const owned = async (id: string) => (await world.call("GET", `/feedback/${id}`)).body;
  const asAgent = async (id: string) =>
    (
      await service.request("GET", `/api/v1/agent/feedback/${id}`, {
        headers: bearer(world.agentToken),
      })
    ).body;

  it("keeps its own type, sender, subject, source, metadata and files, which an owner sees", async () => {
    const send = failure();
    const id = await send({ ...first, images: [dataUrl(png())] });
    const attachments = [{ name: "log.pdf", data: dataUrl(pdf()) }];
    await send({ ...second, images: [dataUrl(png(900))], videos: [dataUrl(mp4())], attachments });
    const thread = await owned(id);
    expect(thread).toMatchObject({
      sender: { name: "Ada Lovelace", email: "ada@example.org" },
      feedback: {
        subject: "The build",
        metadata: first.metadata,
        source: "ci",
        occurrences: 2,
        images: [url],
        videos: [],
        attachments: [],
      },
      messages: [
        {
          direction: "inbound",
          body: "Build 2 failed.",
          category: "question",
          sender: { name: "Grace Hopper", email: "grace@example.org" },
          subject: "Again",
          source: "nightly",
          metadata: second.metadata,
          images: [url],
          videos: [url],
          attachments: [{ name: "log.pdf", url, mediaType: "application/pdf" }],
        },
      ],
    });
  });

  it("shows an agent the same except the sender", async () => {
    const send = failure();
    const id = await send(first);
    await send({ ...second, images: [dataUrl(png())] });
    const thread = await asAgent(id);
    expect(thread).toMatchObject({
      feedback: { metadata: first.metadata, images: [], occurrences: 2 },
      messages: [{ body: "Build 2 failed.", source: "nightly", metadata: second.metadata, images: [url] }],
    });
    expect(JSON.stringify(thread)).not.toMatch(/Lovelace|Hopper|@example\.org/);
  });

  it("has no data of the first sender if it names no sender", async () => {
    const send = failure();
    const id = await send(first);
    await send({ message: "Build 2 failed." });
    expect(await owned(id)).toMatchObject({
      messages: [
        { sender: { name: null, email: null }, subject: null, source: null, metadata: {}, images: [] },
      ],
    });
  });

  it("is shown on the thread's page with its own sender, facts and files", async () => {
    const send = failure();
    const id = await send(first);
    await send({ ...second, images: [dataUrl(png())] });
    await send({ message: "Build 3 failed.", metadata: { run: "https://ci.example/3" } });
    const page = await createBrowserWithoutScripts(service, world.headers).open(
      `/console/feedback/${world.app.id}/${id}`,
    );
    expect(readingOf(page)).toMatch(
      /Conversation Grace Hopper reported it again .* Build 2 failed\. .*Contact grace@example\.org .*Question .*Again .*nightly .*ci\.example\/2 .*bbb222/,
    );
    expect(readingOf(page)).toMatch(/Anonymous reported it again .* Build 3 failed\. .*ci\.example\/3/);
    const [report = "", ...pictures] = page.text.split(`<img src="${service.baseUrl}/uploads/`);
    expect(new Set(pictures.map((rest) => rest.split('"')[0])).size).toBe(1);
    expect(report).toContain("Build 2 failed.");
  });

  it("is shown between notes and proposals, which have no sender", async () => {
    const send = failure();
    const id = await send(first);
    await send(second);
    await propose(service, world.agentToken, id);
    const { messages } = Object(await owned(id));
    expect(messages).toHaveLength(2);
    expect(messages[1]).toEqual({
      id: messages[1].id,
      direction: "note",
      author: "agent",
      body: messages[1].body,
      createdAt: messages[1].createdAt,
    });
  });

  it("can be read if it was stored before repeats kept their own facts", async () => {
    const id = await failure()(first);
    const createdAt = service.clock.now().toISOString();
    const row = { id: service.deps.newId(), feedback_id: id, direction: "inbound", body: "An old repeat." };
    await service.deps.database.write((tx) => tx.insert("messages", { ...row, created_at: createdAt }));
    const { messages } = Object(await owned(id));
    expect(messages).toEqual([
      { id: row.id, direction: "inbound", author: "sender", body: row.body, createdAt },
    ]);
    const page = await createBrowserWithoutScripts(service, world.headers).open(
      `/console/feedback/${world.app.id}/${id}`,
    );
    expect(readingOf(page)).toMatch(/From the sender .* An old repeat\./);
  });

  it("keeps its file as long as the thread exists, even if nothing else refers to the file", async () => {
    const before = await storedFiles(service);
    const send = failure();
    const id = await send(first);
    await send({ ...second, images: [dataUrl(png(1_234))] });
    const { messages } = Object(await owned(id));
    const path = new URL(messages[0].images[0]).pathname;
    expect((await service.request("GET", path)).status).toBe(200);
    expect(await storedFiles(service)).toHaveLength(before.length + 1);
    await world.call("DELETE", `/feedback/${id}`);
    expect((await service.request("GET", path)).status).toBe(404);
    await expect.poll(() => storedFiles(service)).toEqual(before);
  });

  it("is deleted with its app", async () => {
    const own = await makeOwnerWithOneOfEach(service);
    const before = await rowsOf(service, "uploads", own.app.id);
    const more = { dedupeKey: "build", images: [dataUrl(png(2_345))] };
    await sendFeedback(service, own.app.key, { dedupeKey: "build" });
    const id = await sendFeedback(service, own.app.key, more);
    expect(await rowsOf(service, "uploads", own.app.id)).toBe(before + 1);
    await own.call("DELETE", `/apps/${own.app.id}`);
    expect(await rowsOf(service, "uploads", own.app.id)).toBe(0);
    const left = await service.deps.database.all("SELECT id FROM messages WHERE feedback_id = ?", id);
    expect(left).toEqual([]);
  });
});
