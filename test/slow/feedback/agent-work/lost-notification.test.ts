import { afterAll, beforeAll, expect, it } from "vitest";
import { postgres, type TestDatabase } from "../../../support/database/databases.ts";
import { nextDecisionCheck } from "../../../support/service/next-decision-check.ts";
import { type Service, startService } from "../../../support/service/service.ts";
import {
  type AppWithAgent,
  makeAppWithAgent,
  propose,
  submitFeedback,
} from "../../../support/worlds/app-with-owner-and-agent.ts";

let database: TestDatabase;
let service: Service;
let cast: AppWithAgent;
beforeAll(async () => {
  database = await postgres.create();
  service = await startService({ database });
  cast = await makeAppWithAgent(service);
});
afterAll(async () => {
  await service.stop();
  await database.remove();
});

it("a waiting request gets a decision whose notification has not arrived", async () => {
  const runId = await propose(service, cast, await submitFeedback(service, cast));
  const read = (query = "") =>
    service.request("GET", `/api/v1/agent/runs/${runId}${query}`, { headers: cast.agent });
  // The proposal is in the server's cache.
  expect((await read()).body).toMatchObject({ status: "awaiting_approval" });
  const looked = nextDecisionCheck(service);
  const waiting = read("?wait=55");
  await looked;
  // The change of another server, without a notification to this one.
  const { database: own } = service.deps;
  const at = service.clock.now().toISOString();
  await own.write((tx) =>
    tx.run(
      "UPDATE runs SET status = 'approved', decision = 'approve', decided_at = ? WHERE id = ?",
      at,
      runId,
    ),
  );
  expect((await waiting).body).toMatchObject({ status: "approved", decision: "approve", decidedAt: at });
});
