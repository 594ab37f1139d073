import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { faqs } from "../../../server/content/faqs/store.ts";
import { pictures } from "../../../server/content/texts/store.ts";
import { cleanUp } from "../../../server/jobs/housekeeping.ts";
import { databases, sharedDatabases } from "../../support/database/databases.ts";
import { jpeg, pdf, png, type SampleFile } from "../../support/files/sample-files.ts";
import { waiters } from "../../support/postgres/locked-table.ts";
import { type Service, startService } from "../../support/service/service.ts";
import {
  makeOwnerWithOneOfEach,
  type OwnerWithOneOfEach,
} from "../../support/worlds/owner-with-one-of-each.ts";

describe.each(databases)("pictures of the FAQ and of release notes, on $name", (engine) => {
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

  const dataUrl = ({ mediaType, bytes }: SampleFile) =>
    `data:${mediaType};base64,${bytes.toString("base64")}`;
  const add = (part = "faqs", pictures = [dataUrl(png())]) => {
    const path = part === "faqs" ? `/apps/${app.id}/faqs/pictures` : `/apps/${app.id}/changelog/pictures`;
    return world.call("POST", path, { pictures });
  };
  const addOne = async (part?: string) => {
    const [picture] = Object((await add(part)).body).pictures;
    return { ...picture, name: String(picture.url).split("/").at(-1) };
  };
  const read = async (url: string) => (await fetch(url)).status;

  it("are stored at an address that everybody can read", async () => {
    const answer = await add();
    expect(answer.status).toBe(201);
    const [picture] = Object(answer.body).pictures;
    expect(picture.url).toMatch(new RegExp(`^${service.baseUrl}/uploads/[\\w-]{20,}\\.png$`));
    expect(picture.markdown).toMatch(/^!\[.*\]\(http.*\.png\)$/);
    expect(await read(picture.url)).toBe(200);
  });

  it("are shown in the preview, and pictures of other servers are links", async () => {
    const { markdown } = await addOne("changelog");
    const preview = async (text: string) =>
      (await world.call("POST", "/preview", { markdown: text })).field("html");
    expect(await preview(markdown)).toContain("<img src=");
    expect(await preview("![x](https://elsewhere.example/uploads/a.png)")).not.toContain("<img");
  });

  it("have the same limits as pictures of feedback", async () => {
    const refusal = async (pictures: string[]) => (await add("faqs", pictures)).field("code");
    expect(await refusal([])).toBe("bad_request");
    expect(await refusal([dataUrl(pdf())])).toBe("bad_request");
    expect(await refusal([1, 2, 3, 4].map(() => dataUrl(jpeg())))).toBe("bad_request");
  });

  it("are deleted with the entry that shows them, unless another text shows them", async () => {
    const [one, shared] = [await addOne(), await addOne()];
    const create = async (answer: string) =>
      (await world.call("POST", `/apps/${app.id}/faqs`, { question: "Q?", answer })).field("id");
    const id = await create(`${one.markdown}\n${shared.markdown}`);
    await create(shared.markdown);
    await world.call("DELETE", `/faqs/${id}`);
    expect(await read(one.url)).toBe(404);
    expect(await read(shared.url)).toBe(200);
  });

  it("are deleted with a release note, and with a replacement of the FAQ", async () => {
    const [ofNote, ofFaq] = [await addOne("changelog"), await addOne()];
    const note = { title: "T", version: "9.9.9", body: ofNote.markdown };
    const id = (await world.call("POST", `/apps/${app.id}/changelog`, note)).field("id");
    await world.call("DELETE", `/changelog/${id}`);
    expect(await read(ofNote.url)).toBe(404);
    await world.call("POST", `/apps/${app.id}/faqs`, { question: "Q?", answer: ofFaq.markdown });
    await service.request("PUT", `/api/v1/console/apps/${app.id}/faqs`, {
      headers: { ...world.headers, "if-match": "*" },
      body: { faqs: [] },
    });
    expect(await read(ofFaq.url)).toBe(404);
  });

  it("are deleted with the app", async () => {
    const { url } = await addOne();
    await world.call("DELETE", `/apps/${app.id}`);
    expect(await read(url)).toBe(404);
  });

  it("can be added only by maintainers of the app", async () => {
    const path = `/api/v1/console/apps/${app.id}/faqs/pictures`;
    const body = { pictures: [dataUrl(png())] };
    expect((await service.request("POST", path, { body })).status).toBe(401);
  });

  it("are kept while an earlier text shows them", async () => {
    const { url, markdown } = await addOne();
    const create = async (answer: string) =>
      (await world.call("POST", `/apps/${app.id}/faqs`, { question: "Q?", answer })).field("id");
    const [changed, deleted] = [await create(markdown), await create(markdown)];
    await world.call("PATCH", `/faqs/${changed}`, { answer: "Without." });
    await world.call("DELETE", `/faqs/${deleted}`);
    expect(await read(url)).toBe(200);
  });

  it("are deleted with an entry that shows many of them", async () => {
    const many = await Promise.all(Array.from({ length: 12 }, () => addOne()));
    const answer = many.map(({ markdown }) => markdown).join("\n");
    const id = (await world.call("POST", `/apps/${app.id}/faqs`, { question: "Q?", answer })).field("id");
    await world.call("DELETE", `/faqs/${id}`);
    expect(await Promise.all(many.map(({ url }) => read(url)))).toEqual(many.map(() => 404));
  });

  it("are kept if a text shows them that was saved and replaced after the cleanup read the texts", async () => {
    const [one, other] = [await addOne(), await addOne()];
    const { database } = service.deps;
    const shown = await pictures.shown(database, app.id);
    const answer = String(one.markdown);
    const id = (await world.call("POST", `/apps/${app.id}/faqs`, { question: "Q?", answer })).field("id");
    await world.call("PATCH", `/faqs/${id}`, { answer: other.markdown });
    const names = [one.name, other.name];
    expect(await database.write((tx) => pictures.removeUnused(tx, app.id, { names, shown }))).toEqual([]);
    expect([await read(one.url), await read(other.url)]).toEqual([200, 200]);
  });

  it("are deleted after 30 days if no text shows them, also after a failed cleanup", async () => {
    const [used, unused] = [await addOne(), await addOne()];
    await world.call("POST", `/apps/${app.id}/faqs`, { question: "Q?", answer: used.markdown });
    const { signal } = new AbortController();
    service.clock.advance(29 * 86_400_000);
    await cleanUp(service.deps, signal);
    expect(await read(unused.url)).toBe(200);
    service.clock.advance(2 * 86_400_000);

    const failing = vi.spyOn(pictures, "shown").mockRejectedValue(new Error("The statement took too long."));
    await cleanUp(service.deps, signal);
    expect(failing).toHaveBeenCalled();
    failing.mockRestore();
    expect(await read(unused.url)).toBe(200);

    await cleanUp(service.deps, signal);
    expect([await read(used.url), await read(unused.url)]).toEqual([200, 404]);
  });
});

describe.each(sharedDatabases)("a picture that no text shows, on $name", (engine) => {
  it("is kept if an entry that shows it is saved at the same moment", async () => {
    const service = await startService({ engine });
    onTestFinished(() => service.stop());
    const world = await makeOwnerWithOneOfEach(service);
    const { id: appId } = await service.makeApp(world.owner);
    const url = `data:image/png;base64,${png().bytes.toString("base64")}`;
    const added = await world.call("POST", `/apps/${appId}/faqs/pictures`, { pictures: [url] });
    const [picture] = Object(added.body).pictures;
    const { database } = service.deps;
    const waiting = async () => (await database.all(waiters)).length > 0;
    const shown = await pictures.shown(database, appId);
    const names = [String(picture.url).split("/").at(-1) ?? ""];
    let removed: Promise<string[]> = Promise.resolve(["none"]);
    await database.write(async (tx) => {
      await faqs.lock(tx, appId);
      const at = new Date().toISOString();
      await faqs.insert(tx, { id: "e1", appId, question: "Q?", answer: picture.markdown, sortOrder: 1, at });
      removed = database.write((other) => pictures.removeUnused(other, appId, { names, shown }));
      await vi.waitUntil(waiting);
    });
    expect(await removed).toEqual([]);
    expect((await fetch(picture.url)).status).toBe(200);
  });
});
