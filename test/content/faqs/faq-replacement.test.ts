import { createHash } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { databases } from "../../support/database/databases.ts";
import { refusal } from "../../support/service/refusals.ts";
import type { Answer } from "../../support/service/request.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { rounds } from "../../support/torture.ts";
import { type AppWithAgent, makeAppWithAgent } from "../../support/worlds/app-with-owner-and-agent.ts";

const path = "/api/v1/faqs/remote";
const faq = (name: string, more: object = {}) => ({ question: `${name}?`, answer: `${name}.`, ...more });
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

type Ask = () => Promise<Answer>;

/** A person edits before, after and during a push. */
const orders: readonly ((push: Ask, edit: Ask) => Promise<{ push: Answer; person: Answer }>)[] = [
  async (push, edit) => {
    const person = await edit();
    return { person, push: await push() };
  },
  async (push, edit) => ({ push: await push(), person: await edit() }),
  async (push, edit) => {
    const [pushed, person] = await Promise.all([push(), edit()]);
    return { push: pushed, person };
  },
  async (push, edit) => {
    const [person, pushed] = await Promise.all([edit(), push()]);
    return { push: pushed, person };
  },
];

/** `PUT /api/v1/faqs/remote` and `PUT /api/v1/console/apps/:appId/faqs`. */
describe.each(databases)("a request with the whole FAQ on $name", (engine) => {
  let service: Service;
  let cast: AppWithAgent;
  beforeAll(async () => {
    service = await startService({ engine, environment: { INNKEEP_RATE_LIMITS: "off" } });
  });
  beforeEach(async () => {
    cast = await makeAppWithAgent(service);
  });
  afterAll(() => service.stop());

  const console = () => `/api/v1/console/apps/${cast.appId}/faqs`;
  const list = (address = `${path}?include=push`) => service.request("GET", address, { headers: cast.key });
  const etag = async () => (await list()).headers.get("etag") ?? "";
  const put = (faqs: readonly object[], ifMatch: string): Promise<Answer> =>
    service.request("PUT", path, { headers: { ...cast.key, "if-match": ifMatch }, body: { faqs } });
  const putNow = async (...faqs: object[]) => put(faqs, await etag());
  const edit = (id: string, body: object) =>
    service.request("PATCH", `/api/v1/console/faqs/${id}`, { headers: cast.person, body });

  it("replaces the list with a full app key, and returns the new list", async () => {
    const first = await putNow(faq("A"), faq("B", { sortOrder: 7 }));
    expect(first).toMatchObject({ status: 200, body: [{ ...faq("A"), sortOrder: 1 }, { sortOrder: 7 }] });
    const [a, b] = [first.field("0.id"), first.field("1.id")];
    const second = await putNow({ id: b, sortOrder: 0 }, { id: a, question: "A?", answer: "New." }, faq("C"));
    expect(second.body).toMatchObject([
      { id: b, ...faq("B"), sortOrder: 0 },
      { id: a, answer: "New.", sortOrder: 1 },
      { ...faq("C"), sortOrder: 3 },
    ]);
    expect((await list()).body).toEqual(second.body);
    expect((await putNow({ id: a })).body).toEqual([expect.objectContaining({ id: a, answer: "New." })]);
  });

  it("is refused for an intake key, and changes nothing", async () => {
    const intake = await service.makeKey(cast.appId, "intake");
    const headers = { "x-api-key": intake, "if-match": "*" };
    const answer = await service.request("PUT", path, { headers, body: { faqs: [faq("A")] } });
    expect(answer).toMatchObject(refusal(403, "insufficient_scope"));
    expect((await list()).body).toEqual([]);
  });

  it("needs the header If-Match", async () => {
    for (const [address, headers] of [
      [path, cast.key],
      [console(), cast.person],
    ] as const) {
      const answer = await service.request("PUT", address, { headers, body: { faqs: [faq("A")] } });
      expect(answer).toMatchObject(refusal(428, "precondition_required"));
    }
    expect((await list()).body).toEqual([]);
  });

  it("is refused after any change of the list, also after a change of a mark", async () => {
    const before = await etag();
    const id = (await put([faq("A")], before)).field("0.id");
    expect(await put([], before)).toMatchObject(refusal(412, "precondition_failed"));
    const after = await etag();
    await edit(id, { answer: "Edited." });
    expect(await put([{ id, ...faq("A") }], after)).toMatchObject(refusal(412, "precondition_failed"));
    const edited = await etag();
    await put([{ id, ...faq("A"), answer: "Edited." }], edited);
    expect(await put([], edited)).toMatchObject(refusal(412, "precondition_failed"));
    expect((await list()).body).toMatchObject([{ id, answer: "Edited." }]);
  });

  it("accepts the ETag of the list that apps read", async () => {
    const plain = (await list(path)).headers.get("etag") ?? "";
    expect((await put([faq("A")], plain)).status).toBe(200);
    expect((await put([faq("B")], plain)).status).toBe(412);
  });

  it("accepts the ETag of both addresses, also as a weak ETag of a proxy, and `*` for any list", async () => {
    const shown = await service.request("GET", console(), { headers: cast.person });
    expect(shown.headers.get("etag")).toBe(await etag());
    expect((await put([faq("A")], `"other", W/${await etag()}`)).status).toBe(200);
    expect((await put([faq("B")], "*")).status).toBe(200);
  });

  it("names all faults by element in one answer, and changes nothing", async () => {
    const id = (await putNow(faq("A"))).field("0.id");
    const answer = await putNow({ id, question: "Only?" }, { answer: "Only." }, faq("B", { sortOrder: 0.5 }));
    expect(answer.body).toMatchObject({
      issues: [
        { path: "faqs.0.answer", message: "is missing" },
        { path: "faqs.1.question", message: "is missing" },
        { path: "faqs.2.sortOrder" },
      ],
    });
    expect((await list()).body).toMatchObject([{ id, ...faq("A") }]);
  });

  it("marks the entries that it set, and an edit of a person keeps the mark", async () => {
    const id = (await putNow(faq("A", { sortOrder: 4 }))).field("0.id");
    const mark = { pushedHash: sha256("A?\0A."), pushedSortOrder: 4 };
    expect((await list()).body).toMatchObject([mark]);
    await edit(id, { answer: "Edited.", sortOrder: 9 });
    expect((await list()).body).toMatchObject([{ answer: "Edited.", sortOrder: 9, ...mark }]);
    await putNow({ id });
    expect((await list()).body).toMatchObject([mark]);
    await putNow({ id, question: "A?", answer: "Pushed." });
    expect((await list()).body).toMatchObject([{ pushedHash: sha256("A?\0Pushed."), pushedSortOrder: 4 }]);
    await putNow({ id, question: "A?", answer: "Edited.", sortOrder: 9 });
    expect((await list()).body).toMatchObject([{ pushedHash: sha256("A?\0Edited."), pushedSortOrder: 9 }]);
  });

  it("does not change updatedAt if it changes only a mark", async () => {
    const headers = cast.key;
    const created = await service.request("POST", path, { headers, body: faq("A") });
    const before = await list();
    service.clock.advance(1_000);
    await putNow({ id: created.field("id"), ...faq("A") });
    expect((await list()).field("0.updatedAt")).toBe(before.field("0.updatedAt"));
  });

  it("can have 500 entries with answers of up to 20,000 characters, and is one transaction", async () => {
    const isLong = (at: number) => at % rounds(10, 1) === 0;
    const faqs = Array.from({ length: 500 }, (_, at) =>
      faq(`Q${at}`, { answer: `${at}`.padEnd(isLong(at) ? 20_000 : 20, "é") }),
    );
    expect(JSON.stringify({ faqs }).length).toBeGreaterThan(rounds(1_000_000, 9_000_000));
    expect((await putNow(...faqs)).status).toBe(200);
    const broken = [...faqs.slice(1), faq("Last", { answer: "" })];
    expect((await put(broken, "*")).status).toBe(400);
    const stored = [(await list()).body].flat();
    expect(stored).toHaveLength(500);
    expect(stored[499]).toMatchObject(faqs[499] ?? {});
  });

  it("can have a body of up to 32 MiB, also in chunks without a declared length", async () => {
    const answer = await service.request("PUT", path, {
      headers: { ...cast.key, "if-match": "*", "content-type": "application/json" },
      body: `{"faqs":[],"more":"${"x".repeat(33_554_432 - 22)}"}`,
    });
    expect(answer.status).toBe(200);
    const pieces = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(Buffer.from('{"faqs":[],"more":"'));
        for (let at = 0; at < 30; at += 1) controller.enqueue(Buffer.alloc(1_048_576, "x"));
        controller.enqueue(Buffer.from('"}'));
        controller.close();
      },
    });
    const headers = { ...cast.key, "if-match": "*", "content-type": "application/json" };
    const sent = { method: "PUT", headers, body: pieces, duplex: "half" } as const;
    expect((await fetch(service.baseUrl + path, sent)).status).toBe(200);
  });

  it("loses no edit and leaves no partial list if people edit at the same time", async () => {
    const ids = ["A", "B", "C"];
    const first = await putNow(...ids.map((name) => faq(name)));
    const [a = "", b = "", c = ""] = ids.map((_, at) => first.field(`${at}.id`));
    const statuses = new Set<number>();
    for (let round = 0; round < rounds(7, 1_250); round += 1)
      for (const [at, inOrder] of orders.entries()) {
        const seen = await etag();
        const [byPush, byPerson] = [`push ${round}.${at}`, `person ${round}.${at}`];
        const pushed = [a, b, c].map((id) => ({ id, question: "Q?", answer: byPush }));
        const { push, person } = await inOrder(
          () => put(pushed, seen),
          () => edit(a, { answer: byPerson }),
        );
        statuses.add(push.status);
        expect(person.status).toBe(200);
        const answers = [(await list()).body].flat().map((entry) => String(Object(entry).answer));
        expect(answers[0]).toBe(byPerson);
        const isPushed = answers.slice(1).map((answer) => answer === byPush);
        expect(isPushed).toEqual(push.status === 200 ? [true, true] : [false, false]);
      }
    expect([...statuses].sort()).toEqual([200, 412]);
  });
});
