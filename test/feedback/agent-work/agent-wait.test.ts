import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { credentialsTopic } from "../../../server/database/transaction.ts";
import { databases, sharedDatabases, sqlite } from "../../support/database/databases.ts";
import { eventually } from "../../support/eventually.ts";
import { connectRaw, headOf } from "../../support/network/raw-connection.ts";
import { lockTable } from "../../support/postgres/locked-table.ts";
import { issuesOf } from "../../support/service/issues.ts";
import { request } from "../../support/service/request.ts";
import { type Service, startService } from "../../support/service/service.ts";
import {
  type AppWithAgent,
  decide,
  makeAppWithAgent,
  propose,
  submitFeedback,
} from "../../support/worlds/app-with-owner-and-agent.ts";

/** Records when a promise is settled. */
function watch<Value>(promise: Promise<Value>) {
  const watched = { settled: false, promise: promise.finally(() => (watched.settled = true)) };
  return watched;
}

/** Revokes every agent token of these people, as the owner does in the console. */
async function revokeTokens(
  { request: ask }: Pick<Service, "request">,
  { person }: Pick<AppWithAgent, "person">,
) {
  const list = await ask("GET", "/api/v1/console/tokens", { headers: person });
  for (const { id } of TokenList.parse(list.body).items)
    expect(await ask("DELETE", `/api/v1/console/tokens/${id}`, { headers: person })).toHaveProperty(
      "status",
      204,
    );
}

const TokenList = z.object({ items: z.array(z.object({ id: z.string() })) });

describe.each(databases)("GET /api/v1/agent/runs/{runId}?wait=N on $name", (engine) => {
  let service: Service;
  let cast: AppWithAgent;
  let feedbackId: string;
  let runId: string;
  beforeAll(async () => {
    service = await startService({ engine });
  });
  beforeEach(async () => {
    cast = await makeAppWithAgent(service);
    feedbackId = await submitFeedback(service, cast);
    runId = await propose(service, cast, feedbackId);
  });
  afterAll(() => service.stop());

  const poll = (wait: string | number) =>
    service.request("GET", `/api/v1/agent/runs/${runId}?wait=${wait}`, { headers: cast.agent });
  /** A request that still waits after later requests have been answered. */
  const heldPoll = async () => {
    const held = watch(poll(55));
    for (let n = 0; n < 5; n++) await poll(0);
    expect(held.settled).toBe(false);
    return held;
  };

  it.each([
    ["approve", "approved"],
    ["reject", "rejected"],
    ["request_changes", "rejected"],
  ])("answers with the decision that a person makes during the wait: %s", async (decision, status) => {
    const held = await heldPoll();
    await decide(service, cast, runId, { decision, note: "Go." });
    expect(await held.promise).toMatchObject({
      status: 200,
      body: { id: runId, status, decisionNote: "Go." },
    });
  });

  it("answers when another proposal replaces the proposal during the wait", async () => {
    const held = await heldPoll();
    const newer = await propose(service, cast, feedbackId);
    expect(await held.promise).toMatchObject({
      status: 200,
      body: { status: "rejected", replacedBy: newer },
    });
  });

  it("answers each of many requests that wait at the same time", async () => {
    const held = Array.from({ length: 30 }, () => poll(55));
    await poll(0);
    await decide(service, cast, runId, { decision: "approve" });
    const answers = await Promise.all(held);
    for (const answer of answers) expect(answer).toMatchObject({ status: 200, body: { status: "approved" } });
  });

  it("answers immediately if the proposal is already decided", async () => {
    await decide(service, cast, runId, { decision: "approve" });
    expect(await poll(55)).toMatchObject({ status: 200, body: { status: "approved" } });
  });

  it("answers 404 immediately for an unknown proposal", async () => {
    const path = "/api/v1/agent/runs/00000000-0000-4000-8000-000000000000?wait=55";
    expect(await service.request("GET", path, { headers: cast.agent })).toMatchObject({ status: 404 });
  });

  it("answers with the undecided proposal when N seconds have passed", async () => {
    const order: string[] = [];
    const held = poll(1).then((answer) => [order.push("held"), answer] as const);
    for (let n = 0; n < 5; n++) await poll(0);
    order.push("others");
    expect(await held).toMatchObject([2, { status: 200, body: { id: runId, status: "awaiting_approval" } }]);
    expect(order).toEqual(["others", "held"]);
  });

  it("answers immediately if wait is 0", async () => {
    expect(await poll(0)).toMatchObject({ status: 200, body: { status: "awaiting_approval" } });
  });

  it("accepts values of wait from 0 to 55 seconds", async () => {
    await decide(service, cast, runId, { decision: "approve" });
    expect(await poll(55)).toMatchObject({ status: 200 });
    for (const wait of ["56", "-1", "1.5", "", "long", "1e1"])
      expect(issuesOf(await poll(wait))).toEqual(["wait: must be a whole number from 0 to 55"]);
  });

  it("answers 401 if the token is revoked during the wait", async () => {
    const held = await heldPoll();
    await revokeTokens(service, cast);
    expect(await held.promise).toMatchObject({ status: 401, body: { code: "invalid_token" } });
  });

  it("checks the token again even if no signal reports its revocation", async () => {
    const held = await heldPoll();
    await service.deps.database.write(async (tx) => {
      await tx.run("DELETE FROM tokens WHERE user_id = ?", cast.owner.id);
      tx.signal(credentialsTopic);
    });
    for (let n = 0; n < 5; n++) await service.request("GET", "/healthz");
    expect(held.settled).toBe(false);
    await decide(service, cast, runId, { decision: "approve" });
    expect(await held.promise).toMatchObject({ status: 401, body: { code: "invalid_token" } });
  });

  it("ends if the app of the token is deleted", async () => {
    const held = await heldPoll();
    const path = `/api/v1/console/apps/${cast.appId}`;
    expect(await service.request("DELETE", path, { headers: cast.person })).toMatchObject({ status: 204 });
    expect(await held.promise).toMatchObject({ status: 404 });
  });

  it("stops waiting when its client disconnects", async () => {
    const connection = await connectRaw(service.baseUrl);
    const logged = service.logged().length;
    connection.write(headOf("GET", `/api/v1/agent/runs/${runId}?wait=55`, cast.agent));
    await poll(0);
    await connection.cut();
    const waited = /"route":"\/api\/v1\/agent\/runs\/:runId"/g;
    await eventually(() => expect(service.logged().slice(logged).match(waited)).toHaveLength(2));
  });
});

describe.each(sharedDatabases)(
  "GET /api/v1/agent/runs/{runId}?wait=N on two servers of one PostgreSQL",
  (postgres) => {
    it("answers when the proposal is decided through the other server", async () => {
      const database = await postgres.create();
      const [one, other] = [await startService({ database }), await startService({ database })];
      const cast = await makeAppWithAgent(one);
      const runId = await propose(one, cast, await submitFeedback(one, cast));
      const path = `/api/v1/agent/runs/${runId}`;
      const held = watch(request(one.baseUrl, "GET", `${path}?wait=55`, { headers: cast.agent }));
      for (let n = 0; n < 5; n++) await one.request("GET", path, { headers: cast.agent });
      expect(held.settled).toBe(false);
      const person = { ...cast.person, origin: other.baseUrl };
      await decide(other, { ...cast, person }, runId, { decision: "approve" });
      expect(await held.promise).toMatchObject({ status: 200, body: { status: "approved" } });
      await Promise.all([one.stop(), other.stop()]);
      await database.remove();
    });

    it("answers 401 if the token is revoked through the other server", async () => {
      const database = await postgres.create();
      const [one, other] = [await startService({ database }), await startService({ database })];
      const cast = await makeAppWithAgent(one);
      const path = `/api/v1/agent/runs/${await propose(one, cast, await submitFeedback(one, cast))}`;
      const held = watch(request(one.baseUrl, "GET", `${path}?wait=55`, { headers: cast.agent }));
      for (let n = 0; n < 5; n++) await one.request("GET", path, { headers: cast.agent });
      expect(held.settled).toBe(false);
      await revokeTokens(other, { person: { ...cast.person, origin: other.baseUrl } });
      expect(await held.promise).toMatchObject({ status: 401, body: { code: "invalid_token" } });
      await Promise.all([one.stop(), other.stop()]);
      await database.remove();
    });
  },
);

describe("GET /api/v1/agent/runs/{runId}?wait=N on two servers of one SQLite file", () => {
  it("answers 401 if the token is revoked through the other server", async () => {
    const database = await sqlite.create();
    const [one, other] = [await startService({ database }), await startService({ database })];
    const cast = await makeAppWithAgent(one);
    const path = `/api/v1/agent/runs/${await propose(one, cast, await submitFeedback(one, cast))}`;
    const held = watch(request(one.baseUrl, "GET", `${path}?wait=55`, { headers: cast.agent }));
    for (let n = 0; n < 5; n++) await one.request("GET", path, { headers: cast.agent });
    expect(held.settled).toBe(false);
    await revokeTokens(other, { person: { ...cast.person, origin: other.baseUrl } });
    expect(await held.promise).toMatchObject({ status: 401, body: { code: "invalid_token" } });
    await Promise.all([one.stop(), other.stop()]);
    await database.remove();
  });
});

describe.each(sharedDatabases)(
  "GET /api/v1/agent/runs/{runId}?wait=N on a PostgreSQL database",
  (postgres) => {
    it("ends immediately if its client disconnected before the wait began", async () => {
      const service = await startService({ engine: postgres });
      const cast = await makeAppWithAgent(service);
      const runId = await propose(service, cast, await submitFeedback(service, cast));
      // A token that the server has not seen: it asks the database about it.
      const agent = { authorization: `Bearer ${await service.makeToken(cast.owner, "agent")}` };
      const held = await lockTable(service.database, "tokens", "everything");
      const connection = await connectRaw(service.baseUrl);
      connection.write(headOf("GET", `/api/v1/agent/runs/${runId}?wait=55`, agent));
      await held.waiting(1);
      await connection.cut();
      await service.request("GET", "/healthz");
      await held.release();
      await eventually(() => expect(service.logged()).toContain('"route":"/api/v1/agent/runs/:runId"'));
      await service.stop();
    });
  },
);
