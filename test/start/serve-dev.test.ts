import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { serve } from "../../server/main.ts";
import { temporaryFolder } from "../support/files/temporary-folder.ts";
import { request, type Sending } from "../support/service/request.ts";

interface Started {
  readonly demo?: boolean;
  readonly folder?: string;
  readonly seed?: string;
}

/** Starts `serve --dev` on a free port. */
async function start({ demo = false, folder = "", ...more }: Started = {}) {
  const stop = new AbortController();
  const data = folder || (await temporaryFolder());
  let ended: Promise<number> = Promise.resolve(-1);
  const line = await new Promise<string>((resolve, reject) => {
    const world = { environment: {}, out: resolve, err() {}, stop: stop.signal };
    ended = serve({ dev: true, demo, data, port: 0, json: true, ...more }, world);
    ended.catch(reject);
  });
  onTestFinished(async () => {
    stop.abort();
    await ended;
  });
  const { baseUrl, demo: access = {} } = JSON.parse(line);
  const send = (method: string, path: string, sending?: Sending) => request(baseUrl, method, path, sending);
  const end = async () => {
    stop.abort();
    await ended;
  };
  return { baseUrl, send, access, end };
}

describe("the command innkeep serve --dev", () => {
  it("shows the time of its clock, which can be moved", async () => {
    const { send, access } = await start({ demo: true });
    await send("POST", "/dev/clock", { body: { set: "2031-05-06T07:08:09Z" } });
    const headers = { "x-api-key": String(access.apiKey) };
    await send("POST", "/api/v1/faqs/remote", { headers, body: { question: "When?", answer: "Then." } });
    const faqs = await send("GET", "/api/v1/faqs/remote", { headers });
    expect(faqs.field("3.createdAt")).toMatch(/^2031-05-06T07:08/);
  });

  it("restores the content of the demo after a reset with --demo, with the printed keys and links", async () => {
    const { send, access } = await start({ demo: true });
    const headers = { "x-api-key": String(access.apiKey) };
    const agent = { authorization: `Bearer ${access.agentToken}` };
    await send("POST", "/api/v1/faqs/remote", { headers, body: { question: "When?", answer: "Then." } });
    await send("POST", "/dev/clock", { body: { advance: "P30D" } });
    expect((await send("POST", "/dev/reset")).status).toBe(200);
    expect((await send("GET", "/api/v1/faqs/remote", { headers })).body).toHaveLength(3);
    const thread = await send("GET", `/api/v1/agent/feedback/${access.threadId}`, { headers: agent });
    expect(thread.body).toMatchObject({ latestProposal: { id: access.runId, status: "awaiting_approval" } });
  });

  it.each(["Atlas", "Larder"])(
    "restores the content of the other app of the seed after a reset if %s was deleted",
    async (deleted) => {
      const seed = join(await temporaryFolder(), "seed.json");
      const faqs = [{ question: "When?", answer: "Then." }];
      await writeFile(seed, JSON.stringify({ apps: ["Atlas", "Larder"].map((name) => ({ name, faqs })) }));
      const { baseUrl: origin, send, access } = await start({ demo: true, seed });
      const { email, password } = access;
      const signedIn = await send("POST", "/api/v1/console/session", {
        headers: { origin },
        body: { email, password },
      });
      const person = { origin, cookie: (signedIn.headers.get("set-cookie") ?? "").replace(/;.*/s, "") };
      const appOf = (isDeleted: boolean) =>
        access.apps.find(({ name }: { name: string }) => (name === deleted) === isDeleted);
      const removed = await send("DELETE", `/api/v1/console/apps/${appOf(true).id}`, { headers: person });
      await send("POST", "/dev/reset");
      expect(removed.status).toBe(204);
      const headers = { "x-api-key": appOf(false).apiKey };
      expect((await send("GET", "/api/v1/faqs/remote", { headers })).body).toMatchObject(faqs);
    },
  );

  it("creates the demo at the next start if the first start was killed after it had stored the keys", async () => {
    const [killed, other] = [await temporaryFolder(), await temporaryFolder()];
    const { access, end } = await start({ demo: true, folder: other });
    await end();
    await rename(join(other, "demo.json"), join(killed, "demo.json"));
    const next = await start({ demo: true, folder: killed });
    expect(next.access).toEqual(access);
    const headers = { "x-api-key": String(access.apiKey) };
    expect((await next.send("GET", "/api/v1/faqs/remote", { headers })).body).toHaveLength(3);
  });

  it("says that the keys of the demo are missing", async () => {
    const folder = await temporaryFolder();
    const { end } = await start({ demo: true, folder });
    await end();
    await rm(join(folder, "demo.json"));
    await expect(start({ demo: true, folder })).rejects.toThrow(
      "the file demo.json with its keys is missing. Put the file back, or delete the folder.",
    );
  });

  it("excludes the keys of the demo from Git", async () => {
    const folder = await temporaryFolder();
    await start({ demo: true, folder });
    expect(await readFile(join(folder, ".gitignore"), "utf8")).toBe("*\n");
  });

  it.each([{ demo: true }, { dev: true }, {}])(
    "refuses a seed if the settings are only %j",
    async (flags) => {
      const world = { environment: {}, out() {}, err() {}, stop: new AbortController().signal };
      const starting = serve({ ...flags, seed: "seed.json", data: await temporaryFolder(), port: 0 }, world);
      await expect(starting).rejects.toThrow("--seed is only for a development server");
    },
  );

  it("refuses a seed for a folder with other content, and accepts the same seed again", async () => {
    const data = await temporaryFolder();
    const seeds = ["Atlas", "Larder"].map((name) => ({ name, file: join(data, `${name}.json`) }));
    for (const { name, file } of seeds) await writeFile(file, JSON.stringify({ apps: [{ name }] }));
    const startWith = (seed: string) => {
      const stop = new AbortController();
      const world = { environment: {}, out: () => stop.abort(), err() {}, stop: stop.signal };
      return serve({ dev: true, demo: true, data, port: 0, json: true, seed }, world);
    };
    const [one, other] = seeds.map(({ file }) => file);
    expect(await startWith(one ?? "")).toBe(0);
    expect(await startWith(one ?? "")).toBe(0);
    await expect(startWith(other ?? "")).rejects.toThrow("already contains data that is not from this seed");
  });

  it("refuses to listen on an address that other machines can reach", async () => {
    const world = { environment: {}, out() {}, err() {}, stop: new AbortController().signal };
    const starting = serve({ dev: true, host: "0.0.0.0", data: await temporaryFolder(), port: 0 }, world);
    await expect(starting).rejects.toThrow("With --dev, the server listens only on loopback");
  });
});
