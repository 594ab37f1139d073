import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { databases } from "../../support/database/databases.ts";
import { eventually } from "../../support/eventually.ts";
import { type Service, startService } from "../../support/service/service.ts";
import {
  bearer,
  makeOwnerWithOneOfEach,
  type OwnerWithOneOfEach,
  propose,
  sendFeedback,
} from "../../support/worlds/owner-with-one-of-each.ts";

describe.each(databases)("a search on $name through whole threads", (engine) => {
  let service: Service;
  let world: OwnerWithOneOfEach;
  let app: { readonly id: string; readonly key: string };
  beforeAll(async () => {
    service = await startService({ engine });
    world = await makeOwnerWithOneOfEach(service);
  });
  beforeEach(async () => {
    app = await service.makeApp(world.owner, { name: "Larder" });
  });
  afterAll(() => service.stop());

  const send = (report: object = {}) => sendFeedback(service, app.key, { message: "It broke.", ...report });
  const get = async (path: string) => Object((await world.call("GET", path)).body);
  const search = (q: string, more = "") => get(`/apps/${app.id}/feedback?q=${encodeURIComponent(q)}${more}`);
  const found = async (q: string): Promise<string[]> =>
    (await search(q)).items.map(({ id }: { id: string }) => id);
  const lineOf = async (q: string) => (await search(q)).items[0]?.found;
  const change = async (method: string, path: string, body?: object) => {
    const answer = await world.call(method, path, body);
    expect(answer.status).toBeLessThan(300);
    return answer;
  };

  it("finds words of notes, replies, plans, tags, repeats, sources and metadata, and shows the text that matched", async () => {
    const id = await send({
      dedupeKey: "k",
      source: "ci-nightly",
      metadata: { device: { name: "SM-S911B" } },
    });
    await send({ dedupeKey: "k", message: "A second zebra.", email: "ada@larder.example" });
    await change("POST", `/feedback/${id}/messages`, { direction: "note", body: "Seen by an aardvark." });
    await change("POST", `/feedback/${id}/messages`, {
      direction: "outbound",
      body: "Wait for the pelican.",
    });
    await propose(service, world.agentToken, id);
    await change("PATCH", `/feedback/${id}`, { addTags: ["walrus"] });
    for (const [q, where] of [
      ["zebra", "repeat"],
      ["ada", "sender"],
      ["aardvark", "note"],
      ["pelican", "reply"],
      ["mend it", "plan"],
      ["walrus", "tag"],
      ["nightly", "source"],
      ["s911b", "metadata"],
    ]) {
      expect([q, await found(q ?? "")]).toEqual([q, [id]]);
      expect([q, (await lineOf(q ?? ""))?.in]).toEqual([q, where]);
    }
    expect(await found("zebra aardvark pelican walrus")).toEqual([id]);
    expect(await found("from:ada@larder.example has:reply source:ci -has:image")).toEqual([id]);
    expect(await found("walrus -pelican")).toEqual([]);
  });

  it("finds threads that are unread for the person, or snoozed", async () => {
    const [unread, read, snoozed] = [await send(), await send(), await send()];
    await change("PUT", `/feedback/${read}/read`, { read: true });
    const until = new Date(service.clock.now().getTime() + 86_400_000).toISOString();
    await change("PATCH", `/feedback/${snoozed}`, { snoozedUntil: until });
    expect(await found("is:unread")).toEqual([unread]);
    expect(await found("-is:unread is:open -is:snoozed")).toEqual([read]);
    expect(await found("broke is:snoozed")).toEqual([snoozed]);
  });

  it("finds a tag by its new name, and not by the old one", async () => {
    const id = await send();
    await change("PATCH", `/feedback/${id}`, { addTags: ["walrus"] });
    expect(await found("walrus")).toEqual([id]);
    const { items } = await get(`/apps/${app.id}/tags`);
    await change("PATCH", `/tags/${items[0].id}`, { name: "penguin" });
    expect(await found("walrus")).toEqual([]);
    expect(await found("tag:penguin")).toEqual([id]);
    await change("PATCH", `/feedback/${id}`, { removeTags: ["penguin"] });
    expect(await found("penguin")).toEqual([]);
  });

  it("finds nothing that an erasure removed, even before the thread is indexed again", async () => {
    const id = await send({ dedupeKey: "k" });
    await send({ dedupeKey: "k", message: "My okapi.", email: "ada@larder.example", name: "Ada" });
    await change("POST", `/feedback/${id}/messages`, { direction: "note", body: "Ask ada@larder.example." });
    expect(await found("okapi")).toEqual([id]);
    const erasure = (await change("POST", "/people/erase", { email: "ada@larder.example" })).field("id");
    await eventually(async () => expect((await get(`/people/erasures/${erasure}`)).status).toBe("done"));
    const { database } = service.deps;
    const entries = await database.all(
      database.engine === "sqlite"
        ? "SELECT rowid FROM feedback_search WHERE feedback_search MATCH '\"okapi\"'"
        : "SELECT 1 AS one FROM feedback_search WHERE CAST(words AS text) LIKE '%okapi%'",
    );
    expect(entries).toEqual([]);
    for (const q of ["okapi", "ada", "from:ada@larder.example"]) expect([q, await found(q)]).toEqual([q, []]);
    expect(await found("ask")).toEqual([id]);
  });

  it("finds the new name of a file, and no longer the old one", async () => {
    const id = await send();
    const { database, newId, clock } = service.deps;
    const upload = {
      name: newId(),
      app_id: app.id,
      feedback_id: id,
      sha256: "0",
      media_type: "application/pdf",
    };
    const at = clock.now().toISOString();
    await database.insert("uploads", {
      ...upload,
      size: 1,
      file_name: "contract-narwhal.pdf",
      created_at: at,
    });
    expect(await found("narwhal has:file")).toEqual([id]);
    await database.write((tx) =>
      tx.run("UPDATE uploads SET file_name = 'a.pdf' WHERE name = ?", upload.name),
    );
    expect(await found("narwhal")).toEqual([]);
    expect(await found("a.pdf")).toEqual([id]);
  });

  it("finds a moved message in its new thread", async () => {
    const first = await send();
    const second = await send();
    await change("POST", `/feedback/${first}/messages`, { direction: "note", body: "A dugong." });
    expect(await found("dugong")).toEqual([first]);
    await service.deps.database.write((tx) =>
      tx.run("UPDATE messages SET feedback_id = ? WHERE feedback_id = ?", second, first),
    );
    expect(await found("dugong")).toEqual([second]);
  });

  it("finds threads by number, by day, by assignee and by several statuses", async () => {
    const first = await send();
    const second = await send();
    const day = service.clock.now().toISOString().slice(0, 10);
    await change("PATCH", `/feedback/${first}`, { assignee: "me", status: "resolved" });
    expect(await found("#2")).toEqual([second]);
    expect(await found("assignee:me")).toEqual([first]);
    expect(await found("assignee:none")).toEqual([second]);
    expect(await found(`-assignee:${world.owner.email}`)).toEqual([second]);
    expect(await found("is:open is:resolved")).toEqual([second, first]);
    expect(await found("-is:open broke")).toEqual([first]);
    expect(await found(`after:${day} broke`)).toEqual([second, first]);
    expect(await found(`before:${day} broke`)).toEqual([]);
  });

  it("counts its results by status, also for statuses that were not requested", async () => {
    const id = await send({ message: "A zebra." });
    await send({ message: "Two zebras." });
    await change("PATCH", `/feedback/${id}`, { status: "resolved" });
    const counts = { open: 1, in_progress: 0, resolved: 1, archived: 0 };
    for (const more of ["", "&status=open", "&status=archived"])
      expect((await search("zebra", more)).search).toEqual({ counts, didYouMean: null, indexing: false });
    const { nextCursor, ...first } = await search("zebra", "&limit=1");
    expect(first.search.counts).toEqual(counts);
    expect((await search("zebra", `&limit=1&cursor=${nextCursor}`)).search).toBeUndefined();
  });

  it("corrects a word with the words of each of many apps", async () => {
    const words = ["aardvark", "capybara", "dolphin", "echidna", "flamingo", "gorilla", "hedgehog", "jackal"];
    words.push("kangaroo", "leopard");
    for (const word of words) {
      const { key } = await service.makeApp(world.owner);
      await sendFeedback(service, key, { message: `The ${word}s wait.` });
    }
    for (const word of words) {
      const { search: facts } = await get(`/search?q=${word.slice(0, 3)}${word.slice(4)}s`);
      expect(facts.didYouMean).toBe(`${word}s`);
    }
  });

  it("corrects a word only with words of threads that the person may see", async () => {
    await send({ message: "The keyboard is gone." });
    const other = await service.makeApp(await service.makeUser());
    await sendFeedback(service, other.key, { message: "The pangolin is gone." });
    expect((await search("keybord gone")).search.didYouMean).toBe("keyboard gone");
    expect((await search("pangoln")).search.didYouMean).toBeNull();
  });

  it("searches all apps of a person, and no other apps", async () => {
    const id = await send({ message: "A quokka." });
    const second = await service.makeApp(world.owner, { name: "Cellar" });
    const inSecond = await sendFeedback(service, second.key, { message: "Another quokka." });
    const foreign = await service.makeApp(await service.makeUser());
    await sendFeedback(service, foreign.key, { message: "A foreign quokka." });
    const { items, search } = await get("/search?q=quokka");
    expect(items.map((item: { id: string; appName: string }) => [item.id, item.appName])).toEqual([
      [inSecond, "Cellar"],
      [id, "Larder"],
    ]);
    expect(search.counts.open).toBe(2);
    expect((await get(`/search?q=quokka&appId=${second.id}`)).items).toHaveLength(1);
    expect((await get(`/search?q=quokka&appId=${foreign.id}`)).items).toEqual([]);
    const token = await service.makeToken(world.owner, "agent");
    const refused = await service.request("GET", "/api/v1/console/search?q=quokka", {
      headers: bearer(token),
    });
    expect(refused.status).toBe(401);
  });

  it("names an operator with an unknown value, and the values that are possible", async () => {
    await send();
    const values = async (q: string) => (await search(q)).search.unknownValues;
    for (const day of ["2026-02-31", "2025-02-29", "2026-04-31"])
      expect(await values(`after:${day}`)).toMatchObject([{ operator: "after", value: day }]);
    expect(await values("after:2024-02-29 before:2026-12-31")).toBeUndefined();
    expect(await values("before:2026-13-40")).toEqual([
      {
        ...{ operator: "before", value: "2026-13-40" },
        allowed: ["before:2026", "before:2026-06", "before:2026-06-30"],
      },
    ]);
    expect(await values("status:foo -type:x broke has:y")).toMatchObject([
      { operator: "status", value: "foo", allowed: expect.arrayContaining(["is:open", "is:in-progress"]) },
      { operator: "type", value: "x", allowed: expect.arrayContaining(["type:bug"]) },
      { operator: "has", value: "y", allowed: expect.arrayContaining(["has:image"]) },
    ]);
    expect(await values("is:open type:bug before:2027 has:image")).toBeUndefined();
    const { text } = await service.request("GET", `/console/search?q=${encodeURIComponent("type:x")}`, {
      headers: { ...world.headers, accept: "text/html" },
    });
    expect(text).toContain(
      "type:x is not a known filter, so the search looked for these words. Possible: type:bug,",
    );
  });

  it("names an unknown operator, but no addresses and no words in quotation marks", async () => {
    await send();
    const values = async (q: string) => (await search(q)).search.unknownValues;
    expect(await values('note:x attachment:"a b"')).toMatchObject([
      { operator: "note", value: "x", allowed: expect.arrayContaining(["is:open", "tag:NAME", "has:image"]) },
      { operator: "attachment", value: "a b" },
    ]);
    expect(await values('https://example.org std::string "say note:x" Error: 12:30')).toBeUndefined();
    expect(await values("aa:1 bb:2 cc:3 dd:4 ee:5")).toHaveLength(3);
    const { text } = await service.request("GET", `/console/search?q=${encodeURIComponent("note:x")}`, {
      headers: { ...world.headers, accept: "text/html" },
    });
    expect(text).toContain(
      "note:x is not a known filter, so the search looked for these words. Possible: is:open,",
    );
  });

  it("names tags that do not exist and assignees without a thread, and does not say who is a member", async () => {
    const id = await send();
    await world.call("PATCH", `/feedback/${id}`, { addTags: ["Sync  error"] });
    const missing = async (q: string) => (await search(q)).search.missing;
    expect(await missing(`tag:none -tag:"no such" tag:"sync error" assignee:me assignee:none`)).toEqual([
      { operator: "tag", value: "none" },
      { operator: "tag", value: "no such" },
    ]);
    expect(await missing("assignee:nobody@example.org")).toEqual([
      { operator: "assignee", value: "nobody@example.org" },
    ]);
    const own = world.owner.email;
    expect(await missing(`assignee:${own}`)).toEqual([{ operator: "assignee", value: own }]);
    await world.call("PATCH", `/feedback/${id}`, { assignee: "me" });
    expect(await missing(`assignee:${own.toUpperCase()} "tag:none"`)).toBeUndefined();
    for (const address of [`/console/search?q=tag:none`, `/console/feedback/${world.app.id}?q=tag:none`]) {
      const { text } = await service.request("GET", address, {
        headers: { ...world.headers, accept: "text/html" },
      });
      expect(text).toContain("There is no tag none.");
    }
  });

  it("says on its page that OR is an ordinary word", async () => {
    const { text } = await service.request("GET", "/console/search?q=quokka+OR+zebra", {
      headers: { ...world.headers, accept: "text/html" },
    });
    expect(text).toContain("The search looks for OR as ordinary words, and finds");
  });
});
