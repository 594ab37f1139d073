import { writeFile } from "node:fs/promises";
import { request } from "node:http";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { serve } from "../../server/main.ts";
import { temporaryFolder } from "../support/files/temporary-folder.ts";

interface Ready {
  readonly baseUrl: string;
  readonly consoleUrl: string;
  readonly demo?: Record<string, string>;
}

/** Starts `serve` on a free port. Returns its output as soon as it listens. */
async function start(flags: { demo?: boolean; data?: string } = {}) {
  const stop = new AbortController();
  const data = flags.data ?? (await temporaryFolder());
  let ended: Promise<number> = Promise.resolve(-1);
  let logged = "";
  const ready = await new Promise<Ready>((resolve, reject) => {
    const world = {
      environment: {},
      out: (line: string) => resolve(JSON.parse(line)),
      err: (text: string) => {
        logged += text;
      },
      stop: stop.signal,
    };
    ended = serve({ ...flags, data, port: 0, json: true }, world);
    ended.catch(reject);
  });
  onTestFinished(async () => {
    stop.abort();
    await ended;
  });
  return { ...ready, data, stop: () => stop.abort(), ended: () => ended, logged: () => logged };
}

describe("the command innkeep serve", () => {
  it("prints its address in one line of JSON", async () => {
    const { baseUrl, consoleUrl } = await start();
    expect(consoleUrl).toBe(`${baseUrl}/console`);
    expect((await fetch(`${baseUrl}/readyz`)).status).toBe(200);
  });

  it("exits with code 0 after a signal to stop", async () => {
    const { stop, ended } = await start();
    stop();
    expect(await ended()).toBe(0);
  });

  it("answers running requests, and answers a waiting agent immediately, before it exits", async () => {
    const { baseUrl, demo = {}, stop, ended } = await start({ demo: true });
    const waiting = fetch(`${baseUrl}/api/v1/agent/runs/${demo.runId}?wait=50`, {
      headers: { authorization: `Bearer ${demo.agentToken}` },
    });
    const body = JSON.stringify({ type: "bug", message: "Half of it came before the stop." });
    const outgoing = request(`${baseUrl}/api/v1/feedback/remote`, {
      method: "POST",
      headers: {
        "x-api-key": demo.apiKey,
        "content-type": "application/json",
        "content-length": body.length,
      },
    });
    outgoing.write(body.slice(0, 10));
    const answered = new Promise((resolve) =>
      outgoing.on("response", (answer) => resolve(answer.statusCode)),
    );
    await fetch(`${baseUrl}/healthz`);
    stop();
    expect(await (await waiting).json()).toMatchObject({ status: "awaiting_approval" });
    outgoing.end(body.slice(10));
    expect(await answered).toBe(201);
    expect(await ended()).toBe(0);
  });

  it("prints with --demo valid keys, tokens and a sign-in, which are the same after a restart", async () => {
    const first = await start({ demo: true });
    const { apiKey = "" } = first.demo ?? {};
    const faqs = await fetch(`${first.baseUrl}/api/v1/faqs/remote`, { headers: { "x-api-key": apiKey } });
    expect(await faqs.json()).toHaveLength(3);
    first.stop();
    await first.ended();
    expect((await start({ demo: true, data: first.data })).demo).toEqual(first.demo);
  });

  it("creates with --demo an owner who can sign in to the console", async () => {
    const { baseUrl, demo } = await start({ demo: true });
    const answer = await fetch(`${baseUrl}/api/v1/console/session`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ email: demo?.email, password: demo?.password }),
    });
    expect(answer.status).toBe(201);
  });

  it.each([
    ["the port", { INNKEEP_PORT: "x" }, "INNKEEP_PORT"],
    ["an address of another machine", { INNKEEP_HOST: "203.0.113.7", INNKEEP_PORT: "0" }, "INNKEEP_HOST"],
    ["a file for the folder", { INNKEEP_DATA: import.meta.filename }, "INNKEEP_DATA"],
    ["a missing database", { INNKEEP_DATABASE_URL: "postgres://u:s3cret@127.0.0.1:1/x" }, "DATABASE_URL"],
  ])("names the wrong setting, and does not start: %s", async (_, wrong, name) => {
    const environment = { INNKEEP_DATA: await temporaryFolder(), INNKEEP_SECRET: "x".repeat(32), ...wrong };
    const world = { environment, out() {}, err() {}, stop: new AbortController().signal };
    const refused = expect(serve({}, world)).rejects;
    await refused.toThrow(name);
    await refused.not.toThrow("s3cret");
  });

  it("names a file that is no database, and does not start", async () => {
    const data = await temporaryFolder();
    await writeFile(
      join(data, "innkeep.db"),
      "This is no database, but it is long enough to be taken for one. ".repeat(20),
    );
    const world = { environment: {}, out() {}, err() {}, stop: new AbortController().signal };
    await expect(serve({ data, port: 0 }, world)).rejects.toThrow(
      /innkeep\.db cannot be used as the database/,
    );
  });
});
