import { describe, expect, inject, it } from "vitest";
import { isUnavailable } from "../../../server/database/errors.ts";
import { openDatabase } from "../../../server/database/open.ts";
import { postgres } from "../../support/database/databases.ts";
import { removableFolder } from "../../support/files/temporary-folder.ts";
import { type FinishedHook, stoppableProxy } from "../../support/network/stoppable-proxy.ts";
import { startInnkeep } from "../../support/programs/built-program.ts";
import { quietGoal } from "../../support/torture.ts";

/** A separate database behind a proxy for each test. The tests mostly wait, so they run at the same time. */
async function behindProxy(onTestFinished: FinishedHook) {
  const place = await postgres.create();
  onTestFinished(() => place.remove());
  const url = new URL("url" in place.address ? place.address.url : inject("postgresUrl"));
  const proxy = await stoppableProxy(Number(url.port), onTestFinished);
  url.port = String(proxy.port);
  return { proxy, url: url.href };
}

describe.concurrent("a PostgreSQL database that does not answer", () => {
  const open = async (onTestFinished: FinishedHook) => {
    const { proxy, url } = await behindProxy(onTestFinished);
    const database = await openDatabase({ url }, { patienceMs: 1_500 });
    onTestFinished(() => database.close());
    return { proxy, database };
  };

  const expectUnavailable = async (calls: readonly Promise<unknown>[]) => {
    for (const outcome of await Promise.allSettled(calls)) {
      expect(outcome.status).toBe("rejected");
      if (outcome.status === "rejected") expect(outcome.reason).toSatisfy(isUnavailable);
    }
  };

  it("is reported as unavailable after the timeout, for reads and writes, and can be used again later", async ({
    expect,
    onTestFinished,
  }) => {
    const { database, proxy } = await open(onTestFinished);
    await database.get("SELECT 1 AS one");
    proxy.stop();
    const calls = [
      database.get("SELECT 1 AS one"),
      database.all("SELECT 1 AS one"),
      database.insert("rate_limits", { key: "a", times: "", stale_hour: 0 }),
      database.write((tx) => tx.get("SELECT 1 AS one")),
    ];
    await expectUnavailable(calls);
    proxy.resume();
    const again = () => database.get("SELECT 1 AS one").catch(() => undefined);
    await expect.poll(again).toEqual({ one: 1 });
  });

  it("is reported as unavailable if more calls wait than there are connections", async ({
    onTestFinished,
  }) => {
    const { database, proxy } = await open(onTestFinished);
    proxy.stop();
    const calls = Array.from({ length: 50 }, () => database.get("SELECT 1 AS one"));
    await expectUnavailable(calls);
  });

  it("does not delay the end of the pool", async ({ onTestFinished }) => {
    const { database, proxy } = await open(onTestFinished);
    await Promise.all([1, 2, 3].map(() => database.get("SELECT 1 AS one")));
    proxy.stop();
    void database.get("SELECT 1 AS one").catch(() => undefined);
    await database.close();
  });

  it("cancels a statement that takes too long", async ({ expect, onTestFinished }) => {
    const { database } = await open(onTestFinished);
    await expect(database.get("SELECT pg_sleep(600)")).rejects.toSatisfy(isUnavailable);
    const running = `SELECT 1 FROM pg_stat_activity
      WHERE query LIKE '%pg_sleep(600)%' AND state = 'active' AND pid <> pg_backend_pid()`;
    await expect.poll(() => database.all(running)).toEqual([]);
  });

  it("allows long transactions that request more time", async ({ onTestFinished }) => {
    const { database } = await open(onTestFinished);
    const slept = database.write((tx) => tx.get("SELECT 'done' AS sleep FROM pg_sleep(3)"), "long");
    expect(await slept).toEqual({ sleep: "done" });
  });
});

describe.concurrent("a server whose PostgreSQL database does not answer", () => {
  it("answers 503 within five seconds, and ends when it is stopped", async ({ onTestFinished }) => {
    const { proxy, url } = await behindProxy(onTestFinished);
    const { path: data, remove } = await removableFolder();
    onTestFinished(remove);
    const argv = ["--demo", "--port", "0", "--data", data, "--database-url", url];
    const server = await startInnkeep(argv, { INNKEEP_SECRET: "s".repeat(32) });
    onTestFinished(server.kill);
    const { baseUrl, demo } = server.ready;
    const send = (path: string, init: RequestInit = {}) =>
      fetch(`${baseUrl}${path}`, {
        ...init,
        headers: { "x-api-key": demo.apiKey, "content-type": "application/json" },
      });
    const report = { method: "POST", body: JSON.stringify({ type: "bug", message: "It hangs." }) };
    expect((await send("/api/v1/feedback/remote", report)).status).toBe(201);

    proxy.stop();
    const began = performance.now();
    const answers = await Promise.all([
      send("/readyz"),
      send("/api/v1/feedback/remote", report),
      send("/api/v1/testing/sdk/session?testKey=stk_unknown"),
    ]);
    // The rule is five seconds.
    expect(performance.now() - began).toBeLessThan(quietGoal(5_500));
    expect(answers.map(({ status }) => status)).toEqual([503, 503, 503]);
    expect(await answers[1]?.json()).toMatchObject({ code: "busy" });
    expect((await send("/healthz")).status).toBe(200);

    server.child.kill("SIGTERM");
    expect(await server.ended).toBe(0);
  });
});
