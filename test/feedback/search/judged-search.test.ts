import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { databases } from "../../support/database/databases.ts";
import { fillJudged, type JudgedQuery, judgedQueries } from "../../support/search/judged.ts";
import { type Service, startService } from "../../support/service/service.ts";

/** The results of a query in order, and their quality. */
interface Judged {
  readonly query: JudgedQuery;
  readonly found: readonly string[];
  readonly recall: number;
  readonly precision: number;
}

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);

describe.each(databases)("the search with the judged queries on $name", (engine) => {
  let service: Service;
  let appId: string;
  let call: (path: string) => Promise<Record<string, unknown>>;
  let nameOf: ReadonlyMap<string, string>;
  let judged: readonly Judged[];

  beforeAll(async () => {
    service = await startService({ engine });
    const owner = await service.makeUser();
    appId = (await service.makeApp(owner)).id;
    const headers = await service.signIn(owner);
    call = async (path) => Object((await service.request("GET", `/api/v1/console${path}`, { headers })).body);
    nameOf = new Map([...(await fillJudged(service, appId))].map(([name, id]) => [id, name]));
    judged = await judgeAll();
  });
  afterAll(() => service.stop());

  const pageOf = (path: string, q: string, more = "") =>
    call(`${path}?limit=10&q=${encodeURIComponent(q)}${more}`).then(Object);

  /** The names of all threads that a query finds, page by page. */
  async function searchAll(q: string, path = `/apps/${appId}/feedback`): Promise<string[]> {
    const found: string[] = [];
    for (let cursor = ""; ; ) {
      const { items, nextCursor } = await pageOf(path, q, cursor);
      found.push(...items.map(({ id }: { id: string }) => nameOf.get(id)));
      if (nextCursor === null) return found;
      cursor = `&cursor=${nextCursor}`;
    }
  }

  async function judgeAll(): Promise<Judged[]> {
    const all: Judged[] = [];
    for (const query of judgedQueries) {
      const { search } = await pageOf(`/apps/${appId}/feedback`, query.q);
      const found = await searchAll(search.didYouMean ?? query.q);
      const counted = found.filter((id) => !query.may?.includes(id));
      const right = (ids: readonly string[]) => ids.filter((id) => query.expected.includes(id)).length;
      const first = counted.slice(0, 10);
      const recall = right(counted) / query.expected.length;
      all.push({ query, found, recall, precision: right(first) / Math.max(1, first.length) });
    }
    return all;
  }

  it.each([...new Set(judgedQueries.map(({ kind }) => kind))])(
    "finds the expected threads for queries of the kind %s",
    (kind) => {
      const ofKind = judged.filter(({ query }) => query.kind === kind);
      expect(meanOf(ofKind.map(({ recall }) => recall))).toBeGreaterThanOrEqual(kind === "typo" ? 0.8 : 0.95);
      expect(meanOf(ofKind.map(({ precision }) => precision))).toBeGreaterThanOrEqual(0.8);
    },
  );

  it("does not find threads that only look similar", () => {
    const wrong = judged.filter(({ query, found }) => found.some((id) => query.must_not.includes(id)));
    expect(wrong.map(({ query }) => query.id)).toEqual([]);
  });

  it("finds the same threads in the same order on each database", async () => {
    const lines = judged.map(({ query, found }) => `${query.id} ${query.q}: ${found.join(" ")}\n`);
    await expect(lines.join("")).toMatchFileSnapshot("../../support/search/found.txt");
  });

  it("finds the same threads over all apps", async () => {
    for (const { query, found } of judged.filter(({ query }) => query.kind !== "typo"))
      expect([query.q, await searchAll(query.q, "/search")]).toEqual([query.q, found]);
  });

  it("shows the line that matched, with the words marked", async () => {
    for (const { query } of judged.filter(({ query: { kind } }) => kind !== "operator" && kind !== "typo")) {
      const { items } = await pageOf(`/apps/${appId}/feedback`, query.q);
      for (const { found } of items) expect([query.q, found?.marks.length]).not.toEqual([query.q, 0]);
    }
  });
});
