import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Reader } from "../../../../server/database/database.ts";
import { agentWork } from "../../../../server/feedback/home/store.ts";
import { type Service, startService } from "../../../support/service/service.ts";

describe("a list of agents' work", () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  /** How SQLite reads the rows of the statements that `list` runs. */
  const planOf = async (list: (reader: Reader) => Promise<unknown>): Promise<string> => {
    const { database } = service.deps;
    const steps: string[] = [];
    const explaining: Reader = {
      ...database,
      async all(sql, ...values) {
        const rows = await database.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, ...values);
        steps.push(...rows.map(({ detail }) => detail));
        return [];
      },
    };
    await list(explaining);
    return steps.join("\n");
  };
  const asked = {
    userId: "someone",
    since: "2026-01-01T00:00:00.000Z",
    now: "2026-01-01T00:00:00.000Z",
    most: 11,
  };

  it.each([
    ["inWork", "run_claims_at_work"],
    ["failed", "run_claims_failed"],
    ["sentBack", "runs_sent_back"],
  ] as const)("reads %s from its small index, not from all threads", async (list, index) => {
    const plan = await planOf((reader) => agentWork[list](reader, asked));
    expect(plan.split("\n")[0]).toContain(`INDEX ${index}`);
  });

  it("reads approved plans by the index of threads that wait, in the apps of the person", async () => {
    const plan = await planOf((reader) => agentWork.approved(reader, asked));
    expect(plan).toMatch(
      /SEARCH f USING INDEX feedback_by_waiting(_and_activity)? \(app_id=\? AND waiting=\?\)/,
    );
    expect(plan).toMatch(/SEARCH r USING INDEX (runs_by_feedback|runs_of_thread) \(feedback_id=\?\)/);
    expect(plan).not.toContain("SCAN");
  });
});
