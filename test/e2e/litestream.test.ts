import { copyFile, cp, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../support/files/temporary-folder.ts";
import { innkeep, innkeepServe } from "../support/programs/built-program.ts";
import {
  hasLitestream,
  litestream,
  litestreamConfig,
  startLitestream,
} from "../support/programs/litestream.ts";

const settings = { INNKEEP_RATE_LIMITS: "off", INNKEEP_LITESTREAM: "on" };
const patience = { timeout: 60_000, interval: 100 };

interface Sent {
  readonly id: string;
  readonly acknowledgedAt: number;
}

/** Sends reports one after another, until the server is gone. */
async function sendReports(baseUrl: string, apiKey: string, sent: Sent[]): Promise<void> {
  const headers = { "x-api-key": apiKey, "content-type": "application/json" };
  for (let n = 0; ; n++) {
    const body = JSON.stringify({ type: "bug", message: `Report ${n} ${"x".repeat(2_000)}` });
    const answer = await fetch(`${baseUrl}/api/v1/feedback/remote`, { method: "POST", headers, body });
    const text = await answer.text();
    if (answer.status === 201) sent.push({ id: JSON.parse(text).id, acknowledgedAt: Date.now() });
  }
}

/** A server with a load, whose database Litestream copies. */
async function copiedServer() {
  const folder = await temporaryFolder();
  const data = join(folder, "data");
  const config = await litestreamConfig(folder, data, join(folder, "copies"));
  const server = await innkeepServe(["--demo", "--port", "0", "--data", data], settings);
  const { baseUrl, demo } = server.ready;
  const copying = await startLitestream(config);
  const call = (method: string, path: string, headers: Record<string, string>, body?: object) =>
    fetch(`${baseUrl}/api/v1${path}`, {
      method,
      headers: { "content-type": "application/json", origin: baseUrl, ...headers },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
  const { email, password } = demo;
  const signedIn = await call("POST", "/console/session", {}, { email, password });
  const cookie = signedIn.headers
    .getSetCookie()
    .map((each) => each.split(";")[0])
    .join("; ");
  const sender = { type: "bug", message: "I am Grace.", email: "grace@example.org" };
  const own = Object(
    await (await call("POST", "/feedback/remote", { "x-api-key": demo.apiKey }, sender)).json(),
  );
  const sent: Sent[] = [];
  const clients = [1, 2, 3, 4].map(() => sendReports(baseUrl, demo.apiKey, sent).catch(() => {}));
  const restore = async (name: string) => {
    const restored = join(folder, name);
    await mkdir(restored, { mode: 0o700 });
    await litestream(
      "restore",
      "-config",
      config,
      "-o",
      join(restored, "innkeep.db"),
      join(data, "innkeep.db"),
    );
    await cp(join(data, "files"), join(restored, "files"), { recursive: true });
    await copyFile(join(data, "secret"), join(restored, "secret"));
    return restored;
  };
  const generations = async () =>
    (await litestream("generations", "-config", config, join(data, "innkeep.db")))
      .trim()
      .split("\n")
      .slice(1);
  return { ...server, data, copying, call, cookie, own, sent, clients, restore, generations };
}

describe.runIf(hasLitestream)("a SQLite database that Litestream copies", () => {
  it("is restored and adopted after a kill: nothing older than two seconds is lost", async () => {
    const copied = await copiedServer();
    const { ready, call, cookie, own, sent, data } = copied;
    const me = () => call("GET", "/console/me", { cookie });
    expect((await me()).status).toBe(200);
    await expect.poll(() => sent.length, patience).toBeGreaterThan(100);
    await expect.poll(copied.generations, patience).toHaveLength(1);
    const begun = Date.now();
    await expect.poll(() => Date.now() - begun, patience).toBeGreaterThan(4_000);
    copied.child.kill("SIGKILL");
    const killedAt = Date.now();
    await copied.copying.kill();
    await copied.ended;
    await Promise.all(copied.clients);
    // The person is erased on the old disk after the last copy.
    const erased = await innkeep([
      "admin",
      "user",
      "erase",
      "--email",
      "grace@example.org",
      "--data",
      data,
      "--yes",
    ]);
    expect(erased).toMatchObject({ code: 0 });

    const restored = await copied.restore("restored");
    const refused = await innkeep(["serve", "--port", "0", "--data", restored], { env: settings });
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("innkeep admin adopt") });
    const erasures = join(data, "erasures.ndjson");
    const adopt = ["admin", "adopt", "--data", restored, "--erasures", erasures, "--yes", "--json"];
    const adopted = await innkeep(adopt);
    expect(adopted).toMatchObject({ code: 0 });
    expect(JSON.parse(adopted.stdout)).toMatchObject({ missing: [], erasedAgain: { found: 1 } });

    const again = await innkeepServe(["--port", "0", "--data", restored], settings);
    const ask = (path: string, headers: Record<string, string>) =>
      fetch(`${again.ready.baseUrl}/api/v1/console${path}`, { headers });
    const headers = { authorization: `Bearer ${ready.demo.maintainerToken}` };
    expect((await ask("/me", { cookie })).status).toBe(401);
    expect((await ask(`/feedback/${own.id}`, headers)).status).toBe(404);
    const older = sent.filter(({ acknowledgedAt }) => acknowledgedAt < killedAt - 2_000);
    expect(older.length).toBeGreaterThan(100);
    for (const { id } of older) expect((await ask(`/feedback/${id}`, headers)).status, id).toBe(200);
  });

  it("has settings in examples/litestream.yml that the program reads, for a folder and for S3", async () => {
    const example = new URL("../../examples/litestream.yml", import.meta.url).pathname;
    expect(
      (await litestream("databases", "-config", example)).split("\n").map((line) => line.trim().split(/\s+/)),
    ).toEqual([["path", "replicas"], ["/var/lib/innkeep/innkeep.db", "folder,s3"], [""]]);
  });

  it("stays in one generation under load", async () => {
    const copied = await copiedServer();
    // More than the length at which SQLite or the server would write the log back.
    await expect.poll(() => copied.sent.length, patience).toBeGreaterThan(6_000);
    copied.child.kill("SIGTERM");
    await copied.ended;
    await Promise.all(copied.clients);
    expect(await copied.generations()).toHaveLength(1);
  });
});
