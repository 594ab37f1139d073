import * as z from "zod/mini";
import { limits } from "../../src/contract/limits.ts";
import { outcomeStatuses } from "../../src/contract/runs.ts";
import { defineTool } from "../tool-definition.ts";

export const reportOutcome = defineTool({
  name: "report_outcome",
  title: "Report the outcome",
  description: "Tell the app's people, once, how the work ended.",
  annotations: {
    title: "Report the outcome",
    readOnlyHint: false,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: true,
  },
  input: z.object({
    run_id: z.string().check(z.maxLength(100)),
    claim_id: z.string().check(z.maxLength(100)),
    status: z.enum(outcomeStatuses),
    summary: z.string().check(z.minLength(1), z.maxLength(limits.outcome)),
    links: z.optional(
      z
        .array(z.string().check(z.maxLength(limits.url)))
        .check(z.maxLength(limits.outcomeLinks), z.describe("Such as a pull request")),
    ),
  }),
  output: z.looseObject({
    run_id: z.string(),
    outcome: z.string(),
    next_step: z.string(),
  }),
});
export type ReportOutcomeInput = z.output<typeof reportOutcome.input>;
export type ReportOutcomeOutput = z.input<typeof reportOutcome.output>;
