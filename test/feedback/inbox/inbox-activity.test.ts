import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import * as z from "zod";
import { databases } from "../../support/database/databases.ts";
import { issuesOf } from "../../support/service/issues.ts";
import { type Service, startService } from "../../support/service/service.ts";
import {
  bearer,
  fillThreads,
  makeOwnerWithOneOfEach,
  type OwnerWithOneOfEach,
  propose,
  sendFeedback,
} from "../../support/worlds/owner-with-one-of-each.ts";

const List = z.object({
  items: z.array(
    z.looseObject({
      id: z.string(),
      subject: z.string(),
      unread: z.boolean(),
      activeAt: z.string(),
      lastMessage: z.looseObject({ text: z.string() }),
    }),
  ),
  nextCursor: z.nullable(z.string()),
});

describe.each(databases)("the inbox in the order of activity on $name", (engine) => {
  let service: Service;
  let world: OwnerWithOneOfEach;
  let app: { readonly id: string; readonly key: string };
  beforeAll(async () => {
    service = await startService({ engine });
    world = await makeOwnerWithOneOfEach(service);
  });
  beforeEach(async () => {
    app = await service.makeApp(world.owner);
  });
  afterAll(() => service.stop());

  const send = async (subject: string, more: object = {}) => {
    service.clock.advance(1_000);
    return sendFeedback(service, app.key, { subject, ...more });
  };
  const act = async (path: string, body: object, method = "POST") => {
    service.clock.advance(1_000);
    const answer = await world.call(method, path, body);
    expect(answer.status).toBeLessThan(300);
    return answer;
  };
  const ask = (query: Record<string, string>) =>
    world.call("GET", `/apps/${app.id}/feedback?${new URLSearchParams(query)}`);
  const list = async (query: Record<string, string> = {}) =>
    List.parse((await ask({ order: "activity", ...query })).body);
  const subjects = async (query: Record<string, string> = {}) =>
    (await list(query)).items.map(({ subject }) => subject);
  const oldest = { order: "oldest_activity" } as const;
  const subjectsOnPages = async (query: Record<string, string>) => {
    const listed: string[] = [];
    for (let cursor = ""; ; ) {
      const page = await list({ ...query, limit: "1", ...(cursor && { cursor }) });
      listed.push(...page.items.map(({ subject }) => subject));
      if (page.nextCursor === null) return listed;
      cursor = page.nextCursor;
    }
  };

  it("begins with the thread with the latest event of any kind", async () => {
    const note = (id: string) => act(`/feedback/${id}/messages`, { direction: "note", body: "Seen." });
    const [a, b, c, d] = [
      await send("a"),
      await send("b", { dedupeKey: "b" }),
      await send("c"),
      await send("d"),
    ];
    expect(await subjects()).toEqual(["d", "c", "b", "a"]);
    await note(a);
    expect(await subjects()).toEqual(["a", "d", "c", "b"]);
    await send("again", { dedupeKey: "b" });
    expect(await subjects()).toEqual(["b", "a", "d", "c"]);
    service.clock.advance(1_000);
    const runId = await propose(service, await service.makeToken(world.owner, "agent"), c);
    expect(await subjects()).toEqual(["c", "b", "a", "d"]);
    await act(`/feedback/${d}`, { status: "in_progress" }, "PATCH");
    expect(await subjects()).toEqual(["d", "c", "b", "a"]);
    await act(`/feedback/${b}/messages`, { direction: "outbound", body: "Thanks." });
    expect(await subjects()).toEqual(["b", "d", "c", "a"]);
    await act(`/runs/${runId}/decision`, { decision: "reject" });
    expect(await subjects()).toEqual(["c", "b", "d", "a"]);
  });

  it("does not change the default order, which is the arrival of the reports", async () => {
    const [first] = [await send("first"), await send("second")];
    await act(`/feedback/${first}/messages`, { direction: "note", body: "Seen." });
    expect((await list({ order: "created" })).items.map(({ subject }) => subject)).toEqual([
      "second",
      "first",
    ]);
    expect(List.parse((await ask({})).body).items.map(({ subject }) => subject)).toEqual(["second", "first"]);
  });

  it.each([
    [{}, ["5", "4", "3", "2", "1", "0"]],
    [{ status: "open" }, ["4", "3", "1", "0"]],
    [{ type: "bug" }, ["4", "2", "0"]],
    [{ status: "open", type: "question" }, ["3", "1"]],
  ])("can be filtered by %o over several pages", async (filters, wanted) => {
    for (let at = 0; at < 6; at += 1) {
      const id = await send(String(at), { type: at % 2 === 0 ? "bug" : "question" });
      if (at % 3 === 2) await act(`/feedback/${id}`, { status: "resolved" }, "PATCH");
    }
    expect(await subjectsOnPages(filters)).toEqual(wanted);
    expect(await subjectsOnPages({ ...filters, ...oldest })).toEqual(wanted.toReversed());
  });

  it("can begin with the thread without activity for the longest time", async () => {
    const [a] = [await send("a"), await send("b"), await send("c")];
    expect(await subjects(oldest)).toEqual(["a", "b", "c"]);
    await act(`/feedback/${a}/messages`, { direction: "note", body: "Seen." });
    expect(await subjects(oldest)).toEqual(["b", "c", "a"]);
    await send("d");
    expect(await subjects(oldest)).toEqual(["b", "c", "a", "d"]);
  });

  it.each([
    ["waitingOn=us", ["b", "c", "d"]],
    ["waitingOn=us&snoozed=false&status=open", ["b", "d"]],
    ["waitingOn=sender", ["a"]],
    ["assignee=me", ["b", "c"]],
    ["assignee=none&unfinished=true", ["d", "a"]],
    ["unfinished=true", ["b", "c", "d", "a"]],
    ["tag=late", ["b", "a"]],
    ["tag=late&assignee=me", ["b"]],
    ["sender=ada%40example.org", ["b", "a"]],
    ["snoozed=true", ["c"]],
    ["from=2020-01-01&to=2099-01-01", ["b", "c", "d", "a"]],
  ])("begins with the thread without activity for the longest time in the list %s", async (query, wanted) => {
    const email = "ada@example.org";
    const [a, b, c] = [
      await send("a", { email }),
      await send("b", { email }),
      await send("c"),
      await send("d", { email: "bo@example.org" }),
    ];
    const filters = Object.fromEntries(new URLSearchParams(query));
    const soon = new Date(service.clock.now().getTime() + 7_200_000).toISOString();
    await act(`/feedback/${b}`, { assignee: "me", addTags: ["late"] }, "PATCH");
    await act(`/feedback/${c}`, { assignee: "me", snoozedUntil: soon, status: "open" }, "PATCH");
    await send("e", { dedupeKey: "e" });
    await act(`/feedback/${(await list()).items[0]?.id}`, { status: "archived" }, "PATCH");
    const last = (await list({ sender: "bo@example.org" })).items[0]?.id;
    await act(`/feedback/${last}/messages`, { direction: "note", body: "Seen." });
    await act(`/feedback/${a}`, { addTags: ["late"] }, "PATCH");
    await act(`/feedback/${a}/messages`, { direction: "outbound", body: "Thanks." });
    expect((await subjectsOnPages({ ...filters, ...oldest })).filter((name) => name !== "e")).toEqual(wanted);
  });

  it("begins with the unread thread without activity for the longest time", async () => {
    const ids = [await send("a"), await send("b"), await send("c"), await send("d")];
    await act(`/feedback/${ids[1]}/read`, { read: true }, "PUT");
    expect(await subjectsOnPages({ ...oldest, unread: "true" })).toEqual(["a", "c", "d"]);
    await act(`/apps/${app.id}/feedback/read`, { until: service.clock.now().toISOString() }, "PUT");
    await act(`/feedback/${ids[0]}/read`, { read: false }, "PUT");
    await send("e");
    await send("f");
    expect(await subjectsOnPages({ ...oldest, unread: "true" })).toEqual(["a", "e", "f"]);
    expect(await subjectsOnPages({ ...oldest, unread: "true", status: "open" })).toEqual(["a", "e", "f"]);
  });

  it("misses no thread if threads move to the end while a client reads the pages", async () => {
    const ids = [await send("a"), await send("b"), await send("c"), await send("d")];
    const first = await list({ ...oldest, limit: "2" });
    await act(`/feedback/${ids[2]}/messages`, { direction: "note", body: "Moves." });
    const second = await list({ ...oldest, limit: "2", cursor: first.nextCursor ?? "" });
    expect([...first.items, ...second.items].map(({ subject }) => subject)).toEqual(["a", "b", "d", "c"]);
    expect(second.nextCursor).toBeNull();
  });

  it.each([
    ["activity", "oldest_activity"],
    ["oldest_activity", "activity"],
    ["oldest_activity", "created"],
  ])("refuses a cursor of the order %s in the order %s", async (order, other) => {
    for (const name of ["a", "b", "c"]) await send(name);
    const { nextCursor } = await list({ order, limit: "1" });
    const answer = await ask({ order: other, cursor: nextCursor ?? "" });
    expect([answer.status, issuesOf(answer)]).toEqual([
      400,
      ["cursor: must be the `nextCursor` of an earlier page of the same list"],
    ]);
  });

  it("has no effect on a search, which has its own order", async () => {
    for (const name of ["a walrus", "b walrus"]) await send(name);
    expect(await subjects({ ...oldest, q: "walrus" })).toEqual(["b walrus", "a walrus"]);
  });

  it("shows no thread twice if threads move to the front while a client reads the pages", async () => {
    const ids = [await send("a"), await send("b"), await send("c"), await send("d")];
    const first = await list({ limit: "2" });
    await act(`/feedback/${ids[0]}/messages`, { direction: "note", body: "Moves." });
    await act(`/feedback/${ids[3]}/messages`, { direction: "note", body: "Moves." });
    const second = await list({ limit: "2", cursor: first.nextCursor ?? "" });
    const names = [...first.items, ...second.items].map(({ subject }) => subject);
    expect(names).toEqual(["d", "c", "b"]);
    expect(second.nextCursor).toBeNull();
    expect(await subjects({ limit: "2" })).toEqual(["d", "a"]);
  });

  it("keeps one order of threads that were active at the same instant", async () => {
    const createdAt = service.clock.now().toISOString();
    await fillThreads(service, app.id, Array(9).fill({ createdAt }));
    const whole = (await list()).items.map(({ id }) => id);
    const first = await list({ limit: "4" });
    const second = await list({ limit: "9", cursor: first.nextCursor ?? "" });
    expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(whole);
    const [early, late] = [await list({ ...oldest, limit: "4" }), await list({ ...oldest, limit: "9" })];
    const rest = await list({ ...oldest, limit: "9", cursor: early.nextCursor ?? "" });
    expect([...early.items, ...rest.items].map(({ id }) => id)).toEqual(whole.toReversed());
    expect(late.items.map(({ id }) => id)).toEqual(whole.toReversed());
  });

  it("shows who wrote the last message, and its beginning", async () => {
    const id = await send("a", {
      message: "It broke\n\n   badly.",
      name: "Ada",
      email: "ada@example.org",
      dedupeKey: "a",
    });
    const last = async () => (await list()).items[0]?.lastMessage;
    const sender = { name: "Ada", email: "ada@example.org" };
    expect(await last()).toMatchObject({
      author: "sender",
      sender,
      writtenBy: null,
      text: "It broke badly.",
    });
    await send("a", { message: "Here too.", name: "Bo", dedupeKey: "a" });
    expect(await last()).toMatchObject({ sender: { name: "Bo", email: null }, text: "Here too." });
    await act(`/feedback/${id}/messages`, { direction: "outbound", body: "word ".repeat(100) });
    const reply = await last();
    expect(reply).toMatchObject({
      direction: "outbound",
      author: "team",
      sender: null,
      writtenBy: world.owner.email,
    });
    expect(reply?.text).toMatch(/^(word )+word…$/);
    expect([...(reply?.text ?? "")].length).toBeLessThanOrEqual(200);
    service.clock.advance(1_000);
    await propose(service, await service.makeToken(world.owner, "agent"), id);
    expect(await last()).toMatchObject({ direction: "note", author: "agent", sender: null, writtenBy: null });
  });

  it("cannot be combined with a search, and neither can its filter", async () => {
    const answer = await ask({ q: "broke", unread: "true" });
    expect(answer.status).toBe(400);
    expect(issuesOf(answer)).toEqual(["unread: cannot be combined with `q`"]);
    expect((await ask({ order: "size" })).status).toBe(400);
  });

  it("does not move a thread backwards if the clock was set back", async () => {
    const id = await send("a");
    const before = (await list()).items[0]?.activeAt;
    service.clock.advance(-3_600_000);
    await world.call("POST", `/feedback/${id}/messages`, { direction: "note", body: "Early." });
    service.clock.advance(3_600_000);
    expect((await list()).items[0]?.activeAt).toBe(before);
  });

  it("can be read by a token with the scope feedback:read", async () => {
    await send("a");
    const token = await service.makeToken(world.owner, "maintainer", { scopes: ["feedback:read"] });
    const path = `/api/v1/console/apps/${app.id}/feedback?order=activity`;
    expect((await service.request("GET", path, { headers: bearer(token) })).status).toBe(200);
  });
});
