import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import * as z from "zod";
import { databases } from "../../support/database/databases.ts";
import { issuesOf } from "../../support/service/issues.ts";
import { type Service, startService } from "../../support/service/service.ts";
import {
  type AppWithAgent,
  decide,
  makeAppWithAgent,
  propose,
  submitFeedback,
} from "../../support/worlds/app-with-owner-and-agent.ts";
import { fillThreads } from "../../support/worlds/owner-with-one-of-each.ts";

const List = z.object({
  items: z.array(z.looseObject({ id: z.string(), subject: z.string(), waiting: z.string() })),
  nextCursor: z.nullable(z.string()),
  changes: z.nullable(z.string()),
});

describe.each(databases)("GET /api/v1/agent/feedback on $name", (engine) => {
  let service: Service;
  let cast: AppWithAgent;
  beforeAll(async () => {
    service = await startService({ engine });
  });
  beforeEach(async () => {
    cast = await makeAppWithAgent(service);
  });
  afterAll(() => service.stop());

  const ask = (query: Record<string, string> = {}, agent = cast.agent) =>
    service.request("GET", `/api/v1/agent/feedback?${new URLSearchParams(query)}`, { headers: agent });
  const list = async (query: Record<string, string> = {}, agent = cast.agent) => {
    const answer = await ask(query, agent);
    expect(answer).toMatchObject({ status: 200 });
    return List.parse(answer.body);
  };
  const subjects = async (query: Record<string, string> = {}) =>
    (await list(query)).items.map(({ subject }) => subject);
  const send = (subject: string, more: object = {}) => submitFeedback(service, cast, { subject, ...more });
  const editThread = (id: string, body: object) =>
    service.request("PATCH", `/api/v1/console/feedback/${id}`, { headers: cast.person, body });

  it("does not reveal a sender's address to an agent through search operators", async () => {
    await send("Login fails", { email: "ada@example.org", name: "Ada" });
    for (const q of ["from:a", "from:ada", "from:ada@example.org", "assignee:none"])
      expect([q, await subjects({ q })]).toEqual([q, []]);
    // An operator without a value is a word that no thread contains.
    expect(await subjects({ q: "login -from:ada@example.org" })).toEqual(["Login fails"]);
  });

  it("ignores words of a sender's name or address in the search of an agent", async () => {
    const people = { email: "ada.byron@example.org", name: "Ada Byron" };
    const id = await send("Login fails", people);
    await send("Byron is wrong", { email: "someone@example.org" });
    for (const q of ["ada", "ada byron", "ada.byron@example.org", '"ada byron"', "byr example", "ample"])
      expect([q, await subjects({ q })]).toEqual([q, []]);
    expect(await subjects({ q: "byron" })).toEqual(["Byron is wrong"]);
    expect(await subjects({ q: "login -ada -byron" })).toEqual(["Login fails"]);
    const person = await service.request("GET", `/api/v1/console/apps/${cast.appId}/feedback?q=ada`, {
      headers: cast.person,
    });
    expect(Object(person.body).items).toMatchObject([{ id }]);
  });

  it("returns what an agent needs to choose a thread, and no data of the sender", async () => {
    const id = await send("Login fails", { email: "ada@example.org", name: "Ada", source: "ada's phone" });
    const answer = await ask();
    expect(answer.body).toEqual({
      items: [
        {
          id,
          app: { id: cast.appId, name: expect.any(String) },
          subject: "Login fails",
          type: "bug",
          status: "open",
          createdAt: expect.stringMatching(/Z$/),
          activeAt: expect.stringMatching(/Z$/),
          occurrences: 1,
          consoleUrl: expect.stringMatching(new RegExp(`/feedback/${cast.appId}/${id}$`)),
          waiting: "none",
          runId: null,
        },
      ],
      nextCursor: null,
      changes: expect.any(String),
    });
    expect(JSON.stringify(answer.body)).not.toMatch(/\bada\b/i);
  });

  it("filters by status, type, words, activity, and the step that the newest proposal waits for", async () => {
    const [broken, wish] = [await send("Broken login"), await send("A wish", { type: "feature" })];
    await editThread(broken, { status: "resolved" });
    expect(await subjects({ status: "open" })).toEqual(["A wish"]);
    expect(await subjects({ type: "bug" })).toEqual(["Broken login"]);
    expect(await subjects({ status: "resolved", type: "feature" })).toEqual([]);
    expect(await subjects({ q: "login" })).toEqual(["Broken login"]);
    expect(await subjects({ q: "login", status: "open" })).toEqual([]);
    expect(await subjects({ waiting: "none" })).toHaveLength(2);
    const runId = await propose(service, cast, wish);
    expect((await list({ waiting: "approval" })).items).toMatchObject([{ id: wish, runId }]);
    expect(await subjects({ waiting: "none" })).toEqual(["Broken login"]);
    await decide(service, cast, runId, { decision: "request_changes", note: "Smaller." });
    expect((await list({ waiting: "changes" })).items).toMatchObject([{ id: wish, runId }]);
    const second = await propose(service, cast, wish);
    await decide(service, cast, second, { decision: "approve" });
    expect((await list({ waiting: "approved" })).items).toMatchObject([{ id: wish, runId: second }]);
    const third = await propose(service, cast, wish);
    await decide(service, cast, third, { decision: "reject" });
    expect((await list({ waiting: "none" })).items).toMatchObject([
      { id: wish, runId: third },
      { id: broken },
    ]);
  });

  it("returns with updatedSince the threads that were active since then, the last active one first", async () => {
    const [first, second] = [await send("First"), await send("Second")];
    service.clock.advance(60_000);
    const since = service.clock.now().toISOString();
    service.clock.advance(1_000);
    await editThread(second, { status: "in_progress" });
    service.clock.advance(1_000);
    await propose(service, cast, first);
    const { items } = await list({ updatedSince: since });
    expect(items).toMatchObject([{ id: first }, { id: second }]);
    const [{ id } = expect.fail()] = (await list({ updatedSince: since, limit: "1" })).items;
    expect(id).toBe(first);
    service.clock.advance(1_000);
    expect(await subjects({ updatedSince: service.clock.now().toISOString() })).toEqual([]);
  });

  it("returns each thread once over all pages, in each order", async () => {
    const numbers = Array.from({ length: 53 }, (_, at) => ({ subject: `Thread ${at}`, message: "Broken." }));
    await fillThreads(service, cast.appId, numbers);
    const wanted = numbers.map(({ subject }) => subject).reverse();
    const queries: Record<string, string>[] = [{}, { updatedSince: "2000-01-01T00:00:00Z" }, { q: "broken" }];
    for (const query of queries) {
      const found: string[] = [];
      for (let cursor: string | null = ""; cursor !== null; ) {
        const page: z.output<typeof List> = await list({ ...query, ...(cursor && { cursor }) });
        expect(page.changes === null).toBe(cursor !== "");
        expect(page.items.length).toBeLessThanOrEqual(20);
        found.push(...page.items.map(({ subject }) => subject));
        cursor = page.nextCursor;
      }
      expect(found).toEqual(wanted);
    }
  });

  it("accepts a cursor only for the same list, and with other filters returns what comes after it", async () => {
    await fillThreads(service, cast.appId, [{ subject: "A" }, { subject: "B" }, { subject: "C" }]);
    const { nextCursor } = await list({ limit: "1", status: "open" });
    const cursor = String(nextCursor);
    const others: Record<string, string>[] = [{ status: "open", limit: "2" }, {}];
    for (const filters of others) expect(await subjects({ cursor, ...filters })).toHaveLength(2);
    expect(await subjects({ cursor, status: "resolved" })).toEqual([]);
    const runs = `/api/v1/agent/runs?${new URLSearchParams({ cursor })}`;
    expect(issuesOf(await service.request("GET", runs, { headers: cast.agent }))).toEqual([
      "cursor: must be the `nextCursor` of an earlier page of the same list",
    ]);
  });

  it("names all faults of the query in one answer", async () => {
    const faults = issuesOf(
      await ask({ limit: "51", waiting: "soon", status: "new", type: "rant", appId: "7", wait: "56" }),
    );
    expect(faults.map((fault) => fault.split(":")[0]).sort()).toEqual(
      ["appId", "limit", "status", "type", "wait", "waiting"].sort(),
    );
    expect(issuesOf(await ask({ wait: "5" }))).toEqual(["wait: needs `changedAfter`"]);
    expect(issuesOf(await ask({ cursor: "x" }))).toEqual([expect.stringContaining("cursor: ")]);
  });

  it("returns only apps of the token's owner, and for a limited token only its app", async () => {
    const mine = await send("Mine");
    const stranger = await makeAppWithAgent(service);
    await submitFeedback(service, stranger, { subject: "Hidden" });
    const second = await service.makeApp(cast.owner);
    await submitFeedback(service, { ...cast, key: { "x-api-key": second.key } }, { subject: "Second app" });
    expect(await subjects()).toEqual(["Second app", "Mine"]);
    expect(await subjects({ q: "hidden" })).toEqual([]);
    expect(await subjects({ appId: second.id })).toEqual(["Second app"]);
    expect(await ask({ appId: stranger.appId })).toMatchObject({ status: 404 });
    const token = await service.makeToken(cast.owner, "agent", { appId: cast.appId });
    const limited = { authorization: `Bearer ${token}` };
    expect((await list({}, limited)).items).toMatchObject([{ id: mine }]);
    expect((await list({ q: "app" }, limited)).items).toEqual([]);
    expect(await ask({ appId: second.id }, limited)).toMatchObject({ status: 404 });
  });
});
