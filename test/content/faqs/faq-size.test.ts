import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { limits } from "../../../src/contract/limits.ts";
import { databases } from "../../support/database/databases.ts";
import { refusal } from "../../support/service/refusals.ts";
import type { Answer } from "../../support/service/request.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { type AppWithAgent, makeAppWithAgent } from "../../support/worlds/app-with-owner-and-agent.ts";

const path = "/api/v1/faqs/remote";
/** Every text is at most this many bytes long in these tests. */
const longest = 80_000;
const faq = (answer = "So.") => ({ question: "How?", answer });
/** A text of the greatest length, with four bytes in each character. */
const greatest = "😀".repeat(limits.answer);

describe.each(databases)("the whole FAQ of an app on $name (rule C38)", (engine) => {
  let service: Service;
  let cast: AppWithAgent;
  beforeAll(async () => {
    service = await startService({ engine, environment: { INNKEEP_RATE_LIMITS: "off" } });
  });
  beforeEach(async () => {
    cast = await makeAppWithAgent(service);
  });
  afterAll(() => service.stop());

  /** Stores entries without the API, as an earlier server has stored them. */
  const fill = (count: number, answer = "A.") =>
    service.deps.database.write((tx) =>
      tx.run(
        `WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < CAST(? AS INTEGER))
         INSERT INTO faqs (id, app_id, question, answer, sort_order, created_at, updated_at)
         SELECT CAST(? AS TEXT) || CAST(100000000000 + n AS TEXT), ?, 'Q?', ?, 1, CAST(? AS TEXT), CAST(? AS TEXT)
         FROM numbers`,
        ...[count, cast.appId.slice(0, 24), cast.appId, answer],
        ...["2026-01-01T00:00:00.000Z", "2026-01-01T00:00:00.000Z"],
      ),
    );
  const idOf = (n: number) => `${cast.appId.slice(0, 24)}${100_000_000_000 + n}`;
  const send = (method: string, address: string, body: object): Promise<Answer> =>
    service.request(method, address, { headers: { ...cast.key, "if-match": "*" }, body });
  const inConsole = (method: string, address: string, body?: object): Promise<Answer> =>
    service.request(method, `/api/v1/console${address}`, { headers: cast.person, ...(body && { body }) });
  const drafts = () => `/apps/${cast.appId}/faqs/drafts`;
  const size = async () => {
    const { body } = await service.request("GET", path, { headers: cast.key });
    return Array.isArray(body) ? body.length : -1;
  };
  const expectFull = (answer: Answer) => {
    expect(answer).toMatchObject(refusal(409, "wrong_state"));
    expect(answer.field("error")).toMatch(/maximum/);
  };

  it("has at most 10,000 entries with its drafts", async () => {
    await fill(limits.listedFaqs - 1);
    expect((await inConsole("POST", drafts(), faq())).status).toBe(201);
    expectFull(await send("POST", path, faq()));
    expectFull(await inConsole("POST", `/apps/${cast.appId}/faqs`, faq()));
    expectFull(await inConsole("POST", drafts(), faq()));
    expect(await size()).toBe(limits.listedFaqs - 1);
    expect((await send("PATCH", `${path}/${idOf(1)}`, { answer: "Better." })).status).toBe(200);
    await service.request("DELETE", `${path}/${idOf(1)}`, { headers: cast.key });
    expect((await send("POST", path, faq())).status).toBe(201);
  });

  it("counts drafts in a replacement of the whole list, too", async () => {
    await inConsole("POST", drafts(), faq());
    const faqs = Array.from({ length: limits.listedFaqs }, () => ({ question: "Q", answer: "A" }));
    expectFull(await send("PUT", path, { faqs }));
    expect(await size()).toBe(0);
  });

  describe("with texts of almost 32 MB", () => {
    /** Stores texts. Afterwards, exactly `free` bytes are free. */
    async function fillUpTo(free: number): Promise<void> {
      const whole = longest + 2;
      const count = Math.floor((limits.faqList - free) / whole);
      await fill(count - 1, greatest);
      const rest = limits.faqList - free - (count - 1) * whole;
      for (const bytes of [Math.floor(rest / 2), Math.ceil(rest / 2)])
        expect((await send("POST", path, faq(textOf(bytes - 4)))).status).toBe(201);
    }
    /** A text of this many bytes. */
    const textOf = (bytes: number) => `${"a".repeat(bytes % 4)}${"😀".repeat(Math.floor(bytes / 4))}`;

    it("accepts exactly 32 MB, and not one byte more", async () => {
      await fillUpTo(100);
      expectFull(await send("POST", path, faq("a".repeat(97))));
      const created = await send("POST", path, faq("a".repeat(96)));
      expect(created.status).toBe(201);
      const id = created.field("id");
      expectFull(await send("PATCH", `${path}/${id}`, { answer: "a".repeat(97) }));
      expect((await send("PATCH", `${path}/${id}`, { answer: "b".repeat(96) })).status).toBe(200);
      expect((await send("PATCH", `${path}/${id}`, { sortOrder: 7 })).status).toBe(200);
    });

    it("counts a text as the JSON that an app gets", async () => {
      await fillUpTo(100);
      expectFull(await send("POST", path, faq("\u0001".repeat(17))));
      expect((await send("POST", path, faq(`${"\u0001".repeat(8)}${'"\\\n\t'.repeat(6)}`))).status).toBe(201);
    });

    it("refuses each request that would make it larger", async () => {
      await fillUpTo(1_000);
      const id = (await send("POST", path, faq("x".repeat(300)))).field("id");
      await send("PATCH", `${path}/${id}`, { answer: "y" });
      const { body } = await inConsole("GET", `/faqs/${id}/history`);
      const [version] = Object(body).items;
      await send("POST", path, faq("x".repeat(900)));
      const { body: all } = await service.request("GET", path, { headers: cast.key });
      const kept = [all].flat().map((one) => ({ id: Object(one).id }));
      const long = "x".repeat(200);
      const de = { question: "Wie?", answer: "x".repeat(100) };
      for (const [method, address, more] of [
        ["POST", `/apps/${cast.appId}/faqs`, faq(long)],
        ["PUT", `/faqs/${id}/draft`, { answer: long }],
        ["PUT", `/faqs/${id}/draft`, { translations: { de } }],
        ["POST", drafts(), faq(long)],
        ["PATCH", `/faqs/${id}`, { answer: long }],
        ["PATCH", `/faqs/${id}`, { translations: { de } }],
        ["POST", `/faqs/${id}/restore`, { version: version.id }],
      ] as const)
        expectFull(await inConsole(method, address, more));
      expectFull(await send("PUT", path, { faqs: [...kept, faq(long)] }));
      expectFull(await send("PUT", path, { faqs: kept.map((one) => ({ ...one, translations: { de } })) }));
      const after = await service.request("GET", path, { headers: cast.key });
      expect(after.body).toEqual(all);
    });

    it("accepts each change that makes a FAQ smaller that is already too large", async () => {
      await fill(430, greatest);
      expectFull(await send("POST", path, faq()));
      expectFull(await send("PATCH", `${path}/${idOf(1)}`, { question: "Longer?" }));
      expect((await send("PATCH", `${path}/${idOf(1)}`, { answer: "A." })).status).toBe(200);
      expect((await send("PATCH", `${path}/${idOf(2)}`, { sortOrder: 2 })).status).toBe(200);
      const moved = Array.from({ length: 429 }, (_, at) => ({ id: idOf(at + 1), sortOrder: 429 - at }));
      expect((await send("PUT", path, { faqs: moved })).status).toBe(200);
      expect((await inConsole("DELETE", `/faqs/${idOf(3)}`)).status).toBe(200);
      expect((await send("PUT", path, { faqs: [{ id: idOf(4) }] })).status).toBe(200);
      expect((await send("POST", path, faq())).status).toBe(201);
    });
  });
});
