import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { databases } from "../../support/database/databases.ts";
import { type Service, startService } from "../../support/service/service.ts";
import {
  fillThreads,
  makeOwnerWithOneOfEach,
  type OwnerWithOneOfEach,
  sendFeedback,
} from "../../support/worlds/owner-with-one-of-each.ts";

describe.each(databases)("a search of the inbox on $name", (engine) => {
  let service: Service;
  let world: OwnerWithOneOfEach;
  let app: { id: string; key: string };
  beforeAll(async () => {
    service = await startService({ engine });
    world = await makeOwnerWithOneOfEach(service);
  });
  beforeEach(async () => {
    app = await service.makeApp(world.owner);
  });
  afterAll(() => service.stop());

  const send = (subject: string, report: object = {}) =>
    sendFeedback(service, app.key, { subject, ...report });
  const search = async (q: string, more = "") => {
    const path = `/apps/${app.id}/feedback?q=${encodeURIComponent(q)}${more}`;
    const answer = await world.call("GET", path);
    expect(answer.status).toBe(200);
    return Object(answer.body);
  };
  const found = async (q: string, more = "") =>
    (await search(q, more)).items.map(({ subject }: { subject: string }) => subject);

  it.each([
    ["subject", { subject: "Zebra" }],
    ["message", { message: "A zebra ate it." }],
    ["sender's name", { name: "Zebra Smith" }],
    ["sender's address", { email: "zebra@example.org" }],
    ["source", { source: "zebra-ios" }],
  ])("reads the %s", async (_, report) => {
    const id = await send("Other", report);
    await send("Another");
    expect((await search("zebra")).items).toMatchObject([{ id }]);
  });

  it("finds threads that contain every word, in any order and any case, the newest first", async () => {
    await send("Crash in the cellar");
    await send("Cellar: CRASH again");
    await send("Crash in the attic");
    expect(await found("cellar crash")).toEqual(["Cellar: CRASH again", "Crash in the cellar"]);
  });

  it("also finds words that begin with a search word", async () => {
    await send("Importing recipes fails");
    expect(await found("recipes imp")).toEqual(["Importing recipes fails"]);
    expect(await found("rec importing")).toEqual(["Importing recipes fails"]);
    expect(await found("cipes")).toEqual([]);
  });

  it("finds a last word of one or two letters only as a whole word, except in scripts without spaces", async () => {
    await send("It is offline");
    await send("オフラインです");
    expect(await found("off")).toEqual(["It is offline"]);
    expect(await found("of")).toEqual([]);
    expect(await found("オフ")).toEqual(["オフラインです"]);
  });

  it("finds parts of addresses, paths and versions", async () => {
    await send("At ada@larder.example in /var/log/app.log with version 1.2.3");
    for (const q of ["larder", "ada@larder.example", "app.log", "1.2.3", "var"])
      expect(await found(q)).toHaveLength(1);
  });

  it.each([
    '"',
    "'",
    "zebra AND",
    "zebra OR x",
    "NOT zebra",
    "zebra*",
    "(zebra",
    "subject:zebra",
    "zebra & !x",
    "a:* | b",
    "\\",
    "%",
    "NEAR(zebra x)",
    "\uE000",
    "🦓",
  ])("reads %j as words, never as query syntax", async (q) => {
    await send("Nothing of the kind");
    expect(await found(q)).toEqual([]);
  });

  it("finds a thread by its new subject, and no longer by the old one", async () => {
    const id = await send("Aardvark");
    expect(await found("aardvark")).toHaveLength(1);
    await world.call("PATCH", `/feedback/${id}`, { subject: "Zebra" });
    expect(await found("zebra")).toEqual(["Zebra"]);
    expect(await found("aardvark")).toEqual([]);
  });

  it("finds no deleted threads", async () => {
    const id = await send("Zebra");
    expect(await found("zebra")).toHaveLength(1);
    await world.call("DELETE", `/feedback/${id}`);
    await send("Aardvark");
    expect(await found("zebra")).toEqual([]);
  });

  it("finds no threads of other apps", async () => {
    const other = await service.makeApp(world.owner);
    await sendFeedback(service, other.key, { subject: `Zebra \uE000${app.id.replaceAll("-", "")}` });
    expect(await found("zebra")).toEqual([]);
  });

  it("can be combined with the other filters", async () => {
    await send("Zebra one", { type: "bug" });
    await send("Zebra two", { type: "question" });
    expect(await found("zebra", "&type=question&status=open")).toEqual(["Zebra two"]);
    expect(await found("zebra", "&to=2020-01-01T00:00:00Z")).toEqual([]);
  });

  it("finds a thread immediately by its new status and type, and no longer by the old ones", async () => {
    const id = await send("Zebra", { type: "bug" });
    expect(await found("zebra", "&type=bug&status=open")).toEqual(["Zebra"]);
    await world.call("PATCH", `/feedback/${id}`, { status: "resolved", category: "question" });
    expect(await found("zebra", "&type=question&status=resolved")).toEqual(["Zebra"]);
    expect(await found("zebra", "&type=bug")).toEqual([]);
    expect(await found("zebra", "&status=open")).toEqual([]);
  });

  it("has several pages", async () => {
    await fillThreads(service, app.id, Array(5).fill({ message: "A zebra." }));
    const first = await search("zebra", "&limit=3");
    expect(first.items).toHaveLength(3);
    expect(await found("zebra", `&limit=3&cursor=${first.nextCursor}`)).toEqual(["Thread 1", "Thread 0"]);
  });

  it("refuses the cursor of a list that has no search", async () => {
    await fillThreads(service, app.id, [{}, {}]);
    const { body } = await world.call("GET", `/apps/${app.id}/feedback?limit=1`);
    const answer = await world.call("GET", `/apps/${app.id}/feedback?q=it&cursor=${Object(body).nextCursor}`);
    expect(answer.field("issues.0.path")).toBe("cursor");
  });

  it("also finds threads of a backlog that is larger than one transaction", async () => {
    await fillThreads(service, app.id, [{ message: "A zebra." }, ...Array(1_200).fill({})]);
    expect(await found("zebra")).toEqual(["Thread 0"]);
  });
});
