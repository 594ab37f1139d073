import { request } from "node:http";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { rateLimits } from "../../../src/contract/limits.ts";
import { databases } from "../../support/database/databases.ts";
import { dataUrl, pdf, png } from "../../support/files/sample-files.ts";
import { filesIn } from "../../support/files/temporary-folder.ts";
import { refusal } from "../../support/service/refusals.ts";
import type { Answer } from "../../support/service/request.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { type AppWithAgent, makeAppWithAgent } from "../../support/worlds/app-with-owner-and-agent.ts";

const path = "/api/v1/feedback/remote";
const small = { type: "bug", message: "It crashes." };
const large = { ...small, images: [dataUrl(png(100_000))] };

describe.each(databases)("the bytes of feedback on $name", (engine) => {
  let service: Service;
  let cast: AppWithAgent;
  const settings = { feedbackBytesPerHour: 500_000, storedBytesPerApp: 250_000 };
  beforeAll(async () => {
    service = await startService({ engine, settings });
  });
  beforeEach(async () => {
    cast = await makeAppWithAgent(service);
  });
  afterAll(() => service.stop());

  const send = (body: object, headers: object = {}) =>
    service.request("POST", path, { headers: { ...cast.key, ...headers }, body });
  const statuses = (answers: readonly Answer[]) => answers.map(({ status }) => status).sort();
  const threadOf = async (answer: Answer) =>
    Object(
      (await service.request("GET", `/api/v1/agent/feedback/${answer.field("id")}`, { headers: cast.agent }))
        .body,
    );

  it("of a key are limited in each hour, exactly to the second", async () => {
    const first = [await send(large), await send(large)];
    service.clock.advance(10 * 60_000);
    const more = await Promise.all([send(large), send(large), send(large)]);
    expect(statuses([...first, ...more])).toEqual([201, 201, 201, 429, 429]);
    const refused = more.find(({ status }) => status === 429);
    expect(refused).toMatchObject({ body: { code: "rate_limited" } });
    const wait = Number(refused?.headers.get("retry-after"));
    expect(wait).toBeGreaterThan(48 * 60);
    expect(wait).toBeLessThanOrEqual(50 * 60);
    service.clock.advance((wait - 2) * 1_000);
    expect((await send(large)).status).toBe(429);
    service.clock.advance(3_000);
    expect((await send(large)).status).toBe(201);
  });

  it("of small reports are limited only by their number", async () => {
    for (let sent = 0; sent < 3; sent += 1) await send(large);
    expect((await send(large)).status).toBe(429);
    expect((await send(small)).status).toBe(201);
  });

  it("of one key are not counted for another key", async () => {
    for (let sent = 0; sent < 4; sent += 1) await send(large);
    cast = await makeAppWithAgent(service);
    expect((await send(large)).status).toBe(201);
  });

  it("of a repeated request with an Idempotency-Key are not counted", async () => {
    const headers = { "idempotency-key": "once" };
    for (let sent = 0; sent < 8; sent += 1) expect((await send(large, headers)).status).toBe(201);
    expect((await send(large)).status).toBe(201);
  });

  it("do not prevent the repeated request of an accepted report when they are used up", async () => {
    const headers = { "idempotency-key": "once" };
    const first = await send(large, headers);
    for (let sent = 0; sent < 2; sent += 1) expect((await send(large)).status).toBe(201);
    for (let sent = 0; sent < 3; sent += 1) {
      const repeat = await send(large, headers);
      expect(repeat.headers.get("idempotent-replay")).toBe("true");
      expect(repeat.body).toEqual(first.body);
    }
    expect(await send({ ...large, message: "Another one." }, headers)).toMatchObject(
      refusal(422, "idempotency_mismatch"),
    );
    expect((await send(large, { "idempotency-key": "another" })).status).toBe(429);
    expect((await send(large)).status).toBe(429);
  });

  it("that arrive without a declared length are also counted", async () => {
    const chunked = () =>
      new Promise<number>((resolve, reject) => {
        const headers = { ...cast.key, "content-type": "application/json", "transfer-encoding": "chunked" };
        const outgoing = request(service.baseUrl + path, { method: "POST", headers }, (answer) => {
          answer.resume().on("end", () => resolve(answer.statusCode ?? 0));
        });
        outgoing.on("error", reject).end(JSON.stringify(large));
      });
    const answers = [];
    for (let sent = 0; sent < 6; sent += 1) answers.push(await chunked());
    expect(answers.slice(0, 3)).toEqual([201, 201, 201]);
    expect(answers.at(-1)).toBe(429);
  });

  it("above an app's storage limit are left out, and the report is kept", async () => {
    expect((await send(large)).body).not.toHaveProperty("filesDropped");
    await send(large);
    const attachments = [{ name: "log.pdf", data: dataUrl(pdf(60_000)) }];
    const over = await send({
      ...small,
      name: "Ada",
      images: [dataUrl(png(900)), dataUrl(png(901))],
      attachments,
    });
    expect(over).toMatchObject({
      status: 201,
      body: { filesDropped: ["images.0", "images.1", "attachments.0"] },
    });
    expect(await threadOf(over)).toMatchObject({
      feedback: { message: small.message, images: [], attachments: [] },
    });
    const fitting = await send({ ...small, images: [dataUrl(png(900))] });
    expect(fitting.body).not.toHaveProperty("filesDropped");
    expect(await threadOf(fitting)).toMatchObject({ feedback: { images: [expect.any(String)] } });
  });

  it("of the storage limit are available again after a thread is deleted", async () => {
    const [first] = [await send(large), await send(large)];
    expect((await send(large)).body).toHaveProperty("filesDropped");
    await service.request("DELETE", `/api/v1/console/feedback/${first?.field("id")}`, {
      headers: cast.person,
    });
    service.clock.advance(3_700_000);
    expect((await send(large)).body).not.toHaveProperty("filesDropped");
  });

  it("never exceed the storage limit if many reports arrive at the same time", async () => {
    const body = { ...small, images: [dataUrl(png(50_000))] };
    const answers = await Promise.all(Array.from({ length: 7 }, () => send(body)));
    expect(answers.filter((answer) => "filesDropped" in Object(answer.body))).toHaveLength(2);
  });
});

describe.each(databases)("reports that are added to a thread on $name", (engine) => {
  it("have a separate limit: 1,200 a minute, not 120", async () => {
    expect(rateLimits.feedbackRepeats).toEqual({ limit: 1_200, windowSeconds: 60 });
    const limits = "feedback=3/60,feedbackRepeats=10/60";
    const service = await startService({ engine, environment: { INNKEEP_RATE_LIMITS: limits } });
    const { key: headers } = await makeAppWithAgent(service);
    const send = async (body: object) =>
      (await service.request("POST", path, { headers, body: { ...small, ...body } })).status;
    const joining = { dedupeKey: "build" };
    expect([await send(joining), await send({}), await send({}), await send({})]).toEqual([
      201, 201, 201, 429,
    ]);
    expect(await send({ dedupeKey: "another" })).toBe(429);
    for (let sent = 0; sent < 9; sent += 1) expect(await send(joining)).toBe(201);
    expect(await send({ ...joining, ...large })).toBe(201);
    expect(await send(joining)).toBe(429);
    const before = await filesIn(service.deps.settings.data);
    expect(await send(large)).toBe(429);
    expect(await filesIn(service.deps.settings.data)).toEqual(before);
    await service.stop();
  });
});
