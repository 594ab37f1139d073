import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import type { Deps } from "../../../mcp/deps.ts";
import { runOf, type ToolDefinition } from "../../../mcp/tool.ts";
import { tools } from "../../../mcp/tool-list.ts";
import { getDecisionTool as getDecision } from "../../../mcp/tools/get-decision.ts";
import { listFeedbackTool as listFeedback } from "../../../mcp/tools/list-feedback.ts";
import { proposePlanTool as proposePlan } from "../../../mcp/tools/propose-plan.ts";
import { readFeedbackTool as readFeedback } from "../../../mcp/tools/read-feedback.ts";
import { reportOutcomeTool as reportOutcome } from "../../../mcp/tools/report-outcome.ts";
import { startWorkTool as startWork } from "../../../mcp/tools/start-work.ts";
import { eras } from "../support/clients.ts";
import { startFakeApi } from "../support/fake-api.ts";
import { openMcpSession } from "../support/mcp-session.ts";
import { readToolResult } from "../support/tool-result.ts";

const definitions: readonly ToolDefinition<z.ZodMiniObject, z.ZodMiniObject>[] = [
  listFeedback,
  readFeedback,
  proposePlan,
  getDecision,
  startWork,
  reportOutcome,
];
const id = "0198c1a2-8a10-7f2b-8d3e-1c2d3e4f5a66";
/** Values of the arguments that tools require. */
const required: Readonly<Record<string, string>> = {
  ...{ feedback: id, run_id: id, claim_id: id, summary: "S", plan: "P", status: "succeeded" },
};

describe("each optional argument of each MCP tool", () => {
  const optional = definitions.flatMap((definition) =>
    Object.entries(definition.input.shape)
      .filter(([, schema]) => z.safeParse(schema, undefined).success)
      .map(([name]) => [definition.name, name, definition] as const),
  );

  it("belongs to a tool that the server lists", () => {
    expect(definitions.map(({ name }) => name)).toEqual(Object.values(tools).map(({ name }) => name));
    expect(optional.length).toBeGreaterThan(15);
  });

  it.each(optional)(
    "has the same meaning with null, an empty text and no value: %s %s",
    async (_, name, definition) => {
      const { input } = definition;
      const needed = Object.keys(input.shape).filter(
        (each) => !z.safeParse(input.shape[each] ?? z.never(), undefined).success,
      );
      const base = Object.fromEntries(needed.map((each) => [each, required[each]]));
      const read = async (given: object): Promise<unknown> => {
        let seen: unknown;
        const run = runOf(definition, async (arrived) => {
          seen = arrived;
          return { structured: {}, text: "" };
        });
        const call = { signal: new AbortController().signal, progress: async () => undefined };
        const deps: Deps = Object.create(null);
        await run(given, deps, call);
        return seen;
      };
      const without = await read(base);
      for (const empty of [null, "", "  "]) expect(await read({ ...base, [name]: empty })).toEqual(without);
    },
  );
});

describe.each(eras)("empty arguments of a tool over %s", (era) => {
  const start = async () => {
    const api = await startFakeApi();
    const { client } = await openMcpSession(era, { baseUrl: api.baseUrl });
    const call = async (name: string, args: Record<string, unknown>) =>
      readToolResult(await client.callTool(name, args));
    return { api, call };
  };

  it.each([null, "", "  "])("are ignored if they are optional: %j", async (empty) => {
    const { api, call } = await start();
    const feedback = api.addThread();
    const read = { feedback, messages_before: empty, max_chars: empty, include_images: empty };
    expect((await call("read_feedback", read)).isError).toBe(false);
    const plan = { feedback, summary: "S", plan: "P", expected_run_id: empty };
    const { structured } = await call("propose_plan", plan);
    const run_id = String(structured.run_id);
    expect((await call("get_decision", { run_id, wait_seconds: empty, feedback: empty })).isError).toBe(
      false,
    );
  });

  it.each([null, ""])("are refused if they are required: %j", async (empty) => {
    const { call } = await start();
    const { isError, text } = await call("read_feedback", { feedback: empty });
    expect(isError).toBe(true);
    expect(text).toContain("`feedback`");
  });

  it("cause an error that names each of several faults", async () => {
    const { call } = await start();
    const { text } = await call("read_feedback", {
      feedback: "seven",
      messages_before: "x",
      max_chars: 1,
      what: 1,
    });
    for (const name of ["feedback", "messages_before", "max_chars", "what"])
      expect(text).toContain(`\`${name}\``);
  });
});
