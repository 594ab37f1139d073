import * as z from "zod/mini";
import { NewProposal } from "../../src/contract/agent.ts";
import { defineTool, feedback } from "../tool-definition.ts";

export const proposePlan = defineTool({
  name: "propose_plan",
  title: "Propose a plan",
  description:
    "Post a summary and a plan on a feedback thread. A person must approve it in the console before you act. Nothing is sent to the person who wrote the feedback. Identical text returns the existing run.",
  annotations: {
    title: "Propose a plan",
    readOnlyHint: false,
    destructiveHint: false,
    idempotentHint: false,
    openWorldHint: true,
  },
  input: z.object({
    feedback,
    summary: NewProposal.shape.summary.check(z.describe("The problem and the remedy in brief")),
    plan: NewProposal.shape.plan.check(z.describe("What you will do, step by step")),
    expected_run_id: z.optional(
      z.string().check(z.maxLength(100), z.describe("To replace the newest run: its run_id")),
    ),
  }),
  output: z.looseObject({
    run_id: z.string(),
    feedback_id: z.string(),
    status: z.string(),
    may_proceed: z.boolean(),
    console_url: z.nullable(z.string()),
    duplicate: z.boolean(),
    next_step: z.string(),
  }),
});
export type ProposePlanInput = z.output<typeof proposePlan.input>;
export type ProposePlanOutput = z.input<typeof proposePlan.output>;
