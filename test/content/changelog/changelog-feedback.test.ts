import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { databases } from "../../support/database/databases.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { type ChangelogCallers, makeChangelogCallers } from "../../support/worlds/changelog-callers.ts";
import {
  makeOwnerWithOneOfEach,
  type OwnerWithOneOfEach,
  sendFeedback,
} from "../../support/worlds/owner-with-one-of-each.ts";

describe.each(databases)("the link from a release note to feedback, on $name (rule C17),", (engine) => {
  let service: Service;
  let world: OwnerWithOneOfEach;
  let api: ChangelogCallers;
  let threads: readonly [string, string];
  beforeAll(async () => {
    service = await startService({ engine });
    world = await makeOwnerWithOneOfEach(service);
  });
  beforeEach(async () => {
    api = await makeChangelogCallers(service, world);
    threads = [await sendFeedback(service, api.app.key), await sendFeedback(service, api.app.key)];
  });
  afterAll(() => service.stop());

  const link = (id: string) => `http://127.0.0.1/console/feedback/${api.app.id}/${id}`;
  const published = async () => {
    const headers = { "x-api-key": api.app.key };
    return Object((await service.request("GET", "/api/v1/changelog/remote", { headers })).body).entries;
  };
  const read = async (id: string) => (await world.call("GET", `/changelog/${id}`)).body;

  it("is created by a line with the id of the thread, alone or in a list of ids", async () => {
    const [one, two] = threads;
    const answer = await api.put("1.0.0", {
      body: `Maps.\n\n**Feedback:** ${one.toUpperCase()}, ${link(two)}`,
    });
    expect(answer.body).toMatchObject({ feedbackIds: [one, two] });
    expect(await read(answer.field("id"))).toMatchObject({ feedbackIds: [one, two] });
    const list = await service.request("GET", api.path, { headers: api.job });
    expect(list.body).toMatchObject({ items: [{ feedbackIds: [one, two] }] });
  });

  it("is created by an address of the console, and by the text of a change", async () => {
    const [one, two] = threads;
    const body = `Fixes [the list](${link(one)}).`;
    const items = [{ type: "fixed", text: `Feedback: ${two}` }];
    expect((await api.post({ version: "1.0.0", body, items })).body).toMatchObject({
      feedbackIds: [one, two],
    });
  });

  it("is not created if the thread belongs to another app or does not exist", async () => {
    const body = `Feedback: ${world.threadId}\nFeedback: 01a1fda4-237d-759b-ad89-7cf5663516dc`;
    expect((await api.put("1.0.0", { body })).body).toMatchObject({ feedbackIds: [] });
  });

  it("is kept when several requests add links at the same time (rule C32)", async () => {
    const id = (await api.put("1.0.0", { body: "Maps." })).field("id");
    const answers = await Promise.all(
      threads.map((thread) => api.edit(id, { fixes: [thread.toUpperCase()] })),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const [one, two] = threads;
    expect(await read(id)).toMatchObject({ feedbackIds: expect.arrayContaining([one, two]) });
    await api.edit(id, { fixes: [one] });
    expect(Object(await read(id)).body).toMatch(/^Maps\.\n\nFeedback: \S{36}, \S{36}$/);
  });

  it("cannot be added to a thread of another app (rule C32)", async () => {
    const id = (await api.put("1.0.0", { body: "Maps." })).field("id");
    expect(await api.edit(id, { fixes: [world.threadId] })).toMatchObject({
      status: 400,
      body: { issues: [{ path: "fixes" }] },
    });
    expect(await read(id)).toMatchObject({ body: "Maps.", feedbackIds: [] });
  });

  it("leads to the thread into which a named thread was merged, in every answer (rules C32, F46)", async () => {
    const [one, two] = threads;
    expect(await world.call("POST", `/feedback/${one}/merge`, { into: two })).toMatchObject({ status: 200 });
    const made = await api.put("1.0.0", { body: `Feedback: ${one}` });
    expect(made.body).toMatchObject({ feedbackIds: [two] });
    const id = made.field("id");
    expect(await api.edit(id, { body: "Maps.", fixes: [one] })).toMatchObject({
      status: 200,
      body: { body: `Maps.\n\nFeedback: ${one}`, feedbackIds: [two] },
    });
    expect(await read(id)).toMatchObject({ feedbackIds: [two] });
  });

  it("cannot be added to a text that has no space for it (rule C32)", async () => {
    const id = (await api.put("1.0.0", { body: "x".repeat(100_000) })).field("id");
    expect(await api.edit(id, { fixes: [threads[0]] })).toMatchObject({ status: 400 });
  });

  it("changes with each change of the text, and is deleted with the thread", async () => {
    const [one, two] = threads;
    const id = (await api.put("1.0.0", { body: `Feedback: ${one}` })).field("id");
    expect((await api.edit(id, { body: `Feedback: ${one} and ${two}` })).body).toMatchObject({
      feedbackIds: [one, two],
    });
    expect((await api.edit(id, { title: "Maps" })).body).toMatchObject({ feedbackIds: [one, two] });
    await world.call("DELETE", `/feedback/${one}`);
    expect(await read(id)).toMatchObject({ feedbackIds: [two] });
    expect((await api.edit(id, { body: "" })).body).toMatchObject({ feedbackIds: [] });
  });

  it("is kept when an import keeps the text of a person", async () => {
    const [one, two] = threads;
    const id = (await api.put("1.0.0", { body: "Maps." })).field("id");
    await api.edit(id, { body: `Feedback: ${one}` });
    expect((await api.put("1.0.0", { body: `Feedback: ${two}` })).body).toMatchObject({
      keptFields: ["body"],
      feedbackIds: [one],
    });
  });

  it("is shown to maintainers, and not to apps", async () => {
    const [one] = threads;
    const body = `Maps.\n\nFeedback: ${one}\n\nFeedback: tell us what you think of [them](https://example.org).`;
    const items = [
      { type: "fixed", text: "The list" },
      { type: "fixed", text: `Feedback: ${one}` },
    ];
    const answer = await api.put("1.0.0", { body, items, publish: true });
    expect(answer.body).toMatchObject({ body, items });
    expect(await published()).toMatchObject([
      {
        body: "Maps.\n\nFeedback: tell us what you think of [them](https://example.org).",
        items: [{ type: "fixed", text: "The list" }],
      },
    ]);
    expect(await published()).not.toMatchObject([{ feedbackIds: expect.anything() }]);
  });
});
