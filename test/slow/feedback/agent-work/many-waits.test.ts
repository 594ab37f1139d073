import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { hashOf } from "../../../../server/secrets/secrets.ts";
import { postgres, sqlite, type TestDatabase, type TestEngine } from "../../../support/database/databases.ts";
import { type Answer, request } from "../../../support/service/request.ts";
import { type Service, startService } from "../../../support/service/service.ts";
import { rounds } from "../../../support/torture.ts";
import { makeWorkingAgent, type WorkingAgent } from "../../../support/worlds/agents/approved-proposal.ts";

const tokens = 10;
const proposals = rounds(4, 100);
const waits = tokens * proposals;
/** Each token can wait for each proposal once, alternately at each server, but not twice for the same proposal. */
const environmentOf = (servers: number) => ({
  INNKEEP_RATE_LIMITS: `agentReads=${proposals / servers}/3600,proposals=1000/3600`,
});
/** A slow machine needs some time to accept a thousand connections. */
const soon = { timeout: 60_000 };

const places: readonly { readonly where: string; readonly engine: TestEngine; readonly servers: number }[] = [
  { where: "one server on SQLite", engine: sqlite, servers: 1 },
  { where: "two servers of one PostgreSQL", engine: postgres, servers: 2 },
];

describe.each(places)(`${waits} waiting requests with ten tokens at $where`, ({ engine, servers }) => {
  let database: TestDatabase;
  let running: Service[];
  let world: WorkingAgent;
  let agents: readonly Record<string, string>[];
  let runIds: readonly string[];

  /** How many requests have begun to wait. The time of a wait counts from there. */
  let begun = 0;
  let ended = 0;
  const start = async () => {
    const service = await startService({ database, environment: environmentOf(servers) });
    const { waiting } = service.deps;
    const until = waiting.until.bind(waiting);
    vi.spyOn(waiting, "until").mockImplementation((...asked) => {
      begun += 1;
      return until(...asked).finally(() => {
        ended += 1;
      });
    });
    return service;
  };
  const first = (): Service => running.at(0) ?? expect.fail("no server runs");

  beforeEach(async () => {
    database = await engine.create();
    running = await Promise.all(Array.from({ length: servers }, start));
    world = await makeWorkingAgent(first());
    agents = await Promise.all(Array.from({ length: tokens }, () => world.makeAgent()));
    runIds = await Promise.all(
      Array.from({ length: proposals }, async () => world.proposeOn(await world.newThread())),
    );
  });
  afterEach(async () => {
    await Promise.all(running.map((server) => server.stop()));
    await database.remove();
  });

  /** The number of tokens that have not used all their reads, at any server. */
  async function withReads(): Promise<number> {
    const hashes = agents.map(({ authorization = "" }) => hashOf(authorization.slice("Bearer ".length)));
    const rows = await first().deps.database.all<{ id: string }>(
      `SELECT id FROM tokens WHERE token_hash IN (${hashes.map(() => "?").join(", ")})`,
      ...hashes,
    );
    const looks = rows.map(async ({ id }) =>
      Promise.all(running.map(({ deps }) => deps.limiter.look({ who: id, rateLimit: "agentReads" }))),
    );
    return (await Promise.all(looks)).filter((at) => at.some(({ allowed }) => allowed)).length;
  }

  /** Every token waits for every proposal, alternately at each server. Returns the answers when all wait. */
  async function waitForAll(signal?: AbortSignal): Promise<Promise<Answer>[]> {
    const before = begun;
    const pairs = agents.flatMap((headers) => runIds.map((runId) => ({ headers, runId })));
    const answers = pairs.map(({ headers, runId }, at) => {
      const { baseUrl } = running[at % servers] ?? first();
      return request(baseUrl, "GET", `/api/v1/agent/runs/${runId}?wait=55`, { headers, signal });
    });
    for (const answer of answers) answer.catch(() => undefined);
    await vi.waitFor(() => expect(begun - before).toBe(waits), soon);
    expect(await withReads()).toBe(0);
    return answers;
  }

  async function revoke(authorization: string): Promise<void> {
    const hash = hashOf(authorization.slice("Bearer ".length));
    const row = await first().deps.database.get<{ id: string }>(
      "SELECT id FROM tokens WHERE token_hash = ?",
      hash,
    );
    const path = `/api/v1/console/tokens/${row?.id}`;
    expect(await first().request("DELETE", path, { headers: world.person })).toMatchObject({ status: 204 });
  }

  const decideAll = () => Promise.all(runIds.map((runId) => world.decide(runId, { decision: "approve" })));

  it("get the decisions as answers, and each costs one read", async () => {
    const answers = await waitForAll();
    await decideAll();
    for (const answer of await Promise.all(answers))
      expect(answer).toMatchObject({ status: 200, body: { status: "approved" } });
    expect(await withReads()).toBe(0);
  });

  it("are not counted if they were long and had no result, so that they can be repeated without a limit", async () => {
    for (let round = 0; round < 2; round += 1) {
      const leaving = new AbortController();
      await waitForAll(leaving.signal);
      for (const { clock } of running) clock.pass(30_000);
      leaving.abort();
      await vi.waitFor(() => expect(ended).toBe(begun), soon);
      expect(await withReads()).toBe(tokens);
    }
    const answers = await waitForAll();
    await decideAll();
    for (const answer of await Promise.all(answers)) expect(answer).toMatchObject({ status: 200 });
  });

  it("are not counted if the server stops, and can be continued on the next server", async () => {
    const answers = await waitForAll();
    for (const server of running) server.beginStop();
    for (const answer of await Promise.all(answers))
      expect(answer).toMatchObject({ status: 200, body: { status: "awaiting_approval" } });
    expect(await withReads()).toBe(tokens);
    const next = await Promise.all(running.map(start));
    const ended = running;
    running = next;
    await Promise.all(ended.map((server) => server.stop()));
    const resumed = await waitForAll();
    for (const runId of runIds)
      await first().request("POST", `/api/v1/console/runs/${runId}/decision`, {
        headers: { ...world.person, origin: first().baseUrl },
        body: { decision: "approve" },
      });
    for (const answer of await Promise.all(resumed))
      expect(answer).toMatchObject({ status: 200, body: { status: "approved" } });
  });

  it("end immediately for a revoked token, and continue for all other tokens", async () => {
    const answers = await waitForAll();
    const settled: Answer[] = [];
    for (const answer of answers)
      answer.then(
        (one) => settled.push(one),
        () => undefined,
      );
    await revoke(agents.at(0)?.authorization ?? "");
    await vi.waitFor(() => expect(settled).toHaveLength(proposals), soon);
    for (const answer of settled)
      expect(answer).toMatchObject({ status: 401, body: { code: "invalid_token" } });
    await decideAll();
    await Promise.all(answers);
    expect(settled.filter(({ status }) => status === 200)).toHaveLength(waits - proposals);
  });
});
