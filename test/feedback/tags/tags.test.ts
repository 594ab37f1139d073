import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { afterLoad } from "../../../server/backup/store.ts";
import { limits } from "../../../src/contract/limits.ts";
import { databases } from "../../support/database/databases.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { makeTeam, type Team } from "../../support/worlds/members/team.ts";
import { fillThreads, sendFeedback } from "../../support/worlds/owner-with-one-of-each.ts";

describe.each(databases)("tags on $name", (engine) => {
  let service: Service;
  let team: Team;
  beforeAll(async () => {
    service = await startService({ engine });
    team = await makeTeam(service);
  });
  afterAll(() => service.stop());

  const send = (report: object = {}) => sendFeedback(service, team.app.key, report);
  const change = (id: string, body: object) => team.call("PATCH", `/feedback/${id}`, body);
  const tagged = async (...addTags: string[]) => {
    const id = await send();
    expect((await change(id, { addTags })).status).toBe(200);
    return id;
  };
  const namesOn = async (id: string) =>
    Object(await team.call("GET", `/feedback/${id}`)).body.tags.map(({ name }: { name: string }) => name);
  const make = (name: string, more: object = {}) => team.call("POST", `${team.at}/tags`, { name, ...more });
  const all = async (): Promise<{ id: string; name: string; threads: number }[]> =>
    Object((await team.call("GET", `${team.at}/tags`)).body).items;
  const named = async (name: string) => (await all()).find((tag) => tag.name === name);
  const idOf = async (name: string) => (await named(name))?.id ?? "";
  const list = async (query: string) =>
    Object((await team.call("GET", `${team.at}/feedback?${query}`)).body).items.map(
      ({ id }: { id: string }) => id,
    );

  it("are created when a person types them, and a thread shows them by name", async () => {
    const id = await tagged("Login", "android", "crash");
    expect(await namesOn(id)).toEqual(["android", "crash", "Login"]);
    expect(await named("Login")).toMatchObject({ threads: 1 });
  });

  it.each([
    ["case", "Slow", "sLOW"],
    ["the form of Unicode", "caf\u00e9", "cafe\u0301"],
    ["white space", "dark mode", " dark  mode "],
    ["an invisible joiner", "beta", "be\u200dta"],
  ])("with names that differ only in %s are the same tag", async (_, one, other) => {
    const id = await tagged(one, other);
    expect(await namesOn(id)).toEqual([one]);
    expect(await make(other)).toMatchObject({ status: 409, body: { code: "tag_exists" } });
  });

  it.each([
    ["nothing", "  "],
    ["a comma", "a,b"],
    ["a control character", "a\u0007b"],
    ["a character that turns the direction of text", "a\u202eb"],
    ["only invisible characters", "\u200d"],
    ["more than 40 characters", "x".repeat(41)],
  ])("cannot have a name with %s", async (_, name) => {
    expect((await make(name)).status).toBe(400);
    expect((await change(await send(), { addTags: [name] })).status).toBe(400);
  });

  it.each(["می‌خواهم", "क्‍ष", "👩‍💻", "日本語", "C++", "<b>bold</b>"])("can have the name %s", async (name) => {
    expect(await namesOn(await tagged(name))).toEqual([name.normalize("NFC")]);
  });

  it("filter the list, and several tags mean that a thread has all of them", async () => {
    const both = await tagged("filter a", "filter b");
    const one = await tagged("filter a");
    expect(await list("tag=filter%20A")).toEqual([one, both]);
    expect(await list("tag=filter%20a,FILTER%20B")).toEqual([both]);
    expect(await list("tag=filter%20a,unknown")).toEqual([]);
    await change(one, { status: "resolved" });
    expect(await list("tag=filter%20a&status=open")).toEqual([both]);
    expect(await list("tag=filter%20a&status=resolved")).toEqual([one]);
    expect(await list("tag=filter%20b&q=broke")).toEqual([both]);
    expect(await list("tag=filter%20b&type=question")).toEqual([]);
  });

  it("filter the list together with a period and a person", async () => {
    const early = await tagged("combined");
    service.clock.advance(60_000);
    const between = service.clock.now().toISOString();
    service.clock.advance(60_000);
    const late = await tagged("combined");
    await change(late, { assignee: "me" });
    expect(await list(`tag=combined&from=${between}`)).toEqual([late]);
    expect(await list(`tag=combined&to=${between}`)).toEqual([early]);
    expect(await list(`tag=combined&order=activity&to=${between}`)).toEqual([early]);
    expect(await list("tag=combined&assignee=me")).toEqual([late]);
    expect(await list("tag=combined&assignee=none")).toEqual([early]);
    expect(await list(`tag=combined&assignee=me&to=${between}`)).toEqual([]);
  });

  it("filter an agent's list together with a type, a status and the state of the proposal", async () => {
    const headers = { authorization: `Bearer ${await service.makeToken(team.owner, "agent")}` };
    const plain = await tagged("agents");
    const waits = await tagged("agents", "agents too");
    const proposal = { summary: "Mend it", plan: "1. Mend it." };
    const path = "/api/v1/agent/feedback";
    await service.request("POST", `${path}/${waits}/proposal`, { headers, body: proposal });
    await change(plain, { status: "resolved" });
    const found = async (query: string) =>
      Object((await service.request("GET", `${path}?tag=agents${query}`, { headers })).body).items.map(
        ({ id }: { id: string }) => id,
      );
    expect(await found("")).toEqual([waits, plain]);
    expect(await found("&type=bug")).toEqual([waits, plain]);
    expect(await found("&type=question")).toEqual([]);
    expect(await found("&status=resolved")).toEqual([plain]);
    expect(await found("&waiting=none")).toEqual([plain]);
    expect(await found("&waiting=approval")).toEqual([waits]);
    expect(await found(",agents%20too&waiting=approval&status=open&type=bug")).toEqual([waits]);
    expect(await found(",agents%20too&waiting=none")).toEqual([]);
  });

  it("filter a list with several pages, which contains each thread once", async () => {
    const app = await makeTeam(service);
    await fillThreads(
      service,
      app.app.id,
      Array.from({ length: 25 }, () => ({})),
    );
    const { items } = Object((await app.call("GET", `${app.at}/feedback?limit=100`)).body);
    for (const { id } of items) await app.call("PATCH", `/feedback/${id}`, { addTags: ["many", "more"] });
    const seen: string[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const query: string = `tag=many,more&limit=10${cursor && `&cursor=${cursor}`}`;
      const { body } = await app.call("GET", `${app.at}/feedback?${query}`);
      seen.push(...Object(body).items.map(({ id }: { id: string }) => id));
      cursor = Object(body).nextCursor;
    }
    expect(seen).toEqual(items.map(({ id }: { id: string }) => id));
  });

  it("are all kept when two people change the tags of a thread at the same time", async () => {
    const id = await tagged("old");
    const names = Array.from({ length: 8 }, (_, at) => `parallel ${at}`);
    const changes = [...names.map((name) => ({ addTags: [name] })), { removeTags: ["old"] }];
    const answers = await Promise.all(changes.map((body) => change(id, body)));
    expect(answers.map(({ status }) => status)).toEqual(changes.map(() => 200));
    expect(await namesOn(id)).toEqual(names);
  });

  it(`are at most ${limits.threadTags} on a thread, and a change to more is refused as a whole`, async () => {
    const id = await tagged(...Array.from({ length: limits.threadTags }, (_, at) => `limit ${at}`));
    const answer = await change(id, { addTags: ["one too many"], status: "resolved" });
    expect(answer).toMatchObject({ status: 400, body: { issues: [{ path: "addTags" }] } });
    expect(await named("one too many")).toBeUndefined();
    const swap = { addTags: ["one too many"], removeTags: ["limit 0"] };
    expect((await change(id, swap)).status).toBe(200);
    expect(await namesOn(id)).toHaveLength(limits.threadTags);
  });

  it("can be renamed on all threads, but not to the name of another tag", async () => {
    const id = await tagged("rename me", "taken");
    const tagId = await idOf("rename me");
    expect(await team.call("PATCH", `/tags/${tagId}`, { name: "TAKEN" })).toMatchObject({ status: 409 });
    const renamed = { name: "Rename ME", colour: "blue", threads: 1 };
    expect((await team.call("PATCH", `/tags/${tagId}`, renamed)).body).toMatchObject(renamed);
    expect(await namesOn(id)).toEqual(["Rename ME", "taken"]);
    expect((await team.call("PATCH", `/tags/${tagId}`, { colour: "plaid" })).status).toBe(400);
    expect((await team.call("PATCH", `/tags/${tagId}`, {})).status).toBe(200);
  });

  it("can be merged, and a thread that has both keeps one", async () => {
    const [both, one] = [await tagged("merge a", "merge b"), await tagged("merge a")];
    const [from, into] = [await idOf("merge a"), await idOf("merge b")];
    const merged = await team.call("POST", `/tags/${from}/merge`, { into });
    expect(merged).toMatchObject({ status: 200, body: { name: "merge b", threads: 2 } });
    expect([await namesOn(both), await namesOn(one)]).toEqual([["merge b"], ["merge b"]]);
    expect(await list("tag=merge%20b")).toEqual([one, both]);
    expect((await team.call("POST", `/tags/${into}/merge`, { into })).status).toBe(400);
  });

  it("are never merged into a tag of another app", async () => {
    const other = await service.makeApp(team.owner);
    const made = await team.call("POST", `/apps/${other.id}/tags`, { name: "elsewhere" });
    await tagged("stays");
    const from = await idOf("stays");
    expect((await team.call("POST", `/tags/${from}/merge`, { into: made.field("id") })).status).toBe(400);
    expect(await named("stays")).toMatchObject({ threads: 1 });
  });

  it("can be deleted, and the threads stay", async () => {
    const id = await tagged("gone", "kept");
    expect((await team.call("DELETE", `/tags/${await idOf("gone")}`)).status).toBe(204);
    expect(await namesOn(id)).toEqual(["kept"]);
  });

  it("are removed with a deleted thread", async () => {
    const id = await tagged("orphan");
    await team.call("DELETE", `/feedback/${id}`);
    expect(await named("orphan")).toMatchObject({ threads: 0 });
  });

  it("count their threads correctly, also after a restore of rows and counts", async () => {
    for (let count = 0; count < 3; count += 1) await tagged("counted");
    await service.deps.database.write(async (tx) => {
      await tx.run("UPDATE tags SET threads = 2 * threads");
      await afterLoad(tx);
    });
    const rows = await service.deps.database.all<{ kept: number; counted: number }>(
      "SELECT threads AS kept, (SELECT count(*) FROM thread_tags x WHERE x.tag_id = tags.id) AS counted FROM tags",
    );
    expect(rows.map(({ kept }) => Number(kept))).toEqual(rows.map(({ counted }) => Number(counted)));
    expect(await named("counted")).toMatchObject({ threads: 3 });
  });

  it("can be read by viewers, who cannot change them", async () => {
    const id = await tagged("seen");
    const viewer = await team.join("viewer");
    expect((await viewer.call("GET", `${team.at}/tags`)).text).toContain("seen");
    const tagId = await idOf("seen");
    const refused = [
      await viewer.call("POST", `${team.at}/tags`, { name: "mine" }),
      await viewer.call("PATCH", `/tags/${tagId}`, { name: "mine" }),
      await viewer.call("POST", `/tags/${tagId}/merge`, { into: tagId }),
      await viewer.call("DELETE", `/tags/${tagId}`),
      await viewer.call("PATCH", `/feedback/${id}`, { addTags: ["mine"] }),
    ];
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403]);
  });

  it("are recorded in the audit", async () => {
    const id = await tagged("audited");
    const tagId = await idOf("audited");
    await team.call("DELETE", `/tags/${tagId}`);
    const { items } = Object((await team.call("GET", "/audit?limit=2")).body);
    expect(items).toMatchObject([
      { action: "tag.delete", target: tagId, actor: team.owner.email },
      { action: "thread.tag", target: id, actor: team.owner.email },
    ]);
  });
});
