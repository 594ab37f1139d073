import * as z from "zod/mini";
import { defineTool } from "../tool-definition.ts";

const nullableText = z.nullable(z.string());

export const getDecision = defineTool({
  name: "get_decision",
  title: "Get the decision on a plan",
  description:
    "Read what a person decided on a proposed plan. wait_seconds waits for it without spending turns. awaiting_approval is a normal answer, not an error. Act only when may_proceed is true, else do what next_step says.",
  annotations: {
    title: "Get the decision on a plan",
    readOnlyHint: true,
    destructiveHint: false,
    openWorldHint: true,
  },
  input: z.object({
    run_id: z.string().check(z.maxLength(100), z.describe("From propose_plan")),
    wait_seconds: z._default(z.int().check(z.minimum(0), z.describe("up to 50; more is cut")), 0),
    feedback: z.optional(
      z
        .string()
        .check(z.maxLength(500), z.describe("As in read_feedback; only if approved_plan came back null")),
    ),
  }),
  output: z.looseObject({
    run_id: z.string(),
    status: z.string().check(z.describe("awaiting_approval, approved, rejected or another")),
    may_proceed: z.boolean(),
    decision_note: nullableText,
    decided_at: nullableText,
    waited_seconds: z.number(),
    retry_after_seconds: z.int(),
    console_url: nullableText,
    approved_plan: z.nullable(z.looseObject({ summary: z.string(), plan: z.string(), sha256: z.string() })),
    superseded_by: nullableText,
    next_step: z.string(),
  }),
});
export type GetDecisionInput = z.output<typeof getDecision.input>;
export type GetDecisionOutput = z.input<typeof getDecision.output>;
