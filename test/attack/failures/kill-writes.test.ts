import { describe, expect, inject, it, onTestFinished } from "vitest";
import { databases, type TestDatabase } from "../../support/database/databases.ts";
import { dataUrl, png } from "../../support/files/sample-files.ts";
import { temporaryFolder } from "../../support/files/temporary-folder.ts";
import { p99 } from "../../support/network/hostile-connections.ts";
import { innkeep, startInnkeep } from "../../support/programs/built-program.ts";
import { randomFrom, runSeed } from "../../support/random-seed.ts";
import { quietGoal, rounds } from "../../support/torture.ts";

/** An object whose creation was confirmed, and the address that must return it. */
interface Kept {
  readonly path: string;
  readonly has: string;
}

interface Access {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly maintainerToken: string;
  readonly agentToken: string;
  readonly appId: string;
}

/** Sends one request after the other until the server is killed, and records the confirmed ones. */
async function load({ baseUrl, ...access }: Access, name: string, kept: Kept[]): Promise<void> {
  const send = async (path: string, body: object, token?: string) => {
    const headers = new Headers({ "content-type": "application/json" });
    if (token) headers.set("authorization", `Bearer ${token}`);
    else headers.set("x-api-key", access.apiKey);
    const request = { method: "POST", headers, body: JSON.stringify(body) };
    let answer = await fetch(`${baseUrl}/api/v1${path}`, request);
    // On a busy machine the database may answer too late. Nothing was changed then, and a client repeats the request.
    while (answer.status === 503) answer = await fetch(`${baseUrl}/api/v1${path}`, request);
    const text = await answer.text();
    if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${text}`);
    return JSON.parse(text);
  };
  const { appId, maintainerToken, agentToken } = access;
  for (let n = 0; ; n++) {
    const message = `${name} ${n}`;
    const thread = await send("/feedback/remote", { type: "bug", message });
    kept.push({ path: `/console/feedback/${thread.id}`, has: message });
    const images = [dataUrl(png(1_000 + n))];
    const pictured = await send("/feedback/remote", { type: "bug", message, images });
    kept.push({ path: `/console/feedback/${pictured.id}`, has: "/uploads/" });
    const note = await send(
      `/console/feedback/${thread.id}/messages`,
      { direction: "note", body: message },
      maintainerToken,
    );
    kept.push({ path: `/console/feedback/${thread.id}`, has: note.id });
    const faq = await send("/faqs/remote", { question: message, answer: "Yes." });
    kept.push({ path: `/console/apps/${appId}/faqs`, has: faq.id });
    const entry = await send(
      `/console/apps/${appId}/changelog`,
      { title: message, version: `1.${name.length}.${n}-${name.replaceAll(" ", "-")}` },
      maintainerToken,
    );
    kept.push({ path: `/console/changelog/${entry.id}`, has: message });
    const run = await send(
      `/agent/feedback/${thread.id}/proposal`,
      { summary: message, plan: "1." },
      agentToken,
    );
    kept.push({ path: `/console/feedback/${thread.id}`, has: run.runId });
  }
}

async function lostOf({ baseUrl, maintainerToken }: Access, kept: readonly Kept[]): Promise<Kept[]> {
  const headers = { authorization: `Bearer ${maintainerToken}` };
  const texts = new Map<string, string>();
  const textOf = async (path: string) => {
    const text = texts.get(path) ?? (await (await fetch(`${baseUrl}/api/v1${path}`, { headers })).text());
    texts.set(path, text);
    return text;
  };
  const lost: Kept[] = [];
  for (const thing of kept) if (!(await textOf(thing.path)).includes(thing.has)) lost.push(thing);
  return lost;
}

describe.each(databases)("a server on $name that is killed under load", (engine) => {
  const makeArgv = async () => {
    const argv = ["--demo", "--port", "0", "--data", await temporaryFolder()];
    if (engine.engine === "sqlite") return argv;
    const place: TestDatabase = await engine.create();
    onTestFinished(() => place.remove());
    return [...argv, "--database-url", "url" in place.address ? place.address.url : inject("postgresUrl")];
  };
  const env = { INNKEEP_RATE_LIMITS: "off", INNKEEP_SECRET: "s".repeat(32) };

  it("loses no write that it had confirmed", { timeout: 3_600_000 }, async () => {
    const argv = await makeArgv();
    const random = randomFrom(runSeed);
    const kept: Kept[] = [];
    for (let round = 0; round < rounds(3, 200); round++) {
      const server = await startInnkeep(argv, env);
      onTestFinished(server.kill);
      const access = { baseUrl: server.ready.baseUrl, ...server.ready.demo };
      const before = kept.length;
      const clients = Array.from({ length: 6 }, (_, n) =>
        load(access, `${round} ${"x".repeat(n)}`, kept).catch((error: Error) => error.message),
      );
      await expect.poll(() => kept.length).toBeGreaterThan(before + random() * 200);
      await server.kill();
      for (const ending of await Promise.all(clients)) expect(ending).toMatch(/fetch failed|terminated/);
    }
    const last = await startInnkeep(argv, env);
    onTestFinished(last.kill);
    expect(await lostOf({ baseUrl: last.ready.baseUrl, ...last.ready.demo }, kept)).toEqual([]);
    const place = argv.slice(argv.indexOf("--data"));
    expect(await innkeep(["admin", "check", ...place])).toMatchObject({ code: 0 });
  });
});

describe("a SQLite database with four processes that write", () => {
  it("causes no failed request of the server and no failed command of the operator", {
    timeout: 600_000,
  }, async () => {
    const data = await temporaryFolder();
    const server = await startInnkeep(["--demo", "--port", "0", "--data", data], {
      INNKEEP_RATE_LIMITS: "off",
    });
    onTestFinished(server.kill);
    const { baseUrl, demo } = server.ready;
    const operator = async () => {
      for (let n = 0; n < rounds(4, 100); n++) {
        const argv = ["admin", "key", "create", "--app", demo.appId, "--data", data];
        expect(await innkeep(argv)).toMatchObject({ code: 0 });
      }
    };
    let busy = true;
    let sent = 0;
    const times: number[] = [];
    const client = async () => {
      while (busy || sent < rounds(500, 10_000)) {
        const started = performance.now();
        const answer = await fetch(`${baseUrl}/api/v1/feedback/remote`, {
          method: "POST",
          headers: { "x-api-key": demo.apiKey, "content-type": "application/json" },
          body: JSON.stringify({ type: "bug", message: "One of many." }),
        });
        times.push(performance.now() - started);
        expect(answer.status).toBe(201);
        sent += 1;
      }
    };
    const clients = Promise.all(Array.from({ length: 8 }, client));
    await Promise.all([operator(), operator(), operator()]).finally(() => {
      busy = false;
    });
    await clients;
    expect(sent).toBeGreaterThanOrEqual(rounds(500, 10_000));
    process.stdout.write(`${sent} requests beside three operators: p99 ${p99(times).toFixed(0)} ms\n`);
    expect(p99(times)).toBeLessThan(quietGoal(250));
  });
});
