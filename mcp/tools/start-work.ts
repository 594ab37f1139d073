import * as z from "zod/mini";
import { defineTool } from "../tool-definition.ts";

const nullableText = z.nullable(z.string());

export const startWork = defineTool({
  name: "start_work",
  title: "Start work",
  description:
    "Claim an approved run: one worker gets it. Carry out approved_plan, only if may_proceed is true.",
  annotations: {
    title: "Start work",
    readOnlyHint: false,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: true,
  },
  input: z.object({
    run_id: z.string().check(z.maxLength(100)),
    claim_id: z.optional(z.string().check(z.maxLength(100), z.describe("Yours from before, to go on"))),
    resume: z.optional(z.boolean().check(z.describe("If a refusal offers it"))),
  }),
  output: z.looseObject({
    run_id: z.string(),
    claim_id: nullableText,
    may_proceed: z.boolean(),
    approved_plan: z.nullable(z.looseObject({ plan: z.string() })),
    next_step: z.string(),
  }),
});
export type StartWorkInput = z.output<typeof startWork.input>;
export type StartWorkOutput = z.input<typeof startWork.output>;
