import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { readText } from "../../support/sources/tree.ts";

const Step = z.object({
  name: z.string().optional(),
  if: z.string().optional(),
  run: z.string().optional(),
  env: z.record(z.string(), z.string()).optional(),
});
const Workflow = z.object({
  env: z.record(z.string(), z.string()),
  jobs: z.object({
    claim: z.object({ outputs: z.record(z.string(), z.string()), steps: z.array(Step) }),
    agent: z.object({ needs: z.literal("claim"), if: z.string(), env: z.object({}), steps: z.array(Step) }),
  }),
});
const { env, jobs } = Workflow.parse(parse(readText("examples/agents/agent.yml")));
const stepThat = (text: string) => jobs.agent.steps.find(({ run }) => run?.includes(text));

/** `npm run frameworks` runs the steps against a real server. */
describe("the GitHub workflow that starts an agent", () => {
  it("starts the agent's job only after a claim", () => {
    expect(jobs.agent.if).toBe("needs.claim.outputs.claim");
    expect(jobs.claim.outputs).toHaveProperty("claim");
    expect(jobs.claim.steps.map(({ run }) => run).join("\n")).toContain("innkeep agent claim");
  });

  it("gives no token of Innkeep to the agent", () => {
    expect(JSON.stringify([env, jobs.agent.env, stepThat("claude-code")])).not.toContain(
      "INNKEEP_AGENT_TOKEN",
    );
  });

  it("reports the outcome even of a failed job", () => {
    expect(stepThat("innkeep agent outcome")?.if).toBe("always()");
  });
});
