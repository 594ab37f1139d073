import { beforeEach, describe, expect, it } from "vitest";
import { threadChanges } from "../../../server/feedback/agent-work/store/changes.ts";
import { databases, type TestDatabase } from "../../support/database/databases.ts";
import { issuesOf } from "../../support/service/issues.ts";
import { startService } from "../../support/service/service.ts";
import { listPath, listThreadsOf, sendSubject } from "../../support/worlds/agents/listed-threads.ts";
import { makeAppWithAgent } from "../../support/worlds/app-with-owner-and-agent.ts";

describe.each(databases)("a changes token on $name", (engine) => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await engine.create();
  });

  it("is valid on another server of the same database and after a restart", async () => {
    const one = await startService({ database });
    const cast = await makeAppWithAgent(one);
    await sendSubject(one, cast, "Before");
    const { changes } = await listThreadsOf(one, cast);
    const other = await startService({ database });
    const held = listThreadsOf(other, cast, { changedAfter: changes, wait: "55" });
    const id = await sendSubject(one, cast, "After");
    const seen = await held;
    expect(seen.items).toMatchObject([{ id }]);
    await Promise.all([one.stop(), other.stop()]);
    const again = await startService({ database });
    expect((await listThreadsOf(again, cast, { changedAfter: changes })).items).toMatchObject([{ id }]);
    expect((await listThreadsOf(again, cast, { changedAfter: seen.changes })).items).toEqual([]);
    await again.stop();
    await database.remove();
  });

  it("is refused after a restore, with a message that says what to do", async () => {
    const service = await startService({ database });
    const cast = await makeAppWithAgent(service);
    await sendSubject(service, cast, "Before");
    const { changes } = await listThreadsOf(service, cast);
    await service.deps.database.write(threadChanges.restart);
    const query = new URLSearchParams({ changedAfter: changes });
    const answer = await service.request("GET", `${listPath}?${query}`, { headers: cast.agent });
    expect(issuesOf(answer)).toEqual([
      "changedAfter: is not a mark of this database; read the list again and use the `changes` of the new answer",
    ]);
    const renewed = await listThreadsOf(service, cast);
    expect(renewed.items).toHaveLength(1);
    const id = await sendSubject(service, cast, "After");
    const seen = await listThreadsOf(service, cast, { changedAfter: renewed.changes });
    expect(seen.items).toMatchObject([{ id }]);
    await service.stop();
    await database.remove();
  });

  it("counts as one read even if the request waits for a long time", async () => {
    const service = await startService({
      database,
      environment: { INNKEEP_RATE_LIMITS: "agentReads=3/3600" },
    });
    const cast = await makeAppWithAgent(service);
    const { changes } = await listThreadsOf(service, cast);
    await listThreadsOf(service, cast, { changedAfter: changes, wait: "2" });
    await listThreadsOf(service, cast);
    const answer = await service.request("GET", listPath, { headers: cast.agent });
    expect(answer).toMatchObject({ status: 429 });
    await service.stop();
    await database.remove();
  });
});
