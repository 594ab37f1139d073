import { expect, it } from "vitest";
import { databases } from "../../support/database/databases.ts";
import { processorTime } from "../../support/processor-time.ts";
import { startService } from "../../support/service/service.ts";
import { makeAppWithAgent } from "../../support/worlds/app-with-owner-and-agent.ts";

const scopes = 25_000;

it.each(databases)(
  "a failure of very many scopes is named quickly to a run that passed elsewhere, on $name",
  async (engine) => {
    const service = await startService({ engine });
    const { appId, key, person } = await makeAppWithAgent(service);
    const sent = await service.request("POST", "/api/v1/feedback/remote", {
      headers: key,
      body: {
        type: "bug",
        message: "A test failed",
        dedupeKey: "junit:a:1",
        dedupeScope: "0",
        dedupeRun: "1",
      },
    });
    await service.deps.database.write((tx) =>
      tx.run(
        `INSERT INTO failure_runs (feedback_id, app_id, scope, run, reported_at)
         WITH RECURSIVE numbers (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < ?)
         SELECT feedback_id, app_id, CAST(number AS text), run, reported_at FROM failure_runs CROSS JOIN numbers
         WHERE feedback_id = ?`,
        ...[scopes - 1, sent.field("id")],
      ),
    );
    const spent = processorTime();
    const passed = await service.request("POST", `/api/v1/console/apps/${appId}/feedback/resolve`, {
      headers: person,
      body: { run: "2", scope: "elsewhere", passed: ["junit:a:1"] },
    });
    expect(spent()).toBeLessThan(15_000);
    expect(passed.body).toMatchObject({ resolved: [], stillFailing: [{ id: sent.field("id") }] });
    expect(JSON.stringify(passed.body)).toContain(`"${scopes - 1}"`);
    await service.stop();
  },
);
