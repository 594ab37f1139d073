import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { sharedDatabases } from "../support/database/databases.ts";
import { eventually } from "../support/eventually.ts";
import { type Service, startService } from "../support/service/service.ts";
import {
  type AppWithAgent,
  decide,
  makeAppWithAgent,
  propose,
  submitFeedback,
  writeNote,
} from "../support/worlds/app-with-owner-and-agent.ts";

const faqs = "/api/v1/faqs/remote";
const changelog = "/api/v1/changelog/remote";
const faq = { question: "How?", answer: "So." };

describe("the HTTP cache", () => {
  let service: Service;
  let cast: AppWithAgent;
  beforeAll(async () => {
    service = await startService();
  });
  beforeEach(async () => {
    cast = await makeAppWithAgent(service);
  });
  afterAll(() => service.stop());

  const get = (path: string, headers: Record<string, string> = {}) =>
    service.request("GET", path, { headers: { ...cast.key, ...cast.agent, ...headers } });
  const etagOf = async (path: string) => (await get(path)).headers.get("etag") ?? "";
  const write = (method: string, path: string, body?: object) =>
    service.request(method, path, {
      headers: { ...(path.includes("/console/") ? cast.person : cast.key), "if-match": "*" },
      body,
    });
  const createFaq = async () => (await write("POST", faqs, faq)).field("id");
  const publish = async (note: object = {}) => (await writeNote(service, cast, note)).field("id");

  /** Creates data for each address to return. */
  const readable = {
    "GET /api/v1/faqs/remote": async () => {
      await createFaq();
      return faqs;
    },
    "GET /api/v1/changelog/remote": async () => {
      await publish();
      return `${changelog}?limit=5`;
    },
    "GET /api/v1/agent/feedback/{id}": async () =>
      `/api/v1/agent/feedback/${await submitFeedback(service, cast)}`,
    "GET /api/v1/agent/runs/{runId}": async () =>
      `/api/v1/agent/runs/${await propose(service, cast, await submitFeedback(service, cast))}`,
  };

  describe.each(Object.entries(readable))("for %s", (_, prepare) => {
    it("can use a strong ETag that stays the same if nothing changes", async () => {
      const path = await prepare();
      const etag = await etagOf(path);
      expect(etag).toMatch(/^"[\w-]{20,}"$/);
      expect(await etagOf(path)).toBe(etag);
    });

    it("gets 304 with the ETag and without a body for a matching If-None-Match", async () => {
      const path = await prepare();
      const etag = await etagOf(path);
      for (const known of [etag, `"other", ${etag}`, `W/${etag}`, "*"]) {
        const answer = await get(path, { "if-none-match": known });
        expect(answer).toMatchObject({ status: 304, text: "" });
        expect(answer.headers.get("etag")).toBe(etag);
        expect(answer.headers.has("x-request-id")).toBe(true);
      }
    });

    it("gets 200 with the body if it has another ETag", async () => {
      const path = await prepare();
      const answer = await get(path, { "if-none-match": '"other", W/"another"' });
      expect(answer.status).toBe(200);
      expect(answer.text).not.toBe("");
    });

    it("must check each answer again, and must be private", async () => {
      const cacheControl = (await get(await prepare())).headers.get("cache-control");
      expect(cacheControl).toContain("private");
      expect(cacheControl).toContain("no-cache");
    });

    it("gets the same headers for HEAD as for GET, without the body", async () => {
      const path = await prepare();
      const [head, full] = [
        await service.request("HEAD", path, { headers: { ...cast.key, ...cast.agent } }),
        await get(path),
      ];
      expect(head).toMatchObject({ status: 200, text: "" });
      for (const name of ["etag", "content-type", "content-length", "cache-control"])
        expect([name, head.headers.get(name)]).toEqual([name, full.headers.get(name)]);
    });

    it("gets 401 without credentials, even with a matching ETag", async () => {
      const path = await prepare();
      const headers = { "if-none-match": await etagOf(path) };
      expect(await service.request("GET", path, { headers })).toMatchObject({ status: 401 });
    });
  });

  describe("gets a new answer for the FAQ immediately", () => {
    it.each([
      ["POST", async () => write("POST", faqs, faq)],
      ["PATCH", async (id: string) => write("PATCH", `${faqs}/${id}`, { sortOrder: 9 })],
      ["DELETE", async (id: string) => write("DELETE", `${faqs}/${id}`)],
      [
        "PATCH in the console",
        async (id: string) => write("PATCH", `/api/v1/console/faqs/${id}`, { answer: "x" }),
      ],
      ["DELETE in the console", async (id: string) => write("DELETE", `/api/v1/console/faqs/${id}`)],
      ["POST in the console", async () => write("POST", `/api/v1/console/apps/${cast.appId}/faqs`, faq)],
      [
        "PUT in the console",
        async () => write("PUT", `/api/v1/console/apps/${cast.appId}/faqs`, { faqs: [] }),
      ],
    ])("after %s", async (_, change) => {
      const id = await createFaq();
      const etag = await etagOf(faqs);
      expect((await change(id)).status).toBeLessThan(300);
      const answer = await get(faqs, { "if-none-match": etag });
      expect(answer.status).toBe(200);
      expect(answer.headers.get("etag")).not.toBe(etag);
    });

    it("only after a request that changes something", async () => {
      const id = await createFaq();
      const etag = await etagOf(faqs);
      service.clock.advance(1_000);
      await write("PATCH", `${faqs}/${id}`, {});
      await write("PATCH", `${faqs}/${id}`, { question: "" });
      await write("DELETE", `${faqs}/00000000-0000-4000-8000-000000000000`);
      expect(await get(faqs, { "if-none-match": etag })).toMatchObject({ status: 304 });
    });
  });

  describe("gets a new answer for the changelog immediately", () => {
    const entry = (id: string, more = "") => `/api/v1/console/changelog/${id}${more}`;
    it.each([
      ["the publication of an entry", async () => writeNote(service, cast, {})],
      ["a change of an entry", async (id: string) => write("PATCH", entry(id), { title: "Newer" })],
      [
        "the change of an entry into a draft",
        async (id: string) => write("PATCH", entry(id), { publishedAt: null }),
      ],
      ["the deletion of an entry", async (id: string) => write("DELETE", entry(id))],
      [
        "the publication of a draft",
        async (_: string, draft: string) => write("POST", entry(draft, "/publish")),
      ],
    ])("after %s", async (_, change) => {
      const [id, draft] = [await publish(), await publish({ publishedAt: null })];
      const etag = await etagOf(changelog);
      expect((await change(id, draft)).status).toBeLessThan(300);
      expect(await get(changelog, { "if-none-match": etag })).toMatchObject({ status: 200 });
    });

    it("at the time when a scheduled entry is published", async () => {
      const soon = new Date(service.clock.now().getTime() + 60_000).toISOString();
      await publish({ publishedAt: soon });
      const etag = await etagOf(changelog);
      expect(await get(changelog, { "if-none-match": etag })).toMatchObject({ status: 304 });
      service.clock.advance(61_000);
      expect(await get(changelog, { "if-none-match": etag })).toMatchObject({ status: 200 });
    });

    it("for another query", async () => {
      await publish({ version: "1.0.0" });
      await publish({ version: "1.1.0" });
      const etags = [
        await etagOf(changelog),
        await etagOf(`${changelog}?limit=1`),
        await etagOf(`${changelog}?since=1.1.0`),
      ];
      expect(new Set(etags).size).toBe(3);
    });
  });

  it("gets a new answer for a proposal after the decision", async () => {
    const runId = await propose(service, cast, await submitFeedback(service, cast));
    const etag = await etagOf(`/api/v1/agent/runs/${runId}`);
    await decide(service, cast, runId, { decision: "approve" });
    expect(await get(`/api/v1/agent/runs/${runId}`, { "if-none-match": etag })).toMatchObject({
      status: 200,
    });
  });

  it("stores no answer to a writing request: no-store, and no ETag", async () => {
    const answer = await write("POST", faqs, faq);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(answer.headers.has("etag")).toBe(false);
  });
});

describe.each(sharedDatabases)("the HTTP cache of two servers with one PostgreSQL database", (postgres) => {
  it("is correct immediately on the server that has written, and soon after on the other", async () => {
    const database = await postgres.create();
    const [one, other] = [await startService({ database }), await startService({ database })];
    const { key: headers } = await makeAppWithAgent(one);
    for (let n = 1; n <= 20; n++) {
      await one.request("POST", faqs, { headers, body: faq });
      const here = await one.request("GET", faqs, { headers });
      expect(here.body).toHaveLength(n);
      await eventually(async () => {
        const there = await other.request("GET", faqs, { headers });
        expect([there.text, there.headers.get("etag")]).toEqual([here.text, here.headers.get("etag")]);
      });
    }
    await Promise.all([one.stop(), other.stop()]);
    await database.remove();
  });
});
