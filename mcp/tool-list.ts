import * as z from "zod/mini";
import { isObject } from "../src/contract/json.ts";
import { feedback, type ToolAnnotations, type ToolDefinition } from "./tool.ts";
import { getDecisionTool as getDecision } from "./tools/get-decision.ts";
import { listFeedbackTool as listFeedback } from "./tools/list-feedback.ts";
import { proposePlanTool as proposePlan } from "./tools/propose-plan.ts";
import { readFeedbackTool as readFeedback } from "./tools/read-feedback.ts";
import { reportOutcomeTool as reportOutcome } from "./tools/report-outcome.ts";
import { startWorkTool as startWork } from "./tools/start-work.ts";

/** A tool as clients see it: plain JSON. */
export interface ListedTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly annotations: ToolAnnotations;
  readonly inputSchema: Record<string, unknown>;
  readonly outputSchema: Record<string, unknown>;
  readonly _meta?: Record<string, unknown>;
}

/** The tools. The build replaces this code with its values, so that listing tools loads no schemas. */
export const tools = {
  listFeedback: listed(listFeedback),
  readFeedback: listed(readFeedback),
  proposePlan: listed(proposePlan),
  getDecision: listed(getDecision),
  startWork: listed(startWork),
  reportOutcome: listed(reportOutcome),
};

export const triageArguments = jsonSchemaOf(z.object({ feedback }), "input");

function listed(definition: ToolDefinition<z.ZodMiniObject, z.ZodMiniObject>): ListedTool {
  const { name, title, description, annotations, input, output, meta } = definition;
  return {
    name,
    title,
    description,
    annotations,
    inputSchema: jsonSchemaOf(input, "input"),
    outputSchema: jsonSchemaOf(output, "output"),
    ...(meta && { _meta: meta }),
  };
}

/**
 * Returns a JSON Schema without unnecessary keywords. Output fields are not required, because later versions
 * may omit such fields.
 */
function jsonSchemaOf(schema: z.ZodMiniObject, side: "input" | "output"): Record<string, unknown> {
  const json = z.toJSONSchema(schema, {
    io: side,
    override: ({ jsonSchema }) => {
      delete jsonSchema.additionalProperties;
      if (side === "output") delete jsonSchema.required;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
  delete json.$schema;
  return JSON.parse(JSON.stringify(json), oneTypeEach);
}

/** Replaces a list of types with one schema for each, because some clients support one type per schema. */
function oneTypeEach(_: string, value: unknown): unknown {
  if (!isObject(value) || !("type" in value)) return value;
  const { type, ...rest } = value;
  return Array.isArray(type) ? { ...rest, anyOf: type.map((each: unknown) => ({ type: each })) } : value;
}
