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
    const listed: string[] = [];
    for (let cursor = ""; ; ) {
      const page = await list({ ...filters, limit: "1", ...(cursor && { cursor }) });
      listed.push(...page.items.map(({ subject }) => subject));
      if (page.nextCursor === null) break;
      cursor = page.nextCursor;
    }
    expect(listed).toEqual(wanted);
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
