import { setMaxListeners } from "node:events";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventTypes } from "../../src/contract/events.ts";
import { databases } from "../support/database/databases.ts";
import { faultyPaths } from "../support/service/issues.ts";
import { type Service, startService } from "../support/service/service.ts";
import { makeAppWithAgent } from "../support/worlds/app-with-owner-and-agent.ts";

interface Told {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

describe.each(databases)("POST /dev/trigger on $name", (engine) => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ engine, settings: { dev: true } });
    setMaxListeners(0, service.deps.stopping);
  });
  afterAll(() => service.stop());

  const trigger = (body: object) => service.request("POST", "/dev/trigger", { body });

  /** An app with its owner, and a function that calls a trigger and returns the answer. */
  const makeApp = async () => {
    const cast = await makeAppWithAgent(service);
    const told = async (event: string, set: object = {}): Promise<Told[]> => {
      const answer = await trigger({ event, set, app: cast.appId });
      expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
      return Object(answer.body).items;
    };
    const read = async (path: string) =>
      (await service.request("GET", `/api/v1/console${path}`, { headers: cast.person })).body;
    return { ...cast, told, read };
  };

  it.each(eventTypes.map((type) => [type]))("causes the event %s", async (type) => {
    const { told, appId } = await makeApp();
    const events = await told(type);
    expect(events.map((event) => event.type)).toContain(type);
    expect(events.find((event) => event.type === type)?.data).toMatchObject({ appId });
  });

  it("sends a report with the given fields", async () => {
    const { told, read } = await makeApp();
    const [event] = await told("feedback.created", {
      ...{ message: "It crashes.", type: "question" },
      metadata: { os: "Android", version: { major: 14 } },
    });
    expect(await read(`/feedback/${event?.data.feedbackId}`)).toMatchObject({
      feedback: {
        ...{ message: "It crashes.", category: "question" },
        metadata: { os: "Android", version: { major: 14 } },
      },
    });
  });

  it("replies to a thread that exists, and decides on a proposal that exists", async () => {
    const { told, read } = await makeApp();
    const [made] = await told("feedback.created");
    const feedbackId = made?.data.feedbackId;
    const replied = await told("feedback.replied", { feedbackId, body: "Fixed." });
    expect(replied.map(({ type, data }) => [type, data.feedbackId])).toEqual([
      ["feedback.replied", feedbackId],
    ]);
    const [proposed] = await told("run.proposed", { feedbackId, summary: "Fix it at once" });
    const runId = proposed?.data.runId;
    const decided = await told("run.decided", { runId, decision: "reject", note: "Not now." });
    expect(decided.map(({ data }) => [data.runId, data.decision])).toEqual([[runId, "reject"]]);
    expect(JSON.stringify(await read(`/feedback/${feedbackId}`))).toContain("Fix it at once");
  });

  it("returns all events that follow from a missed day, at the time of the moved clock", async () => {
    const { told } = await makeApp();
    const before = service.clock.now().getTime();
    const events = await told("seat.removed");
    expect(events.map(({ type }) => type)).toEqual([
      ...["seat.requested", "seat.filled", "cycle.started", "seat.at_risk", "seat.removed"],
    ]);
    expect(events.at(-1)?.data).toMatchObject({ because: "missed_days" });
    expect(service.clock.now().getTime() - before).toBeGreaterThan(86_400_000);
  });

  it("creates no keys, and only one token for all proposals", async () => {
    const { told, read, appId } = await makeApp();
    const before = Object(await read(`/apps/${appId}/keys`)).items.length;
    await told("feedback.created");
    await told("run.proposed");
    await told("run.proposed");
    expect(Object(await read(`/apps/${appId}/keys`)).items).toHaveLength(before);
    const labels = Object(await read("/tokens")).items.map(({ label }: { label: string }) => label);
    expect(labels.filter((label: string) => label === "dev trigger")).toHaveLength(1);
  });

  it("finds an app by its name, and reports a name that does not exist", async () => {
    const { appId, read } = await makeApp();
    const { name } = Object(await read(`/apps/${appId}`));
    expect((await trigger({ event: "faq.changed", app: name })).status).toBe(200);
    const { status, body } = await trigger({ event: "faq.changed", app: "Nowhere" });
    expect([status, body]).toEqual([
      404,
      expect.objectContaining({ error: "There is no app with the id or name Nowhere." }),
    ]);
  });

  it("refuses an unknown event, and fields that the endpoint refuses", async () => {
    const { appId } = await makeApp();
    expect(faultyPaths(await trigger({ event: "feedback.deleted" }))).toEqual(["event"]);
    const wrong = await trigger({ event: "feedback.created", app: appId, set: { type: "praise" } });
    expect([wrong.status, faultyPaths(wrong)]).toEqual([400, ["type"]]);
    const early = await trigger({ event: "run.decided", app: appId, set: { decision: "request_changes" } });
    expect([early.status, faultyPaths(early)]).toEqual([400, ["note"]]);
  });
});
