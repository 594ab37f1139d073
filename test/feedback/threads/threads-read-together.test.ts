import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Viewer } from "../../../server/access/members/visibility.ts";
import type { Database, Value } from "../../../server/database/database.ts";
import { threadTopic } from "../../../server/database/transaction.ts";
import { createFindThread } from "../../../server/feedback/agent-work/api.ts";
import { feedbackThreads } from "../../../server/feedback/threads/store/threads.ts";
import type { AgentCaller } from "../../../server/http/handler.ts";
import { databases } from "../../support/database/databases.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { makeWorkingAgent } from "../../support/worlds/agents/approved-proposal.ts";

describe.each(databases)("threads that several agents read at the same moment on $name", (engine) => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ engine, environment: { INNKEEP_RATE_LIMITS: "off" } });
  });
  afterAll(() => service.stop());

  /** Two threads, one with a proposal and notes, and viewers with different rights. */
  async function begin() {
    const world = await makeWorkingAgent(service);
    const threads = [await world.newThread(), await world.newThread()];
    await world.proposeOn(threads[0] ?? "");
    const member = await service.makeMember(world.appId, "viewer");
    const stranger = await service.makeUser();
    const other = await service.makeApp(world.owner);
    const agent: Viewer = { kind: "agentToken", userId: world.owner.id, appId: null, needs: "viewer" };
    const viewers: readonly Viewer[] = [
      agent,
      { ...agent, appId: world.appId },
      { ...agent, appId: other.id },
      { ...agent, userId: stranger.id },
      { ...agent, userId: member.id, needs: "owner" },
      { ...agent, userId: member.id, needs: "owner", kind: "session" },
    ];
    return { threads, viewers, agent };
  }

  /** The database, and the text of each statement that it has run. Reads wait for `until`. */
  function watched(until: () => Promise<unknown> = async () => {}) {
    const { database } = service.deps;
    const asked: string[] = [];
    const note = (sql: string) => {
      asked.push(sql);
      return until();
    };
    const noting: Database = {
      ...database,
      get: async <Row extends object>(sql: string, ...values: Value[]) => {
        const row = await database.get<Row>(sql, ...values);
        await note(sql);
        return row;
      },
      all: async <Row extends object>(sql: string, ...values: Value[]) => {
        const rows = await database.all<Row>(sql, ...values);
        await note(sql);
        return rows;
      },
    };
    return { database: noting, asked };
  }
  /** Only SQLite shares statements. */
  const statementsFor = (reads: number) => (engine.engine === "sqlite" ? 1 : reads);

  it("are read with one statement, and each agent gets the same as alone", async () => {
    const { threads, viewers } = await begin();
    const wanted = [...threads, "no-such-thread"].flatMap((id) => viewers.map((viewer) => ({ id, viewer })));
    const { database, asked } = watched();
    const find = feedbackThreads.createFindThreadForAgent(database);
    const together = await Promise.allSettled(wanted.map(find));
    expect(asked).toHaveLength(statementsFor(wanted.length));
    const alone = [];
    for (const { id, viewer } of wanted)
      alone.push(
        ...(await Promise.allSettled([
          feedbackThreads.findThreadForAgent(service.deps.database, id, viewer),
        ])),
      );
    expect(together.map(withoutPlace)).toEqual(alone);
    expect(together.slice(0, 6).map(({ status }) => status)).toEqual([
      ...Array.from({ length: 5 }, () => "fulfilled"),
      "rejected",
    ]);
    expect(together.flatMap((one) => ("value" in one && one.value ? [one.value.id] : []))).toEqual(
      threads.flatMap((id) => [id, id]),
    );
  });

  it("are kept in memory if the database has a cache, unless they change during the read", async () => {
    const { threads, agent } = await begin();
    const [changed = "", same = ""] = threads;
    const caller: AgentCaller = { ...agent, kind: "agentToken", id: "token", scopes: [] };
    let change = async () => service.deps.database.write(async (tx) => tx.signal(threadTopic(changed)));
    const { database, asked } = watched(() => change());
    const find = createFindThread({ ...service.deps, database });
    const read = async () => Promise.all([find(changed, caller), find(same, caller)]);
    expect((await read()).map((thread) => thread?.id)).toEqual(threads);
    expect(asked).toHaveLength(statementsFor(2));
    change = async () => {};
    asked.length = 0;
    expect((await read()).map((thread) => thread?.id)).toEqual(threads);
    const { caches } = service.deps.database;
    expect(asked).toHaveLength(caches ? 1 : statementsFor(2));
    asked.length = 0;
    await read();
    expect(asked).toHaveLength(caches ? 0 : statementsFor(2));
  });
});

/** A common statement also returns to which of the requested threads a row belongs. */
function withoutPlace(outcome: PromiseSettledResult<object | undefined>) {
  if (outcome.status === "rejected" || outcome.value === undefined) return outcome;
  return { ...outcome, value: { ...outcome.value, place: undefined } };
}
