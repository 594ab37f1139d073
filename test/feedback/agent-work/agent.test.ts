import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { dataUrl, mp4, pdf, png } from "../../support/files/sample-files.ts";
import { type Service, startService } from "../../support/service/service.ts";
import {
  type AppWithAgent,
  makeAppWithAgent,
  propose,
  submitFeedback,
} from "../../support/worlds/app-with-owner-and-agent.ts";

const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const anyId = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);

describe("GET /api/v1/agent/feedback/{id}", () => {
  let service: Service;
  let cast: AppWithAgent;
  beforeAll(async () => {
    service = await startService();
  });
  beforeEach(async () => {
    cast = await makeAppWithAgent(service, { name: "Orbit" });
  });
  afterAll(() => service.stop());

  const read = (id: string, headers: Record<string, string> = cast.agent) =>
    service.request("GET", `/api/v1/agent/feedback/${id}`, { headers });
  const inConsole = (method: string, path: string, body: object) =>
    service.request(method, `/api/v1/console/feedback/${path}`, { headers: cast.person, body });

  it("answers 200 with the app, the feedback and its messages; the proposal is null", async () => {
    const report = {
      subject: "Crash",
      message: "It crashes.",
      source: "ios",
      metadata: { build: 42, tags: ["a"] },
    };
    const id = await submitFeedback(service, cast, { ...report, type: "question" });
    const answer = await read(id);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      app: { id: cast.appId, name: "Orbit" },
      feedback: {
        ...report,
        id,
        consoleUrl: `${service.baseUrl}/console/feedback/${cast.appId}/${id}`,
        category: "question",
        status: "open",
        images: [],
        videos: [],
        attachments: [],
        githubIssueUrl: null,
        occurrences: 1,
        createdAt: instant,
      },
      messages: [],
      omittedMessages: 0,
      latestProposal: null,
    });
  });

  it("accepts the last segment of the console link as the id", async () => {
    const body = { type: "bug", message: "It crashes." };
    const sent = await service.request("POST", "/api/v1/feedback/remote", { headers: cast.key, body });
    const id = sent.field("consoleUrl").split("/").at(-1) ?? "";
    expect(await read(id)).toMatchObject({ status: 200, body: { feedback: { id } } });
  });

  it("shows files as absolute URLs, attachments with name, url, mediaType and size", async () => {
    const id = await submitFeedback(service, cast, {
      images: [dataUrl(png())],
      videos: [dataUrl(mp4())],
      attachments: [{ name: "log.pdf", data: dataUrl(pdf(800)) }],
    });
    const url = expect.stringMatching(new RegExp(`^${service.baseUrl}/uploads/[^/]+$`));
    const attachment = { name: "log.pdf", url, mediaType: "application/pdf", size: 800 };
    const { body } = await read(id);
    expect(body).toMatchObject({ feedback: { images: [url], videos: [url] } });
    expect(body).toHaveProperty("feedback.attachments", [attachment]);
  });

  it("shows messages with direction, body and createdAt, oldest first", async () => {
    const id = await submitFeedback(service, cast, { dedupeKey: "crash" });
    await inConsole("POST", `${id}/messages`, { direction: "note", body: "Seen before." });
    await inConsole("POST", `${id}/messages`, { direction: "outbound", body: "Thank you." });
    await submitFeedback(service, cast, { dedupeKey: "crash", message: "Again." });
    expect((await read(id)).body).toHaveProperty("messages", [
      { id: anyId, direction: "note", author: "team", body: "Seen before.", createdAt: instant },
      { id: anyId, direction: "outbound", author: "team", body: "Thank you.", createdAt: instant },
      expect.objectContaining({
        id: anyId,
        direction: "inbound",
        author: "sender",
        body: "Again.",
        createdAt: instant,
      }),
    ]);
  });

  it.each(["open", "in_progress", "resolved", "archived"])("shows the status %s", async (status) => {
    const id = await submitFeedback(service, cast);
    await inConsole("PATCH", id, { status });
    expect(await read(id)).toMatchObject({ body: { feedback: { status } } });
  });

  it("shows the category that a person set, and the linked issue", async () => {
    const id = await submitFeedback(service, cast, { type: "general" });
    const change = { category: "bug", githubIssueUrl: "https://github.com/orbit/app/issues/7" };
    await inConsole("PATCH", id, change);
    expect(await read(id)).toMatchObject({ body: { feedback: change } });
  });

  it("shows the latest proposal", async () => {
    const id = await submitFeedback(service, cast);
    await propose(service, cast, id);
    const runId = await propose(service, cast, id);
    expect((await read(id)).body).toHaveProperty("latestProposal", {
      id: runId,
      status: "awaiting_approval",
      summary: "Guard the upload.",
      plan: "1. Check the size.",
      decisionNote: null,
      decidedAt: null,
      createdAt: instant,
      replacedBy: null,
      decision: null,
    });
  });

  it("shows nothing about the sender", async () => {
    const sender = { name: "Ada Lovelace", email: "ada@example.org" };
    const { text } = await read(await submitFeedback(service, cast, sender));
    expect(text).not.toContain("Lovelace");
    expect(text).not.toContain("ada@");
  });

  it("reads feedback of all of its owner's apps", async () => {
    const second = await service.makeApp(cast.owner);
    const key = { "x-api-key": second.key };
    const id = await submitFeedback(service, { ...cast, key });
    expect(await read(id)).toMatchObject({ status: 200, body: { app: { id: second.id } } });
  });

  it("reads feedback of one app only when the token is limited to it", async () => {
    const id = await submitFeedback(service, cast);
    const second = await service.makeApp(cast.owner);
    const tokenFor = async (appId: string) =>
      `Bearer ${await service.makeToken(cast.owner, "agent", { appId })}`;
    expect(await read(id, { authorization: await tokenFor(cast.appId) })).toMatchObject({ status: 200 });
    expect(await read(id, { authorization: await tokenFor(second.id) })).toMatchObject({ status: 404 });
  });

  it("answers 404 not_found for an unknown thread", async () => {
    const answer = await read("00000000-0000-4000-8000-000000000000");
    expect(answer).toMatchObject({ status: 404, body: { code: "not_found" } });
  });

  it.each(["seven", "1", "..%2f..", "%00"])("answers 404 for the malformed id %s too", async (id) => {
    expect(await read(id)).toMatchObject({ status: 404, body: { code: "not_found" } });
  });
});
