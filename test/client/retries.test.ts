import { describe, expect, it } from "vitest";
import { clientWithCredentials } from "../support/clients/client-with-credentials.ts";
import {
  type Answering,
  answers,
  hangsUp,
  listen,
  startRecordingServer,
} from "../support/network/recording-server.ts";

const faqs = answers(200, []);
const made = answers(201, { id: "1", question: "How?", answer: "So.", sortOrder: 1 });
const body = { question: "How?", answer: "So." };
const busy = (headers: Record<string, string> = {}) =>
  answers(503, { error: "Busy.", code: "busy" }, headers);

describe("a request that reads", () => {
  it.each<[string, Answering]>([
    ["a cut connection", hangsUp],
    ["500", answers(500, {})],
    ["502", answers(502, {})],
    ["503", busy()],
    ["501", answers(501, {})],
    ["504", answers(504, {})],
    ["520", answers(520, {})],
    ["408", answers(408, {})],
    ["425", answers(425, {})],
    ["429", answers(429, {})],
  ])("is retried after %s", async (_, failure) => {
    const { baseUrl, received } = await startRecordingServer(failure, failure, faqs);
    const { client, pauses } = clientWithCredentials(baseUrl);
    expect(await client.faqs.list()).toEqual([]);
    expect(received).toHaveLength(3);
    expect(pauses).toEqual([500, 1_000]);
  });

  it.each([400, 401, 403, 404, 409, 410, 422])("is not retried after %i", async (status) => {
    const { baseUrl, received } = await startRecordingServer(answers(status, {}));
    await expect(clientWithCredentials(baseUrl).client.faqs.list()).rejects.toMatchObject({ status });
    expect(received).toHaveLength(1);
  });

  it("is not retried after a timeout of the server", async () => {
    const { baseUrl, received } = await startRecordingServer(() => {}, faqs);
    const { client, pauses } = clientWithCredentials(baseUrl, { timeoutMs: 1_000 });
    await expect(client.faqs.list()).rejects.toMatchObject({ code: "timeout" });
    expect([received.length, pauses]).toEqual([1, []]);
  });

  it("fails after four attempts with the last failure", async () => {
    const { baseUrl, received } = await startRecordingServer(hangsUp, hangsUp, hangsUp, answers(502, {}));
    await expect(clientWithCredentials(baseUrl).client.faqs.list()).rejects.toMatchObject({ status: 502 });
    expect(received).toHaveLength(4);
  });

  it.each(["127.0.0.1", "localhost", "[::1]"])(
    "is not retried if a port of %s refuses the connection",
    async (host) => {
      const { client, pauses } = clientWithCredentials(`http://${host}:9`);
      await expect(client.faqs.list()).rejects.toMatchObject({ code: "ECONNREFUSED" });
      expect(pauses).toEqual([]);
    },
  );

  it("is retried if the host name is unknown, because a service may not be registered yet", async () => {
    const { client, pauses } = clientWithCredentials("http://nobody.invalid", { attempts: 2 });
    await expect(client.faqs.list()).rejects.toMatchObject({
      code: expect.stringMatching(/ENOTFOUND|EAI_AGAIN/),
    });
    expect(pauses).toHaveLength(1);
  });

  it("waits between half and all of a pause that doubles", async () => {
    const { baseUrl } = await startRecordingServer(hangsUp, hangsUp, hangsUp, faqs);
    const { client, pauses } = clientWithCredentials(baseUrl, { random: () => 0 });
    await client.faqs.list();
    expect(pauses).toEqual([250, 500, 1_000]);
  });

  it("ends during a pause if its signal aborts", async () => {
    const { baseUrl, received } = await startRecordingServer(busy({ "retry-after": "30" }));
    const controller = new AbortController();
    const { client } = clientWithCredentials(baseUrl, {
      sleep: undefined,
      onRetry: () => controller.abort(new Error("enough")),
    });
    await expect(client.faqs.list({ signal: controller.signal })).rejects.toThrow("enough");
    expect(received).toHaveLength(1);
  });
});

describe("the header Retry-After", () => {
  it.each([
    ["seconds", { "retry-after": "7" }, 7_000],
    ["no wait", { "retry-after": "0" }, 0],
    [
      "a date, by the server's own clock",
      { "retry-after": "Sat, 01 Jan 2000 00:00:09 GMT", date: "Sat, 01 Jan 2000 00:00:00 GMT" },
      9_000,
    ],
    [
      "a date that has passed",
      { "retry-after": "Sat, 01 Jan 2000 00:00:00 GMT", date: "Sat, 01 Jan 2000 00:00:09 GMT" },
      0,
    ],
    ["an unreadable value, which is ignored", { "retry-after": "soon" }, 500],
  ])("is respected as %s", async (_, headers, wait) => {
    const { baseUrl } = await startRecordingServer(answers(429, {}, headers), faqs);
    const { client, pauses } = clientWithCredentials(baseUrl);
    await client.faqs.list();
    expect(pauses).toEqual([wait]);
  });

  it("counts from the local clock if the server sends no date", async () => {
    const baseUrl = await listen((_, response) => {
      response.sendDate = false;
      response.writeHead(503, { "retry-after": "Sat, 01 Jan 2000 00:00:30 GMT" }).end("{}");
    });
    const { client, pauses } = clientWithCredentials(baseUrl, {
      now: () => new Date("2000-01-01T00:00:10Z"),
      attempts: 2,
    });
    await expect(client.faqs.list()).rejects.toMatchObject({ retryAfterSeconds: 20 });
    expect(pauses).toEqual([20_000]);
  });

  it("ends the call with an error if it is longer than the caller waits", async () => {
    const { baseUrl, received } = await startRecordingServer(answers(429, {}, { "retry-after": "3600" }));
    const { client, pauses } = clientWithCredentials(baseUrl);
    await expect(client.faqs.list()).rejects.toMatchObject({ status: 429, retryAfterSeconds: 3_600 });
    expect([received.length, pauses]).toEqual([1, []]);
  });

  it("counts as one year if it is too large for a number", async () => {
    const { baseUrl } = await startRecordingServer(answers(429, {}, { "retry-after": "9".repeat(400) }));
    const { client } = clientWithCredentials(baseUrl);
    await expect(client.faqs.list()).rejects.toMatchObject({ retryAfterSeconds: 31_536_000 });
  });

  it("is part of one limit for all pauses", async () => {
    const { baseUrl } = await startRecordingServer(answers(429, {}, { "retry-after": "25" }));
    const { client, pauses } = clientWithCredentials(baseUrl, { attempts: 10 });
    await expect(client.faqs.list()).rejects.toMatchObject({ status: 429 });
    expect(pauses).toEqual([25_000, 25_000]);
  });

  it("is respected only once if it is zero", async () => {
    const { baseUrl } = await startRecordingServer(busy({ "retry-after": "0" }));
    const { client, pauses } = clientWithCredentials(baseUrl, { attempts: 4 });
    await expect(client.faqs.list()).rejects.toMatchObject({ status: 503 });
    expect(pauses).toEqual([0, 1_000, 2_000]);
  });

  it("includes the time of the attempts", async () => {
    let passed = 0;
    const baseUrl = await listen((_, response) => {
      passed += 25_000;
      response.writeHead(503).end("{}");
    });
    const { client, pauses } = clientWithCredentials(baseUrl, { attempts: 10, now: () => new Date(passed) });
    await expect(client.faqs.list()).rejects.toMatchObject({ status: 503 });
    expect(pauses).toEqual([500, 1_000]);
  });

  it("is reported to the caller", async () => {
    const { baseUrl } = await startRecordingServer(busy({ "retry-after": "3" }), faqs);
    const told: [number, string][] = [];
    const onRetry = ({ waitMs, error }: { waitMs: number; error: Error }) =>
      void told.push([waitMs, error.message]);
    await clientWithCredentials(baseUrl, { onRetry }).client.faqs.list();
    expect(told).toEqual([[3_000, "Busy."]]);
  });
});

describe("a request that writes", () => {
  it.each<[string, Answering]>([
    ["a cut connection", hangsUp],
    ["500", answers(500, {})],
    ["429", answers(429, {}, { "retry-after": "1" })],
    ["503", busy()],
  ])("without an Idempotency-Key is never sent twice, even after %s", async (_, failure) => {
    const { baseUrl, received } = await startRecordingServer(failure, made);
    await expect(clientWithCredentials(baseUrl).client.faqs.create({ body })).rejects.toThrow();
    expect(received).toHaveLength(1);
  });

  it.each<[string, Answering]>([
    ["a cut connection", hangsUp],
    ["500", answers(500, {})],
    ["429", answers(429, {})],
    [
      "a conflict with a running first request",
      answers(409, { code: "idempotency_in_progress" }, { "retry-after": "1" }),
    ],
  ])("with an Idempotency-Key is sent again after %s with the same key and body", async (_, failure) => {
    const { baseUrl, received } = await startRecordingServer(failure, made);
    await clientWithCredentials(baseUrl).client.faqs.create({ body, idempotencyKey: "k-1" });
    const sent = received.map((one) => [one.headers["idempotency-key"], JSON.parse(one.body.toString())]);
    expect(sent).toEqual([
      ["k-1", body],
      ["k-1", body],
    ]);
  });

  it("gets a key from the key store, and the server's answer ends the use of the key", async () => {
    const { baseUrl, received } = await startRecordingServer(hangsUp, made);
    const spent: string[] = [];
    const idempotency = { keyFor: async () => "kept", settled: async (key: string) => void spent.push(key) };
    await clientWithCredentials(baseUrl, { idempotency }).client.faqs.create({ body });
    expect(received.map(({ headers }) => headers["idempotency-key"])).toEqual(["kept", "kept"]);
    expect(spent).toEqual(["kept"]);
  });

  it.each<[string, Answering, readonly string[]]>([
    ["is used up by a refusal", answers(422, {}), ["kept"]],
    ["is kept after a lost answer", hangsUp, []],
    ["is kept after a server error", answers(500, {}), []],
    ["is kept after a rate limit", answers(429, {}), []],
  ])("has an Idempotency-Key that %s", async (_, answer, expected) => {
    const { baseUrl } = await startRecordingServer(answer);
    const spent: string[] = [];
    const idempotency = { keyFor: async () => "kept", settled: async (key: string) => void spent.push(key) };
    await expect(
      clientWithCredentials(baseUrl, { idempotency }).client.faqs.create({ body }),
    ).rejects.toThrow();
    expect(spent).toEqual(expected);
  });
});
