import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { databases } from "../support/database/databases.ts";
import { dataUrl, png } from "../support/files/sample-files.ts";
import { type Service, startService } from "../support/service/service.ts";

describe.each(databases)("snapshots of the development server on $name", (engine) => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ engine, settings: { dev: true } });
  });
  afterAll(() => service.stop());

  const send = (method: string, path: string, body?: unknown) => service.request(method, path, { body });
  const save = (name: string) => send("POST", "/dev/snapshots", { name });
  const load = (name: string) => send("POST", `/dev/snapshots/${name}/load`);

  /** An app, and functions with the requests of its programs. */
  async function makeApp() {
    const owner = await service.makeUser();
    const { key } = await service.makeApp(owner);
    const headers = { "x-api-key": key };
    const agent = { authorization: `Bearer ${await service.makeToken(owner, "agent")}` };
    return {
      owner,
      addFaq: (question: string) =>
        service.request("POST", "/api/v1/faqs/remote", { headers, body: { question, answer: "Yes." } }),
      async report() {
        const body = { type: "bug", message: "It rains.", images: [dataUrl(png())] };
        return (await service.request("POST", "/api/v1/feedback/remote", { headers, body })).field("id");
      },
      async questions() {
        const { body } = await service.request("GET", "/api/v1/faqs/remote", { headers });
        return Array.isArray(body) ? body.map(({ question }) => question) : body;
      },
      thread: (id: string) => service.request("GET", `/api/v1/agent/feedback/${id}`, { headers: agent }),
    };
  }

  it("restore rows, files and the clock, and remove later data", async () => {
    const app = await makeApp();
    await app.addFaq("Before?");
    const id = await app.report();
    const image = new URL((await app.thread(id)).field("feedback.images.0")).pathname;
    await send("POST", "/dev/clock", { set: "2031-05-06T07:08:09Z" });
    expect(await save("day-1")).toMatchObject({ status: 201, body: { name: "day-1", files: 1 } });

    await app.addFaq("After?");
    expect(await app.questions()).toEqual(["Before?", "After?"]);
    await send("POST", "/dev/reset");
    expect([(await app.thread(id)).status, (await service.request("GET", image)).status]).toEqual([404, 404]);

    expect(await load("day-1")).toMatchObject({ status: 200, body: { name: "day-1" } });
    expect(await app.questions()).toEqual(["Before?"]);
    expect((await app.thread(id)).field("feedback.message")).toBe("It rains.");
    expect((await service.request("GET", image)).status).toBe(200);
    expect((await send("GET", "/dev/clock")).field("now")).toMatch(/^2031-05-06T07:0/);
  });

  it("leave no stored answer from the time before the restore", async () => {
    const app = await makeApp();
    await save("empty");
    await app.addFaq("One?");
    expect(await app.questions()).toEqual(["One?"]);
    await load("empty");
    expect(await app.questions()).toEqual([]);
    await app.addFaq("Two?");
    expect(await app.questions()).toEqual(["Two?"]);
  });

  it("are replaced by a later snapshot of the same name, even if several are saved at the same time", async () => {
    const app = await makeApp();
    await app.addFaq("One?");
    const saved = await Promise.all([save("same"), save("same"), save("same")]);
    expect(saved.map(({ status }) => status)).toEqual([201, 201, 201]);
    await app.addFaq("Two?");
    await save("same");
    await load("empty");
    await load("same");
    expect(await app.questions()).toEqual(["One?", "Two?"]);
    const { body } = await send("GET", "/dev/snapshots");
    expect(JSON.stringify(body).match(/"same"/g)).toHaveLength(1);
  });

  it("do not end the sessions of people", async () => {
    const owner = await service.makeUser();
    await save("before");
    const headers = await service.signIn(owner);
    await load("before");
    expect((await service.request("GET", "/api/v1/console/apps", { headers })).status).toBe(200);
  });

  it("must have names that can be file names, and a restore needs an existing snapshot", async () => {
    for (const name of ["../up", "a/b", "", ".hidden", "x".repeat(65)])
      expect((await save(name)).status).toBe(400);
    expect(await load("none")).toMatchObject({
      status: 404,
      body: { error: "There is no snapshot with the name none." },
    });
  });
});
