import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Database } from "../../../server/database/database.ts";
import { type IdempotencyKey, idempotency } from "../../../server/http/idempotency-store.ts";
import { databases, sharedDatabases, type TestDatabase } from "../../support/database/databases.ts";

const now = new Date("2026-03-01T12:00:00.000Z");
const later = (seconds: number) => new Date(now.getTime() + seconds * 1_000);
const request: IdempotencyKey = { scope: "key 1 POST /faqs", key: "abc", fingerprint: "body 1" };
const answer = { status: 201, body: '{"id":1}' };

describe.each(databases)("a stored Idempotency-Key on $name", ({ create }) => {
  let place: TestDatabase;
  let database: Database;

  beforeAll(async () => {
    place = await create();
    database = await place.open();
    await database.write((tx) => tx.run("CREATE TABLE effects (id TEXT PRIMARY KEY)"));
  });
  afterAll(() => place.remove());
  beforeEach(async () => {
    await database.write((tx) => tx.run("DELETE FROM idempotency"));
    await database.write((tx) => tx.run("DELETE FROM effects"));
  });

  const act = (by: IdempotencyKey = request, at = now) =>
    database.write(async (tx) => {
      const claim = await idempotency.claim(tx, by, at);
      if (claim !== "claimed") return claim;
      await tx.insert("effects", { id: `${by.scope} ${by.key} ${at.toISOString()}` });
      await idempotency.store(tx, by, answer);
      return claim;
    });
  const effects = () => database.all("SELECT id FROM effects");

  it("is returned with its response and the hash of its request", async () => {
    expect(await act()).toBe("claimed");
    expect(await idempotency.find(database, request, now)).toEqual({ ...answer, fingerprint: "body 1" });
  });

  it("has one effect for any number of requests", async () => {
    expect([await act(), await act()]).toEqual(["claimed", "stored"]);
    expect(await effects()).toHaveLength(1);
  });

  it("has one effect if 50 requests arrive at the same time", async () => {
    const claims = await Promise.all(Array.from({ length: 50 }, () => act()));
    expect(claims.filter((claim) => claim === "claimed")).toHaveLength(1);
    expect(await effects()).toHaveLength(1);
  });

  it.each([
    ["scope", { ...request, scope: "key 2 POST /faqs" }],
    ["key", { ...request, key: "abd" }],
  ])("is a different key if the %s differs", async (_, other) => {
    await act();
    expect(await idempotency.find(database, other, now)).toBeUndefined();
    expect(await act(other)).toBe("claimed");
  });

  it("has no effect and no response if the transaction fails, so that the client can try again", async () => {
    const failing = database.write(async (tx) => {
      await idempotency.claim(tx, request, now);
      await tx.insert("effects", { id: "half" });
      throw new Error("cut");
    });
    await expect(failing).rejects.toThrow("cut");
    expect(await effects()).toEqual([]);
    expect(await act()).toBe("claimed");
  });

  it("is kept for 24 hours", async () => {
    await act();
    expect(await idempotency.find(database, request, later(86_399))).toBeDefined();
    expect(await act(request, later(86_399))).toBe("stored");
    expect(await idempotency.find(database, request, later(86_400))).toBeUndefined();
    expect(await act(request, later(86_400))).toBe("claimed");
  });

  it("can be kept for a shorter time", async () => {
    const brief = { ...request, lifetimeSeconds: 300 };
    await act(brief);
    expect(await idempotency.find(database, brief, later(299))).toBeDefined();
    expect(await idempotency.find(database, brief, later(300))).toBeUndefined();
  });

  it("stores the scope only as a hash", async () => {
    await act({ ...request, scope: "sdk_secret" });
    const rows = await database.all("SELECT * FROM idempotency");
    expect(JSON.stringify(rows)).not.toContain("sdk_secret");
  });

  it("is deleted when its time is over", async () => {
    await act();
    await act({ ...request, key: "young" }, later(60));
    expect(await database.write((tx) => idempotency.prune(tx, later(86_400)))).toBe(1);
    expect(await database.all("SELECT key FROM idempotency")).toEqual([{ key: "young" }]);
  });
});

describe.each(sharedDatabases)("a stored Idempotency-Key on PostgreSQL with two servers", (postgres) => {
  let place: TestDatabase;
  beforeAll(async () => {
    place = await postgres.create();
  });
  afterAll(() => place.remove());

  it("is in progress for the second server while the first server works, and the second server does not wait", async () => {
    const [first, second] = [await place.open(), await place.open()];
    const during = await first.write(async (tx) => {
      await idempotency.claim(tx, request, now);
      const seen = await second.write((other) => idempotency.claim(other, request, now));
      await idempotency.store(tx, request, answer);
      return seen;
    });
    const after = await second.write((other) => idempotency.claim(other, request, now));
    expect([during, after]).toEqual(["in_progress", "stored"]);
  });
});
