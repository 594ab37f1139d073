import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { databases } from "../../support/database/databases.ts";
import { issuesOf } from "../../support/service/issues.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { rounds } from "../../support/torture.ts";
import { listPath, listThreadsOf, sendSubject } from "../../support/worlds/agents/listed-threads.ts";
import {
  type AppWithAgent,
  decide,
  makeAppWithAgent,
  propose,
  submitFeedback,
} from "../../support/worlds/app-with-owner-and-agent.ts";

describe.each(databases)("GET /api/v1/agent/feedback?changedAfter=TOKEN on $name", (engine) => {
  let service: Service;
  let cast: AppWithAgent;
  beforeAll(async () => {
    service = await startService({ engine });
  });
  beforeEach(async () => {
    cast = await makeAppWithAgent(service);
  });
  afterAll(() => service.stop());

  const changedAfter = (token: string, more: Record<string, string> = {}) =>
    listThreadsOf(service, cast, { changedAfter: token, ...more });

  const asPerson = (method: string, thread: string, body: object) =>
    service.request(method, `/api/v1/console/feedback${thread}`, { headers: cast.person, body });

  it("returns each change since the token was issued once, the oldest change first", async () => {
    const first = await sendSubject(service, cast, "First");
    const { changes } = await listThreadsOf(service, cast);
    expect((await changedAfter(changes)).items).toEqual([]);
    const second = await sendSubject(service, cast, "Second");
    await propose(service, cast, first);
    const seen = await changedAfter(changes);
    expect(seen.items).toMatchObject([
      { id: second, waiting: "none" },
      { id: first, waiting: "approval" },
    ]);
    expect((await changedAfter(seen.changes)).items).toEqual([]);
    expect((await changedAfter(changes)).items).toHaveLength(2);
  });

  it.each([
    ["a repeat", () => submitFeedback(service, cast, { dedupeKey: "login" })],
    ["a change by a person", (id: string) => asPerson("PATCH", `/${id}`, { status: "resolved" })],
    ["a note", (id: string) => asPerson("POST", `/${id}/messages`, { direction: "note", body: "Look." })],
  ])("includes %s as a change", async (_, change) => {
    const id = await submitFeedback(service, cast, { subject: "Login", dedupeKey: "login" });
    const { changes } = await listThreadsOf(service, cast);
    await change(id);
    expect((await changedAfter(changes)).items).toMatchObject([{ id }]);
  });

  it("includes each state of a proposal as a change", async () => {
    const id = await sendSubject(service, cast, "Login");
    let { changes } = await listThreadsOf(service, cast);
    const next = async () => {
      const page = await changedAfter(changes);
      changes = page.changes;
      return page.items.map(({ waiting }) => waiting);
    };
    const runId = await propose(service, cast, id);
    expect(await next()).toEqual(["approval"]);
    await decide(service, cast, runId, { decision: "approve" });
    expect(await next()).toEqual(["approved"]);
    const worker = {
      authorization: `Bearer ${await service.makeToken(cast.owner, "agent", { scopes: ["runs:work"] })}`,
    };
    const claimed = await service.request("POST", `/api/v1/agent/runs/${runId}/claim`, {
      headers: worker,
      body: { worker: "one" },
    });
    expect(await next()).toEqual(["outcome"]);
    await service.request("POST", `/api/v1/agent/runs/${runId}/outcome`, {
      headers: worker,
      body: { claimId: claimed.field("claimId"), status: "succeeded", summary: "Done." },
    });
    expect(await next()).toEqual(["none"]);
  });

  it("returns each change once over all pages while other requests change the threads", async () => {
    const { changes } = await listThreadsOf(service, cast);
    const ids = await Promise.all(
      Array.from({ length: 12 }, (_, at) => sendSubject(service, cast, `Thread ${at}`)),
    );
    const seen: string[] = [];
    let token = changes;
    for (let page = await changedAfter(token, { limit: "5" }); page.items.length > 0; ) {
      seen.push(...page.items.map(({ id }) => id));
      token = page.changes;
      // A thread of a later page changes before that page is read.
      const later = ids.find((id) => !seen.includes(id));
      if (later !== undefined) await propose(service, cast, later);
      page = await changedAfter(token, { limit: "5" });
    }
    expect(seen.toSorted()).toEqual(ids.toSorted());
  });

  it("returns each report once if many reports are sent at the same time", async () => {
    let { changes } = await listThreadsOf(service, cast);
    const seen: string[] = [];
    const wanted: string[] = [];
    let sending = true;
    const reader = async () => {
      for (;;) {
        const last = !sending;
        const page = await changedAfter(changes, { limit: "7" });
        changes = page.changes;
        seen.push(...page.items.map(({ id }) => id));
        if (last && page.items.length === 0) return;
      }
    };
    const reading = reader();
    for (let round = 0; round < rounds(4, 40); round += 1) {
      const ids = await Promise.all(
        Array.from({ length: 20 }, (_, at) => sendSubject(service, cast, `Round ${round}, ${at}`)),
      );
      wanted.push(...ids);
    }
    sending = false;
    await reading;
    expect(seen.toSorted()).toEqual(wanted.toSorted());
  });

  it("applies the filters, and returns only threads that the token may read", async () => {
    const { changes } = await listThreadsOf(service, cast);
    const stranger = await makeAppWithAgent(service);
    await sendSubject(service, stranger, "Hidden");
    const wish = await submitFeedback(service, cast, { subject: "Wish", type: "feature" });
    await sendSubject(service, cast, "Bug");
    expect((await changedAfter(changes, { type: "feature" })).items).toMatchObject([{ id: wish }]);
    expect((await changedAfter(changes, { appId: cast.appId })).items).toHaveLength(2);
  });

  it("refuses each text that is not a changes token of this database, and never fails with 500", async () => {
    const { changes } = await listThreadsOf(service, cast);
    const [count = ""] = Buffer.from(changes, "base64url").toString().split(" ");
    const texts = [
      "x",
      count,
      `${count} `,
      `${count} x`,
      `${count} -1`,
      `${count} 999999999999999`,
      `${count} 99999999999999999999999`,
      `${count} 5:3:`,
      `${count} 3:5:4,4`,
      `${count} 3:5:9`,
      `${count} 3:5:4,`,
      `${count} 0:0:`,
      `${count} 1:999999999999:`,
      `${count} 1:1: 1:1: x 1`,
      `${count} 1:1: 1:1: 1 1 1`,
      `other ${Buffer.from(changes, "base64url").toString().split(" ").slice(1).join(" ")}`,
    ];
    for (const text of texts) {
      const query = new URLSearchParams({ changedAfter: Buffer.from(text).toString("base64url") });
      const answer = await service.request("GET", `${listPath}?${query}`, { headers: cast.agent });
      expect(issuesOf(answer)).toEqual([
        expect.stringContaining("changedAfter: is not a mark of this database"),
      ]);
    }
    for (const [name, value] of [
      ["q", "login"],
      ["cursor", "x"],
    ] as const) {
      const query = new URLSearchParams({ changedAfter: changes, [name]: value });
      const answer = await service.request("GET", `${listPath}?${query}`, { headers: cast.agent });
      expect(issuesOf(answer)).toEqual([`${name}: cannot be combined with \`changedAfter\``]);
    }
  });

  it("waits with wait=N until a thread changes that matches the filters", async () => {
    const { changes } = await listThreadsOf(service, cast);
    const held = changedAfter(changes, { wait: "55", type: "feature" });
    await sendSubject(service, cast, "Bug");
    const wish = await submitFeedback(service, cast, { subject: "Wish", type: "feature" });
    expect((await held).items).toMatchObject([{ id: wish }]);
  });

  it("answers with an empty list and a new token when N seconds have passed", async () => {
    const { changes } = await listThreadsOf(service, cast);
    const held = await changedAfter(changes, { wait: "1" });
    expect(held.items).toEqual([]);
    const id = await sendSubject(service, cast, "Later");
    expect((await changedAfter(held.changes)).items).toMatchObject([{ id }]);
  });

  it("answers 401 without any changes if the token is revoked during the wait", async () => {
    const { changes } = await listThreadsOf(service, cast);
    const query = new URLSearchParams({ changedAfter: changes, wait: "55" });
    const held = service.request("GET", `${listPath}?${query}`, { headers: cast.agent });
    const tokens = await service.request("GET", "/api/v1/console/tokens", { headers: cast.person });
    const id = tokens.field("items.0.id");
    await service.request("DELETE", `/api/v1/console/tokens/${id}`, { headers: cast.person });
    await sendSubject(service, cast, "Secret");
    expect(await held).toMatchObject({ status: 401, body: { code: "invalid_token" } });
  });
});
