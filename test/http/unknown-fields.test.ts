import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { dataUrl, pdf, png } from "../support/files/sample-files.ts";
import { mutations } from "../support/service/mutations.ts";
import { type Service, startService } from "../support/service/service.ts";
import { storedText } from "../support/service/stored-content.ts";
import {
  type AppWithAgent,
  decide,
  makeAppWithAgent,
  propose,
  submitFeedback,
  writeNote,
} from "../support/worlds/app-with-owner-and-agent.ts";

const planted = "planted-value-that-nobody-asked-for";
const extra = {
  foo: planted,
  nested: { [planted]: [planted] },
  id: "00000000-0000-4000-8000-000000000000",
  appId: "00000000-0000-4000-8000-000000000000",
  status: "archived",
  occurrences: 99,
  createdAt: "2001-01-01T00:00:00.000Z",
  success: false,
};

/** The names of all fields in a JSON value as sorted paths, except those inside `metadata`. */
function fieldsOf(value: unknown, path = ""): string[] {
  if (typeof value !== "object" || value === null || path.endsWith("metadata")) return [];
  const entries = Object.entries(value).flatMap(([key, child]) => {
    const at = Array.isArray(value) ? path : [path, key].filter(Boolean).join(".");
    return [at, ...fieldsOf(child, at)];
  });
  return [...new Set(entries.filter(Boolean))].sort();
}

describe("an unknown field", () => {
  let service: Service;
  let cast: AppWithAgent;
  beforeAll(async () => {
    service = await startService();
  });
  beforeEach(async () => {
    cast = await makeAppWithAgent(service);
  });
  afterAll(() => service.stop());

  it.each(mutations.filter(({ other }) => other))("is ignored in $name", async ({ prepare, other }) => {
    const send = await prepare(service, cast);
    const [plain, more] = [await send({}, other), await send({}, { ...other, ...extra })];
    expect(more.status).toBe(plain.status);
    expect(fieldsOf(more.body)).toEqual(fieldsOf(plain.body));
    expect(more.text).not.toContain(extra.id);
  });

  it.each(mutations.filter(({ other }) => other))("is never stored by $name", async ({ prepare, other }) => {
    const send = await prepare(service, cast);
    await send({ "idempotency-key": "once" }, { ...other, ...extra });
    const stored = await storedText(service);
    expect(stored).toContain(cast.appId);
    expect(stored).not.toContain(planted);
    expect(stored).not.toContain("2001-01-01");
  });

  it("is ignored in attachments, and never stored", async () => {
    const attachment = { name: "log.pdf", data: dataUrl(pdf()), ...extra };
    await submitFeedback(service, cast, { attachments: [attachment] });
    expect(await storedText(service)).not.toContain(planted);
  });

  it("is kept in metadata, which can have any keys and values", async () => {
    const id = await submitFeedback(service, cast, { metadata: extra });
    const thread = await service.request("GET", `/api/v1/agent/feedback/${id}`, { headers: cast.agent });
    expect(thread.body).toHaveProperty("feedback.metadata", extra);
  });

  it("is ignored in a query", async () => {
    const query = "?limit=5&foo=bar&since2=1&__proto__=1&constructor=1&limit%00=9";
    for (const path of ["/api/v1/changelog/remote", "/api/v1/faqs/remote"])
      expect(await service.request("GET", path + query, { headers: cast.key })).toMatchObject({
        status: 200,
      });
  });

  describe("that the specification does not have", () => {
    const listed = ["id", "question", "answer", "sortOrder"];
    const run = ["id", "status", "decisionNote", "decidedAt", "replacedBy"];
    const entry = [
      "id",
      "title",
      "version",
      "versions",
      "versions.platform",
      "versions.version",
      "releaseType",
    ];
    const more = ["bodyFormat", "body", "items", "items.type", "items.text", "publishedAt"];
    const feedback = [
      "id",
      "consoleUrl",
      "subject",
      "message",
      "category",
      "status",
      "metadata",
      "images",
      "videos",
    ];
    const file = [
      "attachments",
      ...["name", "url", "mediaType", "size"].map((field) => `attachments.${field}`),
    ];
    const proposal = [...run, "summary", "plan", "createdAt", "decision"];

    const read = async (path: string) =>
      fieldsOf((await service.request("GET", path, { headers: { ...cast.key, ...cast.agent } })).body);

    it("is not in an FAQ entry of a list", async () => {
      const body = { question: "How?", answer: "So." };
      const headers = cast.key;
      const created = await service.request("POST", "/api/v1/faqs/remote", { headers, body });
      const path = `/api/v1/faqs/remote/${created.field("id")}`;
      const changed = await service.request("PATCH", path, { headers, body });
      expect(fieldsOf(created.body)).toEqual([...listed].sort());
      expect(fieldsOf(changed.body)).toEqual([...listed].sort());
      expect(await read("/api/v1/faqs/remote")).toEqual([...listed, "createdAt", "updatedAt"].sort());
    });

    it("is not in a changelog entry", async () => {
      const items = [{ type: "added", text: "Export", foo: planted }];
      const versions = [{ platform: "ios", version: "1.0", foo: planted }];
      await writeNote(service, cast, { items, versions, ...extra });
      const fields = [...entry, ...more].map((field) => `entries.${field}`);
      expect(await read("/api/v1/changelog/remote")).toEqual(["entries", ...fields].sort());
    });

    it("is in a thread only if it is a documented addition", async () => {
      const files = { images: [dataUrl(png())], attachments: [{ name: "log.pdf", data: dataUrl(pdf()) }] };
      const id = await submitFeedback(service, cast, { ...files, ...extra, name: "Ada", dedupeKey: "crash" });
      await propose(service, cast, id);
      const additions = ["source", "occurrences", "createdAt", "githubIssueUrl"];
      expect(await read(`/api/v1/agent/feedback/${id}`)).toEqual(
        [
          ...["app", "app.id", "app.name", "feedback", "messages", "omittedMessages", "latestProposal"],
          ...[...feedback, ...file, ...additions].map((field) => `feedback.${field}`),
          ...["id", "direction", "author", "body", "createdAt"].map((field) => `messages.${field}`),
          ...proposal.map((field) => `latestProposal.${field}`),
        ].sort(),
      );
    });

    it("is in a proposal only if it is a documented addition", async () => {
      const runId = await propose(service, cast, await submitFeedback(service, cast));
      const ofRuns = ["decision", "feedbackId", "consoleUrl", "summary", "plan", "planSha256"];
      const ofLives = ["expiresAt", "claim", "progress", "outcome"];
      await decide(service, cast, runId, { decision: "approve", note: "Go." });
      expect(await read(`/api/v1/agent/runs/${runId}`)).toEqual([...run, ...ofRuns, ...ofLives].sort());
    });
  });
});
