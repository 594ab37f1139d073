import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import * as z from "zod";
import { type Service, startService } from "../../support/service/service.ts";
import {
  makeOwnerWithOneOfEach,
  type OwnerWithOneOfEach,
} from "../../support/worlds/owner-with-one-of-each.ts";

const Entries = z.array(z.looseObject({ pushedHash: z.unknown(), pushedSortOrder: z.unknown() }));

describe("the FAQ in the console", () => {
  let service: Service;
  let world: OwnerWithOneOfEach;
  let app: { id: string; key: string };
  beforeAll(async () => {
    service = await startService();
    world = await makeOwnerWithOneOfEach(service);
  });
  beforeEach(async () => {
    app = await service.makeApp(world.owner);
  });
  afterAll(() => service.stop());

  const create = (faq: object) =>
    world.call("POST", `/apps/${app.id}/faqs`, { question: "Q?", answer: "A.", ...faq });
  const replace = (faqs: readonly object[]) =>
    service.request("PUT", `/api/v1/console/apps/${app.id}/faqs`, {
      headers: { ...world.headers, "if-match": "*" },
      body: { faqs },
    });
  const list = async () => (await world.call("GET", `/apps/${app.id}/faqs`)).body;
  const remote = async () =>
    (await service.request("GET", "/api/v1/faqs/remote", { headers: { "x-api-key": app.key } })).body;

  /** Apps get the six fields of the specification. */
  const asApps = (entries: unknown) =>
    Entries.parse(entries).map(
      ({ pushedHash: _, pushedSortOrder: __, translations: ___, ...entry }) => entry,
    );

  it("is what apps read immediately after each change", async () => {
    await remote();
    const id = (await create({ question: "Why?" })).field("id");
    expect(await remote()).toEqual(asApps(await list()));
    await world.call("PATCH", `/faqs/${id}`, { answer: "Because." });
    expect(await remote()).toMatchObject([{ id, question: "Why?", answer: "Because." }]);
    expect((await world.call("DELETE", `/faqs/${id}`)).body).toEqual({ success: true });
    expect(await remote()).toEqual([]);
  });

  it("gets new entries at the end", async () => {
    await create({ sortOrder: 7 });
    expect((await create({})).body).toMatchObject({ sortOrder: 8 });
  });

  it("does not change with an empty change", async () => {
    const id = (await create({})).field("id");
    const before = await list();
    service.clock.advance(1_000);
    expect((await world.call("PATCH", `/faqs/${id}`, {})).status).toBe(200);
    expect(await list()).toEqual(before);
  });

  describe("that is replaced as a whole", () => {
    it("has the new entries in their order", async () => {
      const keep = (await create({ question: "Keep?" })).field("id");
      const gone = (await create({ question: "Gone?" })).field("id");
      const answer = await replace([
        { question: "New?", answer: "Yes." },
        { id: keep, question: "Keep?", answer: "Changed.", sortOrder: 2 },
      ]);
      expect(answer.status).toBe(200);
      expect(answer.body).toMatchObject([
        { question: "New?", sortOrder: 1 },
        { id: keep, answer: "Changed.", sortOrder: 2 },
      ]);
      expect(answer.text).not.toContain(gone);
      expect(await remote()).toEqual(asApps(answer.body));
    });

    it("keeps the given sort orders", async () => {
      const answer = await replace([
        { question: "B?", answer: "B.", sortOrder: 20 },
        { question: "A?", answer: "A." },
      ]);
      expect(answer.body).toMatchObject([
        { question: "A?", sortOrder: 2 },
        { question: "B?", sortOrder: 20 },
      ]);
    });

    it("keeps entries unchanged that are equal", async () => {
      const first = await replace([
        { question: "A?", answer: "A." },
        { question: "B?", answer: "B." },
      ]);
      service.clock.advance(1_000);
      const [a, b] = [first.field("0.id"), first.field("1.id")];
      const second = await replace([
        { id: a, question: "A?", answer: "A." },
        { id: b, question: "B?", answer: "New." },
      ]);
      expect(second.field("0.updatedAt")).toBe(first.field("0.updatedAt"));
      expect(second.field("1.updatedAt")).not.toBe(first.field("1.updatedAt"));
      expect(second.field("1.createdAt")).toBe(first.field("1.createdAt"));
    });

    it("can become empty", async () => {
      await create({});
      expect((await replace([])).body).toEqual([]);
    });

    it("refuses ids of other apps and repeated ids, names each element, and changes nothing", async () => {
      const own = (await create({})).field("id");
      const before = await list();
      const faq = { question: "Q?", answer: "A." };
      const answer = await replace([
        { ...faq, id: own },
        { ...faq, id: world.faqId },
        { ...faq, id: own },
      ]);
      expect(answer.status).toBe(400);
      expect(answer.body).toMatchObject({ issues: [{ path: "faqs.1.id" }, { path: "faqs.2.id" }] });
      expect(await list()).toEqual(before);
    });

    it("names all faulty fields", async () => {
      const answer = await replace([{ question: "", answer: "A." }, { question: "Q?" }]);
      expect(answer.body).toMatchObject({ issues: [{ path: "faqs.0.question" }, { path: "faqs.1.answer" }] });
    });

    it("is exactly one of the lists if several requests arrive at the same time", async () => {
      const lists = Array.from({ length: 10 }, (_, n) =>
        [1, 2, 3].map((at) => ({ question: `${n}-${at}?`, answer: "A." })),
      );
      const answers = await Promise.all(lists.map(replace));
      expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
      const questions = JSON.stringify(await list()).match(/\d-\d\?/g) ?? [];
      expect(questions).toHaveLength(3);
      expect(new Set(questions.map((question) => question[0])).size).toBe(1);
    });
  });
});
