import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { unknownId } from "../../support/service/endpoints.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { connect } from "../../support/sign-in/oauth.ts";
import { makeWorkingAgent } from "../../support/worlds/agents/approved-proposal.ts";
import { makeAppWithAgent } from "../../support/worlds/app-with-owner-and-agent.ts";
import { openHttpSession } from "../support/http-session.ts";
import { readToolResult } from "../support/tool-result.ts";

const everything = { decision: "allow", "scope:propose": "on", "scope:runs:work": "on" };

type Ids = Readonly<Record<"thread" | "run", string>>;
const calls: readonly (readonly [tool: string, args: (ids: Ids) => Record<string, unknown>])[] = [
  ["read_feedback", ({ thread: feedback }) => ({ feedback })],
  ["propose_plan", ({ thread: feedback }) => ({ feedback, summary: "Take over", plan: "1. Delete." })],
  ["get_decision", ({ run: run_id }) => ({ run_id })],
  ["get_decision", ({ run: run_id }) => ({ run_id, wait_seconds: 1 })],
  ["start_work", ({ run: run_id }) => ({ run_id })],
  [
    "report_outcome",
    ({ run: run_id }) => ({ run_id, claim_id: `thief:${unknownId}`, status: "succeeded", summary: "Done." }),
  ],
];

describe("a connection that requests a proposal of another connection", () => {
  let service: Service;
  let ids: Ids;
  let strangers: Readonly<Record<string, string>>;
  beforeAll(async () => {
    service = await startService({ environment: { INNKEEP_RATE_LIMITS: "off" } });
    const world = await makeWorkingAgent(service);
    const thread = await world.newThread();
    ids = { thread, run: await world.approved(thread) };
    const sister = await service.makeApp(world.owner);
    strangers = {
      "of another owner": (await connect(service, (await makeAppWithAgent(service)).person, everything))
        .access,
      "of another app of the owner": (await connect(service, world.person, { ...everything, app: sister.id }))
        .access,
    };
  });
  afterAll(() => service.stop());

  describe.each(["of another owner", "of another app of the owner"])("%s", (whose) => {
    const session = () =>
      openHttpSession("2026-07-28", { baseUrl: service.baseUrl, token: strangers[whose] ?? "" });

    it.each(calls)("gets the same answer from %s as for an unknown proposal", async (tool, args) => {
      const client = await session();
      const hear = async (given: Ids) =>
        readToolResult(await client.callTool(tool, args(given)))
          .text.replaceAll(given.run, "ID")
          .replaceAll(given.thread, "ID");
      const heard = await hear(ids);
      expect(heard).toBe(await hear({ thread: unknownId, run: unknownId }));
      expect(heard).not.toMatch(/crashes|Guard the upload/);
    });

    it("reads nothing of it as a resource, and finds no work", async () => {
      const client = await session();
      for (const uri of [`innkeep://runs/${ids.run}`, `innkeep://feedback/${ids.thread}`])
        await expect(client.readResource(uri)).rejects.toThrow();
      expect(JSON.stringify(await client.readResource("innkeep://queue"))).not.toContain(ids.run);
      const found = readToolResult(await client.callTool("list_feedback", {}));
      expect(found.text).not.toContain(ids.thread);
    });
  });
});
