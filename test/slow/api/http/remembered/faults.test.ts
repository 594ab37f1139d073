import { afterEach, beforeEach, describe, expect, inject, it } from "vitest";
import { openDatabase } from "../../../../../server/store/engine/open.ts";
import { postgres, type TestDatabase } from "../../../../support/database/databases.ts";
import { eventually } from "../../../../support/eventually.ts";
import { stoppableProxy } from "../../../../support/network/stoppable-proxy.ts";
import { type Service, startService } from "../../../../support/service/service.ts";
import { makeAppWithAgent } from "../../../../support/worlds/app-with-owner-and-agent.ts";

const faqs = "/api/v1/faqs/remote";
const cutListeners = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE query LIKE 'LISTEN%' AND datname = current_database()`;
const secret = "the secret of one deployment, on each of its servers";

describe("a server on PostgreSQL that may have missed changes", () => {
  let place: TestDatabase;
  let writer: Service;
  let reader: Service;
  let stopped: { stop(): void; resume(): void };

  beforeEach(async () => {
    place = await postgres.create();
    const url = new URL("url" in place.address ? place.address.url : "");
    const proxy = await stoppableProxy(Number(new URL(inject("postgresUrl")).port));
    url.host = `127.0.0.1:${proxy.port}`;
    stopped = proxy;
    writer = await startService({ database: place, secret });
    reader = await startService({
      database: {
        ...place,
        address: { url: String(url) },
        open: (options) => openDatabase({ url: String(url) }, { ...options, patienceMs: 60_000 }),
      },
      secret,
    });
  });
  afterEach(async () => {
    stopped.resume();
    await Promise.all([writer.stop(), reader.stop()]);
    await place.remove();
  });

  /** An app whose FAQ the reader has in memory. */
  async function begin() {
    const { key: headers } = await makeAppWithAgent(writer);
    const list = async () => (await reader.request("GET", faqs, { headers })).body;
    const add = (question: string) =>
      writer.request("POST", faqs, { headers, body: { question, answer: "So." } });
    await add("First?");
    await isRemembering();
    expect(await list()).toHaveLength(1);
    return { add, list };
  }
  const isRemembering = () => eventually(() => expect(reader.deps.database.memoryPeriod()).toBeDefined());
  const isForgetting = () => eventually(() => expect(reader.deps.database.memoryPeriod()).toBeUndefined());

  it("answers nothing from before the database was out of reach", async () => {
    const { add, list } = await begin();
    stopped.stop();
    await isForgetting();
    await add("Second?");
    const asked = list();
    stopped.resume();
    expect(await asked).toHaveLength(2);
    await isRemembering();
    expect(await list()).toHaveLength(2);
  });

  it("answers nothing from memory after a second without steps", async () => {
    const { add, list } = await begin();
    stopped.stop();
    await add("Second?");
    const until = performance.now() + 1_100;
    while (performance.now() < until);
    // The notice of the change has not been read yet.
    const asked = list();
    stopped.resume();
    expect(await asked).toHaveLength(2);
  });

  it("answers nothing of a database that another one has replaced, which lacks its last changes", async () => {
    const { add, list } = await begin();
    const { database } = writer.deps;
    // The other one counts the same versions again.
    await database.all("WITH gone AS (DELETE FROM faqs RETURNING id) SELECT id FROM gone");
    await database.all("UPDATE apps SET faqs_version = faqs_version - 1 WHERE faqs_version > 0 RETURNING id");
    await database.all(cutListeners);
    await add("Another?");
    await eventually(async () => expect(JSON.stringify(await list())).toContain("Another?"));
  });

  it("goes on correctly after its listening connection was lost", async () => {
    const { add, list } = await begin();
    for (let count = 2; count < 6; count += 1) {
      await writer.deps.database.all(cutListeners);
      await add(`Question ${count}?`);
      await eventually(async () => expect(await list()).toHaveLength(count));
    }
  });
});
