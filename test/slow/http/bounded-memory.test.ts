import { randomBytes, randomUUID } from "node:crypto";
import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createAnswers, prepareAnswer } from "../../../server/http/answers.ts";
import { createReady } from "../../../server/http/listener.ts";
import { cachedLookup, createMemory } from "../../../server/http/memory.ts";
import { faqs } from "../../../src/contract/faqs.ts";
import { type Service, startService } from "../../support/service/service.ts";

/** A database that does not change. */
const database = { caches: true, onSignal: () => () => {}, onForeignChange: () => () => {} };
const megabyte = 1_048_576;
const memoryOf = (megabytes: number) => createMemory(database, megabytes * megabyte);
const secret = () => randomBytes(32).toString("hex");

setFlagsFromString("--expose-gc");
const collect: unknown = runInNewContext("gc");

/** The number of bytes in use after garbage collection. */
async function bytesInUse(): Promise<number> {
  for (let time = 0; time < 4; time += 1) {
    if (typeof collect === "function") collect();
    await new Promise((resolve) => setImmediate(resolve));
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Returns how many bytes `work` keeps in use. */
async function bytesOf(fill: () => Promise<() => unknown>): Promise<number> {
  const before = await bytesInUse();
  const use = await fill();
  const after = await bytesInUse();
  // This keeps the filled object in use until here.
  use();
  return after - before;
}

/** A lookup of 4 MB in which many more rows were looked up than fit. */
async function fillLookup<Row>(
  kind: {
    readonly name: () => string;
    readonly topics: number;
    readonly count: number;
    readonly bytes?: number;
  },
  row: (name: string) => Row,
) {
  const topics = () => Array.from({ length: kind.topics }, () => `thread:${randomUUID()}`);
  const find = cachedLookup<Row>({
    memory: memoryOf(4),
    load: async (name) => row(name),
    dropAll: [],
    topicsOf: topics,
    bytesOf: () => kind.bytes ?? 1_000,
  });
  for (let count = 0; count < kind.count; count += 1) await find(kind.name());
  return () => find.peek("nothing");
}

describe("the memory for stored answers", () => {
  it.each([
    ["of many names for nothing", { name: secret, topics: 0, count: 8_000 }, () => ({ slot: undefined })],
    [
      "of many small rows",
      { name: secret, topics: 2, count: 8_000 },
      (name: string) => ({ name, id: randomUUID() }),
    ],
    ["of many topics", { name: secret, topics: 12, count: 2_000, bytes: 0 }, (name: string) => ({ name })],
    [
      "of long names",
      { name: () => secret().repeat(20), topics: 1, count: 4_000, bytes: 0 },
      () => ({ found: true }),
    ],
    [
      "of large rows",
      { name: secret, topics: 1, count: 300, bytes: 40_000 },
      () => ({ text: randomBytes(20_000).toString("hex") }),
    ],
  ])("stays within its limit for answers %s", async (_, kind, row) => {
    expect(await bytesOf(() => fillLookup<object>(kind, row))).toBeLessThan(1.4 * 4 * megabyte);
  });

  it.each([
    ["tiny", 70_000, 2],
    ["long", 100, 1_000_000],
  ])("stays within its limit for answers with %s lists", async (_, count, length) => {
    const fill = async () => {
      const answers = createAnswers(memoryOf(64));
      const recall = (name: string, text: string) =>
        answers.recall({ name, version: 1, now: new Date(0) }, async () => ({ answer: prepareAnswer(text) }));
      for (let done = 0; done < count; done += 1)
        await recall(`changelog ${randomUUID()}`, randomBytes(length / 2).toString("hex"));
      return () => answers;
    };
    expect(await bytesOf(fill)).toBeLessThan(1.4 * 64 * megabyte);
  });
});

/** A request for the FAQ with another app key each time. */
function requestWith(key: string): IncomingMessage {
  const request = new IncomingMessage(new Socket());
  request.method = "GET";
  request.url = faqs.list.path;
  request.httpVersionMinor = 1;
  request.rawHeaders = ["Host", "x", "X-Api-Key", key];
  return request;
}

describe("the memory for ready answers", () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  it.each([
    ["tiny", 20_000, 2],
    ["small", 8_000, 3_500],
    ["large", 300, 200_000],
  ])("stays within its limit for %s answers", async (_, count, length) => {
    const lasts = { from: 0, until: Number.POSITIVE_INFINITY, isCurrent: () => true };
    const fill = async () => {
      const observer = { nextId: () => "", headers: [], answered: () => {} };
      const ready = createReady([faqs.list], { ...service.deps, memory: memoryOf(32) }, observer);
      for (let done = 0; done < count; done += 1)
        ready.keep(requestWith(secret()), {
          endpoint: faqs.list,
          callerId: randomUUID(),
          credential: lasts,
          answer: { ...prepareAnswer(randomBytes(length / 2).toString("hex")), lasts },
        });
      return () => ready;
    };
    expect(await bytesOf(fill)).toBeLessThan(1.4 * 32 * megabyte);
  });
});
