import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { databases } from "../support/database/databases.ts";
import { isReplay, keyed, mutations, stateOf } from "../support/service/mutations.ts";
import { type Service, startService } from "../support/service/service.ts";
import { rowsOf } from "../support/service/stored-content.ts";
import {
  type AppWithAgent,
  decide,
  makeAppWithAgent,
  propose,
  submitFeedback,
} from "../support/worlds/app-with-owner-and-agent.ts";

const feedbackPath = "/api/v1/feedback/remote";
const faqsPath = "/api/v1/faqs/remote";
const faq = { question: "How?", answer: "So." };
const hour = 3_600_000;

describe.each(databases)("an Idempotency-Key on $name", (engine) => {
  let service: Service;
  let cast: AppWithAgent;
  beforeAll(async () => {
    service = await startService({ engine });
  });
  beforeEach(async () => {
    cast = await makeAppWithAgent(service);
  });
  afterAll(() => service.stop());

  const createFaq = (headers: Record<string, string>, body: object = faq) =>
    service.request("POST", faqsPath, { headers: { ...cast.key, ...headers }, body });

  describe.each(mutations)("on the request $name", ({ prepare }) => {
    it("returns the stored status and body with Idempotent-Replay: true, and has no second effect", async () => {
      const send = await prepare(service, cast);
      const first = await send(keyed("once"));
      expect(first.headers.has("idempotent-replay")).toBe(false);
      const state = await stateOf(service, cast);
      for (let n = 0; n < 3; n++) {
        const again = await send(keyed("once"));
        expect(again.headers.get("idempotent-replay")).toBe("true");
        expect([again.status, again.text]).toEqual([first.status, first.text]);
      }
      expect(await stateOf(service, cast)).toBe(state);
    });
  });

  it.each(mutations.filter(({ adds }) => adds))(
    "on the request $name does not affect requests with another key or without a key",
    async ({ prepare }) => {
      const send = await prepare(service, cast);
      const answers = [await send(keyed("one")), await send(keyed("two")), await send(), await send()];
      expect(answers.map(isReplay)).toEqual([false, false, false, false]);
      expect(new Set(answers.map(({ text }) => text)).size).toBe(4);
    },
  );

  it.each(mutations.filter(({ other }) => other))(
    "on the request $name refuses another body with 422 idempotency_mismatch, without an effect",
    async ({ prepare, other }) => {
      const send = await prepare(service, cast);
      const first = await send(keyed("once"));
      const state = await stateOf(service, cast);
      const answer = await send(keyed("once"), other);
      expect(answer).toMatchObject({ status: 422, body: { code: "idempotency_mismatch" } });
      expect(await stateOf(service, cast)).toBe(state);
      expect((await send(keyed("once"))).text).toBe(first.text);
    },
  );

  it("is the same key with and without double quotes", async () => {
    const first = await createFaq(keyed('"once"'));
    const again = await createFaq(keyed("once"));
    expect([isReplay(again), again.text]).toEqual([true, first.text]);
  });

  it.each(["x", "~!@#$ %^&*()", "x".repeat(255), `"${"x".repeat(255)}"`])("can be %j", async (key) => {
    expect((await createFaq(keyed(key))).status).toBeLessThan(300);
    expect(isReplay(await createFaq(keyed(key)))).toBe(true);
  });

  it.each(["", '""', "x".repeat(256), `"${"x".repeat(256)}"`, "caf\xe9", "a\tb"])(
    "with the value %j is refused with 400, and nothing is changed",
    async (key) => {
      const answer = await createFaq(keyed(key));
      expect(answer).toMatchObject({ status: 400, body: { code: "bad_request" } });
      expect(answer.field("issues.0.path")).toBe("Idempotency-Key");
      expect(await rowsOf(service, "faqs", cast.appId)).toBe(0);
    },
  );

  it("is stored for 24 hours, and not longer", async () => {
    await createFaq(keyed("once"));
    service.clock.advance(24 * hour - 60_000);
    expect(isReplay(await createFaq(keyed("once")))).toBe(true);
    service.clock.advance(61_000);
    expect(isReplay(await createFaq(keyed("once")))).toBe(false);
  });

  it("belongs to one credential", async () => {
    const first = await createFaq(keyed("once"));
    const second = { "x-api-key": await service.makeKey(cast.appId) };
    const stranger = await makeAppWithAgent(service);
    for (const headers of [second, stranger.key]) {
      const answer = await createFaq({ ...headers, ...keyed("once") });
      expect([answer.status, isReplay(answer)]).toEqual([201, false]);
      expect(answer.field("id")).not.toBe(first.field("id"));
    }
  });

  it("belongs to one method and path", async () => {
    const one = `${faqsPath}/${(await createFaq(keyed("once"))).field("id")}`;
    const two = `${faqsPath}/${(await createFaq({})).field("id")}`;
    const headers = { ...cast.key, ...keyed("once") };
    const answers = [
      await service.request("POST", feedbackPath, { headers, body: { type: "bug", message: "x" } }),
      await service.request("PATCH", one, { headers, body: { answer: "x" } }),
      await service.request("PATCH", two, { headers, body: { answer: "x" } }),
      await service.request("DELETE", one, { headers }),
      await service.request("DELETE", two, { headers }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([201, 200, 200, 200, 200]);
    expect(answers.some(isReplay)).toBe(false);
  });

  it("compares bodies by their content, not by their notation", async () => {
    const first = await createFaq(keyed("once"), { question: "How?", answer: "So.", sortOrder: 1 });
    const headers = { ...cast.key, ...keyed("once"), "content-type": "application/json" };
    const body = ' {"sortOrder": 1, "answer":"\\u0053o.",\n"question":"How?"} ';
    const again = await service.request("POST", faqsPath, { headers, body });
    expect([isReplay(again), again.text]).toEqual([true, first.text]);
  });

  it("returns the first response even if the data has changed in the meantime", async () => {
    const created = await createFaq(keyed("once"));
    await service.request("DELETE", `${faqsPath}/${created.field("id")}`, { headers: cast.key });
    expect((await createFaq(keyed("once"))).text).toBe(created.text);
    expect(await rowsOf(service, "faqs", cast.appId)).toBe(0);
  });

  it("stores no answer 400, so that the corrected request with the same key is carried out", async () => {
    expect(await createFaq(keyed("once"), { question: "How?" })).toMatchObject({ status: 400 });
    const corrected = await createFaq(keyed("once"));
    expect([corrected.status, isReplay(corrected)]).toEqual([201, false]);
  });

  it("stores no answer 401, 413 or 415", async () => {
    const json = { ...keyed("once"), "content-type": "application/json" };
    const large = JSON.stringify({ ...faq, foo: "x".repeat(1_048_576) });
    const answers = [
      await createFaq({ ...keyed("once"), "x-api-key": "sdk_wrong" }),
      await service.request("POST", faqsPath, { headers: { ...cast.key, ...json }, body: large }),
      await service.request("POST", faqsPath, { headers: { ...cast.key, ...keyed("once") }, body: "text" }),
      await createFaq(keyed("once")),
    ];
    expect(answers.map(({ status }) => status)).toEqual([401, 413, 415, 201]);
  });

  it("does not store the refusal of a report while feedback is turned off", async () => {
    const turn = (feedbackEnabled: boolean) =>
      service.request("PATCH", `/api/v1/console/apps/${cast.appId}`, {
        headers: cast.person,
        body: { feedbackEnabled },
      });
    const headers = { ...cast.key, ...keyed("once") };
    const submit = () =>
      service.request("POST", feedbackPath, { headers, body: { type: "bug", message: "x" } });
    await turn(false);
    expect(await submit()).toMatchObject({ status: 403 });
    await turn(true);
    expect(await submit()).toMatchObject({ status: 201 });
  });

  it("stores an answer 409, and the repeated request gets the same refusal with a mark", async () => {
    const runId = await propose(service, cast, await submitFeedback(service, cast));
    await decide(service, cast, runId, { decision: "approve" });
    const again = { ...cast, person: { ...cast.person, ...keyed("late") } };
    const [first, second] = [
      await decide(service, again, runId, { decision: "reject" }),
      await decide(service, again, runId, { decision: "reject" }),
    ];
    expect(first).toMatchObject({ status: 409, body: { code: "already_decided" } });
    expect([second.status, second.text]).toEqual([first.status, first.text]);
    expect([first, second].map(isReplay)).toEqual([false, true]);
  });
});
