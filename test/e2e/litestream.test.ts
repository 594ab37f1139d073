import { rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { innkeep, innkeepServe } from "../support/programs/built-program.ts";
import { hasLitestream, litestream } from "../support/programs/litestream.ts";
import { rounds } from "../support/torture.ts";
import { type Acknowledged, copiedFolder, copiedSettings } from "../support/worlds/servers/copied-server.ts";

const patience = { timeout: 60_000, interval: 100 };

describe.runIf(hasLitestream)("a SQLite database that Litestream copies", () => {
  it("can be restored and adopted: sessions have ended, and erased people are erased again", async () => {
    const copied = await copiedFolder();
    const sent: Acknowledged[] = [];
    const server = await copied.start(sent);
    const { baseUrl, demo } = server.ready;
    const post = (path: string, headers: Record<string, string>, body: object) =>
      fetch(`${baseUrl}/api/v1${path}`, {
        method: "POST",
        headers: { "content-type": "application/json", origin: baseUrl, ...headers },
        body: JSON.stringify(body),
      });
    const { email, password, apiKey, maintainerToken } = demo;
    const signedIn = await post("/console/session", {}, { email, password });
    const cookie = signedIn.headers
      .getSetCookie()
      .map((each) => each.split(";")[0])
      .join("; ");
    const report = { type: "bug", message: "I am Grace.", email: "grace@example.org" };
    const own = Object(await (await post("/feedback/remote", { "x-api-key": apiKey }, report)).json());
    await expect.poll(copied.generations, patience).toHaveLength(1);
    const begun = Date.now();
    await expect.poll(() => Date.now() - begun, patience).toBeGreaterThan(4_000);
    await server.kill();
    // The person is erased on the old disk after the last copy.
    const erase = ["admin", "user", "erase", "--email", report.email, "--data", copied.data, "--yes"];
    expect(await innkeep(erase)).toMatchObject({ code: 0 });

    const restored = await copied.restore("restored");
    const refused = await innkeep(["serve", "--port", "0", "--data", restored], { env: copiedSettings });
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("innkeep admin adopt") });
    const erasures = join(copied.data, "erasures.ndjson");
    const adopt = ["admin", "adopt", "--data", restored, "--erasures", erasures, "--yes", "--json"];
    const adopted = await innkeep(adopt);
    expect(adopted).toMatchObject({ code: 0 });
    expect(JSON.parse(adopted.stdout)).toMatchObject({ missing: [], erasedAgain: { found: 1 } });

    const again = await innkeepServe(["--port", "0", "--data", restored], copiedSettings);
    const ask = (path: string, headers: Record<string, string>) =>
      fetch(`${again.ready.baseUrl}/api/v1/console${path}`, { headers });
    expect((await ask("/me", { cookie })).status).toBe(401);
    const headers = { authorization: `Bearer ${maintainerToken}` };
    expect((await ask(`/feedback/${own.id}`, headers)).status).toBe(404);
    const [first] = sent;
    expect((await ask(`/feedback/${first?.id}`, headers)).status).toBe(200);
  });

  it("can be restored without a missing write even if Litestream and the server are killed several times", {
    timeout: 7_200_000,
  }, async () => {
    const copied = await copiedFolder();
    let count = 0;
    const lags: number[] = [];
    for (let round = 0; round < rounds(2, 200); round++) {
      const sent: Acknowledged[] = [];
      const server = await copied.start(sent);
      const begun = Date.now();
      await expect.poll(() => sent.some(({ at }) => at > begun + 3_000), patience).toBe(true);
      const killedAt = await server.kill();
      const restored = await copied.restore(`restored-${round}`);
      expect(await innkeep(["admin", "adopt", "--data", restored, "--yes"])).toMatchObject({ code: 0 });
      const again = await innkeepServe(["--port", "0", "--data", restored], copiedSettings);
      const headers = { authorization: `Bearer ${server.ready.demo.maintainerToken}` };
      const found = await fetch(`${again.ready.baseUrl}/api/v1/console/apps`, { headers });
      expect(found.status).toBe(200);
      const restoredIds = new Set<string>();
      for (const { id } of sent)
        if ((await fetch(`${again.ready.baseUrl}/api/v1/console/feedback/${id}`, { headers })).status === 200)
          restoredIds.add(id);
      const kept = sent.filter(({ id }) => restoredIds.has(id));
      // If Litestream has copied nothing of this round, everything since its start is missing.
      const newest = Math.max(begun, ...kept.map(({ sentAt }) => sentAt));
      const lost = sent.filter(({ id, at }) => at < newest && !restoredIds.has(id));
      expect(lost).toEqual([]);
      lags.push(killedAt - newest);
      count += kept.length;
      again.child.kill("SIGTERM");
      await again.ended;
      await rm(restored, { recursive: true });
    }
    expect(count).toBeGreaterThan(0);
    lags.sort((a, b) => a - b);
    process.stdout.write(
      `${lags.length} kills: ${count} reports restored without a gap. The last ones before a kill were missing: ` +
        `${lags[Math.floor(lags.length / 2)]} ms (median), ${lags.at(-1)} ms (most).\n`,
    );
  });

  it("has settings in examples/litestream.yml that Litestream reads, for a folder and for S3", async () => {
    const example = new URL("../../examples/litestream.yml", import.meta.url).pathname;
    const lines = (await litestream("databases", "-config", example)).trim().split("\n");
    expect(lines.map((line) => line.trim().split(/\s+/))).toEqual([
      ["path", "replicas"],
      ["/var/lib/innkeep/innkeep.db", "folder,s3"],
    ]);
  });

  it("stays in one generation of Litestream during a load of requests", async () => {
    const copied = await copiedFolder();
    const sent: Acknowledged[] = [];
    const server = await copied.start(sent);
    // More than the length at which SQLite itself would write the log into the database.
    await expect.poll(() => sent.length, patience).toBeGreaterThan(6_000);
    server.child.kill("SIGTERM");
    await server.ended;
    await Promise.all(server.clients);
    expect(await copied.generations()).toHaveLength(1);
  });
});
