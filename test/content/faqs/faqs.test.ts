import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { databases, sharedDatabases } from "../../support/database/databases.ts";
import { lockTable } from "../../support/postgres/locked-table.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { type AppWithAgent, makeAppWithAgent } from "../../support/worlds/app-with-owner-and-agent.ts";

const path = "/api/v1/faqs/remote";
const unknownId = "00000000-0000-4000-8000-000000000000";
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

describe.each(databases)("the public FAQ endpoints on $name", (engine) => {
  let service: Service;
  let cast: AppWithAgent;
  beforeAll(async () => {
    service = await startService({ engine });
  });
  beforeEach(async () => {
    cast = await makeAppWithAgent(service);
  });
  afterAll(() => service.stop());

  const call = (method: string, address: string, body?: object, headers: Record<string, string> = cast.key) =>
    service.request(method, address, { headers, body });
  const list = async (headers: Record<string, string> = cast.key) =>
    (await call("GET", path, undefined, headers)).body;
  const create = (more: object = {}) => call("POST", path, { question: "How?", answer: "So.", ...more });
  const createId = async (more: object = {}) => (await create(more)).field("id");

  describe("GET /api/v1/faqs/remote", () => {
    it("answers 200 with an empty array when there are no entries", async () => {
      expect(await call("GET", path)).toMatchObject({ status: 200, body: [] });
    });

    it("answers 200 with the full fields of each entry", async () => {
      const id = await createId({ sortOrder: 3 });
      const [entry] = [await list()].flat();
      const times = { createdAt: expect.stringMatching(instant), updatedAt: expect.stringMatching(instant) };
      expect(entry).toEqual({ id, question: "How?", answer: "So.", sortOrder: 3, ...times });
    });

    it("adds the marks of the last push only if the request asks for them", async () => {
      const id = await createId({ sortOrder: 3 });
      const unpushed = { pushedHash: null, pushedSortOrder: null };
      const asked = await call("GET", `${path}?include=translations`);
      expect(asked.body).toMatchObject([{ id, question: "How?", ...unpushed }]);
      const plain = await call("GET", path);
      expect(plain.body).not.toMatchObject([unpushed]);
      expect(plain.headers.get("etag")).not.toBe(asked.headers.get("etag"));
    });

    it("is ordered by sortOrder, then by creation", async () => {
      const ids = [await createId({ sortOrder: 5 }), await createId({ sortOrder: -5 })];
      ids.push(await createId({ sortOrder: 5 }), await createId({ sortOrder: 0 }));
      const [first, second, third, fourth] = ids;
      expect(await list()).toMatchObject([{ id: second }, { id: fourth }, { id: first }, { id: third }]);
    });

    it("contains only the entries of the key's app", async () => {
      await create();
      expect(await list((await makeAppWithAgent(service)).key)).toEqual([]);
    });
  });

  describe("POST /api/v1/faqs/remote", () => {
    it("answers 201 with id, question, answer and sortOrder, and nothing else", async () => {
      const answer = await create({ sortOrder: 7 });
      expect(answer.status).toBe(201);
      expect(answer.body).toEqual({ id: answer.field("id"), question: "How?", answer: "So.", sortOrder: 7 });
    });

    it("assigns the id itself", async () => {
      expect(await createId({ id: unknownId })).not.toBe(unknownId);
    });

    it("appends the entry if sortOrder is omitted or null: its sortOrder is the highest of the app plus 1", async () => {
      expect(await create()).toMatchObject({ body: { sortOrder: 1 } });
      expect(await create({ sortOrder: null })).toMatchObject({ status: 201, body: { sortOrder: 2 } });
      await create({ sortOrder: 41 });
      await create({ sortOrder: 10 });
      expect(await create()).toMatchObject({ body: { sortOrder: 42 } });
    });

    it("also appends an entry after negative sort orders", async () => {
      await create({ sortOrder: -10 });
      expect(await create()).toMatchObject({ body: { sortOrder: -9 } });
    });

    it("appends the entry after an entry with the highest possible sortOrder", async () => {
      const last = await createId({ sortOrder: 2_147_483_647 });
      const appended = await create();
      expect(appended).toMatchObject({ status: 201, body: { sortOrder: 2_147_483_647 } });
      expect(await list()).toMatchObject([{ id: last }, { id: appended.field("id") }]);
    });
  });

  describe("PATCH /api/v1/faqs/remote/{faqId}", () => {
    it.each([
      [{ question: "Why?" }, { question: "Why?", answer: "So.", sortOrder: 1 }],
      [{ answer: "Because." }, { question: "How?", answer: "Because.", sortOrder: 1 }],
      [{ sortOrder: -2 }, { question: "How?", answer: "So.", sortOrder: -2 }],
      [{ sortOrder: 0 }, { question: "How?", answer: "So.", sortOrder: 0 }],
      [
        { question: "Why?", answer: "Because.", sortOrder: 9 },
        { question: "Why?", answer: "Because.", sortOrder: 9 },
      ],
    ])("changes only the given field with %j, and answers 200 with the entry", async (change, entry) => {
      const id = await createId();
      const answer = await call("PATCH", `${path}/${id}`, change);
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({ id, ...entry });
      expect(await list()).toMatchObject([{ id, ...entry }]);
    });

    it("changes updatedAt and keeps createdAt", async () => {
      const id = await createId();
      const before = await call("GET", path);
      service.clock.advance(1_000);
      await call("PATCH", `${path}/${id}`, { answer: "Because." });
      const after = await call("GET", path);
      expect(after.field("0.createdAt")).toBe(before.field("0.createdAt"));
      const raisedBy = Date.parse(after.field("0.updatedAt")) - Date.parse(before.field("0.updatedAt"));
      expect(raisedBy).toBeGreaterThanOrEqual(1_000);
    });

    it.each([
      ["{}", {}],
      ["unknown fields only", { foo: 1 }],
      ["no body", undefined],
    ])("answers 200 with %s, and changes nothing, not even updatedAt", async (_, change) => {
      const id = await createId();
      const before = await list();
      service.clock.advance(1_000);
      const answer = await call("PATCH", `${path}/${id}`, change);
      expect(answer).toMatchObject({
        status: 200,
        body: { id, question: "How?", answer: "So.", sortOrder: 1 },
      });
      expect(await list()).toEqual(before);
    });
  });

  describe("DELETE /api/v1/faqs/remote/{faqId}", () => {
    it("answers 200 with success, and deletes the entry permanently", async () => {
      const id = await createId();
      const answer = await call("DELETE", `${path}/${id}`);
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({ success: true });
      expect(await list()).toEqual([]);
    });

    it("answers 404 not_found for the second request", async () => {
      const id = await createId();
      await call("DELETE", `${path}/${id}`);
      expect(await call("DELETE", `${path}/${id}`)).toMatchObject({
        status: 404,
        body: { code: "not_found" },
      });
    });

    it("deletes an entry once if 20 requests arrive at the same time", async () => {
      const id = await createId();
      const answers = await Promise.all(Array.from({ length: 20 }, () => call("DELETE", `${path}/${id}`)));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(answers.filter(({ status }) => status === 404)).toHaveLength(19);
    });
  });

  it.each([
    ["PATCH", { question: "Why?" }],
    ["PATCH", {}],
    ["DELETE", undefined],
  ])("%s answers 404 not_found for an unknown id", async (method, body) => {
    const answer = await call(method, `${path}/${unknownId}`, body);
    expect(answer).toMatchObject({ status: 404, body: { code: "not_found" } });
  });

  it("use UUIDs as ids", async () => {
    expect(await createId()).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  });

  it("read an id in upper case as the same id", async () => {
    const id = await createId();
    const answer = await call("PATCH", `${path}/${id.toUpperCase()}`, { answer: "Because." });
    expect(answer).toMatchObject({ status: 200, body: { id } });
  });

  it("have the same entries as the owner's console", async () => {
    const id = await createId();
    const console = `/api/v1/console/apps/${cast.appId}/faqs`;
    const asked = await call("GET", `${path}?include=translations`);
    expect((await call("GET", console, undefined, cast.person)).body).toEqual(asked.body);
    await call("PATCH", `/api/v1/console/faqs/${id}`, { answer: "Because." }, cast.person);
    expect(await list()).toMatchObject([{ id, answer: "Because." }]);
  });
});

describe.each(sharedDatabases)("the public FAQ endpoints on a PostgreSQL database", (postgres) => {
  it("give each entry its own sortOrder if several are appended at the same time", async () => {
    const service = await startService({ engine: postgres, environment: { INNKEEP_RATE_LIMITS: "off" } });
    const { key: headers } = await makeAppWithAgent(service);
    const body = { question: "How?", answer: "So." };
    const held = await lockTable(service.database, "faqs");
    const created = Array.from({ length: 8 }, () => service.request("POST", path, { headers, body }));
    await held.waiting(8);
    await held.release();
    await Promise.all(created);
    const list = await service.request("GET", path, { headers });
    expect(list.body).toMatchObject([1, 2, 3, 4, 5, 6, 7, 8].map((sortOrder) => ({ sortOrder })));
    await service.stop();
  });
});
