import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { systemClock } from "../../../server/clock.ts";
import { createIncomingBodies, createLargeJsonReader } from "../../../server/http/body/read-body.ts";
import { readSettings } from "../../../server/settings/read-settings.ts";
import { type Service, startService } from "../../support/service/service.ts";

const MB = 1_048_576;

/** A FAQ of 24 MiB. */
const largeList = (answer: string) =>
  JSON.stringify({
    faqs: Array.from({ length: 1_250 }, (_, at) => ({ question: `Q${at}?`, answer: answer.repeat(20_000) })),
  });

it("many of the largest FAQs at the same time are accepted or refused temporarily, and small requests are served", async () => {
  const service: Service = await startService();
  const { key } = await service.makeApp();
  const headers = { "x-api-key": key, "Content-Type": "application/json", "If-Match": "*" };
  const address = `${service.baseUrl}/api/v1/faqs/remote`;
  let isOver = false;
  const sent = Array.from({ length: 8 }, async (_, at) => {
    // A connection that is closed while it sends may end before its answer is read.
    const answer = await fetch(address, { method: "PUT", headers, body: largeList(String(at)) }).catch(
      () => undefined,
    );
    await answer?.body?.cancel();
    return answer?.status ?? 503;
  });
  const all = Promise.all(sent).finally(() => {
    isOver = true;
  });
  const small: number[] = [];
  while (!isOver) small.push((await service.request("GET", "/api/v1/changelog/remote", { headers })).status);
  const statuses = await all;
  expect(statuses).toContain(200);
  expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
  expect([...new Set(small)]).toEqual([200]);
  await service.stop();
});

it.each([
  ["too many small values", `{"faqs":[${"{},".repeat(700_000)}{}]}`, 400, "brackets, colons and commas"],
  [
    "10,000 of the smallest entries with fields that are ignored",
    JSON.stringify({
      faqs: Array.from({ length: 10_000 }, (_, at) => ({ question: `${at}`, answer: "A", ...ignored(20) })),
    }),
    200,
    "",
  ],
])("a FAQ of over 1 MiB with %s is answered with the right status", async (_, body, status, reason) => {
  const service: Service = await startService();
  const { key } = await service.makeApp();
  const headers = { "x-api-key": key, "Content-Type": "application/json", "If-Match": "*" };
  const answer = await service.request("PUT", "/api/v1/faqs/remote", { headers, body });
  expect(answer.status).toBe(status);
  expect(answer.text).toContain(reason);
  await service.stop();
});

function ignored(count: number) {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}`, 1]));
}

/** A body of JSON that has `bytes` bytes. */
const bodyOf = (bytes: number) => Buffer.from(`{"a":"${"x".repeat(bytes - 8)}"}`);

/** A request with this body. */
function requestWith(body: Buffer): IncomingMessage {
  const request = new IncomingMessage(new Socket());
  request.headers = { "content-type": "application/json", "content-length": String(body.length) };
  request.push(body);
  request.push(null);
  return request;
}

/** Reads bodies of `bytes` bytes from senders with these names. Returns the order in which they were handled. */
function reading(budgets: { readonly bufferedBytes: number; readonly anonymousBufferedBytes: number }) {
  const settings = readSettings({}, {});
  const stopping = new AbortController().signal;
  const arrivals = createIncomingBodies({
    clock: systemClock,
    settings: { ...settings, budgets: { ...settings.budgets, ...budgets } },
    stopping,
  });
  const read = createLargeJsonReader(arrivals);
  const order: string[] = [];
  const send = async (id: string, body: Buffer) => {
    const json = await read(requestWith(body), {
      arrivals,
      sender: { id, anonymous: false, network: "" },
      most: 32 * MB,
    });
    order.push(id);
    return json;
  };
  return { order, send, start: (id: string, bytes: number) => send(id, bodyOf(bytes)) };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

it("a large JSON body waits until the body before it was processed, and small bodies do not wait", async () => {
  const { order, start } = reading({ bufferedBytes: 64 * MB, anonymousBufferedBytes: MB });
  const first = await start("first", 2 * MB);
  const second = start("second", 2 * MB);
  await start("small", MB);
  for (let at = 0; at < 20; at += 1) await turn();
  expect(order).toEqual(["first", "small"]);
  first.release();
  (await second).release();
  expect(order).toEqual(["first", "small", "second"]);
});

it("a large JSON body that waits uses no memory, so that other requests can continue", async () => {
  const { order, start } = reading({ bufferedBytes: 9 * MB, anonymousBufferedBytes: MB });
  const first = await start("first", 2 * MB);
  const cut = expect(start("greedy", 5 * MB)).rejects.toMatchObject({ code: "busy" });
  for (let at = 0; at < 20; at += 1) await turn();
  const modest = start("modest", 3 * MB + 1_000_000);
  await cut;
  first.release();
  (await modest).release();
  (await start("last", 2 * MB)).release();
  expect(order).toEqual(["first", "modest", "last"]);
});

it("a large JSON body that ended while it waited is removed before its turn", async () => {
  const { send, start } = reading({ bufferedBytes: 40 * MB, anonymousBufferedBytes: MB });
  const first = await start("first", 2 * MB);
  const greedy = () => {
    const body = bodyOf(30 * MB);
    return {
      held: new WeakRef(body),
      cut: expect(send("greedy", body)).rejects.toMatchObject({ code: "busy" }),
    };
  };
  const { held, cut } = greedy();
  await collect();
  expect(held.deref()?.length).toBe(30 * MB);
  const modest = start("modest", 12 * MB);
  await cut;
  await collect();
  expect(held.deref()?.length).toBeUndefined();
  first.release();
  (await modest).release();
});

/** Runs the garbage collection. */
async function collect() {
  setFlagsFromString("--expose-gc");
  const collectGarbage: () => void = runInNewContext("gc");
  // A weak reference that was created or read keeps its object until the end of the turn of the event loop.
  for (let at = 0; at < 20; at += 1) await turn();
  collectGarbage();
}
