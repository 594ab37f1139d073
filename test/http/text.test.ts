import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { databases } from "../support/database/databases.ts";
import { type Service, startService } from "../support/service/service.ts";
import {
  type AppWithAgent,
  makeAppWithAgent,
  propose,
  submitFeedback,
} from "../support/worlds/app-with-owner-and-agent.ts";

/** Texts that code can change by mistake. */
const delicate = [
  "line\nafter line\r\nafter line\ttab",
  "'; DROP TABLE faqs; -- \" \\ \\u0000 %s #{x} {{x}} ? $1",
  "<script>alert(1)</script> &amp; <b>bold</b>",
  "e\u0301 is not \u00e9",
  "👩‍👩‍👧‍👦 🏳️‍🌈 𝒳 אבג \u202eabc\u202c",
  "\u0001\u0007\u001b[31m\u007f\u0085\u2028\u2029.",
  "a\u200bb\ufeffc\u00ad",
  "\ufffe\uffff\u{10ffff}",
  "null",
  "0",
  '{"type":"bug"}',
];

describe.each(databases)("a text that is sent to the server on $name", (engine) => {
  let service: Service;
  let cast: AppWithAgent;
  beforeAll(async () => {
    service = await startService({ engine, environment: { INNKEEP_RATE_LIMITS: "off" } });
    cast = await makeAppWithAgent(service);
  });
  afterAll(() => service.stop());

  const threadOf = async (id: string) =>
    service.request("GET", `/api/v1/console/feedback/${id}`, { headers: cast.person });

  it.each(delicate)("as feedback is returned unchanged: %j", async (text) => {
    const report = { message: text, subject: text, source: text, metadata: { [text]: [text] } };
    const id = await submitFeedback(service, cast, { ...report, name: text, email: text });
    expect(await threadOf(id)).toMatchObject({
      body: { feedback: report, sender: { name: text, email: text } },
    });
  });

  it.each(delicate)("as an FAQ entry is returned unchanged: %j", async (text) => {
    const entry = { question: text, answer: text };
    const created = await service.request("POST", "/api/v1/faqs/remote", { headers: cast.key, body: entry });
    expect(created.body).toMatchObject(entry);
    const list = await service.request("GET", "/api/v1/faqs/remote", { headers: cast.key });
    expect(list.body).toContainEqual(expect.objectContaining(entry));
  });

  it.each(delicate)("as a proposal is returned unchanged: %j", async (text) => {
    const id = await submitFeedback(service, cast);
    const proposal = { summary: text, plan: text };
    const path = `/api/v1/agent/feedback/${id}/proposal`;
    await service.request("POST", path, { headers: cast.agent, body: proposal });
    expect(await threadOf(id)).toMatchObject({ body: { latestProposal: proposal } });
  });

  it.each(delicate)("as a release note is returned unchanged: %j", async (text) => {
    const own = await makeAppWithAgent(service);
    const note = { title: text, version: "1.0.0", body: text, items: [{ type: "added", text }] };
    const body = { ...note, publishedAt: "2024-05-01T10:00:00Z" };
    await service.request("POST", `/api/v1/console/apps/${own.appId}/changelog`, {
      headers: own.person,
      body,
    });
    const answer = await service.request("GET", "/api/v1/changelog/remote", { headers: own.key });
    expect(answer.body).toMatchObject({ entries: [note] });
  });

  it.each([" ", "\n", "\t\r\v\f", "\u00a0", "\u2003\u3000", "\ufeff", "\u2028"])(
    "loses %j at its beginning and its end, and not within it",
    async (blank) => {
      const id = await submitFeedback(service, cast, { message: `${blank}a${blank}b${blank}` });
      expect((await threadOf(id)).field("feedback.message")).toBe(`a${blank}b`);
    },
  );

  it("as metadata can contain characters that other texts cannot, and lone surrogates are replaced", async () => {
    const metadata = { blanks: "  ", nul: "\0", surrogate: "\ud800", "\0key": { "\udfff": 1 } };
    const id = await submitFeedback(service, cast, { metadata });
    const kept = { blanks: "  ", nul: "\0", surrogate: "\ufffd", "\0key": { "\ufffd": 1 } };
    expect((await threadOf(id)).body).toHaveProperty("feedback.metadata", kept);
  });

  it("is returned as UTF-8 JSON with any content", async () => {
    const id = await submitFeedback(service, cast, { message: delicate.join(" ") });
    await propose(service, cast, id);
    const answer = await threadOf(id);
    expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(answer.field("feedback.message")).toBe(delicate.join(" "));
  });
});
